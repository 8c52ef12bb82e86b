"""One Deployment from its label to its release."""

import json
import os
import unittest

from cluster_harness import DEADLINE, LABEL, OnCluster, QUICK, Watched, get, until


class OneDeployment(OnCluster):
    def setUp(self):
        super().setUp()
        self.start_node()

    def adopted(self, replicas=1, **annotations):
        """The Deployment web with its Service and autoscaler, once its Revision is ready."""
        kept = {f"bellows.dev/{key.replace('_', '-')}": value for key, value in annotations.items()}
        self.service()
        self.deployment(replicas=replicas, annotations={**QUICK, "bellows.dev/target": "10", **kept})
        self.scaler = self.ready_autoscaler()
        self.load = self.sender(self.scaler)
        self.revision = f"{self.namespace}/web"
        until(lambda: self.api.get("Revision", self.namespace, "web"), "the label makes a Revision")

    def send(self, in_flight, deadline=DEADLINE):
        """Every ready pod reports this many requests in flight, also those that come later, until `done`."""
        self.load.set(self.revision, self.pods(), in_flight)

    def until_replicas(self, number, in_flight):
        def reached():
            self.send(in_flight)
            return self.replicas() == number and len(self.pods()) == number
        until(reached, f"{number} replicas with {in_flight} in flight in each, not {self.replicas()}:\n"
                       f"{self.scaler.text()}")

    def test_is_adopted_scaled_to_zero_and_back_retired_and_released(self):
        watched = Watched(self.plane, self.namespace)
        self.addCleanup(watched.close)
        self.adopted(replicas=2, max_scale="4")
        self.plane.kubectl("-n", self.namespace, "wait", "--for=condition=Ready", "revision/web", "--timeout=30s")

        # 2 pods with 40 in flight each, and a target of 10: more than max-scale allows.
        self.until_replicas(4, in_flight=40)
        limited = self.wait_condition("ScalingLimited", "True")
        self.assertIn("max-scale", limited["message"])
        self.assertEqual(self.wait_condition("Active", "True")["status"], "True")
        rescaled = until(lambda: self.events(reason="SuccessfulRescale"), "an event tells of the change")
        self.assertIn("4", rescaled[-1]["message"])

        self.until_replicas(0, in_flight=0)
        self.wait_condition("Active", "False")
        self.wait_condition("Ready", "True")

        self.load.wake(self.revision)
        self.wait_replicas(1)
        self.until_replicas(1, in_flight=1)
        self.wait_condition("Active", "True")

        self.assertIn("retired", self.bellows("retire", "web", "--namespace", self.namespace))
        self.wait_replicas(0)
        self.load.wake(self.revision)
        self.wait_condition("Ready", "False", reason="Retired")
        self.assertEqual(self.replicas(), 0)

        # Without the label it is released: as it was before.
        self.api.patch("Deployment", self.namespace, "web", {"metadata": {"labels": {LABEL: None}}})
        until(lambda: self.api.get("Revision", self.namespace, "web") is None, "its Revision is gone")
        self.wait_replicas(2)
        deployment = self.api.get("Deployment", self.namespace, "web")
        self.assertEqual([key for key in deployment["metadata"].get("annotations", {}) if "replicas-before" in key], [])
        self.keep_evidence("story.txt", watched.lines)

    def keep_evidence(self, name, lines):
        """For people: what `kubectl get brev -w` printed, in the build folder."""
        text = "\n".join(lines)
        self.assertGreater(len(lines), 5, text)
        folder = os.environ.get("BELLOWS_EVIDENCE")
        if folder:
            with open(os.path.join(folder, name), "w") as out:
                out.write(text + "\n")

    def test_paused_keeps_its_number_and_resumes(self):
        self.adopted(replicas=1)
        self.until_replicas(3, in_flight=10)
        self.bellows("pause", "web", "--namespace", self.namespace)
        self.wait_condition("ScalingActive", "False", says="aused")
        self.send(100)
        # A decision comes every 2 s; the condition's number follows the load while the replicas stay.
        until(lambda: (self.api.get("Revision", self.namespace, "web")["status"].get("desiredReplicas", 0)) != 3
              or self.decisions(self.scaler) > 2, "decisions go on")
        self.assertEqual(self.replicas(), 3)
        self.bellows("resume", "web", "--namespace", self.namespace)
        self.wait_replicas(lambda seen: seen > 3)

    def test_a_restarted_autoscaler_resumes_from_what_it_reported(self):
        self.adopted(replicas=1, max_scale="3")
        self.until_replicas(3, in_flight=40)
        before = until(lambda: self.api.get("Revision", self.namespace, "web")["status"].get("savedState"),
                       "what a successor needs is in the status")
        self.assertTrue(before)
        self.scaler.signal(15)
        self.assertEqual(self.scaler.end(), 0, self.scaler.text())
        self.load.close()
        versions = self.api.get("Deployment", self.namespace, "web")["metadata"]["generation"]
        self.scaler = self.ready_autoscaler()
        self.load = self.sender(self.scaler)
        self.until_replicas(3, in_flight=10)
        # The load is unknown for the first seconds: it is not taken for zero, and nothing is ordered.
        self.assertEqual(self.api.get("Deployment", self.namespace, "web")["metadata"]["generation"], versions)

    def test_settings_that_are_wrong_are_named_and_the_last_good_ones_stay(self):
        self.adopted(replicas=1, max_scale="2")
        self.until_replicas(2, in_flight=50)
        self.api.patch("Deployment", self.namespace, "web", {"metadata": {"annotations": {"bellows.dev/max-scale": "-3"}}})
        wrong = self.wait_condition("Ready", "False")
        for part in ("max-scale", "-3", "from 0"):
            self.assertIn(part, wrong["message"])
        until(lambda: [e for e in self.events() if e["type"] == "Warning" and "max-scale" in e["message"]],
              "a warning tells of it")
        self.api.patch("Deployment", self.namespace, "web", {"metadata": {"annotations": {
            "bellows.dev/max-scale": "2", "bellows.dev/scale-down-delay": "soon"}}})
        self.wait_condition("SettingsValid", "False", says="scale-down-delay")
        self.wait_condition("SettingsInEffect", "False", reason="ConfigInvalid")
        self.scaler.signal(15)
        self.assertEqual(self.scaler.end(), 0, self.scaler.text())
        self.load.close()
        self.scaler = self.ready_autoscaler()
        self.load = self.sender(self.scaler)
        until(lambda: (self.send(50), self.decisions(self.scaler) > 3)[1], "decisions after the restart")
        self.assertEqual(self.replicas(), 2)
        status = json.loads(get(self.scaler.port, "/v1/status").body)
        self.assertEqual(len(status["services"]), 1)
        self.api.patch("Deployment", self.namespace, "web", {"metadata": {"annotations": {
            "bellows.dev/max-scale": "3", "bellows.dev/scale-down-delay": "0s"}}})
        self.wait_condition("Ready", "True")
        self.until_replicas(3, in_flight=50)


