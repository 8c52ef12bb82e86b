"""slack on a real control plane: what kubectl lists is planned, and what slack prints is applied."""

import json
import os
import subprocess

from cluster_harness import OnCluster, program, until

BUFFER = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "capacitybuffers.autoscaling.x-k8s.io", "annotations": {
        "api-approved.kubernetes.io": "https://github.com/kubernetes/autoscaler/pull/8151"}},
    "spec": {"group": "autoscaling.x-k8s.io", "scope": "Namespaced",
             "names": {"kind": "CapacityBuffer", "plural": "capacitybuffers", "singular": "capacitybuffer"},
             "versions": [{"name": "v1beta1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                 "type": "object", "properties": {"spec": {"type": "object", "properties": {
                     "podTemplateRef": {"type": "object", "required": ["name"],
                                        "properties": {"name": {"type": "string"}}},
                     "replicas": {"type": "integer", "minimum": 0}}}}}}}]}}


class SlackOnACluster(OnCluster):
    def setUp(self):
        super().setUp()
        self.team = self.namespace[-20:]
        for i in range(4):
            self.node_object(f"{self.namespace}-{i}")

    def node_object(self, name):
        """A node that is ready, with four cores and 16 GiB. Nothing runs there: nobody plays its kubelet."""
        self.api.create("Node", None, {"apiVersion": "v1", "kind": "Node", "metadata": {
            "name": name, "labels": {"team": self.team, "kubernetes.io/hostname": name,
                                     "node.kubernetes.io/instance-type": "m"}}})
        self.addCleanup(self.api.delete, "Node", None, name)
        self.api.request("PATCH", f"/api/v1/nodes/{name}/status", {"status": {
            "allocatable": {"cpu": "4", "memory": "16Gi", "pods": "110"},
            "capacity": {"cpu": "4", "memory": "16Gi", "pods": "110"},
            "conditions": [{"type": "Ready", "status": "True"}]}}, "application/merge-patch+json")

    def workload(self, name, replicas, annotations=None, affinity=None):
        labels = {"app": name, "team": self.team}
        container = {"name": "app", "image": "example/app:1", "resources": {"requests": {"cpu": "1", "memory": "2Gi"}}}
        self.api.create("Deployment", self.namespace, {
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": name, "labels": labels, "annotations": annotations or {}},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}},
                     "template": {"metadata": {"labels": labels}, "spec": {
                         "containers": [container], **({"affinity": affinity} if affinity else {})}}}})
        return until(lambda: self.pods_of(name, replicas), f"{replicas} pods of {name}")

    def pods_of(self, name, count):
        pods = self.api.list("Pod", self.namespace, f"app={name}")
        return pods if len(pods) == count else None

    def bind(self, pods):
        """The scheduler's part: pod i goes to node i."""
        for i, pod in enumerate(pods):
            name = pod["metadata"]["name"]
            self.api.request("POST", f"/api/v1/namespaces/{self.namespace}/pods/{name}/binding", {
                "apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
                "target": {"kind": "Node", "name": f"{self.namespace}-{i}"}})

    def listed(self):
        return self.plane.kubectl("get", "nodes,pods,deployments", "-n", self.namespace, "-l", f"team={self.team}",
                                  "-o", "json")

    def slack(self, *arguments):
        done = subprocess.run([program("slack"), *arguments], input=self.listed(), capture_output=True, text=True,
                              timeout=600, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def applied(self, text):
        path = os.path.join(self.folder(), "objects.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return self.plane.kubectl("apply", "-f", path)

    def apart(self, name):
        return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": name}}}]}}

    def test_a_list_becomes_capacity_buffers_that_the_server_takes(self):
        self.plane.apply_object(BUFFER)
        self.bind(self.workload("db", 2, {"slack.bellows.dev/mirror": "1"}, self.apart("db")))
        plan = json.loads(self.slack("plan", "--rate", "0.2"))
        self.assertEqual([(row["shape"], row["count"], row["placed"]) for row in plan["placeholders"]],
                         [("standard", 4, 4), (f"{self.namespace}/Deployment/db", 1, 1)])
        out = self.slack("plan", "--rate", "0.2", "--namespace", self.namespace, "-o", "capacitybuffer")
        until(lambda: self.plane.kubectl("get", "capacitybuffers", check=False).returncode == 0, "buffers are served")
        self.applied(out)
        buffers = json.loads(self.plane.kubectl("get", "capacitybuffers", "-n", self.namespace, "-o", "json"))["items"]
        self.assertEqual(sorted(one["spec"]["replicas"] for one in buffers), [1, 4])
        templates = json.loads(self.plane.kubectl("get", "podtemplates", "-n", self.namespace, "-o", "json"))["items"]
        self.assertEqual({one["metadata"]["name"] for one in templates},
                         {one["spec"]["podTemplateRef"]["name"] for one in buffers})
        # What follows from the same cluster changes nothing.
        again = self.applied(self.slack("plan", "--rate", "0.2", "--namespace", self.namespace, "-o", "capacitybuffer"))
        self.assertEqual([line for line in again.splitlines() if not line.endswith("unchanged")], [])

    def test_pause_pods_are_room_and_no_pods(self):
        self.bind(self.workload("web", 4))
        before = self.slack("plan", "--rate", "0.3")
        self.applied(self.slack("plan", "--rate", "0.3", "--namespace", self.namespace, "-o", "deployment"))
        self.addCleanup(self.plane.kubectl, "delete", "priorityclass", "bellows-slack", "--ignore-not-found")
        label = "slack.bellows.dev/placeholder"
        count = sum(row["count"] for row in json.loads(before)["placeholders"])
        pauses = until(lambda: len(found := self.api.list("Pod", self.namespace, label)) == count and found,
                       f"{count} pause pods")
        self.assertEqual({pod["spec"]["priority"] for pod in pauses}, {-10})
        for pod in pauses:
            self.plane.kubectl("label", "pod", pod["metadata"]["name"], "-n", self.namespace, f"team={self.team}")
        self.assertEqual(self.slack("plan", "--rate", "0.3"), before)

    def test_a_report_says_which_arrivals_find_room(self):
        self.bind(self.workload("db", 4, affinity=self.apart("db")))
        self.workload("web", 1)
        report = self.slack("report")
        self.assertIn(f"none of {self.namespace}/Deployment/db (1000m 2Gi)", report)
        self.assertIn("4 nodes where anti-affinity keeps it away", report)
        self.assertIn(f"of {self.namespace}/Deployment/web (1000m 2Gi)", report)
