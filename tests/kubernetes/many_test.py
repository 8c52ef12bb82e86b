"""Many revisions at once: calls of the API server, printed with times. The bar for the time is one of bench/kubernetes: no
test is timed. The bench and tools/check --full set BELLOWS_REVISIONS to 500."""

import collections
import datetime
import os
import threading
import time
import unittest
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

from cluster_harness import DEPLOY, FAST_CONTROLLERS, OnItsOwnControlPlane, get, until

REVISIONS = int(os.environ.get("BELLOWS_REVISIONS", "100"))
PODS = 3
MOST_WRITES = 4
WRITES = ("create", "update", "patch", "delete")


def resource_of(entry):
    reference = entry.get("objectRef", {})
    resource = reference.get("resource", urllib.parse.urlsplit(entry["requestURI"]).path)
    return resource + ("/" + reference["subresource"] if reference.get("subresource") else "")


class ManyRevisions(OnItsOwnControlPlane):
    apiserver_flags = "--max-requests-inflight=1000 --max-mutating-requests-inflight=500"
    kcm_flags = FAST_CONTROLLERS

    def setUp(self):
        super().setUp()
        self.plane.apply(*(os.path.join(DEPLOY, file) for file in
                           ("namespace.yaml", "service-account.yaml", "rbac.yaml")))
        self.account = self.plane.kubeconfig_of_account(
            "bellows-system", "bellows-autoscaler", os.path.join(self.plane.work, "account.kubeconfig"))

    def calls(self, since=0):
        """{(verb, resource): number} of the account's calls, watches apart."""
        counted = collections.Counter()
        for entry in self.plane.audit()[since:]:
            if not entry["user"]["username"].endswith(":bellows-autoscaler") or entry["stage"] != "ResponseComplete":
                continue
            counted[(entry["verb"], resource_of(entry))] += 1
        return counted

    def report_times(self):
        """When the first and the last of each kind of write were answered, from the first call on."""
        times = {}
        for entry in self.plane.audit():
            if entry["user"]["username"].endswith(":bellows-autoscaler") and entry["stage"] == "ResponseComplete":
                stamp = datetime.datetime.fromisoformat(entry["stageTimestamp"].replace("Z", "+00:00"))
                times.setdefault("all calls", []).append(stamp)
                if entry["verb"] in WRITES:
                    times.setdefault(f"{entry['verb']} {resource_of(entry)}", []).append(stamp)
        begin = min(times["all calls"])
        for what, stamps in times.items():
            print(f"  {(min(stamps) - begin).total_seconds():6.1f} s to {(max(stamps) - begin).total_seconds():6.1f} s  {what}")

    def report(self, title, counted):
        print(f"\n{title}")
        for (verb, resource), number in sorted(counted.items()):
            print(f"{number:6}  {verb:8} {resource}")

    def make(self, number):
        name = f"shop-{number:03}"
        self.service(name)
        self.deployment(name, replicas=PODS, annotations={"bellows.dev/min-scale": str(PODS)})

    def pods_by_name(self):
        pods = collections.defaultdict(list)
        for pod in self.api.list("Pod", self.namespace):
            if pod["status"].get("podIP"):
                pods[pod["metadata"]["labels"]["app"]].append(pod["metadata"]["name"])
        return pods

    def send_stats(self, scaler, pods):
        """50 requests in flight in each pod: with the target of 70 three pods are right."""
        load = self.sender(scaler)
        for name, names in pods.items():
            load.set(f"{self.namespace}/{name}", names, 50)

    def follow_revisions(self):
        """Names of those that are ready, kept up to date by a watch: listing them again and again is work for the server."""
        ready = set()

        def see(event, revision):
            conditions = revision.get("status", {}).get("conditions", [])
            is_ready = any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
            (ready.add if is_ready and event != "DELETED" else ready.discard)(revision["metadata"]["name"])

        stopping = threading.Event()
        watch = threading.Thread(target=self.api.watch, args=("Revision", self.namespace, see, stopping), daemon=True)
        watch.start()
        self.addCleanup(watch.join, 30)
        self.addCleanup(stopping.set)
        return ready

    def test_come_from_nothing_to_steady_with_at_most_4_writes_each(self):
        self.start_node()
        with ThreadPoolExecutor(8) as makers:
            list(makers.map(self.make, range(REVISIONS)))
        until(lambda: sum(map(len, self.pods_by_name().values())) == REVISIONS * PODS, "the pods are ready", deadline=200)
        pods = self.pods_by_name()
        ready = self.follow_revisions()

        started = time.monotonic()
        scaler = self.autoscaler(kubeconfig=self.account)
        self.send_stats(scaler, pods)
        until(lambda: len(ready) == REVISIONS, f"all are ready:\n{scaler.text()}", deadline=120)
        seconds = time.monotonic() - started
        self.report(f"{REVISIONS} revisions with {PODS} pods: steady after {seconds:.1f} s", self.calls())
        self.report_times()
        writes = sum(number for (verb, _), number in self.calls().items() if verb in WRITES)
        print(f"{writes / REVISIONS:.2f} writes for each revision")
        self.assertLessEqual(writes, MOST_WRITES * REVISIONS)
        self.assertEqual(get(scaler.port, "/readyz").status, 200)


if __name__ == "__main__":
    unittest.main()
