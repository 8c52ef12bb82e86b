"""`bellows inject` and `bellows uninject`: manifests in; manifests, a difference or a report out."""

import http.server
import json
import os
import subprocess
import tempfile
import threading
import unittest

from harness import DEADLINE, program

DEPLOYMENT = """\
# the shop
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
spec:
  replicas: 3 # as many as in May
  template:
    metadata:
      labels:
        app: shop
    spec:
      containers:
      - name: app
        image: shop:1
        ports:
        - name: http
          containerPort: 8080
        # ready when warm
        readinessProbe:
          httpGet: {path: /up, port: http}
"""

SERVICE = """\
apiVersion: v1
kind: Service
metadata:
  name: shop
spec:
  selector: {app: shop}
  ports:
  - port: 80
    targetPort: 8080
"""

JOB = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: once}\n"


class Server:
    """An API server of one version, as far as `inject` asks it."""

    def __init__(self, minor):
        pages = {"/version": {"major": "1", "minor": minor, "gitVersion": f"v1.{minor}.0"},
                 "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []}}

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = json.dumps(pages[self.path]).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class InjectTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="bellows-inject-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
        return path

    def run_bellows(self, *words, stdin="", code=0, variables=None):
        done = subprocess.run([program("bellows"), *words], input=stdin, capture_output=True, text=True,
                              timeout=DEADLINE, check=False, env=os.environ | (variables or {}))
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_a_file_is_injected_and_restored_exactly(self):
        path = self.write("shop.yaml", DEPLOYMENT + "---\n" + SERVICE)
        done = self.run_bellows("inject", path)
        self.assertIn("image: localhost/bellows/queue-proxy:", done.stdout)
        self.assertIn("replicas: 3 # as many as in May\n", done.stdout)
        self.assertIn("    targetPort: http\n", done.stdout)
        self.assertIn(f"{path}:2: deployment/shop: injected: ", done.stderr)
        self.assertIn("service/shop: injected: target port 8080 is http now", done.stderr)
        restored = self.run_bellows("uninject", "-", stdin=done.stdout)
        self.assertEqual(restored.stdout, DEPLOYMENT + "---\n" + SERVICE)
        self.assertIn("standard input:2: deployment/shop: restored", restored.stderr)

    def test_a_second_run_prints_what_it_read(self):
        once = self.run_bellows("inject", "-", stdin=DEPLOYMENT).stdout
        self.assertEqual(self.run_bellows("inject", "-", stdin=once).stdout, once)

    def test_a_folder_is_read_in_order_and_printed_as_one_stream(self):
        self.write("app/b.yaml", SERVICE)
        self.write("app/a.yml", DEPLOYMENT)
        self.write("app/more/c.json", json.dumps({"kind": "ConfigMap", "apiVersion": "v1"}))
        self.write("app/kustomization.yaml", "resources: [a.yml]\n")
        self.write("app/README.md", "not a manifest\n")
        done = self.run_bellows("inject", os.path.join(self.folder, "app"))
        self.assertTrue(done.stdout.startswith("# the shop\n"), done.stdout)
        self.assertEqual(done.stdout.count("\n---\n"), 2)
        self.assertTrue(done.stdout.endswith('---\n{"kind": "ConfigMap", "apiVersion": "v1"}'), done.stdout)
        self.assertIn("targetPort: http", done.stdout)
        self.assertNotIn("resources: [a.yml]", done.stdout)

    def test_a_policy_has_the_settings_of_the_flags(self):
        done = self.run_bellows("inject", "--policy", "--image", "example/qp:7", "--limits", "cpu=1")
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout.count("kind: MutatingAdmissionPolicy\n"), 1)
        self.assertEqual(done.stdout.count("kind: MutatingAdmissionPolicyBinding\n"), 2)
        self.assertIn('image: "example/qp:7"', done.stdout)
        self.assertIn('"cpu": "1000m"', done.stdout)
        self.assertIn('"--user-port=" + string(variables.port),', done.stdout)
        self.assertNotIn("{{", done.stdout, "every name is filled in")
        for more in ("shop.yaml", "--only=shop", "--native-sidecar=false"):
            self.run_bellows("inject", "--policy", more, code=2)

    def test_the_policy_of_deploy_is_that_of_the_command(self):
        with open(os.path.join(os.path.dirname(__file__), "../../deploy/injection-policy/policy.yaml")) as file:
            self.assertEqual(file.read(), self.run_bellows("inject", "--policy").stdout,
                             "renew it with: bellows inject --policy >deploy/injection-policy/policy.yaml")

    def test_json_stays_json(self):
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "shop"},
               "spec": {"containers": [{"name": "app", "ports": [{"containerPort": 8080}],
                                        "readinessProbe": {"tcpSocket": {"port": 8080}}}]}}
        for indent in (None, 2):
            text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [pod]}, indent=indent)
            once = self.run_bellows("inject", "-", stdin=text).stdout
            item = json.loads(once)["items"][0]
            self.assertEqual([c["name"] for c in item["spec"]["containers"]], ["app", "queue-proxy"])
            self.assertEqual(item["metadata"]["labels"], {"bellows.dev/revision": "shop"})
            self.assertNotIn("readinessProbe", item["spec"]["containers"][0])
            self.assertEqual(self.run_bellows("uninject", "-", stdin=once).stdout, text)

    def test_a_difference_can_be_applied_and_nothing_else_is_printed(self):
        path = self.write("shop.yaml", DEPLOYMENT)
        diff = self.run_bellows("inject", path, "--diff").stdout
        self.assertTrue(diff.startswith(f"--- {path}:1\n+++ {path}:1\n@@ "), diff)
        self.assertIn("\n-        # ready when warm\n", diff)
        self.assertIn("\n+      - name: queue-proxy\n", diff)
        self.assertNotIn("\n replicas", diff)

    def test_a_dry_run_prints_the_report_only(self):
        done = self.run_bellows("inject", "--dry-run", "-", stdin=DEPLOYMENT)
        self.assertEqual(done.stdout, "")
        self.assertIn("deployment/shop: injected", done.stderr)

    def test_uninjected_workloads_are_not_printed(self):
        text = DEPLOYMENT.replace("name: http", "name: https") + "---\n" + JOB
        done = self.run_bellows("inject", "-", stdin=text)
        self.assertEqual(done.stdout, text)
        self.assertIn("deployment/shop: skipped: port: 8080 (https) speaks TLS", done.stderr)
        text = text.replace("metadata:\n", "metadata:\n  annotations: {inject.bellows.dev/inject: enabled}\n", 1)
        done = self.run_bellows("inject", "-", stdin=text, code=1)
        self.assertEqual(done.stdout, "")
        self.assertIn("deployment/shop: refused: port: 8080 (https) speaks TLS", done.stderr)
        self.assertIn("job/once: skipped: ", done.stderr)
        self.assertIn("nothing is printed", done.stderr)
        going = self.run_bellows("inject", "-", "--keep-going", stdin=text, code=1)
        self.assertEqual(going.stdout, text)
        self.assertNotIn("nothing is printed", going.stderr)
        self.assertEqual(self.run_bellows("inject", "-", stdin=JOB).stdout, JOB)

    def test_a_pipe_ends_without_input_if_something_was_refused(self):
        """`inject | kubectl apply -f -` has the exit code of kubectl, which fails on nothing."""
        asked = DEPLOYMENT.replace("metadata:\n", "metadata:\n  annotations: {inject.bellows.dev/inject: enabled}\n", 1)
        path = self.write("shop.yaml", asked.replace("name: http", "name: https"))
        done = subprocess.run(["sh", "-c", f"{program('bellows')} inject {path} 2>/dev/null | grep -q ."], check=False,
                              timeout=DEADLINE)
        self.assertEqual(done.returncode, 1)

    def test_only_workloads_with_http_are_injected(self):
        redis = DEPLOYMENT.replace("shop", "redis").replace("name: http", "name: tcp-redis")
        done = self.run_bellows("inject", "-", stdin=DEPLOYMENT + "---\n" + redis)
        self.assertIn("deployment/shop: injected", done.stderr)
        self.assertIn("deployment/redis: skipped: port: 8080 (tcp-redis) does not speak HTTP", done.stderr)
        self.assertTrue(done.stdout.endswith(redis))
        named = self.run_bellows("inject", "-", "--only=redis", stdin=DEPLOYMENT + "---\n" + redis, code=1)
        self.assertIn("deployment/redis: refused: port: 8080 (tcp-redis) does not speak HTTP", named.stderr)
        only = self.run_bellows("inject", "-", "--only=deployment/shop", stdin=DEPLOYMENT + "---\n" + redis)
        self.assertIn("deployment/redis: skipped: --only and --selector do not mean it", only.stderr)
        none = self.run_bellows("inject", "-", "--selector=tier=web", stdin=DEPLOYMENT, code=1)
        self.assertIn("--selector: no workload of the input has these labels", none.stderr)

    def test_json_objects_in_a_row_are_read_as_kubectl_reads_them(self):
        objects = [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
                    "spec": {"containers": [{"name": "app", "ports": [{"containerPort": 8080}]}]}} for name in "ab"]
        for between in ("\n", "", " \n\n"):
            with self.subTest(between):
                text = between.join(map(json.dumps, objects))
                once = self.run_bellows("inject", "-", stdin=text).stdout
                first, end = json.JSONDecoder().raw_decode(once)
                second = json.loads(once[end:])
                for item in (first, second):
                    self.assertEqual([c["name"] for c in item["spec"]["containers"]], ["app", "queue-proxy"])
                self.assertEqual(self.run_bellows("uninject", "-", stdin=once).stdout, text)
        both = self.run_bellows("inject", self.write("a.json", json.dumps(objects[0])), self.write("b.yaml", SERVICE)).stdout
        self.assertTrue(both.startswith("---\n{"), "kubectl takes a stream that begins with a bracket as JSON to its end")

    def test_the_image_comes_from_a_flag_a_variable_or_a_file(self):
        file = self.write("image", "registry.example/qp@sha256:1\n")
        for words, variables, image in [
            ((), {}, "localhost/bellows/queue-proxy:"),
            ((), {"BELLOWS_IMAGE": "registry.example/qp:2"}, "registry.example/qp:2\n"),
            (("--image=registry.example/qp:3",), {"BELLOWS_IMAGE": "registry.example/qp:2"}, "registry.example/qp:3\n"),
            (("--image-file", file), {}, "registry.example/qp@sha256:1\n"),
            ((), {"BELLOWS_IMAGE_FILE": file, "BELLOWS_PORT": "tcp://10.0.0.1:80"}, "registry.example/qp@sha256:1\n"),
        ]:
            with self.subTest(words=words, variables=variables):
                done = self.run_bellows("inject", "-", *words, stdin=DEPLOYMENT, variables=variables)
                self.assertIn(f"        image: {image}", done.stdout.replace('"', ""))
        empty = self.write("empty", "\n")
        self.assertIn("want an image as the first line",
                      self.run_bellows("inject", "-", "--image-file", empty, stdin=DEPLOYMENT, code=1).stderr)
        for words, variables, said in [
            ((), {"BELLOWS_IMAGE": "bad image:x y"}, 'BELLOWS_IMAGE: "bad image:x y": want an image'),
            (("--image=",), {}, '--image: "": want an image'),
            (("--image-file=",), {}, '--image-file: "": want a FILE'),
        ]:
            with self.subTest(words=words, variables=variables):
                done = self.run_bellows("inject", "-", *words, stdin=DEPLOYMENT, variables=variables, code=2)
                self.assertIn(said, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_requests_and_limits_are_flags(self):
        done = self.run_bellows("inject", "-", "--requests=cpu=50m", "--limits", "cpu=250m,memory=64Mi", stdin=DEPLOYMENT)
        self.assertIn('            cpu: "50m"\n            memory: "16Mi"\n', done.stdout)
        self.assertIn('            cpu: "250m"\n            memory: "64Mi"\n', done.stdout)

    def test_flags_decide_image_autoscaler_and_kind_of_sidecar(self):
        done = self.run_bellows("inject", "-", "--image", "registry.example/qp:7", "--autoscaler", "",
                                "--native-sidecar=true", stdin=DEPLOYMENT)
        self.assertIn("image: registry.example/qp:7\n        restartPolicy: Always\n", done.stdout)
        self.assertIn("initContainers:\n", done.stdout)
        self.assertNotIn("--autoscaler", done.stdout)
        kept = self.run_bellows("inject", "-", "--services=keep", stdin=DEPLOYMENT + "---\n" + SERVICE)
        self.assertIn("targetPort: 8080\n", kept.stdout)
        self.assertIn("warning: service/shop: target port 8080 bypasses the queue-proxy", kept.stderr)

    def test_what_cannot_be_read_is_named_and_nothing_is_printed(self):
        broken = self.write("broken.yaml", "a: 1\na: 2\n")
        good = self.write("good.yaml", DEPLOYMENT)
        circle = os.path.join(self.folder, "links", "circle.yaml")
        os.mkdir(os.path.dirname(circle))
        os.symlink("circle.yaml", circle)
        for words, code, says in [
            (["inject", good, broken], 1, f"{broken}:2: the key \"a\" is there already"),
            (["inject", os.path.join(self.folder, "none.yaml")], 1, "none.yaml"),
            (["inject"], 2, "want FILE, FOLDER or - (standard input)"),
            (["inject", os.path.dirname(circle)], 1, f"{circle}: cannot read the file: Too many levels of symbolic links"),
            (["inject", "-", "-"], 2, "want - (standard input) once"),
            (["inject", "-", "--image-file=-"], 2, "want - (standard input) once"),
            (["inject", good, "--limits=cpu"], 2, "--limits: \"cpu\": want amounts above 0: cpu=AMOUNT, memory=AMOUNT or both"),
            (["inject", good, "--selector=a in (b)"], 2, "--selector: \"a in (b)\": want KEY=VALUE"),
            (["inject", good, "--native-sidecar=maybe"], 2, "--native-sidecar: \"maybe\""),
            (["inject", good, "--autoscaler=http://a"], 2, "--autoscaler: \"http://a\": want ws://HOST:PORT"),
        ]:
            with self.subTest(words):
                done = self.run_bellows(*words, code=code)
                self.assertEqual(done.stdout, "")
                self.assertIn(says, done.stderr)
        empty = os.path.join(self.folder, "empty")
        os.mkdir(empty)
        self.assertIn("it has no .yaml, .yml or .json file", self.run_bellows("inject", empty, code=1).stderr)

    def test_the_queue_proxy_accepts_its_flags(self):
        once = self.run_bellows("inject", "-", stdin=DEPLOYMENT).stdout
        flags = [line.split("- ", 1)[1].strip("\"'") for line in once.splitlines() if '- "--' in line or "- '--" in line]
        self.assertGreater(len(flags), 5)
        done = subprocess.run([program("queue-proxy"), *flags, "--user-port=0"], capture_output=True, text=True,
                              timeout=DEADLINE, check=False, env={"SERVING_POD": "shop-1"})
        # The one problem is the port that this test adds.
        self.assertEqual(done.returncode, 2)
        self.assertIn("--user-port", done.stderr)
        self.assertEqual(done.stderr.count("want"), 1, done.stderr)

    def kubeconfig(self, server):
        return self.write("kubeconfig", json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {"server": server}}], "users": [{"name": "u", "user": {}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}))

    def test_the_named_cluster_decides_on_native_sidecars(self):
        for minor, is_native in [("20", False), ("28", False), ("29+", True), ("36", True)]:
            with self.subTest(minor):
                server = Server(minor)
                self.addCleanup(server.close)
                done = self.run_bellows("inject", "-", "--kubeconfig", self.kubeconfig(server.url), stdin=DEPLOYMENT)
                self.assertEqual("restartPolicy: Always" in done.stdout, is_native)
                told = self.run_bellows("inject", "-", "--native-sidecar=false", "--kubeconfig",
                                        self.kubeconfig(server.url), stdin=DEPLOYMENT)
                self.assertNotIn("restartPolicy: Always", told.stdout)

    def test_a_cluster_that_does_not_answer_is_a_failure(self):
        server = Server("29")
        server.close()
        done = self.run_bellows("inject", "-", "--kubeconfig", self.kubeconfig(server.url), stdin=DEPLOYMENT, code=1)
        self.assertEqual(done.stdout, "")
        self.assertIn(server.url.removeprefix("http://"), done.stderr)
        none = self.run_bellows("inject", "-", "--context", "other", "--kubeconfig", self.kubeconfig(server.url),
                                stdin=DEPLOYMENT, code=1)
        self.assertIn("other", none.stderr)
