"""The commands of `bellows` on a cluster, through the API server's proxy."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import unittest

from api import path_of
from cluster_harness import ApiError, Late, OnItsOwnControlPlane, QUICK, for_server, program, until
from node import PretendedNode

SYSTEM = "bellows-system"


def own_address():
    """An address of this machine that is no loopback one: the API server forwards to no other. None without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # TEST-NET-1; nothing is sent
        except OSError:
            return None
        address = probe.getsockname()[0]
    return None if address.startswith("127.") else address


class Commands(OnItsOwnControlPlane):
    def setUp(self):
        super().setUp()
        self.address = own_address()
        if not self.address:
            self.skipTest("this machine has no address but loopback ones, which the API server does not forward to")
        deploy = for_server(self.plane.minor)
        self.addCleanup(shutil.rmtree, deploy)
        self.plane.kubectl("apply", "-k", deploy)
        self.start_node()
        self.service()
        self.deployment(replicas=2, annotations={**QUICK, "bellows.dev/target": "10", "bellows.dev/max-scale": "3"})

    def begin(self, *flags):
        self.scaler = self.ready_autoscaler("--lease", f"{SYSTEM}/bellows-autoscaler", *flags, namespace=False, listen="0.0.0.0:0")
        self.publish()

    def publish(self):
        """A pod of the Deployment of deploy/ gets the address and port of the program under test, so that the Service and the
        API server's proxy lead there."""
        self.api.patch("Deployment", SYSTEM, "bellows-autoscaler", [
            {"op": "replace", "path": "/spec/replicas", "value": 1},
            {"op": "replace", "path": "/spec/strategy", "value": {"type": "Recreate"}},
            {"op": "replace", "path": "/spec/template/spec/containers/0/ports/0/containerPort", "value": self.scaler.port}],
            how="json")
        node = PretendedNode(self.api, SYSTEM, self.address)
        self.addCleanup(node.close)
        until(self.is_published, "the Service leads to the program under test")

    def is_published(self):
        try:
            self.api.request("GET", path_of("Service", SYSTEM, "bellows-autoscaler:http", "proxy") + "/healthz")
            return True
        except ApiError:
            return False

    def left_slice(self, service, annotations):
        """A path that a dead autoscaler left."""
        self.api.create("EndpointSlice", self.namespace, {
            "metadata": {"name": f"{service}-bellows", "annotations": annotations,
                         "labels": {"kubernetes.io/service-name": service, "endpointslice.kubernetes.io/managed-by": "bellows.dev"}},
            "addressType": "IPv4", "ports": [{"name": "http", "port": 20001}],
            "endpoints": [{"addresses": ["10.9.9.9"], "conditions": {"ready": True}}]})

    def on_cluster(self, *words, code=0):
        return self.bellows(*words, "--namespace", self.namespace, code=code)

    def names_in_json(self, *words):
        return [service["name"] for service in json.loads(self.bellows("status", "-o", "json", *words))["services"]]

    def test_show_and_change_the_revisions_of_a_namespace(self):
        self.begin()
        self.wait_condition("Ready", "True")
        shown = self.on_cluster("status")
        self.assertRegex(shown, r"(?m)^web +Active +\w+ +2/")
        self.assertRegex(self.bellows("status", "--all-namespaces"), rf"(?m)^{self.namespace}/web ")
        self.assertIn("web-", self.on_cluster("status", "web", "-o", "wide"))
        self.assertRegex(self.on_cluster("top", "--once"), r"(?m)^web ")
        self.assertIn("replica", self.on_cluster("explain", "web"))
        journal = self.on_cluster("journal", "web")
        replayed = subprocess.run([program("bellows"), "replay", "decisions", "-"], input=journal, capture_output=True,
                                  text=True, timeout=600, check=False)
        self.assertEqual(replayed.returncode, 0, replayed.stderr)
        self.assertEqual(json.loads(self.on_cluster("status", "-o", "json"))["version"], 2)
        self.assertEqual(self.names_in_json("--namespace", self.namespace), [f"{self.namespace}/web"])
        self.assertEqual(self.names_in_json("--namespace", "kube-system"), [])
        self.assertIn(f"{self.namespace}/web", self.names_in_json("--all-namespaces"))

        for command, state in (("pause", "Paused"), ("resume", "Active"), ("retire", "Retired")):
            self.on_cluster(command, "web")
            self.assertEqual(self.api.get("Revision", self.namespace, "web")["spec"]["state"], state)
        self.assertIn("there is none", self.on_cluster("status", "nothing", code=1))
        self.assertIn("nothing", self.on_cluster("pause", "nothing", code=1))
        self.assertIn("want NAME", self.on_cluster("pause", "../x", code=2))

    def test_say_who_takes_the_requests_and_what_hinders_activators(self):
        self.begin("--activator-service", f"{self.namespace}/activators")
        self.wait_condition("Routed", "False", reason="QueueProxyMissing")
        self.wait_condition("Ready", "False", reason="QueueProxyMissing")
        until(lambda: self.events(reason="QueueProxyMissing"), "an event says so")
        until(lambda: self.decisions(self.scaler) > 0, "a decision was made")
        self.assertRegex(self.on_cluster("explain", "web"),
                         r"(?m)^Its path is QueueProxyMissing since \d\d:\d\d:\d\d: the pods have no container queue-proxy")
        self.assertRegex(self.on_cluster("check", code=1),
                         rf"(?m)^failed +revision {self.namespace}/web +QueueProxyMissing: .*bellows inject")

    def test_uninstall_without_an_autoscaler_starts_what_is_at_zero_and_leaves_nothing(self):
        """A path and a Revision that a dead autoscaler left; its namespace has no pod."""
        self.api.patch("Deployment", self.namespace, "web", {"spec": {"replicas": 0}})
        self.left_slice("web", {"bellows.dev/revision": "web", "bellows.dev/target": "apps/v1 Deployment web",
                                "bellows.dev/replicas-before": "3"})
        self.revision_for("other", "other")
        self.revision_for("lost", "lost", scaleTargetRef={"apiVersion": "example.com/v1", "kind": "Widget", "name": "lost"})
        self.api.create("ConfigMap", SYSTEM, {"metadata": {"name": "theirs"}, "data": {"a": "b"}})
        elsewhere = self.second_installation()
        planned = self.bellows("uninstall", "--dry-run")
        for step in (f"would be unlabelled: Deployment {self.namespace}/web",
                     f"would be deleted: revisions.bellows.dev {self.namespace}/other",
                     f"would be deleted: revisions.bellows.dev {self.namespace}/lost",
                     f"would be started: Deployment {self.namespace}/web with 3 replicas",
                     f"would be deleted: EndpointSlice {self.namespace}/web-bellows, once pods of the Service are ready",
                     f"would be deleted: deployments.apps {SYSTEM}/bellows-autoscaler",
                     f"would be deleted: daemonsets.apps {elsewhere}/bellows-activator",
                     f"would be deleted: namespaces {elsewhere}",
                     f"would be kept: namespaces {SYSTEM}, which has configmaps theirs;"):
            self.assertIn(step, planned)
        self.api.delete("ConfigMap", SYSTEM, "theirs")
        self.assertIn(f"would be deleted: namespaces {SYSTEM}", self.bellows("uninstall", "--dry-run"))
        self.assertEqual(self.replicas(), 0)
        self.assertIn("--namespace: unknown setting", self.bellows("uninstall", "--namespace", "shop", code=2))

        done = self.bellows("uninstall", timeout=600)
        self.assertIn(f"served by its own pods: Service {self.namespace}/web", done)
        self.assertEqual((self.replicas(), len(self.pods())), (3, 3))
        self.assertIsNone(self.api.get("EndpointSlice", self.namespace, "web-bellows"))
        for kind, name in (("ClusterRole", "bellows-autoscaler"), ("ClusterRoleBinding", "bellows-activator"),
                           ("CustomResourceDefinition", "revisions.bellows.dev"), ("Namespace", SYSTEM),
                           ("Namespace", elsewhere), ("MutatingWebhookConfiguration", "bellows-injector")):
            self.assertIsNone(self.api.get(kind, None, name), f"{kind} {name} is gone when the command says so")
        self.assertIn("There is nothing of Bellows on this cluster.", self.bellows("uninstall"), "a second run finds nothing")

    def second_installation(self):
        """What a chart leaves in a namespace of another name, and what injects pods. Returns the namespace."""
        name, part = f"{self.namespace}-b", {"app.kubernetes.io/part-of": "bellows"}
        self.api.create("Namespace", None, {"metadata": {"name": name, "labels": part}})
        self.api.create("DaemonSet", name, {
            "metadata": {"name": "bellows-activator", "labels": part},
            "spec": {"selector": {"matchLabels": part}, "template": {"metadata": {"labels": part}, "spec": {
                "containers": [{"name": "activator", "image": "example/activator:1"}]}}}})
        self.api.create("MutatingWebhookConfiguration", None, {"metadata": {"name": "bellows-injector", "labels": part}})
        return name

    def test_uninstall_without_a_right_changes_nothing_and_names_what_is_missing(self):
        """A user who may do all but the last steps: nothing stays half done."""
        self.api.create("ClusterRole", None, {"metadata": {"name": self.namespace}, "rules": [
            {"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "patch"]},
            {"apiGroups": ["apps", "bellows.dev"], "resources": ["*"], "verbs": ["delete"]}]})
        self.api.create("ClusterRoleBinding", None, {
            "metadata": {"name": self.namespace}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                                                              "name": self.namespace},
            "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": self.namespace}]})
        user = self.plane.kubeconfig_of_account(self.namespace, "default", os.path.join(self.plane.work, "user"))
        for words in (("uninstall", "--dry-run"), ("uninstall",)):
            said = self.bellows(*words, kubeconfig=user, code=1)
            refused = said.partition("would refuse some steps, so none is made")[2]
            for right in ("delete services in bellows-system", "delete clusterroles.rbac.authorization.k8s.io",
                          "delete customresourcedefinitions.apiextensions.k8s.io"):
                self.assertIn(f"  you may not {right}\n", refused + "\n")
            self.assertNotIn("deployments.apps", refused, "that is allowed")
        labels = self.api.get("Deployment", self.namespace, "web")["metadata"]["labels"]
        self.assertEqual(labels["bellows.dev/autoscale"], "true")
        self.assertIsNotNone(self.api.get("Deployment", SYSTEM, "bellows-autoscaler"))

    def test_uninstall_tells_of_a_pod_that_cannot_start_and_a_second_run_goes_on(self):
        until(lambda: len(self.pods()) == 2, "its pods are there")
        self.api.patch("Deployment", self.namespace, "web", {"spec": {"replicas": 0}})
        until(lambda: not self.api.list("Pod", self.namespace), "it is at zero")
        self.left_slice("web", {"bellows.dev/revision": "web", "bellows.dev/target": "apps/v1 Deployment web"})
        self.node.hold()
        first = self.start(program("bellows"), "uninstall", "--kubeconfig", self.plane.kubeconfig)
        pod = until(lambda: self.api.list("Pod", self.namespace), "its pod is there")[0]["metadata"]["name"]
        self.api.patch("Pod", self.namespace, pod, {"status": {"phase": "Pending", "containerStatuses": [{
            "name": "app", "image": "example/app:1", "imageID": "", "ready": False, "restartCount": 0,
            "state": {"waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling image"}}}]}},
                       how="strategic", subresource="status")
        said = re.compile(rf"waiting: Service {self.namespace}/web: no ready pod: .*{pod}.*ImagePullBackOff")
        until(lambda: said.search(first.text()), Late(lambda: f"it says so:\n{first.text()}"))
        self.assertIn("10 minutes at most; Ctrl-C ends it, a second run goes on from here", first.text())
        first.signal(signal.SIGINT)
        self.assertNotEqual(first.end(), 0)
        for kind, name in (("EndpointSlice", "web-bellows"), ("Deployment", "web")):
            self.assertIsNotNone(self.api.get(kind, self.namespace, name))
        for kind, name in (("Deployment", "bellows-activator"), ("Deployment", "bellows-autoscaler")):
            self.assertIsNotNone(self.api.get(kind, SYSTEM, name), "the programs stay until the pod is ready")

        second = self.start(program("bellows"), "uninstall", "--kubeconfig", self.plane.kubeconfig)
        until(lambda: said.search(second.text()), Late(lambda: f"the second run says so too:\n{second.text()}"))
        self.plane.stop_api_server()
        until(lambda: "waiting: list endpointslices" in second.text(), Late(lambda: f"it waits for the server:\n{second.text()}"))
        self.plane.start_api_server()
        self.node.release()
        self.assertEqual(second.end(), 0, second.text())
        self.assertIn(f"served by its own pods: Service {self.namespace}/web", second.text())
        self.assertIn("Bellows is removed", second.text())

    def test_uninstall_refuses_while_a_service_has_no_endpoints_but_ours(self):
        self.api.create("Service", self.namespace, {"metadata": {"name": "front", "annotations": {"bellows.dev/front": "true"}},
                                                    "spec": {"ports": [{"port": 80}]}})
        self.left_slice("front", {})
        for words in (("uninstall", "--dry-run"), ("uninstall",)):
            refused = self.bellows(*words, code=1)
            self.assertIn(f"Service {self.namespace}/front: has no selector", refused)
        self.assertIsNotNone(self.api.get("EndpointSlice", self.namespace, "front-bellows"))
        self.assertIsNotNone(self.api.get("Deployment", SYSTEM, "bellows-autoscaler"))

    def test_tell_that_the_autoscaler_cannot_be_reached(self):
        self.begin()
        self.scaler.signal(15)
        self.scaler.end()
        said = self.on_cluster("status", code=1)
        self.assertIn("bellows check", said)
        self.assertIn("bellows-autoscaler", said)

    def test_check_names_what_is_wrong_with_a_hint_and_says_so_by_its_exit_code(self):
        self.begin()
        self.wait_condition("Ready", "True")
        well = self.on_cluster("check")
        self.assertNotRegex(well, r"(?m)^failed")
        self.assertRegex(well, r"(?m)^ok +revisions +1 of 1")
        self.assertRegex(well, rf"(?m)^ok +lease +.* holds {SYSTEM}/bellows-autoscaler, renewed")
        self.assertNotIn("\x1b", well)

        self.revision_for("lost", "nowhere")
        self.wait_condition("Ready", "False", name="lost")
        self.deployment("typo", adopted=False, labels={"bellows.dev/autoscale": "yes"})
        self.api.patch("CustomResourceDefinition", None, "revisions.bellows.dev", [
            {"op": "remove", "path": "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/with"}], how="json")
        items = json.loads(self.on_cluster("check", "-o", "json", code=1))
        self.assertEqual((items["version"], items["result"]), (1, "failed"))
        failed = {item["name"]: item for item in items["items"] if item["result"] == "failed"}
        self.assertEqual(sorted(failed), ["custom resource", f"deployment {self.namespace}/typo", f"revision {self.namespace}/lost"])
        self.assertIn('"yes": want true', failed[f"deployment {self.namespace}/typo"]["text"])
        self.assertIn("properties.with", failed["custom resource"]["text"])
        self.assertIn("kubectl apply", failed["custom resource"]["hint"])
        self.assertIn("nowhere", failed[f"revision {self.namespace}/lost"]["text"])

    def test_check_finds_activators_in_another_namespace_than_the_autoscaler(self):
        """As with --activator-service: their namespace is the one that the autoscaler has to follow."""
        self.api.delete("Deployment", SYSTEM, "bellows-activator")
        activators = "app.kubernetes.io/name=bellows-activator"
        until(lambda: not self.api.list("Pod", SYSTEM, activators), "no activator is beside the autoscaler")
        def checked():
            return [(item["name"], item["result"], item["text"]) for item in
                    json.loads(self.bellows("check", "-o", "json", code=1))["items"]]
        self.assertIn(("activators", "unknown", "none in any namespace: no revision can leave zero"), checked())
        may_not = {("rights of bellows-system/bellows-autoscaler", "failed", f"it may not {verb} namespaces") for verb in ("list", "watch")}
        self.assertFalse(may_not & set(checked()))

        self.api.create("Deployment", self.namespace, {
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "acts"},
            "spec": {"selector": {"matchLabels": {"app.kubernetes.io/name": "bellows-activator"}},
                     "template": {"metadata": {"labels": {"app.kubernetes.io/name": "bellows-activator"}},
                                  "spec": {"containers": [{"name": "activator", "image": "example/activator:1"}]}}}})
        pod = until(lambda: self.api.list("Pod", self.namespace, activators), "its pod is there")[0]["metadata"]["name"]
        found = checked()
        self.assertIn(f"activator {self.namespace}/{pod}", [name for name, _, _ in found])
        self.assertLessEqual(may_not, set(found), "deploy/rbac.yaml names bellows-system")

    def test_check_says_that_nobody_orders_replicas_and_which_rights_to_lease_and_keys_are_missing(self):
        self.api.delete("RoleBinding", SYSTEM, "bellows-autoscaler")
        for binding in ("bellows-autoscaler-token-keys", "system:service-account-issuer-discovery"):  # the latter is the server's
            self.api.delete("ClusterRoleBinding", None, binding)
        def found():
            items = json.loads(self.bellows("check", "-o", "json", code=1))["items"]
            return {item["text"] for item in items if item["result"] == "failed"}
        wanted = {f"it may not {verb} leases.coordination.k8s.io in {SYSTEM}" for verb in ("create", "get", "update")}
        wanted |= {"it may not get /openid/v1/jwks", "it may not get /.well-known/openid-configuration"}
        wanted.add(f"{SYSTEM}/bellows-autoscaler does not exist, so nobody orders replicas")
        until(lambda: wanted <= found(), Late(lambda: f"{wanted} is in {found()}"))

    def test_check_as_a_user_without_rights_says_which_are_missing(self):
        self.begin()
        user = self.plane.kubeconfig_of_account(self.namespace, "default", os.path.join(self.plane.work, "user"))
        said = self.bellows("check", "--namespace", self.namespace, kubeconfig=user, code=1)
        for right in ("list revisions.bellows.dev", "patch revisions.bellows.dev", "get services/proxy"):
            self.assertIn(f"you may not {right}", said)


if __name__ == "__main__":
    unittest.main()
