"""A Service that Bellows scales to zero and back, with real pods: callers may not lose a request whatever happens."""

import os
import time
import unittest

from autoscaled import ACTIVATOR, AUTOSCALER, Autoscaled
from node_harness import TIMEOUT, until

# How often what is repeated is repeated: the whole number for the table of a release, fewer in each check.
TIMES = int(os.environ.get("BELLOWS_STORY_TIMES", "2"))


class AtZero(Autoscaled):
    def test_the_first_requests_wake_it(self):
        with self.explained():
            self.start_at_zero()
            with self.callers("first requests at zero", rate=20, callers=4) as load:
                self.wait_pods(1)
                until(lambda: not self.activators_in_path(), "callers reach the pods straight", TIMEOUT)
            self.assert_none_failed(load)
            self.wait_zero()

    def test_a_burst_to_ten_and_back_to_zero(self):
        with self.explained():
            self.start_at_zero(delay=100, annotations={"max-scale": "10", "target": "2"})
            for turn in range(TIMES):
                with self.callers(f"burst from zero to 10 and back, turn {turn + 1}", rate=200, callers=40) as load:
                    self.wait_pods(10)
                self.assert_none_failed(load)
                with self.callers(f"  on the way down, turn {turn + 1}", rate=1, callers=4) as load:
                    until(lambda: len(self.running()) <= 1, self.seen(), TIMEOUT)
                self.assert_none_failed(load)
                self.wait_zero()

    def test_its_revision_is_deleted(self):
        """It leaves as it came: replicas first, then the slice."""
        with self.explained():
            self.start_at_zero(replicas=2)
            with self.callers("Revision deleted at zero", rate=20, callers=4) as load:
                self.release()
                self.wait_pods(1)
                until(lambda: not self.activators_in_path(), self.seen(), TIMEOUT)
            self.assert_none_failed(load)
            self.assertGreaterEqual(self.replicas(), 1)

    def release(self):
        self.kubectl("label", "deployment/web", "bellows.dev/autoscale-")
        until(lambda: self.api.get("Revision", self.namespace, "web") is None, "the Revision is gone", TIMEOUT)


class UnderLoad(Autoscaled):
    def steady(self, replicas=3, **how):
        self.start(replicas=replicas, annotations={"min-scale": str(replicas), "max-scale": "6"}, **how)
        self.wait_direct()
        self.wait_answers()

    def test_a_rolling_update(self):
        with self.explained():
            self.steady()
            with self.callers("rolling update, autoscaled", rate=60) as load:
                self.kubectl("rollout", "restart", "deployment/web")
                self.roll_out()
            self.assert_none_failed(load)

    def test_scaled_by_hand(self):
        with self.explained():
            self.steady(replicas=1)
            with self.callers("kubectl scale 5, 1, 4 by hand, autoscaled", rate=60) as load:
                for number in (5, 1, 4):
                    self.kubectl("scale", "deployment/web", f"--replicas={number}")
                    self.wait_ready_any()
                self.wait_ended()
            self.assert_none_failed(load)

    def wait_ready_any(self):
        """Until the pods are as many as are asked for, by the last order."""
        until(lambda: len(self.ready()) == len(self.running()) == self.replicas(), self.seen(), TIMEOUT)

    def test_every_pod_evicted_in_turn(self):
        with self.explained():
            self.steady()
            with self.callers("every pod evicted in turn, autoscaled", rate=60) as load:
                self.evict_all_in_turn()
            self.assert_none_failed(load)

    def test_its_only_pod_is_evicted(self):
        """Nobody is left for a while: callers reach the activators, which wait with them. Before 1.26 kube-proxy knows no
        last resort: callers are refused until it has followed the activators' slice, which it does once a second."""
        with self.explained():
            self.steady(replicas=1)
            with self.callers("the only pod evicted, autoscaled", rate=60) as load:
                evicted = self.ready()[0]["metadata"]["name"]
                at = time.time()
                self.evict(evicted)
                until(lambda: self.ready() and evicted not in str(self.running()), self.seen(), TIMEOUT)
                self.wait_ended()
            if self.has_last_resort():
                self.assert_none_failed(load)
            else:
                self.assert_only_in_flight(load, at, within=3.0)

    def test_its_revision_is_deleted(self):
        with self.explained():
            self.steady(replicas=2)
            with self.callers("Revision deleted under load", rate=60) as load:
                self.kubectl("label", "deployment/web", "bellows.dev/autoscale-")
                until(lambda: self.api.get("Revision", self.namespace, "web") is None, "the Revision is gone", TIMEOUT)
                self.wait_answers()
            self.assert_none_failed(load)


class AnUpgrade(Autoscaled):
    """New pods of all that is Bellows: its Deployments, then the queue-proxies."""

    def test_under_load_through_activators(self):
        with self.explained():
            self.start(annotations={"min-scale": "2", "target-burst-capacity": "-1"}, replicas=2)
            until(lambda: len(self.activators_in_path()) == 2, self.seen(), TIMEOUT)
            with self.callers("upgrade of Bellows under load", rate=60) as load:
                self.replace(AUTOSCALER, ACTIVATOR)
                self.wait_autoscaler()
                self.kubectl("rollout", "restart", "deployment/web")
                self.roll_out()
            self.assert_none_failed(load)

    def test_at_zero(self):
        with self.explained():
            self.start_at_zero()
            self.replace(AUTOSCALER, ACTIVATOR)
            with self.callers("upgrade of Bellows at zero, then first requests", rate=20, callers=4) as load:
                self.wait_pods(1)
                self.wait_direct()
            self.assert_none_failed(load)


if __name__ == "__main__":
    unittest.main()
