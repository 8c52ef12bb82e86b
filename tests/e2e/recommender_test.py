"""recommender replay as a filter of the shell: what it prints and how it exits."""

import os
import subprocess
import unittest

from harness import DEADLINE, program

SAMPLE = '{"at":60,"container":"c","cpu-cores":0.1}\n'
ASK = '{"at":61,"recommend":true}\n'


def replay(lines, *flags):
    return subprocess.run([program("recommender"), "replay", *flags], input=lines, capture_output=True, text=True,
                          timeout=DEADLINE, check=False)


class RecommenderReplay(unittest.TestCase):
    def test_what_is_understood_is_answered(self):
        done = replay(SAMPLE + ASK, "--policy", "vpa")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn('"container":"c","target":{"cpu-millicores":126,', done.stdout)

    def test_a_refused_line_ends_it_with_2_and_the_answers_before_it_stand(self):
        for policy, line, error in [
                ("vpa", '{"at":62,"container":"c","cpu-cores":-1}', "line 3: cpu-cores: -1: want a number from 0 to 100000"),
                ("vpa", '{"at":10,"recommend":true}', "line 3: at: 10: want "),
                ("hybrid", '{"config":{"hybrid-hysteresis":2}}', "line 3: config: hybrid-hysteresis: "),
                ("spike", '{"at":62,"checkpoint":true}', "line 3: checkpoint: true: want false, or policy vpa or hybrid")]:
            with self.subTest(line):
                good = replay(SAMPLE + ASK, "--policy", policy)
                done = replay(SAMPLE + ASK + line + "\n" + ASK, "--policy", policy)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stdout, good.stdout)
                told = [each for each in done.stderr.splitlines() if "warning" not in each]
                self.assertEqual(len(told), 1, done.stderr)
                self.assertIn(error, told[0])

    def test_what_was_asked_wrongly_is_told_with_the_name_of_who_was_asked(self):
        wants = "want replay, explain, score or serve; see --help\n"
        for program_name, words, told in [
                ("recommender", ["foo"], f'recommender: "foo": {wants}'),
                ("recommender", [], f"recommender: want a command: {wants.removeprefix('want ')}"),
                ("recommender", ["replay", "--policy", "xx"],
                 'recommender replay: --policy: "xx": want vpa, spike or hybrid\n'),
                ("recommender", ["explain", "c", "--round-memory-bytes", "0"],
                 'recommender explain: --round-memory-bytes: "0": want a whole number from 1 to 100000000000000\n'),
                ("recommender", ["score", "--limit", "xx"],
                 'recommender score: --limit: "xx": want ratio or upper-bound\n'),
                ("recommender", ["serve", "--policy", "xx", "--loud"],
                 'recommender serve: --policy: "xx": want vpa, spike or hybrid\n'
                 'recommender serve: --loud: unknown setting\n'),
                ("bellows", ["foo"], 'bellows: "foo" is no command; `bellows --help` lists them\n'),
                ("bellows", ["statu"],
                 'bellows: "statu" is no command; did you mean "status"? `bellows --help` lists them\n')]:
            with self.subTest(words):
                done = subprocess.run([program(program_name), *words], input="", capture_output=True, text=True,
                                      timeout=DEADLINE, check=False)
                self.assertEqual((done.returncode, done.stderr), (2, told))

    def test_the_environment_says_nothing_to_a_replay_and_all_to_serve(self):
        environment = {**os.environ, "BELLOWS_POLICY": "xx"}
        done = subprocess.run([program("recommender"), "replay"], input=SAMPLE + ASK, capture_output=True, text=True,
                              timeout=DEADLINE, check=False, env=environment)
        self.assertEqual((done.returncode, done.stdout), (0, replay(SAMPLE + ASK).stdout))
        served = subprocess.run([program("recommender"), "serve", "--usage-file", "x"], capture_output=True, text=True,
                                timeout=DEADLINE, check=False, env=environment)
        self.assertEqual((served.returncode, served.stderr),
                         (2, 'recommender serve: environment BELLOWS_POLICY: "xx": want vpa, spike or hybrid\n'))

    def test_each_command_has_a_help_of_its_own(self):
        def help_of(*words):
            done = subprocess.run([program("recommender"), *words], capture_output=True, text=True, timeout=DEADLINE,
                                  check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return done.stdout
        pages = {command: help_of(command, "--help") for command in ["replay", "explain", "score"]}
        for command, page in pages.items():
            with self.subTest(command):
                self.assertTrue(page.startswith(f"usage: recommender {command} "), page)
                self.assertEqual([other for other in pages if f"usage: recommender {other} " in page], [command])
                self.assertIn("recommender --settings", page)
                self.assertNotIn("BELLOWS_", page)
        for flag in ["trace", "policy", "seed", "report", "json", "limit", "cpu-limit-ratio", "memory-limit-ratio", "apply"]:
            self.assertIn(f"\n  --{flag}", pages["score"])
        overview = help_of("--help")
        for command in [*pages, "serve"]:
            self.assertIn(f"\n  {command} ", overview)
        self.assertNotIn("BELLOWS_", help_of("--settings"))
        self.assertIn("--threshold-scale-up", help_of("--settings"))
        self.assertIn("BELLOWS_THRESHOLD_SCALE_UP", help_of("serve", "--help"))

    def test_a_wrong_flag_is_2_and_a_file_that_is_not_there_is_1(self):
        self.assertEqual(replay("", "--policy", "best").returncode, 2)
        self.assertEqual(replay("", "--target-cpu-percentile", "2").returncode, 2)
        missing = replay("", "no-such-file.jsonl")
        self.assertEqual(missing.returncode, 1)
        self.assertIn("no-such-file.jsonl", missing.stderr)


if __name__ == "__main__":
    unittest.main()
