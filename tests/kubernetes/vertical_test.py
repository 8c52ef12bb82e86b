"""Recommendations for VPA's objects: `recommender serve --cluster kubernetes` on a real control plane."""

import json
import os
import re
import signal
import subprocess
import time
import unittest

import yaml
from api import KINDS
from cluster_harness import DEPLOY, Late, OnCluster, OnItsOwnControlPlane, get, program, until
from usage_test import METRICS_API

KINDS["VerticalPodAutoscaler"] = ("/apis/autoscaling.k8s.io/v1", "verticalpodautoscalers", True)
KINDS["VerticalPodAutoscalerCheckpoint"] = ("/apis/autoscaling.k8s.io/v1", "verticalpodautoscalercheckpoints", True)
SYSTEM = "bellows-system"
ACCOUNT = "bellows-recommender"
MEBIBYTE = 1024 * 1024
SUFFIXES = {"": 1, "Ki": 1024, "Mi": MEBIBYTE, "Gi": 1024 * MEBIBYTE}


def kind(name, plural, subresources):
    """A kind of VPA, without its schema."""
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.autoscaling.k8s.io",
                         "annotations": {"api-approved.kubernetes.io": "unapproved, stands in for VPA's own"}},
            "spec": {"group": "autoscaling.k8s.io", "scope": "Namespaced",
                     "names": {"kind": name, "listKind": f"{name}List", "plural": plural, "singular": name.lower()},
                     "versions": [{"name": "v1", "served": True, "storage": True, "subresources": subresources,
                                   "schema": {"openAPIV3Schema": {"type": "object",
                                                                  "x-kubernetes-preserve-unknown-fields": True}}}]}}


def bytes_of(quantity):
    number, suffix = re.fullmatch(r"(\d+)(\w*)", quantity).groups()
    return int(number) * SUFFIXES[suffix]


def stamp(ago=0):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - ago))


