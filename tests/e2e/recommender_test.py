"""recommender: the output and the exit codes of its commands."""

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
    def test_valid_lines_are_answered(self):
        done = replay(SAMPLE + ASK, "--policy", "vpa")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn('"container":"c","target":{"cpu-millicores":126,', done.stdout)

    def test_an_invalid_line_ends_it_with_exit_code_2(self):
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
                messages = [each for each in done.stderr.splitlines() if "warning" not in each]
                self.assertEqual(len(messages), 1, done.stderr)
                self.assertIn(error, messages[0])

    def test_usage_errors_begin_with_the_name_of_program_and_command(self):
        def with_help(lines, command):
            flag = "--help-all" if command == "serve" else "--help"  # the one with settings that are not main ones
            return lines + f"`recommender {command} {flag}` lists valid arguments and settings.\n"
        for program_name, words, message in [
                ("recommender", ["foo"], 'recommender: "foo" is not a command; `recommender --help` lists the commands\n'),
                ("recommender", ["replay", "a", "b"], "recommender replay: want at most one FILE\n"
                 "usage: recommender replay [FILE] [--policy vpa|spike|hybrid] [--SETTING VALUE ...]\n"),
                ("recommender", ["replay", "--policy", "xx"],
                 with_help('recommender replay: --policy: "xx": want vpa, spike or hybrid\n', "replay")),
                ("recommender", ["explain", "c", "--hybrid-changes-per-day", "0"],
                 with_help('recommender explain: --hybrid-changes-per-day: "0": want a whole number from 1 to '
                           '1000000\n', "explain")),
                ("recommender", ["score", "--limit", "xx"],
                 with_help('recommender score: --limit: "xx": want ratio or upper-bound\n', "score")),
                ("recommender", ["serve", "--policy", "xx", "--loud"],
                 with_help('recommender serve: --policy: "xx": want vpa, spike or hybrid\n'
                           'recommender serve: --loud: unknown setting\n', "serve")),
                ("bellows", ["stop", "web"],
                 'bellows: "stop" is not a command; `bellows scale NAME 0` ends the processes of a service, and requests wait '
                 'until `bellows resume NAME`; `bellows retire NAME` answers them with 410; `bellows down` stops Bellows\n'),
                ("bellows", ["foo"], 'bellows: "foo" is not a command; `bellows --help` lists the commands\n'),
                ("bellows", ["statu"],
                 'bellows: "statu" is not a command; did you mean "status"? `bellows --help` lists the commands\n')]:
            with self.subTest(words):
                done = subprocess.run([program(program_name), *words], input="", capture_output=True, text=True,
                                      timeout=DEADLINE, check=False)
                self.assertEqual((done.returncode, done.stderr), (2, message))

    def test_replay_ignores_the_environment_and_serve_reads_it(self):
        environment = {**os.environ, "BELLOWS_POLICY": "xx"}
        done = subprocess.run([program("recommender"), "replay"], input=SAMPLE + ASK, capture_output=True, text=True,
                              timeout=DEADLINE, check=False, env=environment)
        self.assertEqual((done.returncode, done.stdout), (0, replay(SAMPLE + ASK).stdout))
        served = subprocess.run([program("recommender"), "serve", "--usage-file", "x"], capture_output=True, text=True,
                                timeout=DEADLINE, check=False, env=environment)
        self.assertEqual((served.returncode, served.stderr),
                         (2, 'recommender serve: environment BELLOWS_POLICY: "xx": want vpa, spike or hybrid\n'
                             '`recommender serve --help-all` lists valid arguments and settings.\n'))

    def test_each_command_has_its_own_help(self):
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
        self.assertIn("BELLOWS_THRESHOLD_SCALE_UP", help_of("serve", "--help-all"))

    def test_a_flag_takes_its_value_after_a_blank_or_an_equals_sign(self):
        self.assertEqual(replay(SAMPLE + ASK, "--policy=vpa").stdout, replay(SAMPLE + ASK, "--policy", "vpa").stdout)
        for words in [["explain", "web/app", "--admin", "127.0.0.1:1"], ["explain", "web/app", "--admin=127.0.0.1:1"],
                      ["explain", "--admin=127.0.0.1:1", "web/app"]]:
            with self.subTest(words):
                done = subprocess.run([program("recommender"), *words], input="", capture_output=True, text=True,
                                      timeout=DEADLINE, check=False)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn("recommender explain: no Bellows at 127.0.0.1:1", done.stderr)

    def test_a_dash_is_standard_input_wherever_a_file_is_read(self):
        def run(*words, lines=SAMPLE + ASK):
            done = subprocess.run([program("recommender"), *words], input=lines, capture_output=True, text=True,
                                  timeout=DEADLINE, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout
        self.assertEqual(run("replay", "-"), run("replay"))
        self.assertEqual(run("explain", "-", "c"), run("explain", "c"))
        rows = "seconds,container,cpu_cores,memory_bytes\n" + "".join(f"{60 * i},app,0.1,100000000\n" for i in range(60))
        self.assertIn("vpa", run("score", "--trace", "-", "--policy", "vpa", lines=rows))

    def test_an_invalid_flag_is_2_and_a_missing_file_is_1(self):
        self.assertEqual(replay("", "--policy", "best").returncode, 2)
        self.assertEqual(replay("", "--target-cpu-percentile", "2").returncode, 2)
        missing = replay("", "no-such-file.jsonl")
        self.assertEqual(missing.returncode, 1)
        self.assertIn("no-such-file.jsonl", missing.stderr)


if __name__ == "__main__":
    unittest.main()
