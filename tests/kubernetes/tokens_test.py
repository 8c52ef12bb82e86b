"""Stats count with a token of their pod alone: tokens of the real API server, made as the kubelet makes them."""

import json
import os
import signal
import unittest

from activator_test import InOneNamespace
from cluster_harness import ACCOUNT, Api, ApiError, Late, OnCluster, QUICK, get, program, until
from deploy_test import UnderItsAccount

AUDIENCE = "bellows-stats"
EVERYBODY = "system:service-account-issuer-discovery"  # the binding by which every account may read the keys
SETTINGS = {**QUICK, "bellows.dev/target": "10", "bellows.dev/max-scale": "6"}


def token_of(test, pod, audience=AUDIENCE, account="default"):
    """As for the projected volume of the pod; None: a token of the account alone."""
    spec = {"audiences": [audience], "expirationSeconds": 600}
    if pod:
        uid = test.api.get("Pod", test.namespace, pod)["metadata"]["uid"]
        spec["boundObjectRef"] = {"kind": "Pod", "apiVersion": "v1", "name": pod, "uid": uid}
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec}
    return test.api.create("ServiceAccount", test.namespace, request, name=account, subresource="token")["status"]["token"]


def replace(file, text):
    """As the kubelet renews a token: no reader sees half of it."""
    with open(file + ".new", "w") as out:
        out.write(text)
    os.replace(file + ".new", file)


def refused(test, reason):
    """How much the autoscaler of the test has refused for that reason."""
    lines = test.metric_lines(test.scaler, f'bellows_autoscaler_stats_refused_total{{reason="{reason}"}} ')
    return sum(float(line.split()[-1]) for line in lines)


class TokensOfPods(OnCluster):
    def setUp(self):
        super().setUp()
        self.start_node()
        self.service()
        self.deployment(replicas=2, annotations=SETTINGS)
        self.scaler = self.ready_autoscaler("--stats-auth", "on")
        self.revision = f"{self.namespace}/web"
        until(lambda: self.api.get("Revision", self.namespace, "web"), "the label makes a Revision")
        self.own, self.other = until(lambda: len(self.pods()) == 2 and self.pods(), "both pods are ready")

    def refuses(self, token, of, reason, what):
        """The sender of 100 requests in flight of the pod `of` is refused."""
        before = refused(self, reason)
        sender = self.sender(self.scaler, token)
        sender.set(self.revision, [of], 100)
        until(lambda: refused(self, reason) > before, Late(lambda: f"{what} is refused:\n{self.scaler.text()}"))
        sender.close()

    def test_only_the_own_one_lets_a_pod_speak(self):
        token = token_of(self, self.own)
        self.refuses(None, self.own, "token", "a sender without a token")
        self.refuses(token[:-8] + "AAAAAAAA", self.own, "token", "a token with another signature")
        self.refuses(token_of(self, self.own, "other"), self.own, "token", "a token for another audience")
        self.refuses(token_of(self, None), self.own, "token", "a token of an account alone")
        self.refuses(token, self.other, "other-pod", "a pod that speaks for another one")
        self.assertEqual(self.replicas(), 2, "nothing of it counted")
        sender = self.sender(self.scaler, token)
        sender.set(self.revision, [self.own], 40)
        self.wait_replicas(lambda number: number > 2)
        status = json.dumps(self.api.get("Revision", self.namespace, "web")["status"])
        self.assertNotIn(token, status + self.scaler.text(), "a token is in a log")

    def observed(self):
        """Of which replicas the autoscaler has stats."""
        services = json.loads(get(self.scaler.port, "/v1/status").body)["services"]
        return [replica["name"] for service in services for each in service["revisions"] for replica in each["replicas"]
                if "in_flight" in replica]

    def test_is_read_anew_from_the_file_of_a_queue_proxy(self):
        file = os.path.join(self.folder(), "token")
        replace(file, "no-token\n")
        proxy = self.start(program("queue-proxy"), "--autoscaler", f"ws://127.0.0.1:{self.scaler.port}/v1/stats", "--revision",
                           self.revision, "--pod", self.own, "--stats-token-file", file, "--user-port", "1", "--listen-host",
                           "127.0.0.1", "--queue-serving-port", "0", "--admin-port", "0", "--log-format", "json")
        until(lambda: refused(self, "token") > 0, Late(lambda: f"what is no token is refused:\n{proxy.text()}"))
        self.assertEqual(self.observed(), [])
        replace(file, token_of(self, self.own))
        until(lambda: self.observed() == [self.own],
              Late(lambda: f"the next connection has the next token:\n{self.scaler.text()}\n{proxy.text()}"))


