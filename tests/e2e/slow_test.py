"""The slow brain: what a user sees of it. A short latency-window makes it learn within seconds."""

import os
import subprocess

from harness import DEADLINE, EndToEnd, LoadGenerator, program, until


def bellows_client(admin, *arguments, text=None):
    return subprocess.run([program("bellows"), *arguments, *(["--admin", f"127.0.0.1:{admin}"] if admin else [])],
                          input=text, capture_output=True, text=True, timeout=DEADLINE, check=False)


class SlowBrain(EndToEnd):
    def test_what_it_learned_is_told_drawn_explained_and_repeated(self):
        bellows = self.run_bellows("--latency-goal", "p95 < 5ms", "--latency-window", "2s", "--min-scale", "4", "--",
                                   *self.sample())
        empty = bellows_client(bellows.admin, "slow", "web")
        self.assertEqual((empty.returncode, empty.stdout.split(":")[0]), (0, "web"), empty.stderr)
        load = LoadGenerator(bellows.port, 4)
        until(lambda: "cannot be kept" in bellows_client(bellows.admin, "slow", "web").stdout, "a goal that is judged",
              deadline=3 * DEADLINE)
        told = bellows_client(bellows.admin, "slow", "web").stdout
        self.assertIn("web: The slow brain advises target ", told)
        self.assertRegex(told, r"The goal p95 < 5ms cannot be kept: a request alone already takes [0-9.]+ms at p95")
        self.assertIn("requests/s", told)
        explained = bellows_client(bellows.admin, "explain", "web").stdout
        self.assertIn("The slow brain advises target ", explained)
        picture = os.path.join(self.folder(), "curve.svg")
        drawn = bellows_client(bellows.admin, "slow", "web", "--svg", picture)
        self.assertEqual(drawn.returncode, 0, drawn.stderr)
        with open(picture, encoding="utf-8") as file:
            svg = file.read()
        self.assertTrue(svg.startswith("<svg ") and svg.endswith("</svg>\n"), svg[:100])
        self.assertIn("requests a second of a replica", svg)
        journal = bellows_client(bellows.admin, "slow", "web", "--journal").stdout
        repeated = bellows_client(None, "replay", "slow", text=journal)
        self.assertEqual(repeated.returncode, 0, repeated.stderr)
        self.assertEqual(len(repeated.stdout.splitlines()), len(journal.splitlines()) - 1)
        load.stop()
        self.assertEqual(load.failures, [])
        self.assert_clean_exit(bellows)

    def test_invalid_goals_and_contradicting_bounds_are_named(self):
        for flags, told in ((["--latency-goal", "p95 < fast"], "latency-goal: \"p95 < fast\": want p50, p95 or p99"),
                            (["--target-min", "9", "--target-max", "3"], "target-min at most target-max")):
            done = subprocess.run([program("bellows"), "run", *flags, "--", "true"], capture_output=True, text=True,
                                  timeout=DEADLINE, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(told, done.stderr)
