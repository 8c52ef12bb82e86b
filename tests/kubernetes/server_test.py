"""The API server forgets old versions, goes away, comes back, lacks the custom resource."""

import datetime
import json
import os
import re
import signal
import unittest
import urllib.request

from cluster_harness import DEADLINE, DEPLOY, OnItsOwnControlPlane, QUICK, get, until


class OldVersions(OnItsOwnControlPlane):
    """Without the watch cache a compaction of etcd makes the server answer 410 to watches and continue tokens."""

    apiserver_flags = "--watch-cache=false"

    def compact(self):
        """etcd forgets every version but the present one."""
        with open(f"/proc/{self.plane.process('etcd')}/cmdline") as command:
            url = re.search(r"--listen-client-urls=([^\0]+)", command.read()).group(1)
        def ask(path, body):
            request = urllib.request.Request(url + path, json.dumps(body).encode())
            with urllib.request.urlopen(request, timeout=DEADLINE) as answer:
                return json.load(answer)
        now = ask("/v3/kv/range", {"key": "AA=="})["header"]["revision"]
        ask("/v3/kv/compaction", {"revision": now, "physical": True})

    def test_are_gone_and_the_lists_are_read_again_beside_the_old_ones(self):
        self.start_node()
        self.deployment(replicas=1, annotations={**QUICK, "bellows.dev/max-scale": "3"})
        self.service()
        scaler = self.ready_autoscaler()
        load = self.sender(scaler)
        self.wait_condition("Ready", "True")
        listed_before = self.lists_of("pods")

        # While the autoscaler cannot read, versions come and go; its watches end there and resume too late.
        scaler.signal(signal.SIGSTOP)
        self.plane.stop_api_server()
        self.plane.start_api_server()
        for number in range(3):
            self.deployment(f"other-{number}", replicas=1, adopted=False)
        until(lambda: len([pod for pod in self.api.list("Pod", self.namespace) if pod["status"].get("podIP")]) == 4,
              "other pods are ready")
        self.compact()
        scaler.signal(signal.SIGCONT)

        until(lambda: self.lists_of("pods") > listed_before, f"the pods are listed again:\n{scaler.text()}")
        load.set(f"{self.namespace}/web", self.pods(), 300)
        self.wait_replicas(3)
        status = json.loads(get(scaler.port, "/v1/status").body)
        self.assertEqual([service["name"] for service in status["services"]], [f"{self.namespace}/web"])

    def lists_of(self, plural):
        return len([entry for entry in self.plane.audit() if entry["verb"] == "list"
                    and entry.get("objectRef", {}).get("resource") == plural
                    and "Bellows" in entry.get("userAgent", "Bellows") and "python" not in entry.get("userAgent", "").lower()])


def seconds_of(stamp):
    """Of "2026-11-23T02:37:13.123456Z", since 1970."""
    return datetime.datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()


class Away(OnItsOwnControlPlane):
    def test_the_last_list_stays_and_orders_go_out_within_5_s_of_its_return(self):
        self.start_node()
        self.deployment(replicas=2, annotations={**QUICK, "bellows.dev/max-scale": "4"})
        self.service()
        scaler = self.ready_autoscaler()
        load = self.sender(scaler)
        self.wait_condition("Ready", "True")
        pods = self.pods()
        load.set(f"{self.namespace}/web", pods, 150)

        self.plane.stop_api_server()
        since = until(lambda: re.search(r"unreachable|since", self.readiness(scaler)) and self.readiness(scaler),
                      f"it is told that the server is away:\n{scaler.text()}")
        self.assertTrue(since)
        # Decisions go on with the last list.
        revision = self.status(scaler)
        self.assertEqual(len(revision["replicas"]), 2)
        until(lambda: self.status(scaler)["desired"] == 4, "the load still decides")
        self.assertEqual(len(self.status(scaler)["replicas"]), 2)

        self.plane.start_api_server()
        self.wait_replicas(4)
        self.wait_order_within(5.0)

    def wait_order_within(self, seconds):
        """From the first request that the server answered for us to the order."""
        entries = [entry for entry in self.plane.audit() if "python" not in entry.get("userAgent", "").lower()
                   and "kube" not in entry.get("userAgent", "").lower()]
        order = [entry for entry in entries if entry["verb"] == "patch" and entry["objectRef"].get("subresource") == "scale"]
        self.assertTrue(order, "the order is in the audit log")
        ordered = order[-1]["stageTimestamp"]
        back = [entry["stageTimestamp"] for entry in entries
                if entry["stageTimestamp"] <= ordered and entry.get("responseStatus", {}).get("code") == 200]
        restart = os.path.getmtime(os.path.join(self.plane.work, "apiserver.pid"))
        first = min(stamp for stamp in back if seconds_of(stamp) > restart)
        self.assertLess(seconds_of(ordered) - seconds_of(first), seconds)

    def readiness(self, scaler):
        return get(scaler.port, "/readyz").body + get(scaler.port, "/v1/status").body

    def status(self, scaler, name="web"):
        status = json.loads(get(scaler.port, "/v1/status").body)
        return next(s["revisions"][0] for s in status["services"] if s["name"] == f"{self.namespace}/{name}")

    def test_nothing_is_scaled_down_on_what_was_known_before(self):
        """While the server is away its pods change: the old list must not decide about the new ones."""
        self.start_node()
        self.deployment(replicas=4, annotations={**QUICK, "bellows.dev/min-scale": "1"})
        self.service()
        scaler = self.ready_autoscaler()
        load = self.sender(scaler)
        pods = until(lambda: len(self.pods()) == 4 and self.pods(), "4 pods")
        load.set(f"{self.namespace}/web", pods, 90)
        self.wait_condition("Ready", "True")
        until(lambda: self.status(scaler)["desired"] >= 4, "the load needs them")
        self.plane.stop_api_server()
        load.set(f"{self.namespace}/web", pods, 0)  # the load ends while nobody can be told
        until(lambda: self.status(scaler)["desired"] < 4, "the decider wants fewer")
        load.set(f"{self.namespace}/web", pods, 90)
        until(lambda: self.status(scaler)["desired"] >= 4, "the load is back")
        self.plane.start_api_server()
        self.wait_condition("Ready", "True")
        orders = [entry for entry in self.plane.audit() if entry.get("objectRef", {}).get("subresource") == "scale"
                  and entry["verb"] == "patch"]
        self.assertEqual([order for order in orders if self.replicas() < 4], [])
        self.assertGreaterEqual(self.replicas(), 4)


class LateDefinition(OnItsOwnControlPlane):
    def test_of_the_custom_resource_is_waited_for(self):
        self.plane.kubectl("delete", "crd", "revisions.bellows.dev")
        self.deployment(replicas=1)
        self.service()
        scaler = self.autoscaler()
        until(lambda: "revisions" in get(scaler.port, "/readyz").body, "it is told what is missing")
        self.assertEqual(get(scaler.port, "/readyz").status, 503)
        self.plane.apply(os.path.join(DEPLOY, "crd.yaml"))
        until(lambda: get(scaler.port, "/readyz").status == 200, f"it goes on by itself:\n{scaler.text()}")
        until(lambda: self.api.get("Revision", self.namespace, "web"), "the label makes a Revision")


if __name__ == "__main__":
    unittest.main()
