"""Activators in and out of the path of a Service, as the slices on a real API server tell it."""

import threading
import unittest

from activators import StandInActivators, own_address
from cluster_harness import LABEL, OnCluster, QUICK, until


def ready_addresses(item):
    return [address for endpoint in item.get("endpoints") or [] if endpoint["conditions"].get("ready")
            for address in endpoint["addresses"]]


class Seen:
    """Every version of the Service's slices and of the Deployment's number, in the order of the server's writes."""

    def __init__(self, api, namespace):
        self.versions, self.lock, self.stopping = [], threading.Lock(), threading.Event()
        self.threads = [threading.Thread(target=api.watch, args=(kind, namespace, self._see, self.stopping), daemon=True)
                        for kind in ("EndpointSlice", "Deployment")]
        for thread in self.threads:
            thread.start()

    def _see(self, event, item):
        name = item["metadata"]["name"]
        if item.get("spec"):
            what = ("replicas", item["spec"].get("replicas", 1))
        elif name == "web-bellows":
            what = ("activators", event != "DELETED" and len(ready_addresses(item)))
        elif item["metadata"]["labels"].get("kubernetes.io/service-name") == "web":
            what = ("pods", len(ready_addresses(item)))
        else:
            return
        with self.lock:
            self.versions.append((int(item["metadata"]["resourceVersion"]), *what))

    def states(self):
        """(replicas, ready pods, activators) after each write, from the first on at which all three are known."""
        now, states = {"activators": 0}, []
        with self.lock:
            versions = sorted(set(self.versions))
        for _, kind, number in versions:
            now[kind] = number
            if len(now) == 3 and (not states or states[-1] != tuple(sorted(now.items()))):
                states.append(tuple(sorted(now.items())))
        return [dict(state) for state in states]

    def close(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join(30)


class OneService(OnCluster):
    def setUp(self):
        super().setUp()
        if own_address() is None:
            self.skipTest("this machine has no address but loopback ones")
        self.start_node()
        self.activators = StandInActivators(self.api, self.namespace)
        self.addCleanup(self.activators.close)

    def injected(self, replicas=1, **annotations):
        kept = {f"bellows.dev/{key.replace('_', '-')}": value for key, value in annotations.items()}
        self.service(target="http")
        self.deployment(replicas=replicas, annotations={**QUICK, "bellows.dev/target": "10",
                                                        "bellows.dev/target-burst-capacity": "0", **kept},
                        containers=[{"name": "app", "image": "example/app:1"},
                                    {"name": "queue-proxy", "image": "example/queue-proxy:1",
                                     "ports": [{"name": "http", "containerPort": 8012}]}])
        self.seen = Seen(self.api, self.namespace)
        self.addCleanup(self.seen.close)
        self.scaler = self.ready_autoscaler(*self.activators.flags())
        self.load = self.sender(self.scaler)
        self.revision = f"{self.namespace}/web"

    def slice(self):
        return self.api.get("EndpointSlice", self.namespace, "web-bellows")

    def until_replicas(self, number, in_flight):
        def reached():
            pods = self.pods()
            self.load.set(self.revision, pods, in_flight)
            return self.replicas() == number and len(pods) == number
        until(reached, f"{number} replicas, not {self.replicas()}:\n{self.scaler.text()}")

    def assert_always_served(self):
        states = self.seen.states()
        while states and not states[0]["pods"]:
            states.pop(0)  # before the first pod was ready
        self.assertGreater(len(states), 4, states)
        for state in states:
            self.assertTrue(state["activators"] or (state["pods"] and state["replicas"]), f"{state} of {states}")

    def test_activators_join_before_zero_and_leave_after_it(self):
        self.injected()
        self.until_replicas(1, in_flight=2)
        self.wait_condition("Routed", "True", reason="Direct")
        port = self.api.get("Revision", self.namespace, "web")["status"]["activatorPort"]
        self.assertTrue(self.activators.first <= port <= self.activators.last)
        self.assertEqual(ready_addresses(self.slice()), [])

        self.until_replicas(0, in_flight=0)
        self.assertEqual(ready_addresses(self.slice()), [self.activators.address])
        self.wait_condition("Routed", "True", reason="ThroughActivators")

        self.load.wake(self.revision)
        self.until_replicas(1, in_flight=2)
        def direct():
            self.load.set(self.revision, self.pods(), 2)
            return not ready_addresses(self.slice())
        until(direct, f"the activators leave:\n{self.scaler.text()}")
        self.assert_always_served()

    def test_a_deleted_revision_at_zero_leaves_as_it_came(self):
        self.injected(replicas=0, initial_scale="0")
        self.wait_condition("Routed", "True", reason="ThroughActivators")
        self.api.patch("Deployment", self.namespace, "web", {"metadata": {"labels": {LABEL: None}}})
        until(lambda: self.api.get("Revision", self.namespace, "web") is None, "its Revision is gone")
        self.wait_replicas(1)
        until(lambda: self.slice() is None, f"the slice is gone:\n{self.scaler.text()}")
        self.assertEqual(len(self.pods()), 1)

    def test_a_target_port_that_goes_around_the_queue_proxy_is_named(self):
        self.injected()
        self.api.patch("Service", self.namespace, "web", {"spec": {"ports": [
            {"name": "http", "port": 80, "targetPort": 8080}]}})
        said = self.wait_condition("Routed", "False", reason="QueueProxyBypassed")
        self.assertIn("spec.ports[0].targetPort is 8080", said["message"])


if __name__ == "__main__":
    unittest.main()
