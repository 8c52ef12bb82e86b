"""The policy of `bellows inject --policy` on a server that has MutatingAdmissionPolicies (1.36): pods come with a queue-proxy, and
without a program of ours. On an older server every test is skipped."""

import json
import os
import subprocess

from api import path_of
from cluster_harness import DEPLOY, ROOT, OnItsOwnControlPlane, program, until
from injector_test import APP, LABEL, Injecting

GROUP = "/apis/admissionregistration.k8s.io/v1"
POLICY, BINDING = "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"
RECORD = "inject.bellows.dev/record"
IMAGE = "registry.example/queue-proxy:7"
EXEC = {**APP, "readinessProbe": {"exec": {"command": ["true"]}}}


def table():
    with open(os.path.join(ROOT, "tests/unit/injector/pods.jsonl")) as lines:
        return [json.loads(line) for line in lines]


def without_owner(row):
    """The pod of a row as a manifest has it."""
    pod = json.loads(json.dumps(row["pod"]))
    if "workload" in row:
        pod["metadata"].pop("ownerReferences", None)
        pod["metadata"].pop("generateName", None)
        pod["metadata"]["name"] = row["workload"]
    return pod


def in_one_way(volumes):
    """Volumes or mounts under one name where the server makes one up. Whether it adds its own before or after ours does not matter."""
    for each in volumes:
        if each["name"].startswith("kube-api-access-"):
            each["name"] = "kube-api-access"
    volumes.sort(key=lambda each: each["name"])


def compared(pod):
    """What injection may change of a made pod, but for the record, and for the names that the server makes up."""
    metadata, spec = pod["metadata"], json.loads(json.dumps(pod["spec"]))
    in_one_way(spec.get("volumes", []))
    for each in spec["containers"] + spec.get("initContainers", []):
        in_one_way(each.get("volumeMounts", []))
    annotations = {key: text for key, text in metadata.get("annotations", {}).items() if key != RECORD}
    return {"labels": metadata["labels"], "annotations": annotations, "spec": spec}


def skip_without(test, plane):
    served = plane.api.request("GET", GROUP)["resources"]
    if not any(each["kind"] == POLICY for each in served):
        test.skipTest(f"a server of 1.{plane.minor} has no {POLICY}")


