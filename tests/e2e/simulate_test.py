"""`bellows simulate`: a trace in; a table, JSON or an HTML page out."""

import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

from harness import DEADLINE, program

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRACES = os.path.join(ROOT, "tests", "traces")
sys.path.insert(0, os.path.join(ROOT, "bench"))
sys.dont_write_bytecode = True
import access_log  # noqa: E402
import compare_profiles  # noqa: E402


def simulate(*flags):
    return subprocess.run([program("bellows"), "simulate", *flags], capture_output=True, text=True, timeout=DEADLINE)


class SimulateTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="bellows-simulate-")
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)
        return self.path(name)

    def trace(self):
        return self.write("trace.csv", "period,count\n" + "".join(f"{60 * m},{20 + 100 * (m % 3)}\n" for m in range(10)))

    def test_the_table_has_each_policy_and_both_bounds(self):
        done = simulate("--trace", self.trace(), "--policy", "bellows,bellows:window=30s")
        self.assertEqual(done.returncode, 0, done.stderr)
        for begin in ["policy", "bellows ", "bellows:window=30s ", "oracle ", "the load itself "]:
            self.assertTrue(any(line.startswith(begin) for line in done.stdout.splitlines()), begin)
        self.assertEqual(done.stderr, "")

    def test_equal_seeds_give_equal_bytes_and_other_seeds_others(self):
        flags = ["--trace", self.trace(), "--policy", "bellows", "--dispersion", "3", "--json"]
        first = simulate(*flags, "--report", self.path("first.html"))
        again = simulate(*flags, "--report", self.path("again.html"))
        self.assertEqual(first.stdout, again.stdout)
        with open(self.path("first.html")) as one, open(self.path("again.html")) as two:
            pages = [page.read() for page in (one, two)]
        self.assertIn(f"--report {self.path('again.html')}</code><br>Bellows ", pages[1])
        first_page, second_page = (re.sub(r'<p class="made">.*?</p>', "", page, flags=re.DOTALL) for page in pages)
        self.assertEqual(first_page, second_page)
        self.assertNotEqual(first.stdout, simulate(*flags, "--seed", "2").stdout)

    def test_it_warms_up_unless_told_otherwise_and_says_so(self):
        counted = {}
        for name, flags in (("default", []), ("none", ["--warm-up", "0s"])):
            flags = ["--trace", self.trace(), "--policy", "bellows,knative", *flags]
            counted[name] = json.loads(simulate(*flags, "--json").stdout)
            said = simulate(*flags).stdout
            self.assertEqual("the first 1m are warm-up and not counted (--warm-up)" in said, name == "default", said)
            self.assertRegex(said, r"(?m)^bellows: .* waits? .*\(knative: .*\), no request is lost$")
        self.assertEqual((counted["default"]["warm_up_seconds"], counted["default"]["counted_seconds"]), (60, 540))
        self.assertEqual((counted["none"]["warm_up_seconds"], counted["none"]["counted_seconds"]), (0, 600))

    def test_json_accounts_for_every_request(self):
        done = simulate("--trace", self.trace(), "--policy", "bellows", "--set", "queue-depth=5", "--set",
                        "container-concurrency=1", "--set", "max-scale=1", "--json")
        policy = json.loads(done.stdout)["policies"][0]
        self.assertGreater(policy["refused"], 0)
        self.assertEqual(policy["arrivals"],
                         policy["served"] + policy["refused"] + policy["timed_out"] + policy["broken_off"] +
                         policy["unfinished"])

    def log(self, name, megabytes=0.2):
        with open(self.path(name + ".log"), "w") as f:
            access_log.write(name, megabytes, f)
        return self.path(name + ".log")

    def test_a_log_of_every_format_says_what_scaling_would_have_saved(self):
        for name in access_log.FORMATS:
            done = simulate(self.log(name), "--to", "1h")
            self.assertEqual(done.returncode, 0, name + done.stderr)
            self.assertRegex(done.stdout, r"(?m)^Keep \d+, target [\d.]+ \(.*\): saves .* replica-hours \(\d+%\), p99 [+-]\S+, ", name)
            self.assertEqual("the log has no durations" in done.stdout, name == "combined", name)
            self.assertEqual(done.stderr, "", name)

    def test_a_packed_log_and_one_from_standard_input_give_the_same_answer(self):
        log = self.log("nginx")
        with open(log, "rb") as f, gzip.open(self.path("access.log.gz"), "wb") as packed:
            packed.write(f.read())
        answers = [simulate(log, "--to", "1h").stdout, simulate("--trace", self.path("access.log.gz"), "--to", "1h").stdout]
        with open(self.path("access.log.gz"), "rb") as f:
            answers.append(subprocess.run([program("bellows"), "simulate", "-", "--to", "1h"], stdin=f, capture_output=True, text=True,
                                          timeout=DEADLINE).stdout)
        for answer in answers[1:]:
            self.assertEqual(answer.split(": ", 1)[1], answers[0].split(": ", 1)[1])

    def test_an_answer_is_shown_beside_the_fixed_number_in_a_report(self):
        done = simulate(self.log("nginx"), "--to", "1h", "--json", "--report", self.path("day.html"))
        self.assertEqual(done.returncode, 0, done.stderr)
        best, always_on = json.loads(done.stdout)["policies"]
        self.assertLessEqual(best["replica_seconds"], always_on["replica_seconds"])
        self.assertRegex(always_on["policy"], r"^bellows:min-scale=(\d+):max-scale=\1:initial-scale=\1$")
        with open(self.path("day.html")) as page:
            self.assertIn("Cheapest that keeps the waiting: ", page.read())

    def test_a_setting_that_only_some_policies_take_is_wrong_only_with_them(self):
        log = self.log("nginx", 0.02)
        for flags in (["--set", "activation-scale=3"], ["--set", "window=3s"]):  # no fixed number has the one, knative not the other
            done = simulate(log, "--json", *flags)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(json.loads(done.stdout)["policies"][1]["policy"], r"^bellows:min-scale=")
        for flags in ([log, "--policy", "knative"], [self.trace()]):
            done = simulate(*flags, "--set", "window=3s")
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("want a window of at least 6s under profile knative", done.stderr)

    def test_a_log_with_policies_is_compared_as_a_trace_is(self):
        done = simulate(self.log("caddy"), "--to", "1h", "--policy", "bellows,knative")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^bellows: .*no request is lost$")

    def test_a_log_that_cannot_be_read_is_named_with_its_line(self):
        good = '10.0.0.1 - - [06/Feb/2009:12:14:14 +0100] "GET / HTTP/1.1" 200 612 "-" "-" 0.012\n'
        cut = gzip.compress(good.encode() * 1000)[:-30]
        with open(self.path("cut.gz"), "wb") as f:
            f.write(cut)
        with open(self.path("utf16.log"), "wb") as f:
            f.write(good.encode("utf-16"))
        for log, message in [
            (self.write("cut.log", good + good[:40] + "\n" + good), 'cut.log:2: time: "06/Feb/2009:12:14:14 +0100": want a time in brackets'),
            (self.write("two.log", good + '{"start_time":"2009-02-06T11:14:14Z","duration":12}\n'), "two.log:2: "),
            (self.path("utf16.log"), "utf16.log:1: "),
            (self.write("long.log", good + "a" * (9 << 20)), "long.log:2: the line is longer than 1 MiB: want lines of text"),
            (self.path("cut.gz"), "cut.gz: the gzip file ends before its content: want the whole file"),
            (self.write("words.log", "hello\n"), 'words.log:1: "hello": want a trace (docs/simulate.md), or a line of an access log'),
        ]:
            done = simulate(log)
            self.assertEqual(done.returncode, 1, log + done.stdout)
            self.assertIn(message, done.stderr)
        unfinished = simulate(self.write("growing.log", good * 3 + good[:40]))
        self.assertEqual(unfinished.returncode, 0, unfinished.stderr)
        self.assertIn("The last line has no end and is left out.", unfinished.stdout)

    def test_one_line_of_a_thousand_is_counted_in_the_whole_log(self):
        good = [f'10.0.0.1 - - [06/Feb/2009:12:{i // 1200:02}:{i // 20 % 60:02} +0100] "GET / HTTP/1.1" 200 612 "-" "-" 0.012\n'
                for i in range(60000)]
        log = self.write("early.log", "".join(good[:100] + ["garbage\n"] * 50 + good[150:]))
        done = simulate(log)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("\n50 lines cannot be read; line 101: line: \"garbage\": want ", done.stdout)

    def test_the_format_of_every_trace_in_the_repository_is_detected(self):
        for name in sorted(os.listdir(TRACES)):
            if not name.endswith(".csv") or "durations" in name:
                continue
            done = simulate("--trace", os.path.join(TRACES, name), "--to", "10m", "--policy", "bellows", "--scale",
                            "0.1", "--json")
            self.assertEqual(done.returncode, 0, name + done.stderr)

    def test_service_times_of_the_trace_are_not_shown_as_the_apps(self):
        done = simulate("--trace", os.path.join(TRACES, "azure-functions-2021-sample.csv"), "--to", "1m", "--app",
                        "service=7s", "--json")
        self.assertEqual(json.loads(done.stdout)["app"], "start=2s,service=as traced")

    def test_a_request_timeout_ends_requests(self):
        done = simulate("--trace", self.trace(), "--app", "service=1s", "--set", "revision-timeout=300ms", "--json")
        policy = json.loads(done.stdout)["policies"][0]
        self.assertEqual(policy["served"], 0)
        self.assertGreater(policy["timed_out"], 0)

    def test_rare_calls_have_the_shortest_best_constant(self):
        calls = self.write("calls.txt", "".join(f"{600 * n}.0\n" for n in range(1, 20)))
        done = simulate("--trace", calls, "--policy", "bellows", "--suggest")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("keep-alive: constant and idle-clock: 5s", done.stdout)

    def test_a_simulated_decision_is_explained_from_its_journal(self):
        done = simulate("--trace", self.trace(), "--policy", "bellows", "--journal", self.path("journal"))
        self.assertEqual(done.returncode, 0, done.stderr)
        told = subprocess.run([program("bellows"), "explain", "--journal", self.path("journal")],
                              capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertRegex(told.stdout, r"should have \d+ replica")

    def test_an_invalid_line_is_reported_with_its_place(self):
        trace = self.write("bad.csv", "period,count\n0,1\n60,many\n")
        done = simulate("--trace", trace)
        self.assertEqual(done.returncode, 1)
        self.assertIn(trace + ':3: count: "many": want a whole number from 0', done.stderr)
        self.assertEqual(done.stdout, "")

    def test_an_unreadable_trace_is_reported_with_the_cause(self):
        for trace, message in [
            (self.folder.name, "the trace " + self.folder.name + ": cannot be read: Is a directory (EISDIR)"),
            (self.write("empty.csv", ""), "empty.csv: has no request: want at least one"),
            (self.path("none.csv"), "none.csv: cannot be read: No such file or directory (ENOENT)"),
        ]:
            done = simulate("--trace", trace)
            self.assertEqual(done.returncode, 1, trace)
            self.assertIn(message, done.stderr)

    def test_a_too_large_scale_is_reported_with_the_maximum(self):
        big = self.write("big.csv", "period,count\n0,50000000\n60,1\n")
        self.assertIn('scale: "1": the busiest minute would have 50 000 000 requests: want at most 20 000 000, so a scale '
                      'of at most 0.4\n', simulate("--trace", big).stderr)
        events = self.write("events.csv", "1\n70\n130\n")
        self.assertIn('scale: "1e+07": the trace would have 30 000 000 requests: want at most 20 000 000, so a scale of '
                      'at most 6660000\n', simulate("--trace", events, "--scale", "1e7").stderr)

    def test_invalid_flags_are_reported_before_the_simulation(self):
        for flags, message in [
            (["--trace", "nowhere.csv"], "nowhere.csv"),
            (["--trace", self.trace(), "--app", "quick"], 'app: preset: "quick": want fast, medium, slow, ps'),
            (["--trace", self.trace(), "--policy", "bellows:windw=1s"], "windw"),
            (["--trace", self.trace(), "--scale", "0"], "--scale"),
            (["--trace", self.trace(), "--dispersion", "0.5"], "--dispersion"),
            (["--trace", self.trace(), "--from", "1h"], "from"),
            (["--trace", os.path.join(TRACES, "azure-functions-2021-sample.csv"), "--dispersion", "4"], "dispersion"),
            (["--trace", self.trace(), "--scale", "1e9"], "scale"),
            (["--trace", self.trace(), "--seed", "-1"], "--seed: \"-1\": want a whole number from 0 to 1000000000000000"),
            (["--trace", self.trace(), "--app", "start=-1s"], "start"),
            (["--trace", self.trace(), "--function", "c13a"], "function: \"c13a\""),
            (["--trace", self.trace(), "--durations", self.trace()], "durations: "),
            (["--trace", self.trace(), "--set", "memory-utilization=1"], "memory-utilization"),
            (["--trace", self.trace(), "--set", "cpu-utilization=50"], "want --app cpu=DURATION"),
            (["--trace", self.trace(), "--set", "min-scale=100000000"], "min-scale: \"100000000\": want at most 5000"),
            ([], "--trace"),
        ]:
            done = simulate(*flags)
            self.assertEqual(done.returncode, 1 if "nowhere.csv" in flags else 2, flags)
            self.assertIn(message, done.stderr, flags)

    def test_a_report_that_cannot_be_written_is_a_failure(self):
        done = simulate("--trace", self.trace(), "--report", self.path("no/such/folder.html"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("no/such/folder.html: cannot write the report: No such file or directory (ENOENT)", done.stderr)
        self.assertEqual(done.stdout, "")  # reported before the simulation

    def test_output_that_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([program("bellows"), "simulate", "--trace", self.trace()], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=DEADLINE)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output: cannot be written: No space left on device (ENOSPC)", done.stderr)


class CompareProfilesTest(unittest.TestCase):
    """bench/compare_profiles.py reads and judges the output of `bellows simulate`."""

    @staticmethod
    def outcome(policy, served, p99=0.0):
        return {"policy": policy, "arrivals": 199, "served": served, "cold_starts": 0, "waste_replica_seconds": 100,
                "wait_seconds": {"p99": p99, "p99.9": p99}}

    def test_a_policy_with_more_lost_requests_misses_the_bar(self):
        result = {"mean_load": 8}
        theirs = self.outcome("knative", served=199, p99=20.0)
        self.assertEqual(compare_profiles.missed(self.outcome("bellows", 199), theirs, result, "20s"), "ok")
        self.assertEqual(compare_profiles.missed(self.outcome("bellows", 181), theirs, result, "20s"), "lost")

    def test_losses_are_shown_if_there_are_any(self):
        outcomes = [self.outcome(name, served) for name, served in [("seed", 181), ("knative", 199), ("bellows", 199)]]
        self.assertEqual(compare_profiles.losses(outcomes), "18 / 0 / 0")
        self.assertEqual(compare_profiles.losses(outcomes[1:]), "0")

    def test_a_row_of_the_brief_table_has_one_cell_per_title(self):
        done = subprocess.run([sys.executable, compare_profiles.__file__, "--bellows", program("bellows"), "--brief",
                               "--only", "2021 313c"], capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({line.count("|") for line in done.stdout.splitlines()}, {16}, done.stdout)


if __name__ == "__main__":
    unittest.main()
