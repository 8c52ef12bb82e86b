"""Targets that are no Deployment: anything with /scale."""

import unittest

from cluster_harness import OnCluster, QUICK, until

# Neither its number nor its selector is where a Deployment has them: /scale says both.
APPS = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "apps.example.dev"},
    "spec": {"group": "example.dev", "scope": "Namespaced",
             "names": {"kind": "App", "listKind": "AppList", "plural": "apps", "singular": "app"},
             "versions": [{
                 "name": "v1", "served": True, "storage": True,
                 "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size",
                                                          "labelSelectorPath": ".status.selector"}},
                 "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}


class CustomResource(OnCluster):
    def setUp(self):
        super().setUp()
        self.start_node()
        self.plane.apply_object(APPS)
        until(self.is_served, "the kind App is served")
        # What its operator would make: a Deployment whose pods the App's selector takes.
        self.deployment("app-of-web", replicas=2, adopted=False)
        self.api.create("App", self.namespace, {
            "apiVersion": "example.dev/v1", "kind": "App", "metadata": {"name": "web", "annotations": QUICK},
            "spec": {"size": 2, "selector": "a text, whatever it means"}})
        until(lambda: len(self.pods("app-of-web")) == 2, "its pods are ready")

    def is_served(self):
        return self.plane.kubectl("get", "apps.example.dev", check=False).returncode == 0

    def select(self, selector):
        self.api.patch("App", self.namespace, "web", {"status": {"size": 2, "selector": selector}}, subresource="status")

    def size(self):
        return self.api.get("App", self.namespace, "web")["spec"]["size"]

    def revision_of_app(self):
        self.api.create("Revision", self.namespace, {
            "apiVersion": "bellows.dev/v1alpha1", "kind": "Revision", "metadata": {"name": "web"},
            "spec": {"scaleTargetRef": {"apiVersion": "example.dev/v1", "kind": "App", "name": "web"},
                     "scaling": {"target": 10, "maxScale": 5}}})

    def test_is_scaled_by_the_load_of_the_pods_that_its_scale_selects(self):
        self.select("app=app-of-web")
        self.revision_of_app()
        scaler = self.ready_autoscaler()
        self.wait_condition("Ready", "True")
        load = self.sender(scaler)
        load.set(f"{self.namespace}/web", self.pods("app-of-web"), 40)
        until(lambda: self.size() == 5, f"the App has the size of max-scale:\n{scaler.text()}")

    def test_without_a_selector_is_told_and_nothing_is_scaled_until_it_says_one(self):
        self.revision_of_app()
        self.ready_autoscaler()
        self.wait_condition("AbleToScale", "False", reason="TargetNotScalable", says="labelSelectorPath")
        self.select("app=app-of-web")
        self.wait_condition("Ready", "True", says="2 of 2")
        self.assertEqual(self.size(), 2)


if __name__ == "__main__":
    unittest.main()