class Policy(Injecting):
    maxDiff = None

    def setUp(self):
        super().setUp()
        skip_without(self, self.plane)
        self.file = os.path.join(self.folder(), "policy.yaml")
        with open(self.file, "w") as out:
            subprocess.run([program("bellows"), "inject", "--policy", "--image", IMAGE], stdout=out, timeout=600, check=True)

    def printed(self):
        """What the command printed, as objects: the policy and its bindings."""
        text, items = self.plane.kubectl("create", "--dry-run=client", "-o", "json", "-f", self.file), []
        while text.strip():
            item, end = json.JSONDecoder().raw_decode(text)
            items.append(item)
            text = text[end:].lstrip()
        return items

    def install(self, namespace, items=None):
        """Applies the policy for one namespace, so that tests may share a server, and waits until it is in force."""
        self.api.patch("Namespace", None, namespace, {"metadata": {"labels": {"policed": namespace}}})
        for item in items or self.printed():
            item["metadata"]["name"] += f"-{namespace}"
            if item["kind"] == BINDING:
                item["spec"]["policyName"] += f"-{namespace}"
                chosen = item["spec"].setdefault("matchResources", {}).setdefault("namespaceSelector", {})
                chosen.setdefault("matchLabels", {})["policed"] = namespace
            self.plane.apply_object(item)
            self.addCleanup(self.plane.kubectl, "delete", item["kind"], item["metadata"]["name"])

    def install_ours(self, namespace):
        self.install(namespace)
        until(lambda: self.sidecar(self.made(self.pod("probe"), namespace)), "the policy is in force")

    def namespace_beside(self, name):
        name = f"{self.namespace}-{name}"
        self.api.create("Namespace", None, {"metadata": {"name": name}})
        self.addCleanup(self.api.delete, "Namespace", None, name)
        until(lambda: self.api.get("ServiceAccount", name, "default"), "the namespace has its account")
        return name

    def made(self, pod, namespace=None):
        """The pod as the server would make it."""
        pod = {**pod, "metadata": {**pod["metadata"], "namespace": namespace or self.namespace}}
        return self.api.request("POST", path_of("Pod", namespace or self.namespace) + "?dryRun=All", pod)

    def by_command(self, pod):
        """The pod of a manifest after `bellows inject`; None: it is not injected."""
        done = subprocess.run([program("bellows"), "inject", "-", "--native-sidecar", "true", "--image", IMAGE], input=json.dumps(pod),
                              capture_output=True, text=True, timeout=600, check=False)
        return json.loads(done.stdout) if done.returncode == 0 and ": injected: " in done.stderr else None

    def test_policy_webhook_and_command_do_the_same_to_each_pod(self):
        plain, policed, asked = self.namespace, self.namespace_beside("policed"), self.namespace_beside("asked")
        self.install_ours(policed)
        running = self.injector("--image", IMAGE)
        self.webhook(running.port, asked)
        until(lambda: self.sidecar(self.made(self.pod("probe"), asked)), "the webhook is called")
        taken, wrong = 0, []
        for row in table():
            injected = self.by_command(without_owner(row)) if row.get("workload", "") is not None else None
            untouched = compared(self.made(row["pod"], plain))
            wanted = compared(self.made(injected, plain)) if injected else untouched
            by_webhook = compared(self.made(row["pod"], asked))
            by_policy = compared(self.made(row["pod"], policed))
            for name, made, want in (("webhook", by_webhook, wanted), ("policy", by_policy, untouched if "left" in row else wanted)):
                if made != want:
                    wrong.append(f"{row['title']}: the {name} makes {json.dumps(made)}, want {json.dumps(want)}")
            if "left" not in row and not injected:
                wrong.append(f"{row['title']}: the command does not inject it")
            taken += "left" not in row
        self.assertEqual(wrong, [], "\n".join(wrong))
        self.assertGreaterEqual(taken, 50)

    def test_each_pod_that_it_leaves_fails_the_conditions_of_the_table(self):
        policy, labelled = self.printed()[0], self.printed()[1]
        names = {each["name"]: each["name"].replace("-", "_") for each in policy["spec"]["matchConditions"]}
        policy["metadata"]["name"] = labelled["spec"]["policyName"] = "reasons"
        policy["spec"]["reinvocationPolicy"] = "Never"  # the second time it would see its own annotation
        policy["spec"]["variables"] = [{"name": names[each["name"]], "expression": each["expression"]}
                                       for each in policy["spec"].pop("matchConditions")]
        reasons = " + ".join(f'(variables.{name} ? [] : ["{title}"])' for title, name in names.items())
        policy["spec"]["mutations"] = [{"patchType": "JSONPatch", "jsonPatch": {
            "expression": f'[JSONPatch{{op: "add", path: "/metadata/annotations", value: {{"left": ({reasons}).join(" ")}}}}]'}}]
        self.install(self.namespace, [policy, labelled])
        def left(pod):
            return self.made(pod)["metadata"].get("annotations", {}).get("left")
        until(lambda: left(self.pod("probe")) is not None, "the policy is in force")
        seen = {row["title"]: left(row["pod"]).split() for row in table()}
        self.assertEqual(seen, {row["title"]: row.get("left", []) for row in table()})
        self.assertEqual({name for each in seen.values() for name in each}, set(names), "each condition leaves a pod of the table")
        with open(os.path.join(ROOT, "docs/inject.md")) as page:
            rows = [line.split("`")[1] for line in page if line.startswith("| `")]
        self.assertEqual([row for row in rows if row in names], list(names), "docs/inject.md lists the conditions")

    def test_the_server_accepts_it_without_a_warning(self):
        command = [self.plane.env["KUBECTL"], "--kubeconfig", self.plane.kubeconfig, "apply", "--dry-run=server", "-f", self.file]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=True)
        self.assertEqual(done.stderr, "")
        self.assertEqual([line.split(" ", 1)[0].split("/")[1] for line in done.stdout.splitlines()],
                         ["bellows-inject", "bellows-inject-pods", "bellows-inject-namespaces"])

    def test_its_bindings_choose_the_pods_that_the_webhook_chooses(self):
        file = os.path.join(DEPLOY, "injector", "webhook.yaml")
        webhooks = json.loads(self.plane.kubectl("create", "--dry-run=client", "-o", "json", "-f", file))["webhooks"]
        bindings = [item["spec"]["matchResources"] for item in self.printed() if item["kind"] == BINDING]
        keys = ("objectSelector", "namespaceSelector")
        self.assertEqual([[each.get(key) for key in keys] for each in bindings], [[each.get(key) for key in keys] for each in webhooks])

    def test_a_label_of_the_pod_wins_over_that_of_its_namespace(self):
        self.install_ours(self.namespace)
        def has_one(label):
            return self.sidecar(self.made(self.pod("one", label=label))) is not None
        self.assertFalse(has_one(None))
        self.api.patch("Namespace", None, self.namespace, {"metadata": {"labels": {LABEL: "enabled"}}})
        until(lambda: has_one(None), "a label of the namespace is enough")
        self.assertTrue(has_one("enabled"))
        self.assertFalse(has_one("disabled"))
        self.assertFalse(has_one("other"))
        without_labels = self.pod("two")
        del without_labels["metadata"]["labels"]
        self.assertEqual(self.made(without_labels)["metadata"]["labels"], {"bellows.dev/revision": "two"})

    def test_with_the_webhook_a_pod_gets_one_queue_proxy(self):
        running = self.injector()
        self.webhook(running.port)
        until(lambda: self.sidecar(self.made(self.pod("probe", container=EXEC))), "the webhook is called")
        self.install_ours(self.namespace)
        before = self.reviews(running)
        made, said = self.kubectl_create(self.pod("simple"), "--dry-run=server")
        self.assertEqual(said, "")
        self.assertEqual([each["name"] for each in made["spec"]["initContainers"]], ["queue-proxy"])
        self.assertEqual(self.sidecar(made)["image"], IMAGE, "that of the policy, which comes first")
        self.assertEqual(self.reviews(running)["injected"], before["injected"])
        made, said = self.kubectl_create(self.pod("other", container=EXEC), "--dry-run=server")
        self.assertEqual(said, "")
        self.assertEqual([each["name"] for each in made["spec"]["initContainers"]], ["queue-proxy"])
        self.assertNotEqual(self.sidecar(made)["image"], IMAGE, "that of the webhook")
        self.assertEqual(self.reviews(running)["injected"], before["injected"] + 1)

    def test_another_policy_that_adds_containers_does_not_bring_a_second_one(self):
        mesh, binding = self.printed()[0], self.printed()[1]
        mesh["metadata"]["name"] = binding["spec"]["policyName"] = binding["metadata"]["name"] = "zz-mesh"
        mesh["spec"]["variables"] = []
        mesh["spec"]["matchConditions"] = [{"name": "once", "expression": 'object.spec.containers.all(c, c.name != "mesh")'}]
        mesh["spec"]["mutations"] = [{"patchType": "JSONPatch", "jsonPatch": {"expression": (
            '[JSONPatch{op: "add", path: "/spec/containers/-", '
            'value: Object.spec.containers{name: "mesh", image: "example/mesh:1"}}]')}}]
        self.install_ours(self.namespace)
        self.install(self.namespace, [mesh, binding])
        def names():
            spec = self.made(self.pod("shop"))["spec"]
            return [each["name"] for each in spec["containers"] + spec["initContainers"]]
        until(lambda: "mesh" in names(), "the other policy is in force")
        self.assertEqual(names(), ["app", "mesh", "queue-proxy"])

    def test_pods_of_a_deployment_have_its_name(self):
        self.install_ours(self.namespace)
        self.api.create("Deployment", self.namespace, {
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
            "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}},
                     "template": {"metadata": {"labels": {"app": "web", LABEL: "enabled"}}, "spec": {"containers": [APP]}}}})
        def pods():
            return self.api.list("Pod", self.namespace, "app=web")
        until(lambda: len(pods()) == 2, "two pods are made")
        for pod in pods():
            self.assertIn("--user-port=8080", self.sidecar(pod)["args"])
            self.assertIn("--revision=$(SERVING_NAMESPACE)/web", self.sidecar(pod)["args"])
            self.assertEqual(pod["metadata"]["labels"]["bellows.dev/revision"], "web")


