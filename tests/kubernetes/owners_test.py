"""Others that set the replicas of the same target: an HPA, KEDA, a GitOps tool."""

import json
import unittest

from cluster_harness import OnCluster, QUICK, get, until

# Stands in for KEDA's: the fields that say what is scaled.
SCALED_OBJECTS = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "scaledobjects.keda.sh"},
    "spec": {"group": "keda.sh", "scope": "Namespaced",
             "names": {"kind": "ScaledObject", "listKind": "ScaledObjectList", "plural": "scaledobjects",
                       "singular": "scaledobject"},
             "versions": [{"name": "v1alpha1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                 "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}


def hpa(name, target, least=2, most=6):
    return {"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "metadata": {"name": name},
            "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": target},
                     "minReplicas": least, "maxReplicas": most, "targetCPUUtilizationPercentage": 80}}


class AnotherOwner(OnCluster):
    def setUp(self):
        super().setUp()
        self.start_node()
        self.revision = f"{self.namespace}/web"

    def assert_nothing_is_written(self, replicas):
        """The load asks for more and is known to the autoscaler; decisions come every 2 s, and the number stays."""
        load = self.sender(self.scaler)
        load.set(self.revision, self.pods(), 160)
        until(lambda: self.load_of_decision() >= 320, "a decision knows the load")
        made = self.decisions(self.scaler)
        until(lambda: self.decisions(self.scaler) > made + 1, "more decisions")
        self.assertEqual(self.replicas(), replicas)
        self.assertEqual(self.scale_calls(self.scaler), [])

    def load_of_decision(self):
        status = json.loads(get(self.scaler.port, "/v1/status").body)
        return next((r.get("stable_concurrency", 0) for s in status["services"] for r in s["revisions"] if r["name"] == self.revision), 0)

    @staticmethod
    def scale_calls(scaler):
        """Series of orders among the calls that the program counts."""
        return [line for line in get(scaler.port, "/metrics").body.splitlines()
                if line.startswith("bellows_kubernetes_calls_total") and "/scale" in line and "patch" in line]

    def test_nothing_is_written_beside_an_hpa(self):
        self.deployment(replicas=2, annotations=QUICK)
        self.service()
        self.api.create("HorizontalPodAutoscaler", self.namespace, hpa("cpu-of-web", "web"))
        self.scaler = self.ready_autoscaler()
        owner = self.wait_condition("AbleToScale", "False")
        self.assertIn("cpu-of-web", owner["message"])
        self.assertIn("HorizontalPodAutoscaler", owner["message"])
        self.assert_nothing_is_written(2)
        self.api.delete("HorizontalPodAutoscaler", self.namespace, "cpu-of-web")
        self.wait_condition("AbleToScale", "True")
        self.wait_replicas(lambda seen: seen > 2)

    def test_nothing_is_written_beside_a_scaled_object(self):
        self.plane.apply_object(SCALED_OBJECTS)
        self.deployment(replicas=2, annotations=QUICK)
        self.service()
        until(lambda: self.served("ScaledObject"), "the stand-in is served")
        self.api.create("ScaledObject", self.namespace, {
            "apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": {"name": "queue-of-web"},
            "spec": {"scaleTargetRef": {"name": "web"}}})
        self.scaler = self.ready_autoscaler()
        owner = self.wait_condition("AbleToScale", "False")
        self.assertIn("queue-of-web", owner["message"])
        self.assertIn("ScaledObject", owner["message"])
        self.assert_nothing_is_written(2)

    def test_with_an_hpa_the_part_down_to_zero_is_shared(self):
        self.deployment(replicas=2, annotations=QUICK, adopted=False)
        self.service()
        self.api.create("HorizontalPodAutoscaler", self.namespace, hpa("cpu-of-web", "web", least=2))
        self.revision_for("web", "web", {"window": "6s", "panicWindowPercentage": 50, "scaleToZeroGracePeriod": "1s"},
                          **{"with": "hpa"})
        self.scaler = self.ready_autoscaler()
        self.wait_condition("AbleToScale", "True")
        load = self.sender(self.scaler)
        load.set(self.revision, self.pods(), 160)
        until(lambda: self.api.get("Revision", self.namespace, "web")["status"].get("desiredReplicas", 0) > 2, "wants more")
        self.assertEqual(self.replicas(), 2)  # the range above its minimum is the HPA's
        self.api.patch("Deployment", self.namespace, "web", {"spec": {"replicas": 4}}, subresource="scale")
        until(lambda: len(self.pods()) == 4, "what the HPA sets is there")
        load.set(self.revision, self.pods(), 1)
        self.assertEqual(self.wait_replicas(lambda seen: seen == 4), 4)

        self.api.patch("Deployment", self.namespace, "web", {"spec": {"replicas": 2}}, subresource="scale")
        until(lambda: len(self.pods()) == 2, "the HPA is at its minimum")
        load.set(self.revision, self.pods(), 0)
        self.wait_replicas(0)
        load.wake(self.revision)
        self.wait_replicas(1)

    def served(self, kind):
        try:
            return self.api.list(kind, self.namespace) is not None
        except Exception:  # noqa: BLE001: not yet
            return False


class GitOps(OnCluster):
    """Another program sets spec.replicas back each time."""

    def test_is_set_again_and_named_in_a_condition_from_the_third_time_on(self):
        self.start_node()
        self.deployment(replicas=1, annotations={**QUICK, "bellows.dev/min-scale": "3"})
        self.service()
        self.ready_autoscaler()
        for _ in range(3):
            self.wait_replicas(3)
            self.api.patch("Deployment", self.namespace, "web", {"spec": {"replicas": 1}}, manager="argocd-controller")
        # Its name is asked for once it is known that there is one.
        self.wait_condition("AbleToScale", "False", says="argocd-controller")
        # Slower now, and still set again.
        self.assertEqual(self.replicas(), 1)


if __name__ == "__main__":
    unittest.main()
