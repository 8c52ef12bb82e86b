"""Many Revisions and a real activator: the slices on the API server compared with what each state of a path must have.

The activator listens at an address of this machine that is no loopback one, because the server takes no other in a slice; pods
pretend to have the same one, so that nothing is ever sent anywhere else.
"""

import collections
import os
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from activators import free_range, own_address, revision_at
from cluster_harness import FAST_CONTROLLERS, OnItsOwnControlPlane, QUICK, Late, get, program, until
from harness import free_port

REVISIONS = int(os.environ.get("BELLOWS_REVISIONS", "100"))  # tools/check --full: 500
PART = 20  # of them, that change together
ACTIVATOR = "activator-1"
LAST_RESORT_SINCE = 22  # the conditions serving and terminating of endpoints


def ready_addresses(item):
    return [address for endpoint in item.get("endpoints") or [] if endpoint["conditions"].get("ready")
            for address in endpoint["addresses"]]


class Slices:
    """The slices and the numbers of a namespace as the server writes them, and each moment at which a Service had nobody."""

    def __init__(self, api, namespace):
        self.lock, self.stopping = threading.Lock(), threading.Event()
        self.ours, self.pods, self.replicas = {}, {}, {}
        self.changes = collections.Counter()  # of slices of ours, by Service
        self.was_served, self.unserved = set(), []
        self.threads = [threading.Thread(target=api.watch, args=(kind, namespace, self._see, self.stopping), daemon=True)
                        for kind in ("EndpointSlice", "Deployment")]
        for thread in self.threads:
            thread.start()

    def _see(self, event, item):
        with self.lock:
            if item.get("spec"):
                name = item["metadata"]["name"]
                self.replicas[name] = item["spec"].get("replicas", 1)
            else:
                name = item["metadata"]["labels"].get("kubernetes.io/service-name", "")
                if item["metadata"]["labels"].get("endpointslice.kubernetes.io/managed-by") == "bellows.dev":
                    self.ours[name] = None if event == "DELETED" else item
                    self.changes[name] += 1
                else:
                    self.pods[name] = 0 if event == "DELETED" else len(ready_addresses(item))
            is_served = self.pods.get(name) or (self.ours.get(name) and ready_addresses(self.ours[name]))
            if is_served:
                self.was_served.add(name)
            elif name in self.was_served:
                self.unserved.append((name, event, item["metadata"]["resourceVersion"]))

    def of(self, names):
        with self.lock:
            return {name: self.ours.get(name) for name in names}

    def ready_pods(self, names):
        with self.lock:
            return sum(1 for name in names if self.pods.get(name))

    def close(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join(30)


class ManyPaths(OnItsOwnControlPlane):
    apiserver_flags = "--max-requests-inflight=1000 --max-mutating-requests-inflight=500"
    kcm_flags = FAST_CONTROLLERS

    def setUp(self):
        super().setUp()
        self.address = own_address()
        if self.address is None:
            self.skipTest("this machine has no address but loopback ones")
        self.names = [f"shop-{number:03}" for number in range(REVISIONS)]
        self.begun = time.monotonic()

    # The cluster.

    def make(self, name):
        self.service(name, target="http")
        self.deployment(name, replicas=0, adopted=False, annotations={
            **QUICK, "bellows.dev/target": "10", "bellows.dev/target-burst-capacity": "0", "bellows.dev/initial-scale": "0"},
            containers=[{"name": "app", "image": "example/app:1"},
                        {"name": "queue-proxy", "image": "example/queue-proxy:1",
                         "ports": [{"name": "http", "containerPort": 8012}]}])
        self.revision_for(name, name)

    def start_activator(self):
        """Its endpoint is in the slice of a Service of this test, whose name both programs are told."""
        first = free_range(self.address, REVISIONS + 20)
        self.paths = ("--activator-service", f"{self.namespace}/activators", "--path-settle-time", "1s",
                      "--activator-ports", f"{first}-{first + REVISIONS + 19}")
        self.api.create("EndpointSlice", self.namespace, {
            "metadata": {"name": "activators-1", "labels": {"kubernetes.io/service-name": "activators"}},
            "addressType": "IPv4", "ports": [{"name": "http", "port": 8012}],
            "endpoints": [{"addresses": [self.address], "conditions": {"ready": True},
                           "targetRef": {"kind": "Pod", "name": ACTIVATOR, "namespace": self.namespace}}]})
        self.scaler_address = f"127.0.0.1:{free_port()}"
        self.activator = self.start(
            program("activator"), "--kubeconfig", self.plane.kubeconfig, "--namespace", self.namespace,
            "--activator-service", f"{self.namespace}/activators", "--name", ACTIVATOR, "--autoscaler",
            f"ws://{self.scaler_address}/v1/stats", "--listen", f"{self.address}:0", "--admin", "127.0.0.1:0",
            "--log-format", "json")
        self.activator.admin = int(self.activator.wait_for("listening")["admin"].rsplit(":", 1)[1])

    def start_autoscaler(self):
        self.scaler = self.ready_autoscaler(*self.paths, listen=self.scaler_address)

    def say(self, what):
        """With the number of changes of slices since the last time: of the first part, the second one, and the others."""
        parts = (self.names[:PART], self.names[PART:2 * PART], self.names[2 * PART:])
        with self.slices.lock:
            changes = [sum(self.slices.changes[name] for name in part) for part in parts]
            self.slices.changes.clear()
        print(f"  {time.monotonic() - self.begun:6.1f} s  {what}; changes of slices: {changes}", flush=True)

    # What each state must have.

    def wrong(self, names, wanted):
        """Of these Revisions, why their slices are not as `wanted` has them; nothing if all are."""
        for name, item in self.slices.of(names).items():
            found = None if item is None else self.endpoints(item)
            if found != wanted:
                return f"{name}: {found}, want {wanted}"
        return None

    def endpoints(self, item):
        return [(endpoint["addresses"], endpoint["targetRef"]["name"],
                 {kind: endpoint["conditions"].get(kind) for kind in ("ready", "serving", "terminating")
                  if kind == "ready" or self.plane.minor >= LAST_RESORT_SINCE})
                for endpoint in item.get("endpoints") or []]

    def held(self):
        return [([self.address], ACTIVATOR, {"ready": True, **(
            {"serving": True, "terminating": False} if self.plane.minor >= LAST_RESORT_SINCE else {})})]

    def direct(self):
        if self.plane.minor < LAST_RESORT_SINCE:
            return []
        return [([self.address], ACTIVATOR, {"ready": False, "serving": True, "terminating": True})]

    def until_slices(self, names, wanted, what, deadline=150):
        until(lambda: self.wrong(names, wanted) is None,
              Late(lambda: f"{what}: {self.with_journal(self.wrong(names, wanted))}\n{self.scaler.text()[-3000:]}"), deadline)
        self.say(what)

    def with_journal(self, wrong):
        return "\n".join([wrong, *self.journal(wrong.split(":")[0])[-5:]]) if wrong else wrong

    def ports(self):
        """{name: port}; each is of one Revision alone, and slice and status say the same."""
        ports = {}
        for name, item in self.slices.of(self.names).items():
            if item is not None:
                ports[name] = int(item["metadata"]["annotations"]["bellows.dev/activator-port"])
                self.assertEqual([ports[name]], [port["port"] for port in item["ports"]])
        twice = [port for port, count in collections.Counter(ports.values()).items() if count > 1]
        self.assertEqual(twice, [], "a port belongs to one Revision")
        return ports

    def told_ports(self):
        return {item["metadata"]["name"]: item.get("status", {}).get("activatorPort")
                for item in self.api.list("Revision", self.namespace)}

    def versions(self, names):
        return {name: item["metadata"]["resourceVersion"] for name, item in self.slices.of(names).items()}

    def assert_activator_answers_for(self, ports):
        with ThreadPoolExecutor(4) as callers:
            answers = dict(zip(ports, callers.map(lambda port: revision_at(self.address, port), ports.values())))
        self.assertEqual(answers, {name: f"{self.namespace}/{name}" for name in ports})

    def last_decisions(self, names):
        """Of those that are not at zero."""
        late = [name for name in names if self.slices.replicas[name] != 0]
        return "\n".join("\n".join([name, *self.journal(name)[-5:]]) for name in late)

    def journal(self, name):
        return get(self.scaler.port, f"/v1/revisions/{self.namespace}/{name}/journal").body.splitlines()

    # What happens.

    def wake(self, names):
        self.load.wake_all([f"{self.namespace}/{name}" for name in names])

    def set_load(self, names, in_flight):
        pods = collections.defaultdict(list)
        for pod in self.api.list("Pod", self.namespace):
            if pod["status"].get("podIP") and not pod["metadata"].get("deletionTimestamp"):
                pods[pod["metadata"]["labels"]["app"]].append(pod["metadata"]["name"])
        for name in names:
            self.load.set(f"{self.namespace}/{name}", pods[name], in_flight)

    def serve(self, names, in_flight):
        """Each has load as soon as it has a pod: one without stats goes back to zero before the last one is ready."""
        def are_all_ready():
            self.set_load(names, in_flight)
            return self.slices.ready_pods(names) == len(names)
        until(are_all_ready, Late(lambda: f"{self.slices.ready_pods(names)} of {len(names)} have a ready pod"), 60)
        self.say(f"{len(names)} have a ready pod")

    def test_have_the_slices_of_their_states_through_zero_load_a_kill_and_deletion(self):
        self.start_node(self.address)
        with ThreadPoolExecutor(8) as makers:
            list(makers.map(self.make, self.names))
        self.slices = Slices(self.api, self.namespace)
        self.addCleanup(self.slices.close)
        self.say(f"{REVISIONS} Revisions at zero are made")
        self.start_activator()
        self.start_autoscaler()
        self.load = self.sender(self.scaler)

        # All at zero: one port each, the activator listens there, and every slice has it.
        self.until_slices(self.names, self.held(), "all are held")
        ports = self.ports()
        self.assertEqual(len(ports), REVISIONS)
        self.assert_activator_answers_for(ports)
        self.assertIn(f'bellows_activator_revision_ports{{state="open"}} {REVISIONS}',
                      get(self.activator.admin, "/metrics").body)

        # A part is woken and left to its replicas. The others are not touched.
        first, second = self.names[:PART], self.names[PART:2 * PART]
        others = self.names[2 * PART:]
        before = self.versions(others)
        self.wake(first)
        self.serve(first, in_flight=2)
        self.until_slices(first, self.direct(), "the woken part is direct")

        # The autoscaler is killed while another part is between joining and leaving, and the first is served directly.
        self.wake(second)
        self.serve(second, in_flight=2)
        self.report_losses()
        self.until_slices(first, self.direct(), "the first part is direct still, or again")
        self.kill(self.scaler)
        self.assertIsNone(self.wrong(first, self.direct()), "slices stay while nobody writes them")
        direct = self.versions(first)
        self.start_autoscaler()
        self.until_slices(second, self.direct(), "the second part is direct, by the next autoscaler")
        self.assertEqual(self.versions(first), direct, "an autoscaler that starts does not touch what is right")

        # Back to zero: activators first.
        self.set_load(first, 0)
        self.until_slices(first, self.held(), "the first part is held again")
        until(lambda: all(self.slices.replicas[name] == 0 for name in first),
              Late(lambda: f"the first part is at zero: {self.last_decisions(first)}"), 60)
        self.say("the first part is at zero")

        # Deleted at zero: a replica first, then the slice goes.
        gone = first[:PART // 2]
        for name in gone:
            self.api.delete("Revision", self.namespace, name)
        until(lambda: self.slices.of(gone) == dict.fromkeys(gone),
              Late(lambda: f"the slices of what is deleted are gone:\n{self.scaler.text()[-3000:]}"), 60)
        self.assertEqual({self.slices.replicas[name] for name in gone}, {1})
        self.say("the slices of deleted Revisions are gone")

        self.assertIsNone(self.wrong(others, self.held()))
        self.assertEqual(self.versions(others), before, "what nobody calls is not written")
        kept = {name: port for name, port in ports.items() if name not in gone}
        self.assertEqual(self.ports(), kept, "each keeps its port")
        until(lambda: self.told_ports() == kept, Late(lambda: f"statuses name the ports: {self.told_ports()}"), 150)
        self.assertEqual(self.slices.unserved, [], "a Service always has a ready pod or an activator")
        self.report_losses()
        self.report_writes()

    def report_losses(self):
        """The activator runs all the time: each loss is a false alarm of a busy machine, which costs writes and no request."""
        print(f"  pauses of the activator taken for its end: {self.scaler.text().count('lost the stats of an activator')}")

    def report_writes(self):
        written = collections.Counter(
            f"{entry['verb']} {entry['responseStatus']['code']}" for entry in self.plane.audit()
            if entry.get("objectRef", {}).get("resource") == "endpointslices" and entry["stage"] == "ResponseComplete"
            and entry["objectRef"].get("name", "").endswith("-bellows") and entry["verb"] not in ("get", "list", "watch"))
        print(f"  writes of slices: {dict(written)}")


if __name__ == "__main__":
    unittest.main()
