"""A Service whose traffic from outside stays on the node where it arrives, with an activator on each node: here, on the only one."""

import tempfile
import unittest

from autoscaled import ACTIVATOR, Autoscaled, SYSTEM
from cluster_harness import on_each_node
from node_harness import Load, TIMEOUT, manifest, note, until

NODE = "10.99.0.1"
OUTSIDE = "spec:\n  type: NodePort\n  externalTrafficPolicy: Local\n  selector:\n"


class AServiceThatStaysOnItsNode(Autoscaled):
    """With a DaemonSet where the server can replace its pods without a gap; before that the Deployment is on the node too."""

    def setUp(self):
        super().setUp()
        if self.kind() == "daemonset":
            self.addCleanup(self.plane.kubectl, "-n", SYSTEM, "delete", "daemonset", ACTIVATOR, "--wait=false")
            self.plane.kubectl("-n", SYSTEM, "delete", "deployment", ACTIVATOR, "--ignore-not-found", "--wait=false")
            until(lambda: not self.activators_of("ReplicaSet"), "the activators of the Deployment have ended", TIMEOUT)

    def kind(self):
        return "daemonset" if self.plane.minor >= 23 else "deployment"

    def deployed(self):
        if self.kind() == "deployment":
            return super().deployed().replace('args: ["--listen=', 'args: [--activators-on-each-node=true, "--listen=')
        with tempfile.TemporaryDirectory() as overlay:
            on_each_node(overlay)
            return self.plane.kubectl("kustomize", overlay)

    def wait_activators(self):
        self.plane.kubectl("-n", SYSTEM, "rollout", "status", f"{self.kind()}/{ACTIVATOR}", f"--timeout={int(TIMEOUT)}s")

    def activators_of(self, kind):
        """Names of the pods of this kind of owner in which an activator runs, also of those that are being deleted."""
        return {pod["metadata"]["name"] for pod in self.api.list("Pod", SYSTEM, f"app.kubernetes.io/name={ACTIVATOR}")
                if pod["metadata"]["ownerReferences"][0]["kind"] == kind
                and any("running" in c["state"] for c in pod["status"].get("containerStatuses", []))}

    def start_outside(self, **how):
        """Returns where callers from outside come in."""
        text = manifest(replicas=1, grace=10).replace("spec:\n  selector:\n    app: web\n  ports:", OUTSIDE + "    app: web\n  ports:")
        self.assertIn(OUTSIDE, text)
        self.start(text=text, **how)
        return f"{NODE}:{self.api.get('Service', self.namespace, 'web')['spec']['ports'][0]['nodePort']}"

    def test_goes_to_zero_and_the_first_requests_from_outside_wake_it(self):
        with self.explained():
            address = self.start_outside()
            self.wait_zero()
            with Load(address, 40) as load:
                self.wait_pods(1)
            note(f"{'traffic policy Local, from outside, at zero':58} {load.row()}")
            self.assert_none_failed(load)

    def test_loses_no_request_while_the_activators_of_its_node_are_replaced(self):
        with self.explained():
            address = self.start_outside(annotations={"min-scale": "1", "target-burst-capacity": "-1"})
            self.wait_through()
            owner = "DaemonSet" if self.kind() == "daemonset" else "ReplicaSet"
            old = self.activators_of(owner)
            with Load(address, 40) as load:
                self.plane.kubectl("-n", SYSTEM, "rollout", "restart", f"{self.kind()}/{ACTIVATOR}")
                self.wait_activators()
                until(lambda: not old & self.activators_of(owner), f"the old ones have ended: {old}", 2 * TIMEOUT)
            note(f"{'traffic policy Local, from outside, activators replaced':58} {load.row()}")
            self.assert_none_failed(load)


if __name__ == "__main__":
    unittest.main()
