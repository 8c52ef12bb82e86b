"""What the tests of this folder share: a control plane, a namespace for each test, the programs under test, kubectl.

A test waits for what the API server or a program says, each with a deadline; none sleeps for a fixed time.
"""

import glob
import hashlib
import importlib.machinery
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import uuid

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.append(os.path.join(ROOT, "tests/e2e"))

from api import Api, ApiError, use_slices_of  # noqa: E402
from harness import DEADLINE, EndToEnd, Late, get, program, until  # noqa: E402
from node import PretendedNode  # noqa: E402
from stats import StatSender  # noqa: E402

TOOL = os.path.join(ROOT, "tools/control-plane")
MANIFEST_TOOL = importlib.machinery.SourceFileLoader("manifest", os.path.join(ROOT, "tools/manifest")).load_module()
DEPLOY = os.path.join(ROOT, "deploy")
ACCOUNT = "bellows-autoscaler"
LABEL = "bellows.dev/autoscale"

# Short windows, so that a test takes seconds. Decisions do not depend on the length of a window.
QUICK = {"bellows.dev/window": "6s", "bellows.dev/panic-window-percentage": "50",
         "bellows.dev/scale-to-zero-grace-period": "1s", "bellows.dev/scale-down-delay": "0s"}

START_LIMIT = 300  # seconds in which an API server has to be ready; beside a compilation it takes a minute

# Without these the controllers make 20 calls a second, and a test of many Deployments measures that.
FAST_CONTROLLERS = ("--kube-api-qps=1000 --kube-api-burst=2000 --concurrent-deployment-syncs=10 "
                    "--concurrent-replicaset-syncs=10")


def whole(minor):
    """The file with all of deploy/ for a server of this minor version."""
    return os.path.join(DEPLOY, "bellows.yaml" if minor >= 23 else "bellows-1.20.yaml")


def on_each_node(folder):
    """Makes the folder an overlay of deploy/ with an activator on each node, as deploy/README.md has it. kubectl from 1.23 on takes it."""
    base = os.path.relpath(os.path.realpath(DEPLOY), os.path.realpath(folder))  # of the kinds of paths that kustomize takes
    with open(os.path.join(folder, "kustomization.yaml"), "w") as file:
        file.write(f"resources: [{base}]\ncomponents: [{base}/each-node]\n")


def text_for(minor, file):
    """The text of a file of deploy/ as that server takes it."""
    with open(file) as original:
        text = original.read()
    return text if minor >= 23 else MANIFEST_TOOL.for_old_servers(text)


def for_server(minor):
    """A copy of deploy/ as a server of this minor version takes it."""
    folder = tempfile.mkdtemp(prefix="deploy-")
    for file in glob.glob(os.path.join(DEPLOY, "*.yaml")):
        if os.path.basename(file).startswith("bellows") and file != whole(minor):
            continue  # the whole for other servers
        with open(os.path.join(folder, os.path.basename(file)), "w") as copy:
            copy.write(text_for(minor, file))
    return folder


