"""Parts of Bellows and of the cluster that are killed while callers come."""

import os
import signal
import time
import unittest

from autoscaled import ACTIVATOR, AUTOSCALER, Autoscaled, SYSTEM, descendants_named, run_again, start_in
from node_harness import TIMEOUT, manifest, note, until

AWAY_SECONDS = float(os.environ.get("BELLOWS_STORY_AWAY", "20"))


class TheAutoscalerIsKilled(Autoscaled):
    """And started again, at each state of a path: nobody notices."""

    def test_while_callers_reach_the_pods(self):
        with self.explained():
            self.start(annotations={"min-scale": "1", "max-scale": "3"})
            self.wait_direct()
            with self.callers("autoscaler kill -9 at direct", rate=60) as load:
                self.restart_autoscaler()
                self.wait_autoscaler()
            self.assert_none_failed(load)

    def test_while_activators_join(self):
        with self.explained():
            self.start()
            with self.callers("callers before the autoscaler is killed", rate=20):
                self.wait_direct()
            self.wait_through()  # on its way to zero: no caller comes
            with self.callers("autoscaler kill -9 at joining", rate=20) as load:
                self.restart_autoscaler()
                self.wait_autoscaler()
                self.wait_direct()
            self.assert_none_failed(load)
            self.wait_zero()

    def test_at_zero(self):
        with self.explained():
            self.start_at_zero()
            self.restart_autoscaler()
            with self.callers("autoscaler kill -9 at held, then first requests", rate=20) as load:
                self.wait_pods(1)
                self.wait_autoscaler()
                self.wait_direct()
            self.assert_none_failed(load)
            self.wait_zero()

    def test_while_activators_leave(self):
        with self.explained():
            self.start_at_zero()
            with self.callers("autoscaler kill -9 at leaving", rate=20) as load:
                self.wait_pods(1)
                self.assertTrue(self.activators_in_path())
                self.restart_autoscaler()
                self.wait_autoscaler()
                self.wait_direct()
            self.assert_none_failed(load)


class TheAutoscalerIsAway(Autoscaled):
    """Nobody writes for the activators, and both are replaced."""

    def test_and_both_activators_are_replaced_in_the_path(self):
        with self.explained():
            self.start(annotations={"min-scale": "1", "target-burst-capacity": "-1"})
            until(lambda: len(self.activators_in_path()) == 2, self.seen(), TIMEOUT)
            self.take_away()
            with self.callers("autoscaler away, both activators replaced", rate=40) as load:
                self.replace(ACTIVATOR)
            self.assert_none_failed(load)

    def test_and_both_activators_are_replaced_at_zero(self):
        with self.explained():
            self.start_at_zero()
            self.take_away()
            self.replace(ACTIVATOR)
            with self.callers("autoscaler away, both activators replaced, first requests", rate=20, callers=4) as load:
                self.wait_pods(1)
            self.assert_none_failed(load)

    def test_and_both_activators_are_killed_in_the_path(self):
        with self.explained():
            self.start(annotations={"min-scale": "1", "target-burst-capacity": "-1"})
            until(lambda: len(self.activators_in_path()) == 2, self.seen(), TIMEOUT)
            self.take_away()
            self.kill_both()
            with self.callers("autoscaler away, both activators killed, new ones ready", rate=40) as load:
                self.pass_time(5)
            self.assert_none_failed(load)

    def test_and_both_activators_are_killed_at_zero(self):
        with self.explained():
            self.start_at_zero()
            self.take_away()
            self.kill_both()
            with self.callers("autoscaler away, both killed at zero, first requests", rate=20, callers=4) as load:
                self.wait_pods(1)
            self.assert_none_failed(load)

    def kill_both(self):
        """Nobody takes the killed ones out of the slices but those that come in their place."""
        old = self.activators_in_path()
        names = [pod["metadata"]["name"] for pod in self.system_pods(ACTIVATOR)]
        at = time.time()
        self.plane.kubectl("-n", SYSTEM, "delete", "pod", *names, "--force", "--grace-period=0")
        until(lambda: len(self.containers(ACTIVATOR) - set(names)) == len(names), "new activators run", TIMEOUT)
        began = time.time()
        until(lambda: self.activators_in_path() and not set(old) & set(self.activators_in_path()), self.seen(), TIMEOUT)
        note(f"      new activators ran after {began - at:.1f} s and were in the path after {time.time() - at:.1f} s")
        self.pass_time(1)  # nodes follow

    def take_away(self):
        self.addCleanup(self.wait_autoscaler)
        self.addCleanup(self.plane.kubectl, "-n", SYSTEM, "scale", f"deployment/{AUTOSCALER}", "--replicas=2")
        self.plane.kubectl("-n", SYSTEM, "scale", f"deployment/{AUTOSCALER}", "--replicas=0")
        until(lambda: not self.containers(AUTOSCALER), "the autoscaler has ended", TIMEOUT)


