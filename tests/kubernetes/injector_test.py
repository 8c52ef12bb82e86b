"""`injector serve` as a webhook of a real API server: pods come with a queue-proxy."""

import base64
import http.client
import json
import os
import signal
import ssl
import subprocess

from cluster_harness import DEPLOY, OnCluster, program, until

LABEL = "inject.bellows.dev/inject"
NATIVE_SINCE = 29
APP = {"name": "app", "image": "example/app:1", "ports": [{"name": "http", "containerPort": 8080}]}


class Injecting(OnCluster):
    def certificate(self, folder, name):
        """A certificate of its own for 127.0.0.1, as two files."""
        files = [os.path.join(folder, f"{name}.{end}") for end in ("crt", "key")]
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                        "-subj", "/CN=injector", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", files[1], "-out", files[0]],
                       capture_output=True, timeout=600, check=True)
        return files

    def injector(self, *flags):
        """Starts it under an account that nobody gave a right; returns it with its port."""
        folder = self.folder()
        self.files = self.certificate(folder, "tls")
        account = self.plane.kubeconfig_of_account(self.namespace, "default", os.path.join(folder, "account"))
        running = self.start(program("injector"), "serve", "--listen", "127.0.0.1:0", "--tls-certificate", self.files[0],
                             "--tls-key", self.files[1], "--kubeconfig", account, "--log-format", "json", *flags)
        running.port = int(running.wait_for("listening")["address"].rsplit(":", 1)[1])
        running.wait_for("API server")
        return running

    def webhook(self, port, namespace=None):
        """That of deploy/injector, for one namespace, at a port of this machine."""
        namespace = namespace or self.namespace
        self.api.patch("Namespace", None, namespace, {"metadata": {"labels": {"injecting": namespace}}})
        file = os.path.join(DEPLOY, "injector", "webhook.yaml")
        item = json.loads(self.plane.kubectl("create", "--dry-run=client", "-o", "json", "-f", file))
        item["metadata"]["name"] = f"injecting-{namespace}"
        with open(self.files[0], "rb") as certificate:
            bundle = base64.b64encode(certificate.read()).decode()
        for each in item["webhooks"]:
            each["clientConfig"] = {"url": f"https://127.0.0.1:{port}/pods", "caBundle": bundle}
            chosen = each.setdefault("namespaceSelector", {}).setdefault("matchLabels", {})
            chosen["injecting"] = namespace
        self.plane.apply_object(item)
        self.addCleanup(self.plane.kubectl, "delete", "mutatingwebhookconfiguration", item["metadata"]["name"])

    def pod(self, name, label="enabled", container=None, **spec):
        labels = {"app": "shop", **({LABEL: label} if label else {})}
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": self.namespace, "labels": labels},
                "spec": {"containers": [container or APP], **spec}}

    def kubectl_create(self, item, *flags):
        """What `kubectl create` made, and what it said."""
        command = [self.plane.env["KUBECTL"], "--kubeconfig", self.plane.kubeconfig, "create", "-o", "json", "-f", "-", *flags]
        done = subprocess.run(command, input=json.dumps(item), capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout), done.stderr

    def sidecar(self, pod):
        """The queue-proxy of a pod, in whichever list it is; None: there is none."""
        native = self.plane.minor >= NATIVE_SINCE
        found = [c for c in pod["spec"].get("initContainers" if native else "containers", []) if c["name"] == "queue-proxy"]
        return found[0] if found else None

    def reviews(self, running):
        """How many questions had which result."""
        context = ssl.create_default_context(cafile=self.files[0])
        connection = http.client.HTTPSConnection("127.0.0.1", running.port, context=context, timeout=30)
        connection.request("GET", "/metrics")
        lines = connection.getresponse().read().decode().splitlines()
        connection.close()
        prefix = 'bellows_injector_reviews_total{result="'
        return {line[len(prefix):].split('"')[0]: int(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(prefix)}


class Webhook(Injecting):
    def test_pods_come_injected_as_their_labels_say(self):
        running = self.injector()
        self.webhook(running.port)
        def is_called():
            made, _ = self.kubectl_create(self.pod("probe"), "--dry-run=server")
            return self.sidecar(made)
        until(is_called, "the API server calls the webhook")
        before = self.reviews(running)
        made, said = self.kubectl_create(self.pod("labelled"))
        self.assertEqual(said, "")
        self.assertIn("--user-port=8080", self.sidecar(made)["args"])
        self.assertEqual(made["metadata"]["labels"]["bellows.dev/revision"], "labelled")
        self.assertEqual(made["spec"]["containers"][0]["ports"][0]["name"], "user-port")
        plain, _ = self.kubectl_create(self.pod("plain", label=None))
        self.assertIsNone(self.sidecar(plain))
        self.assertEqual(self.reviews(running)["injected"], before["injected"] + 1, "nobody asks about a pod without the label")
        database, said = self.kubectl_create(self.pod("database", container={**APP, "ports": [{"name": "redis", "containerPort": 6379}]}))
        self.assertIsNone(self.sidecar(database))
        self.assertIn("Warning: bellows: not injected: port: 6379 (redis) does not speak HTTP (port name redis)", said)
        self.api.patch("Namespace", None, self.namespace, {"metadata": {"labels": {LABEL: "enabled"}}})
        def namespace_counts():
            return self.sidecar(self.kubectl_create(self.pod("again", label=None), "--dry-run=server")[0])
        until(namespace_counts, "a label of the namespace is enough")
        without, _ = self.kubectl_create(self.pod("without", label="disabled"))
        self.assertIsNone(self.sidecar(without))

    def test_pods_of_a_deployment_have_its_name_and_go_on_without_the_webhook(self):
        running = self.injector()
        self.webhook(running.port)
        until(lambda: self.sidecar(self.kubectl_create(self.pod("probe"), "--dry-run=server")[0]), "the webhook is called")
        self.api.create("Deployment", self.namespace, {
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
            "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}},
                     "template": {"metadata": {"labels": {"app": "web", LABEL: "enabled"}}, "spec": {"containers": [APP]}}}})
        def pods():
            return self.api.list("Pod", self.namespace, "app=web")
        until(lambda: len(pods()) == 2, "two pods are made")
        for pod in pods():
            self.assertIsNotNone(self.sidecar(pod), pod["metadata"]["name"])
            self.assertEqual(pod["metadata"]["labels"]["bellows.dev/revision"], "web")
        running.signal(signal.SIGKILL)
        running.end()
        plain, _ = self.kubectl_create(self.pod("late"))
        self.assertIsNone(self.sidecar(plain), "without an answer a pod is made unchanged")

    def test_the_manifests_are_accepted_and_have_flags_of_the_program(self):
        self.plane.apply(os.path.join(DEPLOY, "namespace.yaml"))
        folder = os.path.join(DEPLOY, "injector")
        for file in ("injector.yaml", "webhook.yaml"):
            self.plane.kubectl("apply", "--dry-run=server", "-f", os.path.join(folder, file))
        made = self.plane.kubectl("apply", "--dry-run=client", "-o", "json", "-f", os.path.join(folder, "injector.yaml"))
        container = next(i for i in json.loads(made)["items"] if i["kind"] == "Deployment")["spec"]["template"]["spec"]["containers"][0]
        self.assertEqual(container["args"][0], "serve")
        flags = [flag for flag in container["args"][1:] if not flag.startswith(("--tls-", "--log-format"))]
        running = self.injector(*flags)
        webhook = http.client.HTTPSConnection("127.0.0.1", running.port, timeout=30,
                                              context=ssl.create_default_context(cafile=self.files[0]))
        self.addCleanup(webhook.close)
        for probe in ("readinessProbe", "livenessProbe"):
            self.assertEqual(container[probe]["httpGet"]["scheme"], "HTTPS")
            webhook.request("GET", container[probe]["httpGet"]["path"])
            response = webhook.getresponse()
            self.assertEqual(response.status, 200, response.read())
            response.read()
        listed = self.plane.kubectl("kustomize", folder)
        self.assertEqual(listed.count("\nkind: "), 6)

    def test_a_renewed_certificate_is_served(self):
        running = self.injector()
        first = ssl.get_server_certificate(("127.0.0.1", running.port))
        renewed = self.certificate(self.folder(), "next")
        for new, old in zip(reversed(renewed), reversed(self.files)):
            os.replace(new, old)
        until(lambda: ssl.get_server_certificate(("127.0.0.1", running.port)) != first, "the new certificate is served")
