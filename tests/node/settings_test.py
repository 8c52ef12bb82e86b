"""Settings that change while pods run: queue-proxies take them from their Revision, and no pod is replaced.

The app needs 20 ms for a request, and four callers send the next one as soon as they have a response: at most 200 requests a
second, and 50 when the pod takes one at a time.
"""

import concurrent.futures
import http.client
import time
import unittest
import urllib.request

from autoscaled import Autoscaled, Late
from node_harness import TIMEOUT, note, until

CALLERS, REQUESTS = 4, 200  # for each pod
LIMITED, UNLIMITED = 52, 65  # requests a second of a pod: at most, and at least on a busy machine


class OnePod(Autoscaled):
    def annotate(self, *words):
        self.kubectl("annotate", "--overwrite", "deployment", "web", *words)

    def in_effect(self):
        return next((c for c in (self.brev() or {}).get("conditions", []) if c["type"] == "SettingsInEffect"), {})

    def wait_in_effect(self, status, says=""):
        until(lambda: self.in_effect().get("status") == status and says in self.in_effect().get("message", ""),
              Late(lambda: f"SettingsInEffect is {status} and says {says!r}: {self.brev()}"), TIMEOUT)


class ARunningPod(OnePod):

    def pods(self):
        """Names, identities and restarts of containers: all that a restart would change."""
        return sorted((pod["metadata"]["name"], pod["metadata"]["uid"],
                       tuple(each["restartCount"] for each in pod["status"]["containerStatuses"])) for pod in self.running())

    def rates(self, story):
        """Requests that each pod served in a second. None may fail."""
        address, pods = self.address(), len(self.ready())
        def served_by(_):
            with urllib.request.urlopen(f"http://{address}/", timeout=TIMEOUT) as answer:
                return answer.read().decode().strip()
        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(CALLERS * pods) as callers:
            answers = list(callers.map(served_by, range(REQUESTS * pods)))
        took = time.monotonic() - began
        rates = {pod: answers.count(pod) / took for pod in set(answers)}
        note(f"{story:58} {len(answers):7}       0  {', '.join(f'{rate:.0f}/s' for rate in rates.values())}")
        return rates

    def wait_rates(self, story, holds):
        """The limit reaches a pod within seconds, so it is measured until it does."""
        seen = []
        def is_so():
            seen[:] = self.rates(story).values()
            return len(seen) == len(self.ready()) and all(map(holds, seen))
        until(is_so, Late(lambda: f"{story}: {seen}; {self.brev()}"), TIMEOUT)

    def test_takes_a_limit_and_gives_it_back_without_a_restart(self):
        with self.explained():
            self.start(annotations={"min-scale": "1", "max-scale": "1"})
            self.wait_direct()
            before = self.pods()
            self.wait_rates("without a limit", lambda rate: rate > UNLIMITED)
            self.annotate("bellows.dev/container-concurrency=1")
            self.wait_rates("container-concurrency 1", lambda rate: 30 < rate < LIMITED)
            self.wait_in_effect("True")
            self.annotate("bellows.dev/container-concurrency-")
            self.wait_rates("the limit is gone", lambda rate: rate > UNLIMITED)
            self.assertEqual(self.pods(), before, "no pod was replaced, and nothing in it was restarted")

    def test_one_of_two_that_starts_again_has_the_limit_still(self):
        with self.explained():
            self.start(replicas=2, annotations={"min-scale": "2", "max-scale": "2"})
            self.wait_direct()
            self.annotate("bellows.dev/container-concurrency=1")
            self.wait_rates("two pods, container-concurrency 1", lambda rate: 20 < rate < LIMITED)
            self.kill(self.ready()[0], "queue-proxy")
            until(lambda: len(self.ready()) < 2, "the kubelet sees that it ended", TIMEOUT)
            self.wait_pods(2)
            self.wait_rates("one began again", lambda rate: 20 < rate < LIMITED)

    def test_with_one_slot_behind_two_activators_serves_all_callers(self):
        """Each activator has a request that waits for the slot, although nothing tells it when the other one leaves it."""
        with self.explained():
            self.start(annotations={"min-scale": "1", "max-scale": "1", "container-concurrency": "1", "target-burst-capacity": "-1"})
            self.wait_through()
            self.wait_rates("one slot behind two activators", lambda rate: 35 < rate < LIMITED)

    def test_names_what_has_no_effect_here(self):
        with self.explained():
            self.start(annotations={"min-scale": "1", "max-scale": "1"})
            self.wait_in_effect("True")
            self.annotate("bellows.dev/cpu-utilization=70")
            self.wait_in_effect("False", says="cpu-utilization: the API server has no metrics.k8s.io")
            self.annotate("bellows.dev/cpu-utilization-", "bellows.dev/drain-timeout=1h")
            self.wait_in_effect("False", says="drain-timeout: it stays 25s until the pods are replaced")
            said = self.bellows("check", "--kubeconfig", self.plane.kubeconfig, "--namespace", self.namespace, text="", status=1)
            self.assertIn("terminationGracePeriodSeconds", said)
            self.annotate("bellows.dev/drain-timeout-")
            self.wait_in_effect("True")
            self.assertEqual(self.condition("Ready"), "True")

    def test_has_what_only_activators_enforce_while_they_stay(self):
        with self.explained():
            self.start(annotations={"min-scale": "1", "max-scale": "1"})
            self.wait_direct()
            self.annotate('bellows.dev/static-answers=[{"path": "/healthz", "status": 200, "body": "of activators"}]')
            self.wait_in_effect("False", says="static-answers: only activators enforce it")
            self.assertNotIn("of activators", self.answer_to("/healthz"))
            self.annotate("bellows.dev/target-burst-capacity=-1")
            self.wait_in_effect("True")
            self.wait_through()
            until(lambda: self.answer_to("/healthz") == "of activators", "activators answer", TIMEOUT)

    def answer_to(self, path):
        with urllib.request.urlopen(f"http://{self.address()}{path}", timeout=TIMEOUT) as answer:
            return answer.read().decode()