class TokensOfActivators(InOneNamespace):
    """The account decides who is an activator: that of deploy/, in the namespace of their Service."""

    ACTIVATORS = "bellows-activator"
    scaler_flags = ("--stats-auth", "on")

    def start_programs(self):
        self.file = os.path.join(self.folder(), "token")
        self.activator_flags = ("--stats-token-file", self.file)
        self.api.create("ServiceAccount", self.namespace, {"metadata": {"name": self.ACTIVATORS}})
        for name, account in (("act-1", self.ACTIVATORS), ("other", "default")):
            self.api.create("Pod", self.namespace, {"metadata": {"name": name}, "spec": {
                "serviceAccountName": account, "automountServiceAccountToken": False,
                "containers": [{"name": "activator", "image": "example/activator:1"}]}})
        replace(self.file, token_of(self, "other"))
        super().start_programs()

    def test_let_them_wake_a_revision_and_no_other_pod_does(self):
        until(lambda: refused(self, "other-pod") > 0, Late(lambda: f"another account is no activator:\n{self.scaler.text()}"))
        self.assertEqual(self.replicas(), 0)
        replace(self.file, token_of(self, "act-1", account=self.ACTIVATORS))
        self.request_at_its_port()
        self.wait_replicas(lambda seen: seen >= 1)


class TheRightToReadKeys(UnderItsAccount):
    """Every account has it by default; where it has not, that of deploy/rbac.yaml is used."""

    def setUp(self):
        super().setUp()
        self.deployment(replicas=1, annotations=SETTINGS)
        self.service()
        self.api.delete("ClusterRoleBinding", None, EVERYBODY)

    def may_read_the_keys(self):
        with open(self.account) as file:
            token = json.load(file)["users"][0]["user"]["token"]
        api = Api(self.plane.env["KUBE_URL"], self.plane.env["KUBE_CA"], token)
        try:
            return api.request("GET", "/.well-known/openid-configuration")
        except ApiError as error:
            self.assertEqual(error.status, 403, error)
            return None
        finally:
            api.close()

    def start_sender(self):
        """Starts an autoscaler and a sender with the token of the only pod."""
        self.scaler = self.ready_autoscaler("--stats-auth", "on", kubeconfig=self.account, namespace=False)
        pod = until(self.pods, "the pod is ready")[0]
        self.sender(self.scaler, token_of(self, pod)).set(f"{self.namespace}/web", [pod], 40)

    def test_is_enough_and_its_lack_is_logged(self):
        self.start_sender()
        self.wait_replicas(lambda number: number > 1)
        self.assertEqual(refused(self, "token"), 0)
        self.scaler.signal(signal.SIGTERM)
        self.assertEqual(self.scaler.end(), 0)
        self.api.delete("ClusterRoleBinding", None, f"{ACCOUNT}-token-keys")
        until(lambda: not self.may_read_the_keys(), "the right is gone")
        self.start_sender()
        until(lambda: refused(self, "token") > 0, Late(lambda: f"no token is accepted:\n{self.scaler.text()}"))
        line = self.scaler.wait_for("the keys of tokens cannot be fetched")
        self.assertIn("/.well-known/openid-configuration", line["error"])
        self.assertIn("403", line["error"])


if __name__ == "__main__":
    unittest.main()
