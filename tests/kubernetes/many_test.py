"""Five hundred revisions at once: time, and calls of the API server."""

import collections
import datetime
import os
import time
import unittest
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

from cluster_harness import DEPLOY, FAST_CONTROLLERS, OnItsOwnControlPlane, get, until

REVISIONS = 500
PODS = 3
MOST_SECONDS = 30
MOST_WRITES = 4
MOST_CALLS_A_MINUTE = 20
WRITES = ("create", "update", "patch", "delete")


def resource_of(entry):
    reference = entry.get("objectRef", {})
    resource = reference.get("resource", urllib.parse.urlsplit(entry["requestURI"]).path)
    return resource + ("/" + reference["subresource"] if reference.get("subresource") else "")


class FiveHundredRevisions(OnItsOwnControlPlane):
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

    def steady(self):
        revisions = self.api.list("Revision", self.namespace)
        ready = [revision for revision in revisions
                 if any(condition["type"] == "Ready" and condition["status"] == "True"
                        for condition in revision.get("status", {}).get("conditions", []))]
        return len(ready) == REVISIONS

    def test_come_from_nothing_to_steady_in_30_s_with_4_writes_each(self):
        self.start_node()
        with ThreadPoolExecutor(8) as makers:
            list(makers.map(self.make, range(REVISIONS)))
        until(lambda: len([pod for pod in self.api.list("Pod", self.namespace) if pod["status"].get("podIP")])
              == REVISIONS * PODS, "the pods are ready", deadline=200)

        started = time.monotonic()
        scaler = self.ready_autoscaler(kubeconfig=self.account)
        until(self.steady, f"all are ready:\n{scaler.text()}", deadline=120)
        seconds = time.monotonic() - started
        self.report(f"{REVISIONS} revisions with {PODS} pods: steady after {seconds:.1f} s", self.calls())
        self.report_times()
        writes = sum(number for (verb, _), number in self.calls().items() if verb in WRITES)
        print(f"{writes / REVISIONS:.2f} writes for each revision")
        self.assertLessEqual(writes, MOST_WRITES * REVISIONS)
        self.assertLessEqual(seconds, MOST_SECONDS)

        before = len(self.plane.audit())
        self.pause(60)
        rest = self.calls(before)
        self.report("one minute at rest", rest)
        beside_watches = sum(number for (verb, _), number in rest.items() if verb != "watch")
        self.assertLessEqual(beside_watches, MOST_CALLS_A_MINUTE)
        self.assertEqual(get(scaler.port, "/readyz").status, 200)

    @staticmethod
    def pause(seconds):
        """What is measured is a minute without events."""
        time.sleep(seconds)


if __name__ == "__main__":
    unittest.main()