class TheApiServerIsAway(Autoscaled):
    def test_while_callers_reach_the_pods(self):
        with self.explained():
            self.start(annotations={"min-scale": "1", "max-scale": "3"})
            self.wait_direct()
            with self.callers(f"API server away for {AWAY_SECONDS:.0f} s at direct", rate=60) as load:
                self.away()
            self.assert_none_failed(load)

    def test_at_zero_for_a_moment(self):
        """Requests wait at the activators and are served when the API server answers again. It is stopped and not killed, because
        a new one may need more than the 5 s after which callers are told."""
        with self.explained():
            self.start_at_zero()
            with self.callers("API server hangs for 2 s at held, requests wait", rate=4, callers=4) as load:
                self.hangs(2)
                self.wait_pods(1)
                self.wait_direct()
            self.assert_none_failed(load)

    def test_at_zero_for_long(self):
        """No replica can be ordered, so callers are told within seconds. When the API server is back, all are served."""
        with self.explained():
            self.start_at_zero()
            try:
                with self.callers(f"API server away for {AWAY_SECONDS:.0f} s, first requests", rate=4, callers=4,
                                  first=self.plane.stop_api_server) as load:
                    self.pass_time(AWAY_SECONDS)
            finally:
                self.plane.start_api_server()
            until(lambda: self.answers(), "the API server answers again", TIMEOUT)
            self.assert_told_soon_and_served_again(load)

    def test_at_zero_when_it_hangs_for_long(self):
        """A server that hangs refuses no connection. What tells is the order that it does not answer."""
        with self.explained():
            self.start_at_zero()
            with self.callers(f"API server hangs for {AWAY_SECONDS:.0f} s, first requests", rate=4, callers=4) as load:
                self.hangs(AWAY_SECONDS)
            self.assert_told_soon_and_served_again(load)

    def assert_told_soon_and_served_again(self, load):
        self.assertTrue(load.failures, "no caller was told")
        told = "503 the service has no replica, and its cluster does not respond"
        unlike = [each for each in load.failures if not each["saw"].startswith(told) or each["after"] > 7]
        self.assertFalse(unlike, "a caller waited too long, or was not told why")
        self.assertIn("the API server has not answered for more than 2s", self.log_of(ACTIVATOR, lines=400))
        self.wait_cluster_works()
        with self.callers("the API server is back", rate=4, callers=4) as load:
            self.wait_pods(1)
            self.wait_direct()
        self.assert_none_failed(load)

    def wait_cluster_works(self):
        """Controllers, scheduler and kubelet ask ever more rarely for a server that is away: a pod was ready after 65 s, and callers
        wait for 60 s at most."""
        self.apply(manifest(name="other", replicas=1))
        self.wait_ready(1, "other")

    def hangs(self, seconds):
        pid = self.plane.process("apiserver")
        os.kill(pid, signal.SIGSTOP)
        try:
            self.pass_time(seconds)
        finally:
            os.kill(pid, signal.SIGCONT)

    def away(self):
        self.plane.stop_api_server()
        try:
            self.pass_time(AWAY_SECONDS)
        finally:
            self.plane.start_api_server()
        until(lambda: self.answers(), "the API server answers again", TIMEOUT)

    def answers(self):
        try:
            return self.api.get("Namespace", None, self.namespace)
        except OSError:
            return False


class SomethingInThePathIsKilled(Autoscaled):
    """Only requests in flight there fail, and new ones stop going there within a second."""

    def test_an_activator(self):
        with self.explained():
            self.start(annotations={"min-scale": "2", "target-burst-capacity": "-1"}, replicas=2)
            until(lambda: len(self.activators_in_path()) == 2, self.seen(), TIMEOUT)
            with self.callers("kill -9 of an activator in the path", rate=60) as load:
                at = self.kill(self.system_pods(ACTIVATOR)[0], "activator")
                until(lambda: len(self.activators_in_path()) == 2 and time.time() > at + 3, self.seen(), TIMEOUT)
            self.tell(load, at)
            self.assert_only_in_flight(load, at)

    def test_a_queue_proxy_that_callers_reach_straight(self):
        self.kill_in_pod("queue-proxy", through=False)

    def test_a_queue_proxy_behind_activators(self):
        self.kill_in_pod("queue-proxy", through=True)

    def test_an_app_behind_activators(self):
        self.kill_in_pod("app", through=True)

    def kill_in_pod(self, container, through):
        with self.explained():
            self.start(annotations={"min-scale": "3", **({"target-burst-capacity": "-1"} if through else {})}, replicas=3)
            self.wait_through() if through else self.wait_direct()
            how = "behind activators" if through else "reached straight"
            with self.callers(f"kill -9 of {container}, {how}", rate=60) as load:
                at = self.kill(self.ready()[0], container)
                until(lambda: len(self.ready()) >= 3 and time.time() > at + 5, self.seen(), TIMEOUT)
            self.tell(load, at)
            self.assert_only_in_flight(load, at, within=1.0 if through else 3.0)

    def tell(self, load, at):
        late = [f["at"] - at for f in load.failures]
        if late:
            note(f"      failures from {min(late):.2f} to {max(late):.2f} s after the kill")

    def test_the_kubelet(self):
        """A kubelet that starts again (1.20) tells for a moment that all its pods are unready. Callers that reach pods straight
        are refused then, where nodes know no last resort; behind activators nobody is."""
        with self.explained():
            self.start(annotations={"min-scale": "2", "target-burst-capacity": "-1"}, replicas=2)
            self.wait_through()
            [pid] = descendants_named("kubelet")
            command, environment = run_again(pid)
            mounts = f"/proc/{descendants_named('containerd')[0]}/ns/mnt"
            with self.callers("kill -9 of the kubelet, started again", rate=60) as load:
                os.kill(pid, signal.SIGKILL)
                with open(os.path.join(os.environ["BELLOWS_NODE"], "kubelet.log"), "a") as log:
                    again = start_in(mounts, command, environment, log)
                with open(os.path.join(os.environ["BELLOWS_NODE"], "kubelet.pid"), "w") as file:
                    file.write(str(again.pid))
                pod = self.ready()[0]["metadata"]["name"]
                self.kubectl("delete", "pod", pod, "--wait=false")
                until(lambda: pod not in str(self.ready()) and len(self.ready()) >= 2, self.seen(), TIMEOUT)
                self.wait_ended()
            self.assert_none_failed(load)


if __name__ == "__main__":
    unittest.main()
