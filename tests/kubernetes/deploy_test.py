"""The files of deploy/: each is applied, and the autoscaler runs under its own account with exactly the rights it needs."""

import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "architecture"))

import chart_test  # noqa: E402
from activators import StandInActivators, own_address
from cluster_harness import (ACCOUNT, DEPLOY, Late, OnCluster, OnItsOwnControlPlane, QUICK, for_server, get, on_each_node, program,
                             until, whole)
from owners_test import SCALED_OBJECTS
from usage_test import METRICS_API

SYSTEM = "bellows-system"
USER = f"system:serviceaccount:{SYSTEM}:{ACCOUNT}"
ROLE = "bellows-autoscaler"
KINDS_OF_TARGETS = ("Deployment", "StatefulSet", "ReplicaSet")
INJECTED = [{"name": "app", "image": "example/app:1"},
            {"name": "queue-proxy", "image": "example/queue-proxy:1", "ports": [{"name": "http", "containerPort": 8012}]}]
DELETION_COST_SINCE = 22  # the minor version from which pods may be patched at a scale-down


def without(rules, group, resource, verb):
    """The rules without one verb on one resource."""
    kept = []
    for rule in rules:
        for resource_kept in rule["resources"]:
            verbs = [v for v in rule["verbs"] if (rule["apiGroups"][0], resource_kept, v) != (group, resource, verb)]
            if verbs:
                names = {"resourceNames": rule["resourceNames"]} if "resourceNames" in rule else {}
                kept.append({"apiGroups": rule["apiGroups"], "resources": [resource_kept], "verbs": verbs, **names})
    return kept


