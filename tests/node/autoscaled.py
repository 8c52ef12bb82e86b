"""A whole Bellows on the node: deploy/ as an operator applies it, and an app that it scales."""

import contextlib
import os
import signal
import subprocess
import time

from node_harness import Late, OnNode, TIMEOUT, manifest, until, whole

SYSTEM = "bellows-system"
AUTOSCALER, ACTIVATOR = "bellows-autoscaler", "bellows-activator"

# Short windows, so that a story takes seconds. The last replica ends when the window is empty, not when experience says so, and
# activators leave the path as soon as a replica is ready.
ANNOTATIONS = {"window": "6s", "panic-window-percentage": "50", "scale-to-zero-grace-period": "1s", "scale-down-delay": "0s",
               "keep-alive": "window", "target": "2", "max-scale": "10", "target-burst-capacity": "0"}

# Of an activator that ends as soon as it can: the one of deploy/ may take minutes.
QUICK_END = {"spec": {"template": {"spec": {"terminationGracePeriodSeconds": 30}}}}


def processes_of(container):
    """Process ids of a container, by its id, as /proc tells."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/cgroup") as groups:
                if container in groups.read():
                    found.append(int(pid))
    return found


class Autoscaled(OnNode):
    """`start()` makes the app and waits until it is scaled."""

    def setUp(self):
        super().setUp()
        self.apply(self.deployed(), "--namespace", SYSTEM)
        self.wait_autoscaler()
        self.wait_activators()

    def wait_activators(self):
        self.plane.kubectl("-n", SYSTEM, "rollout", "status", f"deployment/{ACTIVATOR}", f"--timeout={int(TIMEOUT)}s")

    def deployed(self):
        """All of deploy/ as this server takes it."""
        with open(whole(self.plane.minor)) as file:
            return file.read()

    def app(self, name="web", annotations=None, text=None, **how):
        """The manifest (`text`: this one) as an operator has it: a label and annotations, then `bellows inject`."""
        kept = {**ANNOTATIONS, **(annotations or {})}
        lines = "".join(f'    bellows.dev/{key}: "{value}"\n' for key, value in kept.items())
        labelled = (text or manifest(name=name, **how)).replace(
            f"  name: {name}\n", f'  name: {name}\n  labels:\n    bellows.dev/autoscale: "true"\n  annotations:\n{lines}', 1)
        return self.inject(labelled)

    def start(self, name="web", **how):
        how.setdefault("replicas", 1)
        self.apply(self.app(name, **how))
        self.wait_pods(how["replicas"], name)
        until(lambda: self.condition("Ready", name) == "True", Late(lambda: f"the Revision is ready: {self.brev(name)}"), TIMEOUT)

    def start_at_zero(self, name="web", **how):
        self.start(name, **how)
        self.wait_zero(name)

    # What is there.

    def brev(self, name="web"):
        return (self.api.get("Revision", self.namespace, name) or {}).get("status")

    def condition(self, kind, name="web"):
        return next((c["status"] for c in (self.brev(name) or {}).get("conditions", []) if c["type"] == kind), None)

    def replicas(self, name="web"):
        return self.api.get("Deployment", self.namespace, name)["spec"]["replicas"]

    def activators_in_path(self, name="web"):
        """Addresses of the activators that take requests: the ready ones of the slice of ours."""
        slices = self.api.list("EndpointSlice", self.namespace,
                               f"endpointslice.kubernetes.io/managed-by=bellows.dev,kubernetes.io/service-name={name}")
        return sorted(address for item in slices for endpoint in item["endpoints"] or [] if endpoint["conditions"].get("ready")
                      for address in endpoint["addresses"])

    def seen(self, name="web"):
        return Late(lambda: f"{self.replicas(name)} replicas asked, {len(self.ready(name))} ready, activators in the path: "
                            f"{self.activators_in_path(name)}; {self.brev(name)}")

    def wait_zero(self, name="web"):
        """No replica, no pod that runs, and the activators in the path."""
        until(lambda: self.replicas(name) == 0 and not self.running(name) and not self.ending(name)
              and self.activators_in_path(name), Late(lambda: f"{name} is at zero: {self.seen(name)}"), TIMEOUT)

    def wait_direct(self, name="web"):
        until(lambda: self.ready(name) and not self.activators_in_path(name),
              Late(lambda: f"callers of {name} reach its pods straight: {self.seen(name)}"), TIMEOUT)

    def wait_through(self, name="web"):
        until(lambda: self.activators_in_path(name), Late(lambda: f"activators are in the path: {self.seen(name)}"), TIMEOUT)

    def wait_pods(self, number, name="web"):
        until(lambda: len(self.ready(name)) >= number, Late(lambda: f"{number} pods are ready: {self.seen(name)}"), TIMEOUT)

    # What breaks.

    def system_pods(self, name):
        return [pod for pod in self.api.list("Pod", SYSTEM, f"app.kubernetes.io/name={name}")
                if not pod["metadata"].get("deletionTimestamp")]

    def kill(self, pod, container):
        """SIGKILL to all processes of a container. Returns when that was."""
        identity = next(c["containerID"] for c in pod["status"]["containerStatuses"] if c["name"] == container).rsplit("/", 1)[1]
        pids = processes_of(identity)
        self.assertTrue(pids, f"{container} of {pod['metadata']['name']} runs")
        at = time.time()
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        return at

    def restart_autoscaler(self):
        """kill -9, and another one at once: the kubelet would wait longer with each crash of the same pod."""
        for pod in self.system_pods(AUTOSCALER):
            self.kill(pod, "autoscaler")
            self.api.delete("Pod", SYSTEM, pod["metadata"]["name"], grace=0)

    def wait_autoscaler(self):
        self.plane.kubectl("-n", SYSTEM, "rollout", "status", f"deployment/{AUTOSCALER}", f"--timeout={int(TIMEOUT)}s")

    def containers(self, name):
        """Names of the pods of a Deployment of Bellows in which a container runs."""
        return {pod["metadata"]["name"] for pod in self.api.list("Pod", SYSTEM, f"app.kubernetes.io/name={name}")
                if any("running" in c["state"] for c in pod["status"].get("containerStatuses", []))}

    def replace(self, *names):
        """New pods of these Deployments, as an upgrade makes them, until the old ones have ended."""
        old = {name: self.containers(name) for name in names}
        self.plane.kubectl("-n", SYSTEM, "rollout", "restart", *[f"deployment/{name}" for name in names])
        for name in names:
            until(lambda name=name: not old[name] & self.containers(name), f"the old ones have ended: {old[name]}", 2 * TIMEOUT)

    def pass_time(self, seconds):
        end = time.monotonic() + seconds
        until(lambda: time.monotonic() > end, "only time passes", seconds + 10)

    def log_of(self, name, lines=60):
        said = self.plane.kubectl("-n", SYSTEM, "logs", f"--selector=app.kubernetes.io/name={name}", f"--tail={lines}", check=False)
        return said.stdout

    @contextlib.contextmanager
    def explained(self):
        """What Bellows logged, in a failure."""
        try:
            yield
        except AssertionError as error:
            raise AssertionError(f"{error}\nautoscaler:\n{self.log_of(AUTOSCALER)}\nactivators:\n{self.log_of(ACTIVATOR)}") from None

    def has_last_resort(self):
        """True if kube-proxy uses endpoints that serve and terminate when no other is ready."""
        return self.plane.minor >= 26

    def assert_only_in_flight(self, load, at, within=1.0):
        """Failures are of requests that were in flight when something was killed at `at`, or came `within` seconds after."""
        others = [f for f in load.failures if not (f["at"] <= at + within and f["at"] + f["after"] >= at)]
        if others:
            self.fail(f"{len(others)} of {load.requests} requests failed that were not in flight: "
                      f"{[(round(f['at'] - at, 2), f['group'], f['saw']) for f in others[:8]]}")


def descendants_named(name):
    """Process ids of programs of this name in this network namespace."""
    own = os.readlink("/proc/self/ns/net")
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/comm") as comm:
                if comm.read().strip() == name and os.readlink(f"/proc/{pid}/ns/net") == own:
                    found.append(int(pid))
    return found


def run_again(pid):
    """The command, environment and namespaces of a process that can be started again after it was killed."""
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        command = file.read().rstrip(b"\0").split(b"\0")
    with open(f"/proc/{pid}/environ", "rb") as file:
        environment = dict(entry.split(b"=", 1) for entry in file.read().split(b"\0") if b"=" in entry)
    return command, environment


def start_in(mount_namespace, command, environment, log):
    return subprocess.Popen([b"nsenter", b"--mount=" + mount_namespace.encode(), *command], env=environment,
                            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)


__all__ = ["ACTIVATOR", "AUTOSCALER", "Autoscaled", "Late", "SYSTEM", "descendants_named", "run_again", "start_in"]