class ControlPlane:
    """A running control plane; WORK is the folder that `tools/control-plane up` was given."""

    def __init__(self, work):
        self.work = work
        self.env = {}
        with open(os.path.join(work, "env")) as lines:
            for line in lines:
                key, value = line.removeprefix("export ").strip().split("=", 1)
                self.env[key] = value.strip("'")
        self.api = Api(self.env["KUBE_URL"], self.env["KUBE_CA"], self.env["KUBE_TOKEN"])
        self.kubeconfig = self.env["KUBECONFIG"]
        self.audited, self.audited_bytes = [], 0  # what was read of the audit log

    @property
    def minor(self):
        return int(self.api.request("GET", "/version")["minor"].rstrip("+"))

    def has_feature_gate(self, name):
        """True if its API server can turn this on and off: it would refuse to start with a gate that it does not know."""
        program = os.readlink(f"/proc/{self.process('apiserver')}/exe")
        done = subprocess.run([program, "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=True)
        return f"{name}=true|false" in done.stdout

    def kubectl(self, *arguments, check=True, **how):
        command = [self.env["KUBECTL"], "--kubeconfig", self.kubeconfig, "--cache-dir",
                   os.path.join(self.work, "kubectl-cache", uuid.uuid4().hex), *arguments]
        for _ in range(5):
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False,
                                  **how)
            # Tests that share the server apply the same files: another one was between the look and the creation.
            if done.returncode == 0 or arguments[0] != "apply" or "(AlreadyExists)" not in done.stderr:
                break
        if check and done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(arguments)}: {done.stderr}")
        return done.stdout if check else done

    def apply(self, *files):
        for file in files:
            for item in yaml.safe_load_all(text_for(self.minor, file)):
                self.apply_object(item)

    def apply_object(self, item):
        for each in item["items"] if item["kind"] == "List" else [item]:
            self.api.apply(each)

    def apply_definition(self):
        """Applies deploy/crd.yaml once, for all tests that share the server."""
        file = os.path.join(DEPLOY, "crd.yaml")
        with open(file, "rb") as text:
            applied = os.path.join(self.work, "applied", hashlib.sha256(text.read()).hexdigest())
        if not os.path.exists(applied):
            self.apply(file)
            os.makedirs(applied, exist_ok=True)

    def process(self, name):
        with open(os.path.join(self.work, f"{name}.pid")) as pid:
            return int(pid.read())

    def stop_api_server(self):
        """Ends the API server as a crash does. start_api_server() starts it again with the same data and port."""
        pid = self.process("apiserver")
        with open(f"/proc/{pid}/cmdline") as command:
            self.command = command.read().rstrip("\0").split("\0")
        os.kill(pid, signal.SIGKILL)
        until(self.port_is_free, "the API server has ended")

    def port_is_free(self):
        """The process is not asked: its first thread may end before the others, which keep the sockets."""
        try:
            socket.create_server((self.api.host, int(self.api.port))).close()
        except OSError:
            return False
        return True

    def start_api_server(self):
        with open(os.path.join(self.work, "apiserver.log"), "a") as log:
            process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        threading.Thread(target=process.wait, daemon=True).start()
        with open(os.path.join(self.work, "apiserver.pid"), "w") as pid:
            pid.write(str(process.pid))
        until(self.ready, "the API server is ready again", START_LIMIT)

    def ready(self):
        try:
            return self.api.request("GET", "/readyz") == "ok"
        except (OSError, ApiError):
            return False

    def audit(self):
        """The audit log, if the API server writes one (audited()). A line that is being written is left out."""
        with open(os.path.join(self.work, "audit.log"), "rb") as log:
            log.seek(self.audited_bytes)
            whole, end, _ = log.read().rpartition(b"\n")
        self.audited_bytes += len(whole + end)
        self.audited += [json.loads(line) for line in whole.splitlines()]
        return self.audited

    def kubeconfig_of_account(self, namespace, name, file):
        """Writes a kubeconfig with a token of the service account, and nothing else."""
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"audiences": []}}
        token = self.api.create("ServiceAccount", namespace, request, name=name, subresource="token")["status"]["token"]
        config = {"apiVersion": "v1", "kind": "Config", "current-context": "c",
                  "clusters": [{"name": "c", "cluster": {"server": self.env["KUBE_URL"],
                                                         "certificate-authority": self.env["KUBE_CA"]}}],
                  "users": [{"name": "u", "user": {"token": token}}],
                  "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}
        with open(file, "w") as out:
            json.dump(config, out)
        return file


def audited(work):
    """Flags with which the API server writes who asked for what to WORK/audit.log; watches when they begin too, because 1.20
    tells of a watch that it allows only at its end."""
    os.makedirs(work, exist_ok=True)
    with open(os.path.join(work, "audit.yaml"), "w") as policy:
        policy.write("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- {level: Metadata, verbs: [watch]}\n"
                     "- {level: Metadata, omitStages: [RequestReceived]}\n")
    return f"--audit-policy-file={work}/audit.yaml --audit-log-path={work}/audit.log --audit-log-mode=blocking"


class OnCluster(EndToEnd):
    """Each test has a namespace of its own in the control plane of the whole run, with a pretended node. The namespace stays: its
    pods would need a kubelet to go, so the controller manager would look at each kind in it again and again."""

    def setUp(self):
        super().setUp()
        self.use(self.shared_plane())

    def shared_plane(self):
        """That of the whole run."""
        work = os.environ.get("BELLOWS_PLANE", "")
        if not os.path.exists(os.path.join(work, "env")):
            self.skipTest("no control plane: run tools/control-plane build, or set KUBEBUILDER_ASSETS")
        return ControlPlane(work)

    def use(self, plane):
        self.plane, self.api = plane, plane.api
        self.addCleanup(self.api.close)
        use_slices_of(plane.minor)
        self.namespace = f"{self._testMethodName.removeprefix('test_').replace('_', '-')[:40]}-{uuid.uuid4().hex[:6]}"
        self.api.create("Namespace", None, {"metadata": {"name": self.namespace}})
        until(lambda: self.api.get("ServiceAccount", self.namespace, "default"), "the namespace has its account")
        plane.apply_definition()
        until(self.revisions_are_served, "the custom resource is served")

    def revisions_are_served(self):
        try:
            return self.api.list("Revision", self.namespace) is not None
        except ApiError:
            return False

    def start_node(self, address=None):
        self.node = PretendedNode(self.api, self.namespace, address)
        self.addCleanup(self.node.close)
        return self.node

    def autoscaler(self, *flags, kubeconfig=None, listen="127.0.0.1:0", namespace=True, **how):
        """Starts the autoscaler for this namespace and waits until it has read the cluster. Without activators of the test the
        paths of requests are left alone."""
        where = ["--namespace", self.namespace] if namespace else []
        if "--activator-service" not in flags:
            where += ["--activator-service", "none"]
        running = self.start(program("autoscaler"), "--kubeconfig",
                             kubeconfig or self.plane.kubeconfig, *where, "--listen", listen, "--log-format",
                             "json", *flags, **how)
        running.port = int(running.wait_for("listening")["address"].rsplit(":", 1)[1])
        self.addCleanup(self.assert_did_not_crash, running)
        return running

    def kill(self, running):
        """As kill -9 does."""
        running.signal(signal.SIGKILL)
        running.end()
        running.was_killed = True

    def assert_did_not_crash(self, running):
        code = running.process.poll()
        if code == -signal.SIGKILL and getattr(running, "was_killed", False):
            return
        self.assertIn(code, (None, 0), f"the autoscaler ended by itself with {code}:\n{running.text()}")

    def ready_autoscaler(self, *flags, **how):
        running = self.autoscaler(*flags, **how)
        until(lambda: get(running.port, "/readyz").status == 200, f"the autoscaler is ready:\n{running.text()}")
        return running

    def sender(self, running, token=None):
        sender = StatSender(running.port, token)
        self.addCleanup(sender.close)
        return sender

    def bellows(self, *words, kubeconfig=None, code=0, timeout=600):
        """Output of a command of `bellows` on this cluster; with another exit code than `code`, a failure."""
        done = subprocess.run([program("bellows"), *words, "--kubeconfig", kubeconfig or self.plane.kubeconfig],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False)
        self.assertEqual(done.returncode, code, f"bellows {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    # What tests make.

    def deployment(self, name="web", replicas=1, labels=None, annotations=None, adopted=True, containers=None):
        containers = containers or [{"name": "app", "image": "example/app:1"}]
        labels = dict(labels or {}, **({LABEL: "true"} if adopted else {}))
        made = {"apiVersion": "apps/v1", "kind": "Deployment",
                "metadata": {"name": name, "labels": labels, "annotations": annotations or {}},
                "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}},
                         "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": containers}}}}
        return self.api.create("Deployment", self.namespace, made)

    def service(self, name="web", app=None, target=8080):
        return self.api.create("Service", self.namespace, {
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
            "spec": {"selector": {"app": app or name}, "ports": [{"name": "http", "port": 80, "targetPort": target}]}})

    def revision_for(self, name, target, scaling=None, **spec):
        return self.api.create("Revision", self.namespace, {
            "apiVersion": "bellows.dev/v1alpha1", "kind": "Revision", "metadata": {"name": name},
            "spec": {"scaleTargetRef": {"name": target}, **({"scaling": scaling} if scaling else {}), **spec}})

    # What tests look at.

    def replicas(self, name="web"):
        return self.api.get("Deployment", self.namespace, name)["spec"].get("replicas", 1)

    def pods(self, name="web"):
        """Names of the ready pods that are not being deleted."""
        return [pod["metadata"]["name"] for pod in self.api.list("Pod", self.namespace, f"app={name}")
                if pod["status"].get("podIP") and not pod["metadata"].get("deletionTimestamp")]

    def condition(self, kind, name="web"):
        revision = self.api.get("Revision", self.namespace, name) or {}
        found = [c for c in revision.get("status", {}).get("conditions", []) if c["type"] == kind]
        return found[0] if found else None

    def wait_condition(self, kind, status, name="web", reason=None, says=None, deadline=DEADLINE):
        """Waits until the condition has this status, and reason, and a part of its message. Returns it."""
        def met():
            found = self.condition(kind, name)
            return found and found["status"] == status and (reason is None or found["reason"] == reason) and (
                says is None or says in found["message"]) and found
        try:
            return until(met, f"{kind} is {status} {reason or ''} {says or ''}", deadline)
        except AssertionError as error:
            seen = (self.api.get("Revision", self.namespace, name) or {}).get("status")
            raise AssertionError(f"{error}; it is {json.dumps(seen, indent=1)}") from None

    def wait_replicas(self, number, name="web", deadline=DEADLINE):
        wanted = number if callable(number) else lambda seen: seen == number
        return until(lambda: wanted(self.replicas(name)) and (self.replicas(name),),
                     lambda_text(number, self, name), deadline)[0]

    def decisions(self, scaler, name="web"):
        """How many decisions the journal has, of the last minute at most."""
        journal = get(scaler.port, f"/v1/revisions/{self.namespace}/{name}/journal").body
        return len([line for line in journal.splitlines() if '"at"' in line])

    def events(self, name="web", reason=None):
        found = [event for event in self.api.list("Event", self.namespace) if event["involvedObject"]["name"] == name]
        return [event for event in found if reason is None or event["reason"] == reason]

    def metric_lines(self, running, prefix):
        return [line for line in get(running.port, "/metrics").body.splitlines() if line.startswith(prefix)]