class APodOfALongRequest(OnePod):
    """Its app needs 3 s for each, in which it sends nothing."""

    SECONDS = 3

    def setUp(self):
        super().setUp()
        self.start(annotations={"min-scale": "1", "max-scale": "1", "target": "100"}, delay=1000 * self.SECONDS)
        self.wait_direct()
        self.restarts = self.restarted()

    def restarted(self):
        return sorted((pod["metadata"]["uid"], tuple(each["restartCount"] for each in pod["status"]["containerStatuses"]))
                      for pod in self.running())

    def ask(self, path="/"):
        """(status, seconds, header fields) of a request over a connection of its own."""
        host, port = self.address().split(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=TIMEOUT)
        begun = time.monotonic()
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            return answer.status, time.monotonic() - begun, answer.headers
        finally:
            connection.close()

    def ask_at_once(self, number):
        with concurrent.futures.ThreadPoolExecutor(number) as callers:
            return list(callers.map(lambda _: self.ask(), range(number)))

    def wait_answers_that(self, story, ask, holds):
        """A setting reaches a pod within seconds."""
        seen = []
        def is_so():
            seen[:] = ask()
            return holds(seen)
        begun = time.monotonic()
        until(is_so, Late(lambda: f"{story}: {[(status, round(took, 1)) for status, took, _ in seen]}; {self.brev()}"), TIMEOUT)
        note(f"{story:58} {len(seen):7}          {time.monotonic() - begun:6.1f} s  {sorted(status for status, _, _ in seen)}")

    def test_takes_time_limits(self):
        with self.explained():
            for setting in ("revision-timeout", "revision-response-start-timeout", "revision-idle-timeout"):
                self.annotate(f"bellows.dev/{setting}=1s")
                self.wait_answers_that(f"{setting} 1s", lambda: [self.ask()], lambda seen: seen[0][0] == 504)
                self.annotate(f"bellows.dev/{setting}-")
                self.wait_answers_that(f"{setting} is gone", lambda: [self.ask()], lambda seen: seen[0][0] == 200)
            self.wait_in_effect("True")
            self.assertEqual(self.restarted(), self.restarts)

    def test_takes_the_limits_of_its_queue(self):
        def statuses(seen):
            return [status for status, _, _ in seen]
        with self.explained():
            self.annotate("bellows.dev/container-concurrency=1", "bellows.dev/queue-age=1s", "bellows.dev/queue-time-header=always")
            self.wait_answers_that("queue-age 1s, three at once", lambda: self.ask_at_once(3),
                                   lambda seen: sorted(statuses(seen)) == [200, 503, 503])
            self.wait_answers_that("queue-time-header always", lambda: [self.ask()],
                                   lambda seen: statuses(seen) == [200] and seen[0][2]["X-Bellows-Queue-Ms"] is not None)
            self.annotate("bellows.dev/queue-age=2s", "bellows.dev/queue-bytes=64Ki")
            self.wait_answers_that("queue-bytes 64Ki, thirty at once", lambda: self.ask_at_once(30),
                                   lambda seen: any(status == 503 and took < 1.5 for status, took, _ in seen) and 200 in statuses(seen))
            self.annotate("bellows.dev/probe-paths=/healthz")
            self.wait_answers_that("probe-paths, answered at once", lambda: [self.ask("/healthz")],
                                   lambda seen: statuses(seen) == [200] and seen[0][1] < self.SECONDS - 1)
            self.wait_in_effect("True")
            self.annotate("bellows.dev/queue-bytes=1Gi")
            self.wait_in_effect("False", says="queue-bytes: it stays 64Mi until the pods are replaced")
            self.assertEqual(self.restarted(), self.restarts)


if __name__ == "__main__":
    unittest.main()