class WithObjects(OnCluster):
    def use(self, plane):
        super().use(plane)
        self.plane.apply_object(kind("VerticalPodAutoscaler", "verticalpodautoscalers", {"status": {}}))
        self.plane.apply_object(kind("VerticalPodAutoscalerCheckpoint", "verticalpodautoscalercheckpoints", {}))
        self.plane.apply_object(METRICS_API)
        self.start_node()
        self.deployment(adopted=False, replicas=1, containers=self.containers("64Mi"))
        self.pod = until(self.pods, "a pod is ready")[0]
        until(lambda: self.attempt(self.vertical), "VPA's kinds are served")
        until(lambda: self.attempt(self.measure), "the metrics API is served")

    def attempt(self, action):
        try:
            action()
        except Exception:  # noqa: BLE001: not served yet
            return False
        return True

    def containers(self, memory):
        return [{"name": "app", "image": "example/app:1", "resources": {"requests": {"cpu": "100m", "memory": memory}}}]

    def vertical(self, name="web", **spec):
        self.api.create("VerticalPodAutoscaler", self.namespace, {
            "apiVersion": "autoscaling.k8s.io/v1", "kind": "VerticalPodAutoscaler", "metadata": {"name": name},
            "spec": {"recommenders": [{"name": "bellows"}],
                     "targetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}, **spec}})

    def measure(self, cpu="100m", memory="500Mi"):
        metrics = {"apiVersion": "metrics.k8s.io/v1beta1", "kind": "PodMetrics", "metadata": {"name": self.pod},
                   "timestamp": stamp(), "window": "15s",
                   "containers": [{"name": "app", "usage": {"cpu": cpu, "memory": memory}}]}
        if self.api.get("PodMetrics", self.namespace, self.pod):
            self.api.patch("PodMetrics", self.namespace, self.pod, metrics)
        else:
            self.api.create("PodMetrics", self.namespace, metrics)

    def recommender(self, *flags, kubeconfig=None, ready=True, interval="1s"):
        running = self.start(program("recommender"), "serve", "--cluster", "kubernetes", "--kubeconfig",
                             kubeconfig or self.plane.kubeconfig, "--namespace", self.namespace, "--listen", "127.0.0.1:0",
                             "--recommender-interval", interval, "--log-format", "json", *flags)
        running.port = int(running.wait_for("listening")["address"].rsplit(":", 1)[1])
        self.addCleanup(self.assert_did_not_crash, running)
        if ready:
            until(lambda: get(running.port, "/readyz").status == 200, f"the recommender is ready:\n{running.text()}")
        return running

    def status(self, name="web"):
        return (self.api.get("VerticalPodAutoscaler", self.namespace, name) or {}).get("status", {})

    def sizes(self, which="target", name="web"):
        found = self.status(name).get("recommendation", {}).get("containerRecommendations", [])
        return found[0][which] if found else {}

    def wait_target(self, running, name="web", **wanted):
        """Waits until the target has these quantities."""
        until(lambda: {key: self.sizes(name=name).get(key) for key in wanted} == wanted,
              f"the target is {wanted}; it is {self.status(name)}\n{running.text()}")

    def states(self, name="web"):
        return {each["type"]: each["status"] for each in self.status(name).get("conditions", [])}

    def loops(self, running):
        """How often it has read the metrics of pods."""
        calls = self.metric_lines(running, "bellows_kubernetes_calls_total{")
        return sum(float(line.split()[-1]) for line in calls if 'resource="pods.metrics.k8s.io"' in line)

    def checkpoint(self, name="web-app"):
        return self.api.get("VerticalPodAutoscalerCheckpoint", self.namespace, name)


class Recommendations(WithObjects):
    def test_arrive_in_the_status_with_reasons_at_the_admin_port(self):
        running = self.recommender("--policy", "vpa")
        self.wait_target(running, cpu="126m", memory="628694953")
        self.assertEqual(self.states(), {"RecommendationProvided": "True"})
        said = subprocess.run([program("recommender"), "explain", f"{self.namespace}/{self.pod}/app", "--admin",
                               f"127.0.0.1:{running.port}"], capture_output=True, text=True, check=True, timeout=60).stdout
        self.assertIn("percentile 0.9", said)
        metrics = until(lambda: self.metric_lines(running, "bellows_recommender_objects{"), "there are metrics")
        self.assertEqual(metrics, ['bellows_recommender_objects{policy="vpa"} 1'])
        until(self.checkpoint, "there is a checkpoint")
        self.api.delete("VerticalPodAutoscaler", self.namespace, "web")
        until(lambda: not self.checkpoint(), f"the checkpoint goes with its object:\n{running.text()}")

    def kill_container(self, pod, kills):
        """As a kubelet reports that the container of the pod was killed for memory and runs again."""
        ended = {"exitCode": 137, "reason": "OOMKilled", "finishedAt": stamp(), "containerID": f"c://{kills - 1}"}
        status = {"name": "app", "image": "x", "imageID": "x", "containerID": f"c://{kills}", "ready": True, "restartCount": kills,
                  "state": {"running": {"startedAt": stamp()}}, "lastState": {"terminated": ended}}
        self.api.patch("Pod", self.namespace, pod, {"status": {"containerStatuses": [status]}}, subresource="status")

    def pod_with(self, memory):
        for pod in self.pods():
            found = self.api.get("Pod", self.namespace, pod)
            if found["spec"]["containers"][0]["resources"]["requests"]["memory"] == memory:
                return pod
        return None

    def test_of_a_container_that_is_killed_rise_without_a_sample(self):
        """An OOM ladder: each target becomes the request of a new pod, and that is killed too."""
        self.api.delete("PodMetrics", self.namespace, self.pod)
        running = self.recommender("--policy", "vpa")
        memory = "300Mi"
        for _ in range(3):
            self.api.patch("Deployment", self.namespace, "web", {"spec": {"template": {"spec": {"containers": self.containers(memory)}}}})
            pod = until(lambda wanted=memory: self.pod_with(wanted), f"there is a pod with {memory}")
            self.kill_container(pod, 1)
            before = bytes_of(memory)
            until(lambda least=before: self.sizes() and bytes_of(self.sizes()["memory"]) > least,
                  f"a kill at {memory} raises the target:\n{running.text()}")
            memory = self.sizes()["memory"]
        self.assertGreater(bytes_of(memory), 600 * MEBIBYTE)

    def test_stay_over_a_kill_of_the_recommender(self):
        running = self.recommender("--policy", "vpa")
        self.wait_target(running, cpu="126m")
        until(self.checkpoint, "there is a checkpoint")
        self.kill(running)
        self.api.delete("PodMetrics", self.namespace, self.pod)
        again = self.recommender("--policy", "vpa")
        until(lambda: self.loops(again) >= 3, "it has recommended again")
        self.assertEqual(self.sizes()["cpu"], "126m")
        self.assertEqual(self.states(), {"RecommendationProvided": "True"})
        self.measure()
        self.wait_target(again, cpu="126m", memory="628694953")

    def test_begin_with_a_checkpoint_of_vpa(self):
        histogram = {"referenceTimestamp": stamp(ago=86400), "totalWeight": 100.0}
        self.api.create("VerticalPodAutoscalerCheckpoint", self.namespace, {
            "apiVersion": "autoscaling.k8s.io/v1", "kind": "VerticalPodAutoscalerCheckpoint", "metadata": {"name": "web-app"},
            "spec": {"vpaObjectName": "web", "containerName": "app"},
            "status": {"version": "v3", "cpuHistogram": {**histogram, "bucketWeights": {"30": 10000}},
                       "memoryHistogram": {**histogram, "bucketWeights": {"45": 10000}},
                       "firstSampleStart": stamp(ago=9 * 86400), "lastSampleStart": stamp(ago=600), "totalSamplesCount": 12000}})
        running = self.recommender("--policy", "vpa")
        until(lambda: self.sizes(), f"there is a recommendation:\n{running.text()}")
        self.assertEqual(self.sizes()["cpu"], "813m", "the end of bucket 30 and 15 %, whatever one sample says")
        self.assertGreater(bytes_of(self.sizes()["memory"]), 1800 * MEBIBYTE)
        until(lambda: self.checkpoint()["status"]["totalSamplesCount"] > 12000, f"it goes on:\n{running.text()}")

    def test_are_of_none_but_its_own_objects(self):
        self.vertical("default", recommenders=[])
        running = self.recommender()
        until(lambda: self.sizes(), f"there is a recommendation:\n{running.text()}")
        self.assertEqual(self.status("default"), {})
        running.signal(signal.SIGTERM)
        self.assertEqual(running.end(), 0, running.text())
        running = self.recommender("--objects-of-others=adopt")
        until(lambda: self.sizes(name="default"), f"that of nobody gets one too:\n{running.text()}")

    def test_stand_beside_those_of_another_recommender_as_an_annotation(self):
        self.vertical("default", recommenders=[{"name": "default"}])
        theirs = {"recommendation": {"containerRecommendations": [{"containerName": "app", "target": {"cpu": "9"}}]}}
        self.api.patch("VerticalPodAutoscaler", self.namespace, "default", {"status": theirs}, subresource="status")
        user = self.plane.kubeconfig_of_account(self.namespace, "default", os.path.join(self.plane.work, f"{self.namespace}.kubeconfig"))
        self.plane.kubectl("apply", "-f", os.path.join(DEPLOY, "recommender/recommender-rbac.yaml"), check=False)
        account = f"--serviceaccount={self.namespace}:default"
        self.plane.kubectl("create", "clusterrolebinding", self.namespace, "--clusterrole=bellows-recommender", account)
        # docs/recommender.md
        compares = f"{self.namespace}-compare"
        self.plane.kubectl("create", "clusterrole", compares, "--verb=patch", "--resource=verticalpodautoscalers.autoscaling.k8s.io")
        self.plane.kubectl("create", "clusterrolebinding", compares, f"--clusterrole={compares}", account)
        running = self.recommender("--policy", "vpa", "--objects-of-others=compare", kubeconfig=user)
        def annotated():
            text = self.api.get("VerticalPodAutoscaler", self.namespace, "default")["metadata"].get("annotations", {}).get(
                "bellows.dev/recommendation")
            return text and json.loads(text)["containerRecommendations"][0]["target"]
        until(lambda: annotated() == {"cpu": "126m", "memory": "628694953"},
              Late(lambda: f"our numbers are an annotation: {annotated()}\n{running.text()}"))
        self.assertEqual(self.status("default"), theirs)
        written = self.metric_lines(running, 'bellows_recommender_writes_total{object="comparison"}')
        loops = self.loops(running)
        until(lambda: self.loops(running) >= loops + 2, "another loop has ended")
        self.assertEqual(self.metric_lines(running, 'bellows_recommender_writes_total{object="comparison"}'), written)


class WithoutVpasKinds(OnItsOwnControlPlane):
    def test_it_is_not_ready_and_says_why_until_they_come(self):
        running = WithObjects.recommender(self, ready=False)
        said = until(lambda: "verticalpodautoscalers.autoscaling.k8s.io are not listed yet: " in get(running.port, "/readyz").body
                     and get(running.port, "/readyz"), f"it names the kind:\n{running.text()}")
        self.assertEqual(said.status, 503)
        self.plane.apply_object(kind("VerticalPodAutoscaler", "verticalpodautoscalers", {"status": {}}))
        until(lambda: get(running.port, "/readyz").status == 200, f"it is ready:\n{running.text()}")
        self.assertEqual(len([line for line in running.lines if "objects cannot be listed" in line]), 1, running.text())


class TwoRecommenders(WithObjects):
    def member(self):
        return self.recommender("--policy", "vpa", "--lease", f"{self.namespace}/bellows-recommender")

    def writes(self, running):
        return [line for line in self.metric_lines(running, "bellows_kubernetes_calls_total{")
                if "autoscaling.k8s.io" in line and not any(f'verb="{verb}"' in line for verb in ("get", "list", "watch"))]

    def test_one_writes_and_the_other_takes_over_when_it_is_killed(self):
        first = self.member()
        first.wait_for("holds the lease, writes recommendations")
        self.wait_target(first, cpu="126m")
        second = self.member()
        until(lambda: self.loops(second) >= 2, "the second one follows")
        self.assertEqual(self.writes(second), [])
        self.kill(first)
        second.wait_for("holds the lease, writes recommendations")
        self.api.patch("VerticalPodAutoscaler", self.namespace, "web", {"status": {"recommendation": None}}, subresource="status")
        self.wait_target(second, cpu="126m")


class RecommenderUnderItsAccount(OnItsOwnControlPlane, WithObjects):
    def setUp(self):
        super().setUp()
        self.plane.apply(os.path.join(DEPLOY, "namespace.yaml"), os.path.join(DEPLOY, "recommender", "recommender-rbac.yaml"))
        self.account = self.plane.kubeconfig_of_account(SYSTEM, ACCOUNT, os.path.join(self.plane.work, "account"))

    def granted(self):
        with open(os.path.join(DEPLOY, "recommender", "recommender-rbac.yaml")) as file:
            rules = next(item["rules"] for item in yaml.safe_load_all(file) if item["kind"] == "ClusterRole")
        rights = {(rule["apiGroups"][0], resource, verb) for rule in rules for resource in rule["resources"] for verb in rule["verbs"]}
        if self.plane.minor < 21:
            rights -= {("batch", "cronjobs", verb) for verb in ("list", "watch")}  # a beta there
        if self.plane.has_feature_gate("WatchList"):
            rights -= {("autoscaling.k8s.io", "verticalpodautoscalers", "list"), ("", "pods", "list")}
        return rights

    def requests(self, since):
        """{(group, resource, verb): codes} of the account's requests from that entry of the audit log on."""
        found = {}
        for each in self.plane.audit()[since:]:
            reference = each.get("objectRef")
            if reference and each["user"]["username"].endswith(f":{ACCOUNT}"):
                name = reference["resource"] + ("/" + reference["subresource"] if "subresource" in reference else "")
                right = (reference.get("apiGroup", ""), name, each["verb"])
                found.setdefault(right, set()).add(each.get("responseStatus", {}).get("code"))
        return found

    def test_it_uses_each_right_and_is_refused_nothing(self):
        kinds = [("apps/v1", "StatefulSet"), ("apps/v1", "ReplicaSet"), ("apps/v1", "DaemonSet"), ("batch/v1", "Job"),
                 ("batch/v1", "CronJob"), ("v1", "ReplicationController")]
        for number, (version, name) in enumerate(kinds):
            self.vertical(f"of-{number}", targetRef={"apiVersion": version, "kind": name, "name": "x"})
        since = len(self.plane.audit())
        running = self.recommender("--policy", "vpa", "--lease", f"{SYSTEM}/bellows-recommender", kubeconfig=self.account)
        self.wait_target(running, cpu="126m")
        until(self.checkpoint, f"there is a checkpoint:\n{running.text()}")
        for number in range(len(kinds)):
            until(lambda name=f"of-{number}": self.states(name).get("ConfigUnsupported"), f"target {number} is looked for")
        self.api.delete("VerticalPodAutoscaler", self.namespace, "web")
        until(lambda: not self.checkpoint(), f"the checkpoint goes:\n{running.text()}")
        granted = self.granted()
        until(lambda: granted <= set(self.requests(since)),
              Late(lambda: f"each right is used; not {sorted(granted - set(self.requests(since)))}:\n{running.text()}"))
        self.assertEqual([right for right, codes in self.requests(since).items() if 403 in codes], [])


if __name__ == "__main__":
    unittest.main()