class Files(OnCluster):
    def setUp(self):
        super().setUp()
        self.deploy = for_server(self.plane.minor)
        self.addCleanup(shutil.rmtree, self.deploy)

    def test_are_accepted_by_the_server_one_by_one(self):
        files = sorted(glob.glob(os.path.join(self.deploy, "*.yaml")))
        self.assertGreater(len(files), 4)
        self.plane.apply(os.path.join(self.deploy, "namespace.yaml"))
        for file in files:
            if not file.endswith("kustomization.yaml"):
                self.assertRegex(self.plane.kubectl("apply", "-f", file), "(created|configured|unchanged)")

    def test_are_all_listed_in_the_kustomization(self):
        listed = self.plane.kubectl("kustomize", self.deploy)
        for file in glob.glob(os.path.join(self.deploy, "*.yaml")):
            if file.endswith("kustomization.yaml"):
                continue
            for item in self.plane.kubectl("create", "--dry-run=client", "-o", "name", "-f", file).split():
                self.assertIn(f"name: {item.split('/')[-1]}", listed, f"{file} is not in kustomization.yaml")
        self.assertRegex(self.plane.kubectl("apply", "-k", self.deploy), "deployment.apps/bellows-activator")

    def test_with_an_activator_on_each_node_are_accepted(self):
        if self.plane.minor < 23:
            self.skipTest(f"1.{self.plane.minor} has no maxSurge of a DaemonSet; that component is for 1.23")
        overlay = tempfile.mkdtemp(prefix="overlay-")
        self.addCleanup(shutil.rmtree, overlay)
        on_each_node(overlay)
        usual = self.applied("-k", self.deploy)
        self.addCleanup(self.plane.kubectl, "apply", "-k", self.deploy)
        special = self.applied("-k", overlay)
        self.addCleanup(self.plane.kubectl, "-n", SYSTEM, "delete", "daemonset", "bellows-activator")
        activators, pods = special.pop(("DaemonSet", "bellows-activator")), usual.pop(("Deployment", "bellows-activator"))
        self.assertEqual(activators["spec"]["updateStrategy"]["rollingUpdate"], {"maxUnavailable": 0, "maxSurge": 1})
        self.assertEqual(activators["spec"]["selector"], pods["spec"]["selector"])
        pods = pods["spec"]["template"]
        del pods["spec"]["affinity"]
        pods["spec"]["tolerations"] = [{"operator": "Exists"}]
        self.assertEqual(activators["spec"]["template"], pods, "the pods are those of the Deployment")
        autoscaler = usual[("Deployment", "bellows-autoscaler")]["spec"]["template"]["spec"]["containers"][0]
        autoscaler["args"].append("--activators-on-each-node=true")
        for each in usual:
            self.assertEqual(special[each].get("spec"), usual[each].get("spec"), each)
        self.assertEqual(set(special), set(usual))

    def test_of_the_chart_are_accepted(self):
        """What deploy/chart makes for this server, but for objects of operators that it does not have."""
        self.plane.apply(os.path.join(self.deploy, "namespace.yaml"))
        limited = {"enabled": self.plane.minor >= 22, "apiServer": [{"ipBlock": {"cidr": "192.0.2.1/32"}}],
                   "namespaces": [{"name": self.namespace, "otherPorts": "open"}]}
        everything = {"activator": {"onEachNode": self.plane.minor >= 23}, "networkPolicies": limited,
                      "injection": {"mode": "both" if self.plane.minor >= 36 else "webhook", "limits": {"cpu": "1"}},
                      "monitoring": {"scrapeAnnotations": True, "dashboard": True}, "image": {"pullPolicy": "Always", "pullSecrets": ["key"]},
                      "pods": {"nodeSelector": {"kind": "infra"}, "priorityClassName": "system-cluster-critical"}}
        for values in ({}, everything):
            made = chart_test.objects(values, kubernetes=f"v1.{self.plane.minor}.2")
            items = [item for item in made.values() if item["kind"] not in ("Certificate", "Issuer")]
            with open(os.path.join(self.folder(), "chart.json"), "w") as file:
                json.dump({"apiVersion": "v1", "kind": "List", "items": items}, file)
            said = self.plane.kubectl("apply", "--dry-run=server", "-f", file.name)
            self.assertEqual(len(said.splitlines()), len(items), said)

    def applied(self, *where):
        """{(kind, name): object} as the server has it after `kubectl apply` of that."""
        items = json.loads(self.plane.kubectl("apply", "-o", "json", *where))["items"]
        return {(item["kind"], item["metadata"]["name"]): item for item in items}

    def test_name_the_images_by_this_version_and_nobodys_registry(self):
        for name in ("autoscaler", "activator"):
            version = subprocess.run([program(name), "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
            with open(os.path.join(DEPLOY, f"{name}.yaml")) as file:
                images = [line.split("image:")[1].strip() for line in file if "image:" in line]
            self.assertEqual(images, [f"localhost/bellows/{name}:{version}"])

    def test_start_the_programs_with_flags_that_they_have(self):
        self.plane.kubectl("apply", "-k", self.deploy)
        for name, admin in (("autoscaler", "listen"), ("activator", "admin")):
            deployment = self.api.get("Deployment", SYSTEM, f"bellows-{name}")
            container = deployment["spec"]["template"]["spec"]["containers"][0]
            arguments = [word for word in container["args"] if not word.startswith("--listen")]
            arguments += [f"--{flag}=127.0.0.1:0" for flag in {"listen", admin}]
            running = self.start(program(name), *arguments, env={"KUBECONFIG": self.plane.kubeconfig})
            line = running.wait_for("listening")
            port = int(line.get("admin", line["address"]).rsplit(":", 1)[1])
            for probe in ("readinessProbe", "livenessProbe"):
                path = container[probe]["httpGet"]["path"]
                until(lambda path=path, port=port: get(port, path).status == 200, f"{path} of {name} answers")


class UnderItsAccount(OnItsOwnControlPlane):
    def setUp(self):
        super().setUp()
        for file in ("namespace.yaml", "service-account.yaml", "rbac.yaml"):
            self.plane.apply(os.path.join(DEPLOY, file))
        self.account = self.plane.kubeconfig_of_account(SYSTEM, ACCOUNT, os.path.join(self.plane.work, "account"))
        self.start_node()

    def requests(self, since=0):
        """[((group, resource, verb), name, code)] of the account's requests from the audit log's entry `since` on."""
        found = []
        for entry in self.plane.audit()[since:]:
            reference = entry.get("objectRef")
            if entry["user"]["username"] != USER or not reference:
                continue
            resource = reference["resource"] + ("/" + reference["subresource"] if "subresource" in reference else "")
            code = entry.get("responseStatus", {}).get("code")  # None: a watch that goes on
            found.append(((reference.get("apiGroup", ""), resource, entry["verb"]), reference.get("name"), code))
        return found

    def answers(self, since=0):
        """{(group, resource, verb): codes} of these requests."""
        found = {}
        for right, _, code in self.requests(since):
            found.setdefault(right, set()).add(code)
        return found


class OfTheChart(OnItsOwnControlPlane):
    """Both programs under the accounts and with the flags that the chart gives them."""

    def start_as_installed(self, made, system, name, *instead):
        """Starts a program with its flags of the chart; those in `instead` have other values here, or none."""
        account = self.plane.kubeconfig_of_account(system, f"bellows-{name}", os.path.join(self.plane.work, name))
        container = made[("Deployment", system, f"bellows-{name}")]["spec"]["template"]["spec"]["containers"][0]
        others = [flag.split("=")[0] for flag in instead]
        kept = [flag for flag in container["args"] if flag.split("=")[0] not in others]
        return self.start(program(name), "--kubeconfig", account, *kept, *(flag for flag in instead if not flag.endswith("=")))

    def use(self, plane):
        super().use(plane)
        self.start_node()
        self.service(target="http")
        self.deployment(replicas=1, annotations={**QUICK, "bellows.dev/min-scale": "2"}, containers=INJECTED)

    def check(self, values, system):
        made = chart_test.objects(values, kubernetes=f"v1.{self.plane.minor}.2")
        items = sorted(made.values(), key=lambda item: item["kind"] != "Namespace")  # Helm has the order
        self.plane.apply_object({"apiVersion": "v1", "kind": "List", "items": items})
        scaler = self.start_as_installed(made, system, "autoscaler", "--listen=127.0.0.1:0")
        port = int(scaler.wait_for("listening")["address"].rsplit(":", 1)[1])
        activator = self.start_as_installed(made, system, "activator", "--listen=127.0.0.1:0", "--admin=127.0.0.1:0", "--stats-token-file=",
                                            f"--autoscaler=ws://127.0.0.1:{port}/v1/stats")
        admin = int(activator.wait_for("listening")["admin"].rsplit(":", 1)[1])
        for running, where in ((scaler, port), (activator, admin)):
            until(lambda where=where: get(where, "/readyz").status == 200, Late(lambda running=running: f"it is ready:\n{running.text()}"))
        self.wait_replicas(2)
        self.wait_condition("Ready", "True")
        refused = [(entry["user"]["username"], entry["requestURI"]) for entry in self.plane.audit()
                   if entry.get("responseStatus", {}).get("code") == 403 and ":bellows-" in entry["user"]["username"]]
        self.assertEqual(refused, [])

    def test_in_one_namespace_alone_scale(self):
        self.check({"watchNamespace": self.namespace}, SYSTEM)

    def test_in_a_namespace_of_another_name_scale(self):
        self.check({"namespace": {"name": "scaling"}}, "scaling")


class Rights(UnderItsAccount):
    """Each verb on each resource is taken away once; the program must be refused by the server for exactly that. Where the server
    serves initial events in watches, nothing is ever listed, so it is told not to: `list` is for servers that do not."""

    def setUp(self):
        if self.shared_plane().has_feature_gate("WatchList"):
            self.apiserver_flags = "--feature-gates=WatchList=false"
        super().setUp()
        self.plane.apply_object(SCALED_OBJECTS)
        self.rules = self.api.get("ClusterRole", None, ROLE)["rules"]
        self.plane.apply_object(METRICS_API)
        until(lambda: self.served("ScaledObject") and self.served("PodMetrics"), "the stand-ins of KEDA and metrics-server are served")
        if own_address() is None:
            self.skipTest("this machine has no address but loopback ones")
        self.activators = StandInActivators(self.api, SYSTEM, ports=200, revisions_in=self.namespace)
        self.addCleanup(self.activators.close)

    def served(self, kind):
        try:
            return self.api.list(kind, self.namespace) is not None
        except Exception:  # noqa: BLE001: not yet
            return False

    def set_rules(self, rules):
        self.api.patch("ClusterRole", None, ROLE, {"rules": rules})

    def make_targets(self, tag):
        """One target of each kind, and one that is adopted; each wants another number than it has."""
        for kind in KINDS_OF_TARGETS:
            name = f"{kind.lower()}-{tag}"
            item = {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name},
                    "spec": {"replicas": 1, "selector": {"matchLabels": {"app": name}},
                             "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": INJECTED}}}}
            if kind == "StatefulSet":
                item["spec"]["serviceName"] = name
            self.api.create(kind, self.namespace, item)
            self.service(name, target="http")
            target = {"apiVersion": "apps/v1", "kind": kind, "name": name}
            self.api.create("Revision", self.namespace, {
                "apiVersion": "bellows.dev/v1alpha1", "kind": "Revision", "metadata": {"name": name},
                "spec": {"scaleTargetRef": target, "scaling": {"minScale": 2}}})
        self.service(f"adopted-{tag}", target="http")
        self.deployment(f"adopted-{tag}", replicas=1, annotations={**QUICK, "bellows.dev/min-scale": "2"}, containers=INJECTED)

    def release(self, tag):
        self.api.patch("Deployment", self.namespace, f"adopted-{tag}", {"metadata": {"labels": {"bellows.dev/autoscale": None}}})

    def remove_targets(self, tag):
        for kind in KINDS_OF_TARGETS:
            self.api.delete("Revision", self.namespace, f"{kind.lower()}-{tag}")
            self.api.delete(kind, self.namespace, f"{kind.lower()}-{tag}")
            self.api.delete("Service", self.namespace, f"{kind.lower()}-{tag}")
        self.api.delete("Service", self.namespace, f"adopted-{tag}")
        self.api.delete("Revision", self.namespace, f"adopted-{tag}")
        self.api.delete("Deployment", self.namespace, f"adopted-{tag}")

    def use_everything(self, tag, enough):
        """Runs the autoscaler over targets of every kind until `enough` says so; returns what the server answered."""
        since = len(self.plane.audit())
        self.make_targets(tag)
        running = self.autoscaler(*self.activators.flags(settle="0s"), kubeconfig=self.account, namespace=False)
        released = False
        def done():
            nonlocal released
            adopted = self.api.get("Deployment", self.namespace, f"adopted-{tag}")
            if not released and adopted["spec"]["replicas"] == 2:
                self.release(tag)
                released = True
            self.set_back(tag)
            return enough(self.answers(since))
        try:
            until(done, Late(lambda: f"every right is used; not {self.unused(since)}:\n{running.text()}"))
            running.signal(signal.SIGTERM)
            self.assertEqual(running.end(), 0, running.text())
        finally:
            running.close()
            self.remove_targets(tag)
        return self.answers(since)

    def unused(self, since):
        used = self.answers(since)
        return [right for right in self.granted() if right not in used]

    def set_back(self, tag):
        """Another program sets the number back: who it is can be read from the target only."""
        for kind in KINDS_OF_TARGETS:
            name = f"{kind.lower()}-{tag}"
            if self.api.get(kind, self.namespace, name)["spec"]["replicas"] == 2:
                self.api.patch(kind, self.namespace, name, {"spec": {"replicas": 1}}, manager="gitops")

    def granted(self):
        return [(rule["apiGroups"][0], resource, verb)
                for rule in self.rules for resource in rule["resources"] for verb in rule["verbs"]]

    def test_are_enough_and_none_is_surplus(self):
        granted = self.granted()
        used = self.use_everything("all", lambda answers: all(right in answers for right in granted)
                                   or self.refused(answers))
        self.assertEqual(self.refused(used), [], "the server refused what deploy/rbac.yaml does not grant")
        print()
        for number, (group, resource, verb) in enumerate(granted):
            self.set_rules(without(self.rules, group, resource, verb))
            right = (group, resource, verb)
            answers = self.use_everything(f"n{number}", lambda answers, right=right: 403 in answers.get(right, ()))
            self.assertEqual(self.refused(answers), [right])
            print(f"  without {verb:7} {resource + ('.' + group if group else ''):40} 403")
        self.set_rules(self.rules)

    def test_that_are_missing_are_named_by_bellows_check(self):
        def denied():
            items = json.loads(self.bellows("check", "-o", "json", code=1))["items"]
            return [item["text"].removeprefix("it may not ") for item in items
                    if item["name"].startswith("rights of") and item["result"] == "failed"]
        self.assertEqual(denied(), [])
        self.set_rules([])
        named = [f"{verb} {resource.split('/')[0]}{'.' + group if group else ''}{'/scale' if '/scale' in resource else ''}"
                 f"{'/status' if '/status' in resource else ''}" for group, resource, verb in self.granted()]
        until(lambda: sorted(denied()) == sorted(named), Late(lambda: f"{sorted(denied())} is {sorted(named)}"))

    @staticmethod
    def refused(answers):
        return sorted(right for right, codes in answers.items() if 403 in codes)


