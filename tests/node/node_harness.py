"""What the stories of this folder share: a real node, an app with its Service, callers, and a table of what they saw.

Everything here runs inside the node's network namespace (tools/kubernetes-node run), where pods and Services answer.
"""

import contextlib
import json
import os
import re
import subprocess
import sys
import unittest
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path += [os.path.join(ROOT, "tests/kubernetes"), os.path.join(ROOT, "tests/e2e")]

from api import ApiError, use_slices_of  # noqa: E402
from cluster_harness import ControlPlane, DEPLOY, whole  # noqa: E402
from harness import Late, program, until  # noqa: E402

TIMEOUT = 300.0  # seconds for a pod to start or end on a busy machine
POLICY_V1_SINCE = 22  # the minor version from which evictions have this version

# As an operator would write it: a port with a name, a probe of the app, and no word of Bellows.
MANIFEST = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
spec:
  replicas: {replicas}
  selector:
    matchLabels:
      app: {name}
  template:
    metadata:
      labels:
        app: {name}
    spec:
      terminationGracePeriodSeconds: {grace}
      containers:
      - name: app
        image: bellows.test/app:1
        args: ["8080", "--delay", "{delay}", "--start", "{start}", "--at-term", "{at_term}"]
        ports:
        - name: http
          containerPort: 8080
        readinessProbe:
          httpGet:
            path: /ready
            port: http
          periodSeconds: 1
---
apiVersion: v1
kind: Service
metadata:
  name: {name}
spec:
  selector:
    app: {name}
  ports:
  - name: http
    port: 80
    targetPort: http
