"""deploy/monitoring of a cluster: a real Prometheus loads its alerts and its board, and the programs have every series that they name."""

import json
import os
import ssl
import urllib.parse
import urllib.request

from cluster_harness import QUICK, get, program, until
from harness import free_port, unpacked
from injector_test import Injecting
from monitoring_test import METRIC, cluster_rules, panels, read, without_suffix

# Named by alerts or panels, and shown once it has happened.
SELDOM = {"bellows_activator_cold_start_seconds", "bellows_activator_ejections_total", "bellows_activator_retries_total",
          "bellows_activator_requests_total", "bellows_activator_request_duration_seconds", "bellows_activator_queue_seconds",
          "bellows_activator_ejected_replicas", "bellows_activator_unreachable_replicas", "bellows_kubernetes_failing_seconds",
          "bellows_recommender_target_memory_bytes", "bellows_machine_memory_bytes"}  # the last two: on one machine


class Metrics(Injecting):
    def setUp(self):
        super().setUp()
        if not unpacked("prometheus", "prometheus"):
            self.skipTest("no prometheus, neither in build/deps (tools/setup --tests) nor in PATH")
        self.start_node()
        self.service()
        self.deployment(replicas=1, annotations=QUICK)
        self.autoscaler_ = self.ready_autoscaler()
        self.activator = self.start(
            program("activator"), "--kubeconfig", self.plane.kubeconfig, "--namespace", self.namespace, "--listen", "127.0.0.1:0",
            "--admin", "127.0.0.1:0", "--autoscaler", f"ws://127.0.0.1:{self.autoscaler_.port}/v1/stats", "--log-format", "json")
        self.activator.port = int(self.activator.wait_for("listening")["admin"].rsplit(":", 1)[1])
        self.webhook_ = self.injector()
        self.proxy_port = free_port()
        self.start(program("queue-proxy"), env={
            "USER_PORT": "1", "QUEUE_SERVING_PORT": "0", "BELLOWS_ADMIN_PORT": str(self.proxy_port), "BELLOWS_LISTEN_HOST": "127.0.0.1",
            "SERVING_REVISION": "web", "SERVING_POD": "web-1", "BELLOWS_LOG_FORMAT": "json",
            "BELLOWS_AUTOSCALER": f"ws://127.0.0.1:{self.autoscaler_.port}/v1/stats"})
        until(self.proxy_answers, "the queue-proxy has its metrics")

    def proxy_answers(self):
        try:
            return get(self.proxy_port, "/metrics").status == 200
        except OSError:
            return False

    def pages(self):
        """/metrics of each program."""
        for port in (self.autoscaler_.port, self.activator.port, self.proxy_port):
            yield get(port, "/metrics").body
        context = ssl.create_default_context(cafile=self.files[0])
        with urllib.request.urlopen(f"https://127.0.0.1:{self.webhook_.port}/metrics", context=context, timeout=30) as page:
            yield page.read().decode()

    def test_has_every_series_that_alerts_and_board_name(self):
        used = {without_suffix(name) for file in ("prometheus-rule.yaml", "grafana-board.json") for name in METRIC.findall(read(file))}
        until(lambda: "bellows_autoscaler_desired_pods{" in get(self.autoscaler_.port, "/metrics").body, "a decision is counted")
        shown = {without_suffix(line.split()[2]) for page in self.pages() for line in page.splitlines() if line.startswith("# HELP ")}
        self.assertEqual(used - shown - SELDOM, set())
        self.assertEqual(SELDOM & shown, set(), "is shown always")
        self.assertEqual(SELDOM - used, set(), "is not named")

    def query(self, expression):
        return self.ask("query?" + urllib.parse.urlencode({"query": expression}))["result"]

    def ask(self, path):
        answer = json.loads(get(self.prometheus, f"/api/v1/{path}").body)
        self.assertEqual(answer["status"], "success", path)
        return answer["data"]

    def start_prometheus(self):
        folder = self.folder()
        with open(os.path.join(folder, "rules.yaml"), "w") as file:
            file.write(cluster_rules())
        http = [f"127.0.0.1:{port}" for port in (self.autoscaler_.port, self.activator.port, self.proxy_port)]
        scrape = [{"job_name": "pods", "honor_labels": True, "static_configs": [{"targets": http}]},
                  {"job_name": "injector", "scheme": "https", "tls_config": {"insecure_skip_verify": True},
                   "static_configs": [{"targets": [f"127.0.0.1:{self.webhook_.port}"]}]}]
        with open(os.path.join(folder, "prometheus.yaml"), "w") as file:
            json.dump({"global": {"scrape_interval": "1s", "evaluation_interval": "1s"}, "rule_files": ["rules.yaml"],
                       "scrape_configs": scrape}, file)
        self.prometheus = free_port()
        self.start(unpacked("prometheus", "prometheus"), "--config.file=prometheus.yaml", "--storage.tsdb.path=data",
                   f"--web.listen-address=127.0.0.1:{self.prometheus}", cwd=folder)

    def all_are_scraped(self):
        try:
            return len(self.query("up == 1")) == 4
        except (OSError, ValueError):  # it does not listen yet, or says that it is not ready
            return False

    def test_are_loaded_by_a_prometheus_which_finds_nothing_wrong(self):
        self.start_prometheus()
        until(self.all_are_scraped, "all programs are scraped")
        until(lambda: all(rule["health"] == "ok" for group in self.ask("rules")["groups"] for rule in group["rules"]),
              "every alert is evaluated")
        for title, queries in panels():
            for expression in queries:
                self.query(expression)
            if title in ("Replicas", "Autoscalers and activators", "Stats that are rejected", "Starts that failed"):
                until(lambda: any([self.query(each) for each in queries]), f"something is in the panel {title}")
        firing = {alert["labels"]["alertname"] for alert in self.ask("alerts")["alerts"] if alert["state"] == "firing"}
        self.assertEqual(firing, set(), "a healthy Bellows raises no alert")