class TheRightToMarkPods(UnderItsAccount):
    """Before a scale-down, where the server looks at the mark: those pods end, and no others."""

    RIGHT = ("", "pods", "patch")

    def scale_down(self, before, after):
        """Returns the names of the pods that ended, and {code: names of pods} of the attempts to mark one."""
        self.service(target="http")
        self.deployment(replicas=before, containers=INJECTED, annotations={
            **QUICK, "bellows.dev/target": "10", "bellows.dev/min-scale": str(after), "bellows.dev/max-scale": str(before)})
        running = self.ready_autoscaler("--activator-service", "none", kubeconfig=self.account, namespace=False)
        pods = until(lambda: len(self.pods()) == before and self.pods(), f"{before} pods are ready")
        self.sender(running).set(f"{self.namespace}/web", pods, 0)
        self.wait_replicas(after)
        until(lambda: len(self.pods()) == after, f"{after} pods are left")
        marks = {}
        for right, name, code in self.requests():
            if right == self.RIGHT:
                marks.setdefault(code, set()).add(name)
        return set(pods) - set(self.pods()), marks

    def test_is_used_for_the_pods_that_end_where_the_server_has_the_cost(self):
        ended, marks = self.scale_down(before=5, after=2)
        self.assertEqual(len(ended), 3)
        self.assertEqual(marks, {200: ended} if self.plane.minor >= DELETION_COST_SINCE else {})

    def test_may_be_missing_and_the_server_chooses(self):
        self.api.delete("ClusterRoleBinding", None, f"{ROLE}-deletion-cost")
        ended, marks = self.scale_down(before=4, after=2)
        self.assertEqual(len(ended), 2)
        self.assertEqual(set(marks), {403} if self.plane.minor >= DELETION_COST_SINCE else set())


