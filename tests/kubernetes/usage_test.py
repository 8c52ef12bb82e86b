"""The usage of pods decides: cpu-utilization and memory-utilization with a metrics API."""

import signal
import time

from cluster_harness import OnItsOwnControlPlane, QUICK, get, until

# Objects of this kind answer as metrics-server does.
METRICS_API = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "pods.metrics.k8s.io", "annotations": {"api-approved.kubernetes.io": "unapproved, stands in for metrics-server"}},
    "spec": {"group": "metrics.k8s.io", "scope": "Namespaced",
             "names": {"kind": "PodMetrics", "listKind": "PodMetricsList", "plural": "pods", "singular": "podmetrics"},
             "versions": [{"name": "v1beta1", "served": True, "storage": True,
                           "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}
CONTAINERS = [{"name": "app", "image": "example/app:1", "resources": {"requests": {"cpu": "200m", "memory": "64Mi"}}},
              {"name": "queue-proxy", "image": "example/queue-proxy:1", "ports": [{"name": "http", "containerPort": 8012}]}]


class UsageOfPods(OnItsOwnControlPlane):
    def setUp(self):
        super().setUp()
        self.start_node()
        self.service(target="http")
        self.deployment(replicas=1, containers=CONTAINERS, annotations={
            **QUICK, "bellows.dev/cpu-utilization": "70", "bellows.dev/min-scale": "1", "bellows.dev/max-scale": "5"})

    def measure(self, pods, cpu):
        """Each pod uses that much; the queue-proxy's share does not count."""
        for pod in pods:
            metrics = {"apiVersion": "metrics.k8s.io/v1beta1", "kind": "PodMetrics", "metadata": {"name": pod},
                       "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "window": "15s",
                       "containers": [{"name": "app", "usage": {"cpu": cpu, "memory": "10Mi"}},
                                      {"name": "queue-proxy", "usage": {"cpu": "3", "memory": "1Gi"}}]}
            if self.api.get("PodMetrics", self.namespace, pod):
                self.api.patch("PodMetrics", self.namespace, pod, metrics)
            else:
                self.api.create("PodMetrics", self.namespace, metrics)

    def test_starts_replicas_once_a_metrics_api_is_there(self):
        without = self.ready_autoscaler("--activator-service", "none")
        self.wait_condition("SettingsInEffect", "False", says="cpu-utilization: the API server has no metrics.k8s.io")
        without.signal(signal.SIGTERM)
        self.assertEqual(without.end(), 0, without.text())
        self.plane.apply_object(METRICS_API)
        pods = until(lambda: self.pods(), "a pod is ready")
        until(lambda: self.used(pods, "100m"), "the metrics API is served")
        running = self.ready_autoscaler("--activator-service", "none")
        self.wait_condition("SettingsInEffect", "True")
        load = self.sender(running)
        load.set(f"{self.namespace}/web", pods, 0.1)

        def reached():
            self.measure(self.pods(), "400m")  # 200 % of its request: 2.86 times the target, so three replicas are too few
            load.set(f"{self.namespace}/web", self.pods(), 0.1)
            return self.replicas() >= 3
        until(reached, "replicas start")
        journal = get(running.port, f"/v1/revisions/{self.namespace}/web/journal").body
        self.assertIn('"usage"', journal)

    def used(self, pods, cpu):
        try:
            self.measure(pods, cpu)
        except Exception:  # noqa: BLE001: not served yet
            return False
        return True