def lambda_text(number, test, name):
    return Late(lambda: f"{name} has {number} replicas; it has {test.replicas(name)}, "
                        f"{json.dumps((test.api.get('Revision', test.namespace, name) or {}).get('status'), indent=1)}")


class OnItsOwnControlPlane(OnCluster):
    """For tests that change the control plane itself: one for each test."""

    apiserver_flags = ""
    kcm_flags = ""

    def setUp(self):
        EndToEnd.setUp(self)
        work = tempfile.mkdtemp(prefix="bellows-plane-")
        self.addCleanup(shutil.rmtree, work, ignore_errors=True)
        env = {**os.environ, "APISERVER_FLAGS": f"{self.apiserver_flags} {audited(work)}", "KCM_FLAGS": self.kcm_flags,
               "LIKE": os.environ.get("BELLOWS_PLANE", "")}
        self.addCleanup(subprocess.run, [TOOL, "down", work], check=False)
        with open(os.path.join(work, "up.log"), "w+") as log:  # a pipe would stay open with the programs
            done = subprocess.run([TOOL, "up", work], env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                  timeout=600, check=False)
            log.seek(0)
            said = log.read()
        if done.returncode == 77:
            self.skipTest(said.strip().splitlines()[-1])
        self.assertEqual(done.returncode, 0, said)
        self.use(ControlPlane(work))


class Watched:
    """`kubectl get brev -w` beside a test; its lines are evidence and part of each failure's text."""

    def __init__(self, plane, namespace):
        command = [plane.env["KUBECTL"], "--kubeconfig", plane.kubeconfig, "--cache-dir",
                   os.path.join(plane.work, "kubectl-cache", uuid.uuid4().hex), "-n", namespace, "get", "brev", "-w"]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.lines = []
        self.reader = threading.Thread(target=lambda: self.lines.extend(map(str.rstrip, self.process.stdout)), daemon=True)
        self.reader.start()

    def close(self):
        self.process.terminate()
        self.process.wait(DEADLINE)
        self.reader.join(DEADLINE)
        self.process.stdout.close()


__all__ = ["ACCOUNT", "Api", "ApiError", "ControlPlane", "DEADLINE", "DEPLOY", "FAST_CONTROLLERS", "HERE", "LABEL", "Late",
           "OnCluster", "OnItsOwnControlPlane", "QUICK", "ROOT", "Watched", "for_server", "get", "program", "until"]
