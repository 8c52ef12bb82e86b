"""What each program says of itself before it does anything."""

import subprocess
import unittest

from harness import DEADLINE, program

PROGRAMS = ["bellows", "queue-proxy", "activator", "autoscaler", "recommender"]


def asked(name, *words):
    return subprocess.run([program(name), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=DEADLINE, check=False)


class EachProgram(unittest.TestCase):
    def test_tells_its_version(self):
        versions = set()
        for name in PROGRAMS:
            with self.subTest(name):
                done = asked(name, "--version")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertRegex(done.stdout, rf"^{name} \d+\.\d+\.\d+\n$")
                versions.add(done.stdout.split()[1])
        self.assertEqual(len(versions), 1)

    def test_tells_its_help_and_where_the_version_is(self):
        for name in PROGRAMS:
            with self.subTest(name):
                done = asked(name, "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("version", done.stdout)

    def test_refuses_a_flag_it_does_not_know_by_its_name(self):
        for name in ["queue-proxy", "activator", "autoscaler"]:
            with self.subTest(name):
                done = asked(name, "--lisen", "127.0.0.1:0")
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(f"{name}: --lisen: ", done.stderr)

    def test_asks_the_named_service_wherever_its_name_stands_among_the_flags(self):
        nobody = ["--admin", "127.0.0.1:1"]
        for command in ["explain", "journal", "recommend", "retire", "status"]:
            for words in [["web", *nobody], [*nobody, "web"]]:
                with self.subTest(command, words=words):
                    done = asked("bellows", command, *words)
                    self.assertEqual((done.returncode, done.stdout), (1, ""))
                    self.assertIn("no Bellows at 127.0.0.1:1", done.stderr)
        done = asked("bellows", "top", *nobody, "web", "api")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("want at most one NAME", done.stderr)
        done = asked("bellows", "up", "--listen", "127.0.0.1:0", "/nowhere/bellows.yaml")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("/nowhere/bellows.yaml", done.stderr)

    def test_refuses_a_name_that_no_service_can_have(self):
        for command in ["explain", "journal", "recommend", "retire"]:
            with self.subTest(command):
                done = asked("bellows", command, "a b", "--admin", "127.0.0.1:1")
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(f'bellows {command}: "a b": want 1 to 63 letters a-z', done.stderr)


if __name__ == "__main__":
    unittest.main()
