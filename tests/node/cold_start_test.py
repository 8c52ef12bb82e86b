"""Where the time of one cold start goes, beside the same pod started behind a plain Service."""

import http.client
import threading
import time
import unittest

from autoscaled import Autoscaled
from node_harness import Load, TIMEOUT, note, until

RUNS = 3
# What Bellows may add to what the app needs, at the median, once the pod has its address.
BAR_SECONDS = 0.1


class TimeLine:
    """When the steps of a pod's start were first seen, in seconds since `begin`."""

    def __init__(self, test, name):
        self.test, self.name, self.begin = test, name, time.time()
        self.seen, self.stopping = {}, threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def _watch(self):
        self.test.api.watch("Pod", self.test.namespace, self._pod, self.stopping)

    def _pod(self, _, pod):
        if pod["metadata"].get("deletionTimestamp") or pod["metadata"]["labels"].get("app") != self.name:
            return
        status = pod["status"]
        self._note("pod is listed", True)
        self._note("pod is scheduled", pod["spec"].get("nodeName"))
        self._note("pod address in the API", status.get("podIP"))
        self._note("pod is ready in the API", any(c["type"] == "Ready" and c["status"] == "True" for c in status.get("conditions", [])))

    def _note(self, step, is_there):
        if is_there and not self.stopping.is_set():
            self.seen.setdefault(step, time.time() - self.begin)

    def close(self):
        self.stopping.set()
        self.thread.join(30)


class AColdStart(Autoscaled):
    def test_adds_little_to_what_the_app_needs(self):
        with self.explained():
            self.start_at_zero(annotations={"max-scale": "1"})
            held = [self.held_request() for _ in range(RUNS)]
            self.plain()
            straight = [self.polled_service() for _ in range(RUNS)]
        self.tell("held by an activator", held)
        self.tell("plain Service, asked every 10 ms", straight)
        waits = sorted(run["first response"] - run["pod address in the API"] for run in held)
        ready = sorted(run["first response"] - run["pod address in the API"] for run in straight)
        note(f"      from the address to the first response, median: {waits[RUNS // 2]:.3f} s held, {ready[RUNS // 2]:.3f} s plain")
        self.assertLessEqual(waits[RUNS // 2], ready[RUNS // 2] + BAR_SECONDS)

    def held_request(self):
        line = TimeLine(self, "web")
        self.one_request("web")
        return self.end(line, "web")

    def one_request(self, name):
        with Load(self.address(name), 0.1, callers=1, name=name) as load:
            pass  # one of each kind
        self.assertEqual(load.failures, [])

    def plain(self):
        """The same pod, with its queue-proxy, and nobody who scales it."""
        text = self.app("plain", replicas=1).replace('    bellows.dev/autoscale: "true"\n', "")
        self.apply(text)
        self.wait_ready(1, "plain")
        self.wait_answers("plain")
        self.to_zero_by_hand()

    def to_zero_by_hand(self):
        self.kubectl("scale", "deployment/plain", "--replicas=0")
        until(lambda: not self.running("plain") and not self.ending("plain"), "plain is at zero", TIMEOUT)

    def polled_service(self):
        line = TimeLine(self, "plain")
        self.kubectl("scale", "deployment/plain", "--replicas=1")
        until(lambda: self.answers_now("plain"), "the plain Service answers", TIMEOUT)
        seen = self.end(line, "plain")
        self.to_zero_by_hand()
        return seen

    def answers_now(self, name):
        host, port = self.address(name).split(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=1)
        try:
            connection.request("GET", "/")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def end(self, line, name):
        line.seen["first response"] = time.time() - line.begin
        self.wait_ready(1, name)
        until(lambda: "pod is ready in the API" in line.seen, "the time line is whole", TIMEOUT)
        line.close()
        if name == "web":
            self.wait_zero(name)
        return line.seen

    def tell(self, title, runs):
        note(f"cold start, {title} (ms, {len(runs)} runs)")
        for step in sorted(runs[0], key=lambda step: runs[0][step]):
            note(f"    {step:28} " + "  ".join(f"{run.get(step, float('nan')) * 1000:7.0f}" for run in runs))


if __name__ == "__main__":
    unittest.main()