class ANamespace(OnItsOwnControlPlane, Injecting):
    """The policy is for the whole cluster here, as in docs/inject.md."""

    def setUp(self):
        shared = self.shared_plane()
        self.addCleanup(shared.api.close)
        skip_without(self, shared)
        super().setUp()

    def commands(self):
        """Those of the page, as they are written."""
        with open(os.path.join(ROOT, "docs/inject.md")) as page:
            block = next(each for each in page.read().split("```") if each.startswith("\nbellows inject --policy"))
        return block.strip().splitlines()

    def test_that_is_labelled_has_its_pods_injected(self):
        self.api.create("Namespace", None, {"metadata": {"name": "shop"}})
        self.api.create("Deployment", "shop", {
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
            "spec": {"selector": {"matchLabels": {"app": "web"}},
                     "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [APP]}}}})
        until(lambda: self.api.list("Pod", "shop", "app=web"), "the first pod is made")
        path = os.pathsep.join([os.path.dirname(program("bellows")), os.path.dirname(self.plane.env["KUBECTL"]), os.environ["PATH"]])
        for command in self.commands():
            subprocess.run(["bash", "-o", "pipefail", "-c", command], env={**os.environ, "PATH": path, "KUBECONFIG": self.plane.kubeconfig},
                           stdin=subprocess.DEVNULL, capture_output=True, timeout=600, check=True)
        def pods():
            return self.api.list("Pod", "shop", "app=web")
        until(lambda: len(pods()) == 2, "the rollout makes a second pod")
        self.assertEqual(sorted(self.sidecar(pod) is not None for pod in pods()), [False, True])
