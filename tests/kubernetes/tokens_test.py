"""Stats count with a token of their pod alone: tokens of the real API server, made as the kubelet makes them."""

import json
import os
import unittest

from cluster_harness import OnCluster, QUICK, get, program, until

AUDIENCE = "bellows-stats"


class TokensOfPods(OnCluster):
    def setUp(self):
        super().setUp()
        self.start_node()
        self.service()
        self.deployment(replicas=2, annotations={**QUICK, "bellows.dev/target": "10", "bellows.dev/max-scale": "6"})
        self.scaler = self.ready_autoscaler("--stats-auth", "on")
        self.revision = f"{self.namespace}/web"
        until(lambda: self.api.get("Revision", self.namespace, "web"), "the label makes a Revision")
        self.own, self.other = until(lambda: len(self.pods()) == 2 and self.pods(), "both pods are ready")

    def token(self, pod, audience=AUDIENCE):
        """As for the projected volume of the pod."""
        uid = self.api.get("Pod", self.namespace, pod)["metadata"]["uid"]
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
                   "spec": {"audiences": [audience], "expirationSeconds": 600,
                            "boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": pod, "uid": uid}}}
        made = self.api.create("ServiceAccount", self.namespace, request, name="default", subresource="token")
        return made["status"]["token"]

    def token_of_no_pod(self):
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
                   "spec": {"audiences": [AUDIENCE], "expirationSeconds": 600}}
        made = self.api.create("ServiceAccount", self.namespace, request, name="default", subresource="token")
        return made["status"]["token"]

    def refused(self, reason):
        line = f'bellows_autoscaler_stats_refused_total{{reason="{reason}"}} '
        return sum(float(found.split()[-1]) for found in self.metric_lines(self.scaler, line))

    def refuses(self, token, of, reason, what):
        """The sender of 100 requests in flight of the pod `of` is refused, and nothing is scaled."""
        before = self.refused(reason)
        sender = self.sender(self.scaler, token)
        sender.set(self.revision, [of], 100)
        until(lambda: self.refused(reason) > before, f"{what} is refused:\n{self.scaler.text()}")
        sender.close()

    def test_only_the_own_one_lets_a_pod_speak(self):
        token = self.token(self.own)
        self.refuses(None, self.own, "token", "a sender without a token")
        self.refuses(token[:-8] + "AAAAAAAA", self.own, "token", "a token with another signature")
        self.refuses(self.token(self.own, "other"), self.own, "token", "a token for another audience")
        self.refuses(self.token_of_no_pod(), self.own, "token", "a token of an account alone")
        self.refuses(token, self.other, "other-pod", "a pod that speaks for another one")
        self.assertEqual(self.replicas(), 2, "nothing of it counted")
        sender = self.sender(self.scaler, token)
        sender.set(self.revision, [self.own], 40)
        self.wait_replicas(lambda number: number > 2, deadline=60)
        status = json.dumps(self.api.get("Revision", self.namespace, "web")["status"])
        self.assertNotIn(token, status + self.scaler.text(), "a token is in a log")

    def observed(self):
        """Of which replicas the autoscaler has stats."""
        revisions = json.loads(get(self.scaler.port, "/v1/status").body)["revisions"]
        return [replica["name"] for each in revisions for replica in each["replicas"] if "in_flight" in replica]

    def test_is_read_anew_from_the_file_of_a_queue_proxy(self):
        file = os.path.join(self.folder(), "token")
        with open(file, "w") as out:
            out.write("no-token\n")
        proxy = self.start(program("queue-proxy"), "--autoscaler", f"ws://127.0.0.1:{self.scaler.port}/v1/stats", "--revision",
                           self.revision, "--pod", self.own, "--stats-token-file", file, "--user-port", "1", "--listen-host",
                           "127.0.0.1", "--queue-serving-port", "0", "--admin-port", "0", "--log-format", "json")
        until(lambda: self.refused("token") > 0, f"what is no token is refused:\n{proxy.text()}")
        self.assertEqual(self.observed(), [])
        with open(file + ".new", "w") as out:
            out.write(self.token(self.own))
        os.replace(file + ".new", file)
        until(lambda: self.observed() == [self.own], f"the next connection has the next token:\n{self.scaler.text()}\n{proxy.text()}")


if __name__ == "__main__":
    unittest.main()
