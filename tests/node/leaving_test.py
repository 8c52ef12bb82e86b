"""Pods of a plain Deployment that come and go under load, without an autoscaler: nobody may notice."""

import glob
import time
import unittest

from node_harness import OnNode, manifest, note, until

NATIVE_SIDECARS_SINCE = 29  # the minor version from which they are on by default


class WithoutAQueueProxy(OnNode):
    """What Kubernetes loses by itself. If this were zero, the stories below would prove nothing."""

    def test_a_rolling_restart_loses_requests(self):
        self.apply(manifest())
        self.wait_ready(3)
        self.wait_answers()
        with self.callers("rolling restart, plain app that ends at SIGTERM", rate=200, callers=16) as load:
            for _ in range(2):
                self.kubectl("rollout", "restart", "deployment/web")
                self.roll_out()
        self.assertGreater(len(load.failures), 0)


class AnInjectedDeployment(OnNode):
    at_term = "end"

    def start_injected(self, **how):
        self.apply(self.inject(manifest(at_term=self.at_term, **how)))
        self.wait_ready(how.get("replicas", 3))
        self.wait_answers()

    def test_a_rolling_restart(self):
        self.start_injected()
        with self.callers("rolling restart, injected", rate=100, callers=16) as load:
            for _ in range(2):
                self.kubectl("rollout", "restart", "deployment/web")
                self.roll_out()
        self.assert_none_failed(load)

    def test_a_rolling_restart_that_ends_a_pod_before_the_next_is_ready(self):
        """Of four pods, 25 % may be missing. Of three none may, because the number is rounded down."""
        self.start_injected(replicas=4)
        with self.callers("rolling restart, injected, 25 % may be missing", rate=200, callers=16) as load:
            self.kubectl("rollout", "restart", "deployment/web")
            self.roll_out()
        self.assert_none_failed(load)

    def test_every_pod_evicted_in_turn(self):
        self.start_injected()
        with self.callers("every pod evicted in turn, injected", rate=60) as load:
            self.evict_all_in_turn()
        self.assert_none_failed(load)

    def test_scaled_by_hand(self):
        self.start_injected(replicas=1)
        with self.callers("kubectl scale 1, 5, 2, 4, 1, injected", rate=60) as load:
            for number in (5, 2, 4, 1):
                self.kubectl("scale", "deployment/web", f"--replicas={number}")
                self.wait_ready(number)
            self.wait_ended()
        self.assert_none_failed(load)

    def test_a_rolling_restart_with_requests_that_take_seconds(self):
        self.start_injected(delay=3000)
        with self.callers("rolling restart, injected, requests of 3 s", rate=20, callers=60) as load:
            self.kubectl("rollout", "restart", "deployment/web")
            self.roll_out()
        self.assert_none_failed(load)


class AnInjectionThatAsksTheServer(OnNode):
    """A server without native sidecars would drop their field without a word, and the pod would wait for ever."""

    def test_takes_a_native_sidecar_where_the_server_has_them(self):
        has_them = self.plane.minor >= NATIVE_SIDECARS_SINCE
        asked = self.inject(manifest(), "--kubeconfig", self.plane.kubeconfig)
        self.assertEqual(asked, self.inject(manifest(), f"--native-sidecar={str(has_them).lower()}"))
        self.assertNotEqual(asked, self.inject(manifest(), f"--native-sidecar={str(not has_them).lower()}"))
        self.apply(asked)
        self.wait_ready(3)
        self.wait_answers()
        if not has_them:
            return  # the manifest of AnInjectedDeployment, whose stories follow it
        with self.callers("rolling restart, injected as the server has it", rate=100) as load:
            self.kubectl("rollout", "restart", "deployment/web")
            self.roll_out()
        self.assert_none_failed(load)


class ARunningDeployment(OnNode):
    """`inject` and `uninject` of what runs. Its pods without a queue-proxy leave as Kubernetes lets them, so the app is one that
    leaves slowly by itself."""

    def test_is_injected_and_uninjected_under_load(self):
        plain = manifest(at_term="leave")
        self.apply(plain)
        self.wait_ready(3)
        self.wait_answers()
        with self.callers("inject of a running Deployment, then uninject", rate=60) as load:
            injected = self.inject(plain)
            self.apply(injected)
            self.roll_out()
            self.assertEqual({len(pod["spec"]["containers"]) for pod in self.running()}, {2})
            self.apply(self.uninject(injected))
            self.roll_out()
            self.assertEqual({len(pod["spec"]["containers"]) for pod in self.running()}, {1})
        self.assert_none_failed(load)

    def test_with_a_numeric_target_port_is_injected_in_two_steps(self):
        """docs/inject.md: first the pods, with --services=keep; when their rollout is complete, the Service."""
        plain = manifest(at_term="leave").replace("targetPort: http", "targetPort: 8080").replace("        - name: http\n          containerPort", "        - containerPort").replace("port: http\n          periodSeconds", "port: 8080\n          periodSeconds")
        self.apply(plain)
        self.wait_ready(3)
        self.wait_answers()
        with self.callers("inject, numeric target port, in two steps, and back", rate=60) as load:
            self.apply(self.inject(plain, "--services=keep"))
            self.roll_out()
            injected = self.inject(plain)
            self.apply(injected)
            self.wait_goes_through_queue_proxies()
            deployment, service = plain.split("---\n")
            self.apply(service)
            self.wait_answers()
            self.apply(deployment)
            self.roll_out()
        self.assert_none_failed(load)

    def wait_goes_through_queue_proxies(self):
        until(lambda: self.api.get("Service", self.namespace, "web")["spec"]["ports"][0]["targetPort"] != 8080, "the Service is changed")
        self.wait_answers()


class AnIdleQueueProxy(OnNode):
    BAR = 6e6

    def test_needs_at_most_6_megabytes_in_its_control_group(self):
        self.apply(self.inject(manifest(replicas=1)))
        self.wait_ready(1)
        self.wait_answers()
        end = time.monotonic() + 20
        until(lambda: time.monotonic() > end, "it is idle for a while", 30)
        usage = self.control_group("queue-proxy")
        note("idle queue-proxy in its control group: " + ", ".join(f"{key} {value / 1e6:.2f} MB" for key, value in usage.items()))
        self.assertLessEqual(usage["working set"], self.BAR)

    def control_group(self, container):
        """Memory of the container as its control group counts it: pages of the program and its libraries count where they were
        read first on the node, which may be another container; the last number is what they would add."""
        status = next(c for c in self.running()[0]["status"]["containerStatuses"] if c["name"] == container)
        identity = status["containerID"].rsplit("/", 1)[1]
        folders = glob.glob(f"/sys/fs/cgroup/memory/**/{identity}", recursive=True)
        self.assertEqual(len(folders), 1, identity)
        with open(f"{folders[0]}/memory.usage_in_bytes") as file:
            usage = {"usage": int(file.read())}
        with open(f"{folders[0]}/memory.stat") as file:
            counted = dict(line.split() for line in file)
        with open(f"{folders[0]}/cgroup.procs") as file, open(f"/proc/{file.readline().strip()}/status") as status:
            resident = dict(line.split(":", 1) for line in status)
        return {**usage, **{key: int(counted[key]) for key in ("rss", "cache", "mapped_file")},
                "working set": usage["usage"] - int(counted["total_inactive_file"]),
                "mapped by the process": int(resident["RssFile"].split()[0]) * 1024}


if __name__ == "__main__":
    unittest.main()
