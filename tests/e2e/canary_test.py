"""Deploys by steps: bellows deploy --canary continues or rolls back by itself."""

import os
import re
import signal
import unittest

import browser
from harness import LoadGenerator, program, until
from revisions_test import Services

STEPS = ["--canary", "20%,100%", "--step", "1s", "--min-requests", "20"]
LONG = ["--canary", "20%,100%", "--step", "1h"]


class Canaries(Services):
    def start_loaded(self):
        bellows = self.start_web()
        self.load = LoadGenerator(bellows.port, 4)
        self.addCleanup(self.load.stop)
        until(lambda: self.load.succeeded > 20, "load")
        return bellows

    def begin(self, bellows):
        """A canary that does not end by itself, at its first step."""
        self.call(bellows, "deploy", "web", *LONG, "--no-wait", "--", *self.app("two"))
        until(lambda: self.shares(bellows) == {"web-00001": 80, "web-00002": 20}, "the first step")

    def test_a_good_canary_gets_all_requests_without_loss(self):
        bellows = self.start_loaded()
        said = self.call(bellows, "deploy", "web", *STEPS, "--max-latency", "p90=10s", "--", *self.app("two"))
        self.assertIn("web: canary: 20% -> 100%, 1s each, at least 20 requests", said)
        self.assertRegex(said, r"web: web-00002 gets 20 % \(step 1 of 2\): \d+ requests, 0 errors, 0 slow")
        counts = [int(n) for n in re.findall(r"gets 20 % \(step 1 of 2\): (\d+) requests", said)]
        self.assertEqual(len(counts), 2, f"a log gets a line when a step begins and when it ends, not ten a second: {said}")
        self.assertGreater(counts[1], counts[0], "the last one has the counts of the verdict")
        self.assertIn("web: done in", said)
        self.assertEqual(self.shares(bellows), {"web-00002": 100})
        bellows.wait_for("revision retired", revision="web-00001")
        self.load.stop()
        self.assertEqual(self.load.failures, [])
        self.assert_clean_exit(bellows)

    def test_a_failing_canary_rolls_back_with_the_reason(self):
        bellows = self.start_loaded()
        said = self.call(bellows, "deploy", "web", *STEPS, "--", *self.app("broken"), code=1)
        self.assertRegex(said, r"web: failed after [\d.]+ s: web-00002 rolls back: \d+ of \d+ requests at 20 % failed, max-errors is 1 %")
        self.assertIn("the previous revisions serve as before", said)
        self.assertEqual(self.shares(bellows), {"web-00001": 100})
        bellows.wait_for("canary rolls back", service="web")
        bellows.wait_for("revision retired", revision="web-00002")
        self.assert_clean_exit(bellows)

    def test_a_revision_that_is_too_slow_goes_back_with_the_reason(self):
        bellows = self.start_loaded()
        said = self.call(bellows, "deploy", "web", *STEPS, "--max-latency", "p50=400ms", "--", *self.app("slow"), code=1)
        self.assertRegex(said, r"\d+ of \d+ requests at 20 % took longer than 400ms, max-latency is p50=400ms")
        self.assertEqual(self.shares(bellows), {"web-00001": 100})
        self.load.stop()
        self.assertEqual(self.load.failures, [])
        self.assert_clean_exit(bellows)

    def test_a_failed_rollback_is_retried(self):
        bellows = self.start_web()
        self.call(bellows, "deploy", "web", *LONG, "--no-wait", "--", *self.app("broken"))
        until(lambda: self.shares(bellows) == {"web-00001": 80, "web-00002": 20}, "the first step")
        os.mkdir(self.file + ".state.new")  # so that the state file cannot be written
        load = LoadGenerator(bellows.port, 4)
        self.addCleanup(load.stop)
        bellows.wait_for("the canary cannot roll back; it is retried", service="web")
        self.assertEqual(self.shares(bellows), {"web-00001": 80, "web-00002": 20})
        os.rmdir(self.file + ".state.new")
        until(lambda: self.shares(bellows) == {"web-00001": 100}, "it goes back")
        load.stop()
        self.assertEqual(set(self.bodies(bellows, 5)), {"web-00001 one"})
        self.assert_clean_exit(bellows)

    def test_a_revision_that_does_not_start_gets_no_request(self):
        bellows = self.start_web()
        said = self.call(bellows, "deploy", "web", *STEPS, "--", "false", code=1)
        self.assertIn("web-00002 rolls back: web-00002 does not become ready", said)
        self.assertEqual(set(self.bodies(bellows, 5)), {"web-00001 one"})
        self.call(bellows, "deploy", "web", "--", *self.app("two"))
        self.assert_clean_exit(bellows)

    @unittest.skipUnless(browser.is_there(), "no chromium and chromedriver; tools/setup --tests installs them")
    def test_the_live_page_shows_step_and_shares_of_a_canary(self):
        bellows = self.start_loaded()
        page = browser.Browser(self)
        page.open(f"http://127.0.0.1:{bellows.admin}/#/web")
        until(lambda: page.text("#link") == "live", "the page is live")
        is_hidden = "return document.getElementById('revisions').hidden"
        self.assertTrue(page.run(is_hidden), "one revision has all requests")
        self.begin(bellows)
        shown = "return [...document.querySelectorAll('tr[data-revision]')].map((row) => [row.dataset.revision, row.children[1].innerText.trim()])"
        until(lambda: page.run(shown) == [["web-00001", "80 %"], ["web-00002", "20 %"]], "the shares")
        until(lambda: re.match(r"canary: web-00002 gets 20 % \(step 1 of 2\): \d+ requests", page.text("#rollout")), "the step")
        replicas = "return [...document.querySelectorAll('tr[data-replica]')].map((row) => row.dataset.replica.replace(/-\\d+$/, ''))"
        until(lambda: set(page.run(replicas)) == {"web-00001", "web-00002"}, "the replicas of both")
        self.assertEqual(page.text("#name"), "web")
        self.call(bellows, "rollback", "web")
        until(lambda: page.run(is_hidden), "it has ended, and one revision is left")
        self.assertEqual(page.complaints(), [])
        self.assert_clean_exit(bellows)

    def test_only_a_rollback_is_accepted_during_a_canary(self):
        bellows = self.start_loaded()
        self.begin(bellows)
        said = self.call(bellows, "deploy", "web", "--", *self.app("three"), code=1)
        self.assertIn("service web: a canary is under way (web-00002 gets 20 % (step 1 of 2): ", said)
        self.assertIn("`bellows rollback web` ends it", said)
        self.assertRegex(self.call(bellows, "revisions", "web"), r"web: canary: web-00002 gets 20 % \(step 1 of 2\)")
        self.assertRegex(self.call(bellows, "status"), r"\ncanary of web: web-00002 gets 20 % \(step 1 of 2\): \d+ requests, "
                         r"0 errors; \S+ left; rolls back if more than 1 % of the requests fail\n")
        said = self.call(bellows, "rollback", "web")
        self.assertIn("web: the canary of web-00002 ends, web-00001=80 web-00002=20 -> web-00001=100", said)
        self.assertIn("web: done in", said)
        self.assertEqual(self.shares(bellows), {"web-00001": 100})
        self.assertNotIn("canary of", self.call(bellows, "status"))
        self.load.stop()
        self.assertEqual(self.load.failures, [])
        self.assert_clean_exit(bellows)

    def test_ctrl_c_leaves_it_going_and_says_so(self):
        bellows = self.start_loaded()
        deploy = self.start(program("bellows"), "deploy", "web", *LONG, "--admin", f"127.0.0.1:{bellows.admin}", "--",
                            *self.app("two"))
        until(lambda: any("web-00002 gets 20 % (step 1" in line for line in deploy.lines), "the first step")
        deploy.signal(signal.SIGINT)
        self.assertEqual(deploy.end(), 130)
        self.assertIn("web: continues without this command; `bellows revisions web` shows it, `bellows rollback web` undoes it",
                      deploy.text())
        self.assertEqual(self.shares(bellows), {"web-00001": 80, "web-00002": 20})
        self.assert_clean_exit(bellows)

    def test_after_a_crash_all_is_as_before_it_and_the_log_says_so(self):
        bellows = self.start_loaded()
        self.begin(bellows)
        bellows.signal(signal.SIGKILL)
        bellows.end()
        self.load.stop()
        bellows = self.up()
        self.assertEqual(self.shares(bellows), {"web-00001": 100})
        self.assertIn("web: a canary was under way when Bellows ended: the shares are those before it, web-00001=100", bellows.text())
        self.assertEqual(set(self.bodies(bellows, 10)), {"web-00001 one"})
        self.assert_clean_exit(bellows)

    def test_what_cannot_be_a_canary_is_refused_with_what_is_right(self):
        bellows = self.start_web()
        for flags, want in ((["--canary", "25%,5%"], '"25%,5%": want growing percentages that end with 100%: 5%,25%,100%'),
                            (["--canary", "5%,100%", "--max-errors", "many"], '"many": want whole percents from 0% to 99%'),
                            (["--canary", "5%,100%", "--max-latency", "300ms"], '"300ms": want a percentile from p1 to p99 and a duration'),
                            (["--canary", "5%,100%", "--step", "10"], '"10": want a duration'),
                            (["--step", "10s"], '--step: "10s": want --canary with it')):
            self.assertIn(want, self.call(bellows, "deploy", "web", *flags, "--", *self.app("two"), code=2))
        said = self.call(bellows, "deploy", "web", "--canary", "5%,100%", "--set", "target=20", code=2)
        self.assertIn("canary: these settings take effect at once and make no revision; want none", said)
        said = self.call(bellows, "deploy", "web", "--canary", "5%,100%", "--tag", "new", "--", *self.app("two"), code=2)
        self.assertIn("a revision that is deployed with a tag gets no other requests; want one of them", said)
        self.assertEqual(self.shares(bellows), {"web-00001": 100})
        self.assert_clean_exit(bellows)

    def test_a_dry_run_says_the_steps_and_changes_nothing(self):
        bellows = self.start_web()
        said = self.call(bellows, "deploy", "web", *STEPS, "--dry-run", "--", *self.app("two"))
        self.assertRegex(said, re.compile(r"new revision web-00002: .*\nweb: canary: 20% -> 100%, 1s each", re.S))
        self.assertEqual(self.shares(bellows), {"web-00001": 100})
        self.assert_clean_exit(bellows)
