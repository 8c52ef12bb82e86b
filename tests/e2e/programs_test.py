"""Help, version and usage errors of each program."""

import subprocess
import unittest

from harness import DEADLINE, program

PROGRAMS = ["bellows", "queue-proxy", "activator", "autoscaler", "injector", "recommender"]


def asked(name, *words):
    return subprocess.run([program(name), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=DEADLINE, check=False)


class EachProgram(unittest.TestCase):
    def test_prints_its_version(self):
        versions = set()
        for name in PROGRAMS:
            with self.subTest(name):
                done = asked(name, "--version")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertRegex(done.stdout, rf"^{name} \d+\.\d+\.\d+\n$")
                versions.add(done.stdout.split()[1])
        self.assertEqual(len(versions), 1)

    def test_prints_help_that_mentions_the_version(self):
        for name in PROGRAMS:
            with self.subTest(name):
                done = asked(name, "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("version", done.stdout)

    def test_rejects_an_unknown_flag_by_name(self):
        for name in ["queue-proxy", "activator", "autoscaler"]:
            with self.subTest(name):
                done = asked(name, "--lisen", "127.0.0.1:0")
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(f"{name}: --lisen: ", done.stderr)

    def test_accepts_the_service_name_before_and_after_flags(self):
        no_server = ["--admin", "127.0.0.1:1"]
        for command in ["explain", "journal", "pause", "recommend", "resume", "retire", "status"]:
            for words in [["web", *no_server], [*no_server, "web"]]:
                with self.subTest(command, words=words):
                    done = asked("bellows", command, *words)
                    self.assertEqual((done.returncode, done.stdout), (1, ""))
                    self.assertIn("no Bellows at 127.0.0.1:1", done.stderr)
        done = asked("bellows", "top", *no_server, "web", "api")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("want at most one NAME", done.stderr)
        done = asked("bellows", "up", "--listen", "127.0.0.1:0", "/nowhere/bellows.yaml")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("/nowhere/bellows.yaml", done.stderr)

    def test_a_flag_takes_its_value_after_a_blank_or_an_equals_sign(self):
        for words in [["status", "--admin=127.0.0.1:1"], ["explain", "--admin=127.0.0.1:1", "web"],
                      ["journal", "web", "--admin=127.0.0.1:1"], ["top", "--once", "--admin=127.0.0.1:1"]]:
            with self.subTest(words):
                done = asked("bellows", *words)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn("no Bellows at 127.0.0.1:1", done.stderr)
        for name in ["activator", "autoscaler", "queue-proxy"]:
            with self.subTest(name):
                done = asked(name, "--log-level=loud")
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(f'{name}: --log-level: "loud": want', done.stderr)

    def test_a_dash_is_standard_input_wherever_a_file_is_read(self):
        def with_input(text, *words):
            return subprocess.run([program("bellows"), *words], input=text, capture_output=True, text=True,
                                  timeout=DEADLINE, check=False)
        decision = '{"at":0,"spec":{"target":10},"ready":1}\n{"at":2,"ready":1,"stable":12.0,"panic":30.0}\n'
        windows = '{"window":"6s"}\n{"at":1,"record":9}\n{"at":1,"read":true}\n'
        for text, words in [(decision, ["replay", "decisions"]), (windows, ["replay", "windows"])]:
            with self.subTest(words):
                piped, named = with_input(text, *words), with_input(text, *words, "-")
                self.assertEqual((named.returncode, named.stderr), (0, ""))
                self.assertTrue(named.stdout)
                self.assertEqual(named.stdout, piped.stdout)
        done = with_input("not a journal\n", "explain", "--journal", "-")
        self.assertEqual(done.returncode, 2)
        self.assertIn("bellows explain: standard input: line 1", done.stderr)
        done = with_input("services: []\n", "up", "-")
        self.assertEqual(done.returncode, 2)
        self.assertIn("bellows up: standard input", done.stderr)
        done = with_input("period,count\n0,1\n60,many\n", "simulate", "--trace", "-")
        self.assertEqual(done.returncode, 1)
        self.assertIn('standard input:3: count: "many": want', done.stderr)
        done = with_input("period,count\n0,10\n60,10\n", "simulate", "--trace=-", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_rejects_an_invalid_service_name(self):
        for command in ["explain", "journal", "pause", "recommend", "resume", "retire"]:
            with self.subTest(command):
                done = asked("bellows", command, "a b", "--admin", "127.0.0.1:1")
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(f'bellows {command}: "a b": want 1 to 63 letters a-z', done.stderr)


if __name__ == "__main__":
    unittest.main()