class WithoutItsNamespace(UnderItsAccount):
    """`kubectl delete namespace bellows-system`: its controller waits for 5 s and deletes the accounts, from 1.33 on the pods first."""

    def setUp(self):
        super().setUp()
        if own_address() is None:
            self.skipTest("this machine has no address but loopback ones")
        activators = StandInActivators(self.api, SYSTEM, revisions_in=self.namespace)
        self.addCleanup(activators.close)
        for name, replicas, containers in (("zero", 0, INJECTED), ("one", 1, INJECTED)):
            self.service(name, target="http")
            self.deployment(name, replicas=replicas, containers=containers,
                            annotations={**QUICK, "bellows.dev/initial-scale": str(replicas), "bellows.dev/target-burst-capacity": "-1"})
        self.running = self.ready_autoscaler(*activators.flags(settle="0s"), kubeconfig=self.account, namespace=False)
        for name in ("zero", "one"):
            until(lambda name=name: self.named_in_path(name), Late(lambda: f"an activator is in the path:\n{self.running.text()[-3000:]}"))

    def slice_of(self, name):
        return self.api.get("EndpointSlice", self.namespace, f"{name}-bellows")

    def named_in_path(self, name):
        endpoints = (self.slice_of(name) or {}).get("endpoints") or []
        return [each["targetRef"]["name"] for each in endpoints if each["conditions"]["ready"]]

    def test_no_path_names_an_activator_and_nothing_stays_at_zero(self):
        self.api.delete("Namespace", None, SYSTEM)
        until(lambda: not self.slice_of("zero") and not self.slice_of("one"), Late(
            lambda: f"no slice is left: {self.named_in_path('zero')} {self.named_in_path('one')}\n{self.running.text()[-3000:]}"))
        self.assertEqual(self.replicas("zero"), 1)
        until(lambda: self.pods("zero"), "its pod is ready")