class Troubles(OnCluster):
    """What is wrong is told on the object that it is about, and nothing else stops."""

    def setUp(self):
        super().setUp()
        self.start_node()

    def test_a_target_that_does_not_exist(self):
        self.revision_for("lost", "nowhere")
        self.deployment()
        self.service()
        self.ready_autoscaler()
        self.assertIn("nowhere", self.wait_condition("Ready", "False", name="lost")["message"])
        self.wait_condition("Ready", "True", name="web")

    def test_two_revisions_for_one_target(self):
        self.deployment("shared", adopted=False)
        self.service("shared")
        self.revision_for("first", "shared", {"minScale": 1})
        until(lambda: self.api.get("Revision", self.namespace, "first"), "first")
        self.revision_for("second", "shared", {"minScale": 3})
        self.ready_autoscaler()
        troubled = until(lambda: [name for name in ("first", "second")
                                  if (self.condition("Ready", name) or {}).get("status") == "False"], "one is refused")
        for name in troubled:
            self.assertIn("shared", self.condition("Ready", name)["message"])

    def test_a_service_that_fits_twice(self):
        self.deployment()
        self.service("web")
        self.service("also", app="web")
        self.ready_autoscaler()
        trouble = self.wait_condition("Ready", "False", says="also")
        self.assertIn("web", trouble["message"])
        self.api.patch("Deployment", self.namespace, "web", {"metadata": {"annotations": {"bellows.dev/service": "web"}}})
        self.wait_condition("Ready", "True")


if __name__ == "__main__":
    unittest.main()
