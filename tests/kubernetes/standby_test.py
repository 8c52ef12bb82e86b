"""Two autoscalers with one Lease: one orders, the other stands by and takes over."""

import os
import signal
import unittest

from cluster_harness import ACCOUNT, DEPLOY, OnCluster, QUICK, until


class Standby(OnCluster):
    def setUp(self):
        super().setUp()
        self.start_node()
        self.service()
        self.deployment(annotations={**QUICK, "bellows.dev/target": "10", "bellows.dev/min-scale": "1", "bellows.dev/max-scale": "4"})
        self.first = self.member()
        self.first.wait_for("holds the lease, orders replicas")
        self.second = self.member()
        until(lambda: self.api.get("Revision", self.namespace, "web"), "the label makes a Revision")
        self.loads = [self.sender(self.first), self.sender(self.second)]

    def member(self):
        return self.ready_autoscaler("--lease", f"{self.namespace}/bellows-autoscaler")

    def holder(self):
        """The port in the holder's address."""
        held = self.api.get("Lease", self.namespace, "bellows-autoscaler")["spec"]["holderIdentity"]
        return int(held.split("_")[1].rsplit(":", 1)[1]) if held else None

    def until_replicas(self, number, in_flight):
        """Both get the stats, as from queue-proxies."""
        def reached():
            for load in self.loads:
                load.set(f"{self.namespace}/web", self.pods(), in_flight)
            return self.replicas() == number and len(self.pods()) == number
        until(reached, f"{number} replicas:\n{self.first.text()}\n{self.second.text()}")

    def orders(self, running):
        return [line for line in running.lines if '"scaling"' in line]

    def desired(self, running):
        return self.metric_lines(running, "bellows_autoscaler_desired_pods{")

    def test_the_standby_decides_the_same_and_writes_nothing(self):
        self.until_replicas(4, in_flight=28)
        until(lambda: self.desired(self.first) == self.desired(self.second) != [], "both decide the same")
        self.assertTrue(self.orders(self.first))
        self.assertEqual(self.orders(self.second), [])
        wrote = [line for line in self.metric_lines(self.second, "bellows_kubernetes_calls_total{")
                 if not any(f'verb="{verb}"' in line for verb in ("get", "list", "watch"))]
        self.assertEqual(wrote, [])
        for running, acts in ((self.first, 1), (self.second, 0)):
            self.assertEqual(self.metric_lines(running, "bellows_autoscaler_takes_orders"), [f"bellows_autoscaler_takes_orders {acts}"])

    def test_a_killed_one_is_replaced_with_all_that_was_measured(self):
        self.until_replicas(4, in_flight=28)
        self.kill(self.first)
        self.second.wait_for("holds the lease, orders replicas")
        self.assertEqual(self.holder(), self.second.port)
        self.until_replicas(1, in_flight=0)
        self.assertTrue(self.orders(self.second))

    def test_one_that_ends_gives_the_lease_up(self):
        self.first.signal(signal.SIGTERM)
        self.assertEqual(self.first.end(), 0, self.first.text())
        self.second.wait_for("holds the lease, orders replicas")
        self.assertEqual(self.holder(), self.second.port)
        self.until_replicas(4, in_flight=28)

    def test_one_that_was_stopped_orders_nothing_and_ends(self):
        self.first.signal(signal.SIGSTOP)
        self.second.wait_for("holds the lease, orders replicas")
        self.until_replicas(4, in_flight=28)
        before = len(self.orders(self.first))
        self.first.signal(signal.SIGCONT)
        self.first.wait_for("another autoscaler has taken the lease, this one ends")
        self.assertEqual(self.first.end(), 1, self.first.text())
        self.first.was_replaced = True
        self.assertEqual(len(self.orders(self.first)), before)
        self.assertEqual(self.replicas(), 4)

    def assert_did_not_crash(self, running):
        if getattr(running, "was_replaced", False):
            return
        super().assert_did_not_crash(running)

    def test_a_deleted_lease_is_made_again(self):
        self.api.delete("Lease", self.namespace, "bellows-autoscaler")
        until(lambda: self.api.get("Lease", self.namespace, "bellows-autoscaler"), "there is one again")
        until(lambda: self.holder() in (self.first.port, self.second.port), "one of them holds it")
        self.until_replicas(4, in_flight=28)


class RightsToTheLease(OnCluster):
    """Those of deploy/rbac.yaml are enough to hold it, and without each of them it is not held."""

    def setUp(self):
        super().setUp()
        with open(os.path.join(DEPLOY, "rbac.yaml")) as file:
            documents = [text for text in file.read().split("---\n") if "\nkind: Role\n" in text or "\nkind: RoleBinding\n" in text]
        self.assertEqual(len(documents), 2)
        self.role = "---\n".join(documents).replace("bellows-system", self.namespace)
        self.api.create("ServiceAccount", self.namespace, {"metadata": {"name": ACCOUNT}})
        self.apply(self.role)
        self.account = self.plane.kubeconfig_of_account(self.namespace, ACCOUNT, os.path.join(self.folder(), "kubeconfig"))

    def apply(self, text):
        file = os.path.join(self.folder(), "role.yaml")
        with open(file, "w") as out:
            out.write(text)
        self.plane.kubectl("apply", "-f", file)

    def member(self):
        return self.autoscaler("--lease", f"{self.namespace}/bellows-autoscaler", kubeconfig=self.account)

    def test_are_enough_and_none_is_surplus(self):
        running = self.member()
        running.wait_for("holds the lease, orders replicas")
        running.signal(signal.SIGTERM)
        self.assertEqual(running.end(), 0, running.text())
        for verb, rights in (("get", "verbs: [update]"), ("update", "verbs: [get]")):
            self.apply(self.role.replace("verbs: [get, update]", rights))
            self.assert_not_held(verb)
        self.apply(self.role.replace("verbs: [create]", "verbs: [list]"))
        self.api.delete("Lease", self.namespace, "bellows-autoscaler")
        self.assert_not_held("create")

    def assert_not_held(self, verb):
        running = self.member()
        said = running.wait_for("the lease cannot be kept")
        self.assertIn(f"{verb} leases.coordination.k8s.io", said["error"])
        self.assertIn("403", said["error"])
        self.assertNotIn("holds the lease", running.text())
        running.signal(signal.SIGTERM)
        self.assertEqual(running.end(), 0, running.text())


if __name__ == "__main__":
    unittest.main()
