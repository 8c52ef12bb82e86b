"""A Service whose traffic from outside stays on the node where it arrives, with an activator on each node: here, on the only one."""

import os
import unittest

from autoscaled import ACTIVATOR, Autoscaled, SYSTEM
from node_harness import DEPLOY, Load, TIMEOUT, manifest, note

NODE = "10.99.0.1"
OUTSIDE = "spec:\n  type: NodePort\n  externalTrafficPolicy: Local\n  selector:\n"


class AServiceThatStaysOnItsNode(Autoscaled):
    def deployed(self):
        """With a DaemonSet where the server can replace its pods without a gap; before that the Deployment is on the node too."""
        if self.plane.minor >= 23:
            with open(os.path.join(DEPLOY, "bellows-each-node.yaml")) as file:
                return file.read()
        return super().deployed().replace('args: ["--listen=', 'args: [--activators-on-each-node=true, "--listen=')

    def wait_activators(self):
        kind = "daemonset" if self.plane.minor >= 23 else "deployment"
        self.plane.kubectl("-n", SYSTEM, "rollout", "status", f"{kind}/{ACTIVATOR}", f"--timeout={int(TIMEOUT)}s")

    def test_goes_to_zero_and_the_first_requests_from_outside_wake_it(self):
        with self.explained():
            text = manifest(replicas=1, grace=10).replace("spec:\n  selector:\n    app: web\n  ports:", OUTSIDE + "    app: web\n  ports:")
            self.assertIn(OUTSIDE, text)
            self.start(text=text)
            self.wait_zero()
            port = self.api.get("Service", self.namespace, "web")["spec"]["ports"][0]["nodePort"]
            with Load(f"{NODE}:{port}", 40) as load:
                self.wait_pods(1)
            note(f"{'traffic policy Local, from outside, at zero':58} {load.row()}")
            self.assert_none_failed(load)


if __name__ == "__main__":
    unittest.main()