class DeletedAtOnce(OnItsOwnControlPlane):
    """`kubectl delete -f deploy/bellows.yaml`: the account and its rights go within moments. kubectl 1.20 takes a second for that,
    a newer one a fifth of a second, in which a busy machine may not come to order every start."""

    NUMBER = 30

    def setUp(self):
        super().setUp()
        self.whole = whole(self.plane.minor)
        self.plane.apply(self.whole)
        account = self.plane.kubeconfig_of_account(SYSTEM, ACCOUNT, os.path.join(self.plane.work, "account"))
        self.names = [f"web-{number}" for number in range(self.NUMBER)]
        for name in self.names:
            self.deployment(name, replicas=0, annotations={"bellows.dev/initial-scale": "0"})
        self.running = self.ready_autoscaler("--activator-service", "none", kubeconfig=account, namespace=False)
        for name in self.names:
            self.wait_condition("Active", "False", name)

    def at_zero(self):
        return [name for name in self.names if not self.replicas(name)]

    def refused(self):
        """Those for which the autoscaler says that its right was gone before its order."""
        said = [json.loads(line) for line in self.running.text().splitlines() if "403 Forbidden" in line]
        return {line["revision"].split("/")[1] for line in said if line["event"].endswith("stays at zero")}

    def test_all_start_when_the_definition_goes(self):
        self.plane.kubectl("delete", "-f", os.path.join(DEPLOY, "crd.yaml"), "--wait=false")
        until(lambda: not self.at_zero(), Late(lambda: f"all start, not {self.at_zero()}:\n{self.running.text()[-3000:]}"))

    def test_each_starts_or_is_named_when_all_goes(self):
        # What is in the namespace may be gone with it before kubectl comes to it.
        self.plane.kubectl("delete", "-f", self.whole, "--wait=false", "--ignore-not-found")
        until(lambda: set(self.at_zero()) <= self.refused(), Late(
            lambda: f"each starts or is named, not {set(self.at_zero()) - self.refused()}:\n{self.running.text()[-3000:]}"))
        print(f"  {self.NUMBER - len(self.at_zero())} of {self.NUMBER} have started")

    def test_the_file_has_the_definition_first_and_the_rights_of_the_autoscaler_last(self):
        """kubectl deletes in the order of the file."""
        def objects(file):
            return self.plane.kubectl("create", "--dry-run=client", "-o", "name", "-f", file).split()
        pieces = for_server(self.plane.minor)
        self.addCleanup(shutil.rmtree, pieces)
        ordered = objects(self.whole)
        rights = [each for name in ("service-account.yaml", "rbac.yaml") for each in objects(os.path.join(pieces, name))]
        self.assertEqual(ordered[:1], objects(os.path.join(pieces, "crd.yaml")))
        self.assertEqual(ordered[-len(rights):], rights)


if __name__ == "__main__":
    unittest.main()
