"""Many VerticalPodAutoscalers at once: writes, and times that are printed. docs/recommender.md has those of
BELLOWS_VERTICALS=3000 with ten containers each; no test is timed."""

import os
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from api import path_of
from cluster_harness import Late, OnItsOwnControlPlane, get, until
from vertical_test import WithObjects, stamp

OBJECTS = int(os.environ.get("BELLOWS_VERTICALS", "50"))
CONTAINERS = [f"app-{number}" for number in range(10)]
TIMEOUT = 600
INTERVAL = "60s" if OBJECTS > 500 else "5s"


class ManyObjects(OnItsOwnControlPlane, WithObjects):
    apiserver_flags = "--max-requests-inflight=1000 --max-mutating-requests-inflight=500"

    def make(self, number):
        """A target, its object, and one pod of the target, which a test makes faster than a control plane does."""
        name = f"web-{number}"
        template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [
            {"name": each, "image": "example/app:1", "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}}} for each in CONTAINERS]}}
        self.api.create("Deployment", self.namespace, {
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
            "spec": {"replicas": 0, "selector": {"matchLabels": {"app": name}}, "template": template}})
        self.vertical(name, targetRef={"apiVersion": "apps/v1", "kind": "Deployment", "name": name})
        self.api.create("Pod", self.namespace, {"apiVersion": "v1", "kind": "Pod", "spec": template["spec"],
                                                "metadata": {"name": name, "labels": {"app": name}}})
        self.api.patch("Pod", self.namespace, name, {"status": {"phase": "Running"}}, subresource="status")
        self.api.create("PodMetrics", self.namespace, self.metrics(number))

    def metrics(self, number):
        return {"apiVersion": "metrics.k8s.io/v1beta1", "kind": "PodMetrics", "metadata": {"name": f"web-{number}"},
                "timestamp": stamp(), "window": "15s",
                "containers": [{"name": each, "usage": {"cpu": f"{100 + number % 50}m", "memory": "300Mi"}} for each in CONTAINERS]}

    def number(self, running, prefix):
        found = self.metric_lines(running, prefix)
        return float(found[0].split()[-1]) if found else 0.0

    def versions(self, kind, query=""):
        items = self.api.request("GET", path_of(kind, self.namespace) + query)["items"]
        return {each["metadata"]["name"]: each["metadata"]["resourceVersion"] for each in items}

    def is_cached(self, kind):
        """Whether the API server's watch cache, which answers the first list of a program, has what its store has."""
        stored = self.versions(kind)
        return len(stored) == OBJECTS + 1 and self.versions(kind, "?resourceVersion=0") == stored

    def statuses(self):
        return {each["metadata"]["name"]: each.get("status") for each in self.api.list("VerticalPodAutoscaler", self.namespace)}

    def written(self, running, what):
        return self.number(running, f'bellows_recommender_writes_total{{object="{what}"}}')

    def test_get_one_write_each_and_none_at_rest(self):
        with ThreadPoolExecutor(8) as makers:
            list(makers.map(self.make, range(OBJECTS)))
        for kind in ("Deployment", "Pod", "VerticalPodAutoscaler", "PodMetrics"):
            until(lambda kind=kind: self.is_cached(kind), f"the API server's watch cache has all of kind {kind}")
        began = time.monotonic()
        running = self.recommender("--policy", "vpa", interval=INTERVAL)
        all_objects = OBJECTS + 1
        until(lambda: self.written(running, "status") >= all_objects,
              Late(lambda: f"all have a status: {self.written(running, 'status')}\n{running.text()}"), deadline=TIMEOUT)
        print(f"\n{OBJECTS} objects, {OBJECTS * len(CONTAINERS)} containers: all written {time.monotonic() - began:.1f} s after the start")
        self.report(running, "the first loop")
        first = self.statuses()
        self.assertEqual(self.written(running, "status"), all_objects)
        loops = self.loops(running)
        until(lambda: self.loops(running) >= loops + 2, "a second loop has ended, because a third one has begun", deadline=TIMEOUT)
        self.report(running, "the second loop, with checkpoints of the first")
        self.assertEqual(self.statuses(), first, "nothing has changed")
        self.assertEqual(self.written(running, "status"), all_objects)
        self.assertEqual(get(running.port, "/readyz").status, 200)

    def report(self, running, what):
        for name in ("bellows_recommender_loop_seconds", "process_cpu_seconds_total", "process_resident_memory_bytes"):
            print(f"  {what}: {name} {self.number(running, name)}")
        print(f"  checkpoints written: {self.written(running, 'checkpoint')}")


if __name__ == "__main__":
    unittest.main()
