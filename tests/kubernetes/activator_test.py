"""The program activator under its own account: what it may read is enough, and it writes one number, if it may."""

import http.server
import os
import signal
import socket
import threading
import unittest

from activators import free_range, own_address, revision_at
from cluster_harness import DEPLOY, Late, OnItsOwnControlPlane, QUICK, get, program, until
from harness import free_port

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

    def activator(self, *flags):
        """Without an autoscaler: nobody listens there."""
        running = self.start(program("activator"), "--kubeconfig", self.account, "--autoscaler", "ws://127.0.0.1:1",
                             "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--log-format", "json", *flags)
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


    def test_takes_itself_out_of_a_path_when_it_ends_if_it_has_the_right(self):
        self.slice_of("bellows-activator", SYSTEM, ["act-2"])
        self.slice_of("web-bellows", self.namespace, ["act-1", "act-2"], service="web", annotations={
            "bellows.dev/revision": "web", "bellows.dev/target": "apps/v1 Deployment web", "bellows.dev/activator-port": str(free_port())})
        running = self.activator("--name", "act-1", "--drain-quiet-time", "5s")
        running.signal(signal.SIGTERM)
        failed = running.wait_for("a slice was not written")
        self.assertIn("cannot update resource", failed["error"], "the log names the right")
        self.plane.apply(os.path.join(DEPLOY, "activator-wake.yaml"))
        until(lambda: self.named() == ["act-2"], Late(lambda: f"only the other one is left: {self.named()}\n{running.text()}"))
        self.assertEqual({call for call in self.calls() if call[2] == 403}, {("update", "endpointslices", 403)})
        self.assertEqual(running.end(), 0, running.text())

    def slice_of(self, name, namespace, activators, service=None, annotations=None):
        manager = {"endpointslice.kubernetes.io/managed-by": "bellows.dev"} if annotations else {}
        self.api.create("EndpointSlice", namespace, {
            "metadata": {"name": name, "labels": {"kubernetes.io/service-name": service or name, **manager}, "annotations": annotations or {}},
            "addressType": "IPv4", "ports": [{"name": "http", "port": int((annotations or {}).get("bellows.dev/activator-port", 8012))}],
            "endpoints": [{"addresses": [f"10.9.9.{number + 1}"], "conditions": {"ready": True},
                           "targetRef": {"kind": "Pod", "name": each, "namespace": SYSTEM}}
                          for number, each in enumerate(activators)]})

    def named(self):
        return [each["targetRef"]["name"] for each in self.api.get("EndpointSlice", self.namespace, "web-bellows")["endpoints"]]


class QueueProxy(http.server.BaseHTTPRequestHandler):
    """Answers probes and requests as the queue-proxy of a pod with a ready app."""

    def do_GET(self):
        body = b"queue" if self.headers.get("K-Network-Probe") else b"served"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class InOneNamespace(OnItsOwnControlPlane):
    """The activators' Service is in the namespace of the Revisions, and the activator may read nothing elsewhere."""

    activator_flags, scaler_flags = (), ()

    def setUp(self):
        super().setUp()
        self.address = own_address()
        if self.address is None:
            self.skipTest("this machine has no address but loopback ones")
        self.plane.apply(os.path.join(DEPLOY, "namespace.yaml"), os.path.join(DEPLOY, "activator-rbac.yaml"))
        self.api.create("ServiceAccount", self.namespace, {"metadata": {"name": "acts"}})
        self.api.create("RoleBinding", self.namespace, {
            "metadata": {"name": "acts"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": ACCOUNT},
            "subjects": [{"kind": "ServiceAccount", "name": "acts", "namespace": self.namespace}]})
        self.account = self.plane.kubeconfig_of_account(self.namespace, "acts", os.path.join(self.plane.work, "acts"))
        self.start_node(self.address)
        self.pod_port = free_range(self.address, 1)
        self.service(target="http")
        self.deployment(replicas=0, adopted=False, annotations={
            **QUICK, "bellows.dev/initial-scale": "0"}, containers=[
                {"name": "app", "image": "example/app:1"},
                {"name": "queue-proxy", "image": "example/queue-proxy:1", "ports": [
                    {"name": "http", "containerPort": 8012}, {"name": "queue-port", "containerPort": self.pod_port}]}])
        self.revision_for("web", "web")
        self.start_programs()

    def start_programs(self):
        where, first = f"127.0.0.1:{free_port()}", free_range(self.address, 3)
        self.api.create("EndpointSlice", self.namespace, {
            "metadata": {"name": "acts-1", "labels": {"kubernetes.io/service-name": "acts"}},
            "addressType": "IPv4", "ports": [{"name": "http", "port": 8012}],
            "endpoints": [{"addresses": [self.address], "conditions": {"ready": True},
                           "targetRef": {"kind": "Pod", "name": "act-1", "namespace": self.namespace}}]})
        self.activator = self.start(
            program("activator"), "--kubeconfig", self.account, "--namespace", self.namespace,
            "--activator-service", f"{self.namespace}/acts", "--name", "act-1", "--autoscaler", f"ws://{where}/v1/stats",
            "--listen", f"{self.address}:0", "--admin", "127.0.0.1:0", "--log-format", "json", *self.activator_flags)
        self.scaler = self.ready_autoscaler(
            "--activator-service", f"{self.namespace}/acts", "--activator-ports", f"{first}-{first + 2}",
            "--path-settle-time", "1s", *self.scaler_flags, listen=where)

    def request_at_its_port(self):
        self.wait_condition("Routed", "True", reason="ThroughActivators", says="act-1")
        port = self.api.get("Revision", self.namespace, "web")["status"]["activatorPort"]
        self.assertEqual(revision_at(self.address, port), f"{self.namespace}/web")
        caller = socket.create_connection((self.address, port), timeout=600)
        self.addCleanup(caller.close)
        caller.sendall(b"GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n")
        return caller

    def serve_pods(self):
        server = http.server.ThreadingHTTPServer((self.address, self.pod_port), QueueProxy)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)

    def test_a_service_of_another_name_reaches_activators_that_are_told_it_and_a_pod_that_they_do_not_reach_is_a_condition(self):
        caller = self.request_at_its_port()
        self.wait_replicas(lambda seen: seen >= 1)
        told = self.wait_condition("Routed", "False", reason="ReplicasUnreachable", says="act-1")
        self.assertIn("mesh or a network policy", told["message"])
        self.assertRegex(self.bellows("check", "--namespace", self.namespace, code=1),
                         rf"(?m)^failed +revision {self.namespace}/web +ReplicasUnreachable")

        self.serve_pods()
        received = b""
        while b"served" not in received:
            piece = caller.recv(4096)
            self.assertTrue(piece, received)
            received += piece
        self.wait_condition("Routed", "True", reason="ThroughActivators")


if __name__ == "__main__":
    unittest.main()