"""


def manifest(name="web", replicas=3, delay=20, start=0, at_term="end", grace=30):
    return MANIFEST.format(name=name, replicas=replicas, delay=delay, start=start, at_term=at_term, grace=grace)


class Load:
    """Callers that run from `with` on; stop() ends them. Failures say when they were and what the caller saw."""

    def __init__(self, address, rate, callers=8, name="web"):
        self.process = subprocess.Popen([sys.executable, "-B", os.path.join(HERE, "load.py"), address, "--rate", str(rate),
                                         "--callers", str(callers), "--name", name],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "started\n"
        self.report = None

    def stop(self):
        if self.report is None:
            text, _ = self.process.communicate(timeout=TIMEOUT)
            self.report = json.loads(text)
        return self.report

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    @property
    def requests(self):
        return sum(group["requests"] for group in self.stop()["groups"])

    @property
    def failures(self):
        return self.stop()["failures"]

    def row(self):
        groups = self.stop()["groups"]
        by_group = ", ".join(f"{group['group']} {group['failed']}/{group['requests']}" for group in groups)
        worst = max((group["max_ms"] or 0) for group in groups)
        return f"{self.requests:7} {len(self.failures):7} {worst:9.0f}  {by_group}"

    def kinds(self):
        found = {}
        for failure in self.failures:
            saw = re.sub(r"; request [0-9a-f]+", "", failure["saw"])
            key = f"{failure['group']}, {'new' if failure['new'] else 'used'} connection: {saw[:90]}"
            found[key] = found.get(key, 0) + 1
        return found


def note(line):
    """For people: printed, and kept in the file that BELLOWS_EVIDENCE names."""
    print(line, flush=True)
    file = os.environ.get("BELLOWS_EVIDENCE")
    if file:
        with open(file, "a") as out:
            out.write(line + "\n")


class OnNode(unittest.TestCase):
    """Each test has a namespace of its own on the node of the whole run."""

    maxDiff = None

    def setUp(self):
        work = os.environ["BELLOWS_NODE"]
        self.plane = ControlPlane(work)
        self.plane.work = os.path.join(work, "control-plane")
        self.api = self.plane.api
        self.addCleanup(self.api.close)
        use_slices_of(self.plane.minor)
        self.namespace = f"{self._testMethodName.removeprefix('test_').replace('_', '-')[:40]}-{uuid.uuid4().hex[:6]}"
        self.api.create("Namespace", None, {"metadata": {"name": self.namespace}})
        self.addCleanup(self.remove_namespace)
        until(lambda: self.api.get("ServiceAccount", self.namespace, "default"), "the namespace has its account")

    def remove_namespace(self):
        self.api.delete("Namespace", None, self.namespace)
        def is_empty():
            pods = self.api.list("Pod", self.namespace)
            for pod in pods:
                self.api.delete("Pod", self.namespace, pod["metadata"]["name"], grace=1)
            return not pods
        until(is_empty, "the pods of the namespace have ended", TIMEOUT)

    def kubectl(self, *words, **how):
        return self.plane.kubectl("--namespace", self.namespace, *words, **how)

    def apply(self, text, *where):
        where = where or ("--namespace", self.namespace)
        command = [self.plane.env["KUBECTL"], "--kubeconfig", self.plane.kubeconfig, *where, "apply", "-f", "-"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def bellows(self, *words, text, status=0):
        """Standard output of a command of `bellows` that reads `text` and ends with `status`; what it reports is in a failure."""
        done = subprocess.run([program("bellows"), *words], input=text, capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def inject(self, text, *flags):
        return self.bellows("inject", "-", *flags, text=text)

    def uninject(self, text):
        return self.bellows("uninject", "-", text=text)

    def running(self, name="web"):
        """The pods that are not being deleted."""
        return [pod for pod in self.api.list("Pod", self.namespace, f"app={name}") if not pod["metadata"].get("deletionTimestamp")]

    def ready(self, name="web"):
        return [pod for pod in self.running(name)
                if any(c["type"] == "Ready" and c["status"] == "True" for c in pod["status"].get("conditions", []))]

    def wait_ready(self, number, name="web"):
        try:
            until(lambda: len(self.ready(name)) == number == len(self.running(name)), f"{number} pods of {name} are ready", TIMEOUT)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.kubectl('get', 'pods,endpointslices', '-o', 'wide')}\n"
                                 f"{self.kubectl('describe', 'pods')[-6000:]}") from None

    def address(self, name="web"):
        return self.api.get("Service", self.namespace, name)["spec"]["clusterIP"] + ":80"

    def wait_answers(self, name="web"):
        """The Service forwards: kube-proxy has its rules."""
        def answers():
            with Load(self.address(name), 4, callers=4, name=name) as load:
                pass
            return not load.failures
        until(answers, f"the Service {name} answers", TIMEOUT)

    def ending(self, name="web"):
        """Names of the pods that are being deleted and in which a container may still run. kubelet 1.20 removes a pod up to
        a minute after its last container has ended."""
        return {pod["metadata"]["name"] for pod in self.api.list("Pod", self.namespace, f"app={name}")
                if pod["metadata"].get("deletionTimestamp")
                and any("terminated" not in c["state"] for c in pod["status"].get("containerStatuses", []))}

    def wait_ended(self, name="web"):
        """The pods that were told to end have ended."""
        until(lambda: not self.ending(name), "the pods that were told to end have ended", TIMEOUT)

    def roll_out(self, name="web"):
        """Waits for a rollout and for the end of the pods that it replaced."""
        self.kubectl("rollout", "status", f"deployment/{name}", f"--timeout={int(TIMEOUT)}s")
        self.wait_ended(name)

    def evict(self, pod):
        path = f"/api/v1/namespaces/{self.namespace}/pods/{pod}/eviction"
        version = "policy/v1" if self.plane.minor >= POLICY_V1_SINCE else "policy/v1beta1"
        body = {"apiVersion": version, "kind": "Eviction", "metadata": {"name": pod, "namespace": self.namespace}}
        try:
            self.api.request("POST", path, body)
        except ApiError as error:
            if error.status != 404:
                raise

    def evict_all_in_turn(self, name="web"):
        pods = [pod["metadata"]["name"] for pod in self.ready(name)]
        for pod in pods:
            self.evict(pod)
            until(lambda pod=pod: pod not in [p["metadata"]["name"] for p in self.running(name)] and len(self.ready(name)) >= len(pods),
                  f"another pod is ready instead of {pod}", TIMEOUT)
        self.wait_ended(name)

    @contextlib.contextmanager
    def callers(self, story, rate=60, callers=8, name="web", first=lambda: None):
        """Callers during the story, after `first`; afterwards a row of the table, and each kind of failure."""
        address = self.address(name)
        first()
        load = Load(address, rate, callers, name)
        try:
            yield load
        finally:
            load.stop()
            note(f"{story:58} {load.row()}")
            for kind, count in load.kinds().items():
                note(f"    {count:5} {kind}")

    def assert_none_failed(self, load):
        self.assertGreater(load.requests, 0)
        if load.failures:
            self.fail(f"{len(load.failures)} of {load.requests} requests failed: {json.dumps(load.kinds(), indent=1)}")


__all__ = ["ApiError", "DEPLOY", "Late", "Load", "OnNode", "TIMEOUT", "ROOT", "manifest", "note", "program", "until", "use_slices_of", "whole"]
