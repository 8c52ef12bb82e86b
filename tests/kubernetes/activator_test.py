"""`activator --cluster kubernetes` under its own account: what it may read is enough, and it writes one number, if it may."""

import os
import socket
import unittest

from cluster_harness import DEPLOY, Late, OnItsOwnControlPlane, get, program, until

SYSTEM = "bellows-system"
ACCOUNT = "bellows-activator"
USER = f"system:serviceaccount:{SYSTEM}:{ACCOUNT}"


class Activator(OnItsOwnControlPlane):
    def setUp(self):
        super().setUp()
        for file in ("namespace.yaml", "activator.yaml", "activator-rbac.yaml"):
            self.plane.apply(os.path.join(DEPLOY, file))
        self.account = self.plane.kubeconfig_of_account(SYSTEM, ACCOUNT, os.path.join(self.plane.work, "account"))
        self.deployment(replicas=0, adopted=False)
        self.service()
        self.revision_for("web", "web")

    def activator(self):
        """Without an autoscaler: nobody listens there."""
        running = self.start(program("activator"), "--cluster", "kubernetes", "--kubeconfig", self.account, "--autoscaler",
                             "ws://127.0.0.1:1", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--log-format", "json")
        listening = running.wait_for("listening")
        running.port = int(listening["address"].rsplit(":", 1)[1])
        running.admin = int(listening["admin"].rsplit(":", 1)[1])
        until(lambda: get(running.admin, "/readyz").status == 200, Late(lambda: f"it is ready:\n{running.text()}"))
        return running

    def request(self, running):
        caller = socket.create_connection(("127.0.0.1", running.port))
        self.addCleanup(caller.close)
        caller.sendall(f"GET / HTTP/1.1\r\nHost: web.{self.namespace}.svc\r\n\r\n".encode())

    def calls(self):
        """(verb, resource, code) of every request of the account that the server has answered."""
        for entry in self.plane.audit():
            reference = entry.get("objectRef")
            if entry["user"]["username"] != USER or not reference:
                continue
            resource = reference["resource"] + ("/" + reference["subresource"] if "subresource" in reference else "")
            yield entry["verb"], resource, entry.get("responseStatus", {}).get("code")

    def test_wakes_a_revision_without_the_autoscaler_if_it_has_the_right(self):
        running = self.activator()
        self.request(running)
        failed = running.wait_for("could not order a replica without the autoscaler")
        self.assertIn("cannot patch resource", failed["error"], "the log names the right")
        self.assertEqual(self.replicas(), 0)
        self.plane.apply(os.path.join(DEPLOY, "activator-wake.yaml"))
        until(lambda: self.replicas() == 1, Late(lambda: f"it wakes the Revision:\n{running.text()}"))
        refused = {call for call in self.calls() if call[2] == 403}
        self.assertEqual(refused, {("patch", "deployments/scale", 403)}, "what it may read is enough")
        written = {call[:2] for call in self.calls() if call[0] not in ("get", "list", "watch")}
        self.assertEqual(written, {("patch", "deployments/scale")})


if __name__ == "__main__":
    unittest.main()
