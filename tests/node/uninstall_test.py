"""Bellows leaves a cluster, by its own command and by kubectl alone: its Services go on with their own pods."""

import os
import re
import subprocess
import time
import unittest

from autoscaled import ACTIVATOR, AUTOSCALER, Autoscaled, Late, SYSTEM
from node_harness import TIMEOUT, note, program, until, use_slices_of, whole

END = 400.0  # seconds: activators may drain for 315


class Uninstalling(Autoscaled):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.remove_what_is_left)

    def deployed(self):
        """With short grace periods: the control plane looks at a namespace again after half of those of its pods."""
        return re.sub(r"terminationGracePeriodSeconds: \d+", "terminationGracePeriodSeconds: 30", super().deployed())

    def whole(self):
        """The file that an operator applied, as this server takes it."""
        return whole(self.plane.minor)

    def is_there(self, kind, name):
        return self.api.get(kind, None, name) is not None

    def wait_gone(self):
        until(lambda: not self.is_there("Namespace", SYSTEM) and not self.is_there("CustomResourceDefinition", "revisions.bellows.dev"),
              "Bellows is gone", END)

    def remove_what_is_left(self):
        """For the next test, of one that failed before it uninstalled anything."""
        self.kubectl_delete()
        self.wait_gone()

    def slices(self):
        """Those of Bellows in this test's namespace."""
        return [item["metadata"]["name"]
                for item in self.api.list("EndpointSlice", self.namespace, "endpointslice.kubernetes.io/managed-by=bellows.dev")]

    def assert_left(self, replicas=1):
        """Nothing names Bellows any more, and the Service has its pods."""
        until(lambda: not self.slices(), Late(lambda: f"no slice is left: {self.slices()}"), TIMEOUT)
        self.assertGreaterEqual(self.replicas(), replicas)
        self.assertEqual(len(self.ready()), self.replicas())

    def our_command(self, *flags):
        """Returns its lines, as they come."""
        running = subprocess.Popen([program("bellows"), "uninstall", "--kubeconfig", self.plane.kubeconfig, *flags],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(running.stdout.close)
        self.addCleanup(self.assert_success, running)
        return running.stdout

    def assert_success(self, running):
        self.assertEqual(running.wait(END), 0)

    def begin_our_command(self):
        """Until what is at zero is started: by it, or before it by the autoscaler that saw the Revision go."""
        next(line for line in self.our_command() if line.startswith(("started", "waiting")))

    def kubectl_delete(self):
        self.plane.kubectl("delete", "-f", self.whole(), "--wait=false", "--ignore-not-found")

    def story(self, title, remove, replicas=2, is_at_zero=False):
        """Callers until the last pod of Bellows has ended. Those of a Service at zero come right after the removal has begun, else
        they would wake it before. Returns (load, when a pod was ready)."""
        begin = time.time()
        with self.callers(title, rate=20 if is_at_zero else 40, first=remove if is_at_zero else lambda: None) as load:
            if not is_at_zero:
                remove()
            until(self.ready, Late(lambda: f"a pod is ready: {self.replicas()} replicas"), TIMEOUT)
            ready = time.time()
            self.wait_gone()
            self.assert_left(replicas)
            note(f"      a pod was ready after {ready - begin:.1f} s, Bellows was gone after {time.time() - begin:.1f} s")
        return load, ready

    def assert_only_while_starting(self, load, ready):
        late = [f for f in load.failures if f["at"] > ready + 1]
        self.assertFalse(late, f"{len(late)} of {load.requests} requests failed with a ready pod: {load.kinds()}")


class ByOurCommand(Uninstalling):
    def test_at_zero(self):
        self.start_at_zero(replicas=2)
        planned = self.our_command("--dry-run").read()
        self.assertIn(f"would be started: Deployment {self.namespace}/web with 2 replicas", planned)
        self.assertEqual(self.replicas(), 0)
        load, _ = self.story("bellows uninstall at zero", self.begin_our_command, is_at_zero=True)
        self.assert_none_failed(load)

    def test_under_load_through_activators(self):
        self.start(annotations={"min-scale": "2", "target-burst-capacity": "-1"}, replicas=2)
        self.wait_through()
        load, _ = self.story("bellows uninstall under load, through activators", self.our_command)
        self.assert_none_failed(load)

    def test_after_a_removal_by_hand_that_took_the_autoscaler(self):
        """Neither the autoscaler nor its account is there, and the Revision is gone."""
        self.start_at_zero(replicas=2)
        self.plane.kubectl("-n", SYSTEM, "delete", f"serviceaccount/{AUTOSCALER}", f"clusterrolebinding/{AUTOSCALER}")
        self.plane.kubectl("-n", SYSTEM, "delete", f"deployment/{AUTOSCALER}", "--wait=false")
        self.kubectl("label", "deployment/web", "bellows.dev/autoscale-")
        self.kubectl("delete", "revision/web")
        self.assertEqual(self.replicas(), 0)
        load, _ = self.story("bellows uninstall, begun by hand", self.begin_our_command, is_at_zero=True)
        self.assert_none_failed(load)


class ByKubectl(Uninstalling):
    """`kubectl delete -f deploy/bellows.yaml`: the rights go with the programs."""

    def test_at_zero(self):
        self.start_at_zero(replicas=2)
        load, ready = self.story("kubectl delete -f bellows.yaml at zero", self.kubectl_delete, replicas=1, is_at_zero=True)
        self.assert_only_while_starting(load, ready)

    def test_under_load_at_direct(self):
        self.start(annotations={"min-scale": "2"}, replicas=2)
        self.wait_direct()
        load, _ = self.story("kubectl delete -f bellows.yaml under load, direct", self.kubectl_delete)
        self.assert_none_failed(load)

    def test_under_load_through_activators(self):
        self.start(annotations={"min-scale": "2", "target-burst-capacity": "-1"}, replicas=2)
        self.wait_through()
        load, _ = self.story("kubectl delete -f bellows.yaml under load, through activators", self.kubectl_delete)
        self.assert_none_failed(load)

    def test_the_programs_alone_at_zero(self):
        """The first of two steps: with their rights they leave as they came."""
        def remove():
            self.plane.kubectl("-n", SYSTEM, "delete", f"deployment/{AUTOSCALER}", f"deployment/{ACTIVATOR}", "--wait=false")
        self.start_at_zero(replicas=2)
        with self.callers("kubectl delete of the Deployments at zero", rate=20, first=remove) as load:
            self.assert_left()
        self.assert_none_failed(load)


if __name__ == "__main__":
    unittest.main()
