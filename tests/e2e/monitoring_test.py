"""deploy/monitoring in a real Prometheus, against a running Bellows."""

import json
import os
import re
import shutil
import subprocess
import urllib.parse

from harness import DEADLINE, EndToEnd, LoadGenerator, free_port, get, unpacked, until

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
FOLDER = os.path.join(ROOT, "deploy/monitoring")
METRIC = re.compile(r"\b(bellows_[a-z_]+)\b")

# Alert, what the metrics said every minute for twenty minutes, and when it fires.
CASES = [
    ("BellowsDown", {'up{job="bellows",instance="a"}': "0x20"}, 2),
    ("BellowsNoReplicaReady", {'bellows_autoscaler_desired_pods{revision="web-00001",service="web"}': "2x20",
                               'bellows_autoscaler_actual_pods{revision="web-00001",service="web"}': "0x20"}, 2),
    ("BellowsStartsFail", {'bellows_autoscaler_failed_starts{revision="web-00001",service="web"}': "0 0 0 3x17"}, 4),
    ("BellowsRequestsFail", {'bellows_activator_requests_total{revision="web-00001",service="web",code_class="5xx"}': "0+60x20",
                             'bellows_activator_requests_total{revision="web-00001",service="web",code_class="2xx"}': "0+600x20"}, 12),
    ("BellowsCallersWait", {'bellows_activator_queue_seconds_bucket{revision="web-00001",service="web",le="10"}': "0+0x20",
                            'bellows_activator_queue_seconds_bucket{revision="web-00001",service="web",le="30"}': "0+60x20",
                            'bellows_activator_queue_seconds_bucket{revision="web-00001",service="web",le="+Inf"}': "0+60x20",
                            'bellows_activator_queue_seconds_count{revision="web-00001",service="web"}': "0+60x20"}, 12),
    ("BellowsAtMaxScale", {'bellows_autoscaler_decisions_total{revision="web-00001",service="web",reason="max-scale"}': "0+30x20",
                           'bellows_autoscaler_waiting_requests{revision="web-00001",service="web"}': "9x20"}, 12),
    ("BellowsMachineFull", {'bellows_machine_more_replicas{revision="web-00001",service="web"}': "0x20",
                            'bellows_autoscaler_waiting_requests{revision="web-00001",service="web"}': "9x20"}, 6),
    ("BellowsPanicLasts", {'bellows_autoscaler_panic_mode{revision="web-00001",service="web"}': "1x20"}, 16),
    ("BellowsReplicasEjected", {'bellows_activator_ejected_replicas{revision="web-00001",service="web"}': "1x20"}, 6),
    ("BellowsConnectionsNotAccepted", {"bellows_activator_accept_failures_total": "0+5x20"}, 6),
]


def read(name):
    with open(os.path.join(FOLDER, name)) as f:
        return f.read()


def documented():
    """Names that docs/metrics.md has; `_memory_bytes` beside a name replaces its last words."""
    with open(os.path.join(ROOT, "docs/metrics.md")) as f:
        page = f.read()
    names = set(METRIC.findall(page))
    for what in ("target", "lower_bound", "upper_bound", "uncapped_target"):
        names |= {f"bellows_recommender_{what}_{unit}" for unit in ("cpu_cores", "memory_bytes")}
    return names


def without_suffix(name):
    return re.sub(r"_(bucket|sum|count)$", "", name)


class Monitoring(EndToEnd):
    def setUp(self):
        for name in ("prometheus", "promtool"):
            if not unpacked("prometheus", name):
                self.skipTest(f"no {name}, neither in build/deps (tools/setup --tests) nor in PATH")

    def query(self, port, expression):
        answer = json.loads(get(port, "/api/v1/query?" + urllib.parse.urlencode({"query": expression})).body)
        self.assertEqual(answer["status"], "success", expression)
        return answer["data"]["result"]

    def test_board_and_alerts_are_loaded_and_find_their_metrics(self):
        running = self.run_bellows("--recommend", "--", *self.sample())
        folder = self.folder()
        shutil.copy(os.path.join(FOLDER, "alerts.yaml"), folder)
        with open(os.path.join(folder, "prometheus.yaml"), "w") as f:
            f.write(read("prometheus.yaml").replace("127.0.0.1:8081", f"127.0.0.1:{running.admin}").replace("5s", "1s"))
        port = free_port()
        self.start(unpacked("prometheus", "prometheus"), "--config.file=prometheus.yaml", "--storage.tsdb.path=data",
                   f"--web.listen-address=127.0.0.1:{port}", cwd=folder)
        load = LoadGenerator(running.port, 4)

        def is_scraped():
            try:
                return self.query(port, 'rate(bellows_activator_requests_total{code_class="2xx"}[5m]) > 0')
            except (OSError, ValueError):  # it does not listen yet, or says that it is not ready
                return False
        until(is_scraped, "Prometheus has the load of the service")
        rules = json.loads(get(port, "/api/v1/rules").body)["data"]["groups"]
        # A rule that has not been evaluated yet is "unknown".
        until(lambda: all(rule["health"] == "ok" for group in json.loads(get(port, "/api/v1/rules").body)["data"]["groups"]
                          for rule in group["rules"]), "every alert is evaluated")
        self.assertEqual({rule["name"] for group in rules for rule in group["rules"]}, {alert for alert, _, _ in CASES})
        firing = [alert["labels"] for alert in json.loads(get(port, "/api/v1/alerts").body)["data"]["alerts"] if alert["state"] == "firing"]
        self.assertEqual(firing, [], "a healthy Bellows raises no alert")

        seldom = {"Recommended size of a replica", "Retries and ejections a second", "Room on the machine"}
        for panel in json.loads(read("grafana-board.json"))["panels"]:
            expressions = [target["expr"].replace("$__rate_interval", "1m").replace("$instance", ".*").replace("$service", ".*")
                           for target in panel["targets"]]
            if panel["title"] in seldom:
                for expression in expressions:
                    self.query(port, expression)
            else:
                until(lambda: any([self.query(port, each) for each in expressions]), f"something is in the panel {panel['title']}")
        load.stop()
        self.assertEqual(load.failures, [])
        self.assert_clean_exit(running)

    def test_every_metric_is_documented_and_no_other_is_named(self):
        running = self.run_bellows("--recommend", "--", *self.sample())
        self.assertEqual(get(running.port).status, 200)
        until(lambda: "bellows_activator_cold_start_seconds" in get(running.admin, "/metrics").body, "the cold start is counted")
        shown = {without_suffix(name) for name in re.findall(r"(?m)^# HELP (\S+)", get(running.admin, "/metrics").body)}
        names = documented()
        self.assertEqual({name for name in shown if name.startswith("bellows_")} - names, set())
        for file in ("alerts.yaml", "grafana-board.json"):
            used = {without_suffix(name) for name in METRIC.findall(read(file))}
            self.assertEqual(used - names, set(), file)
        self.assert_clean_exit(running)

    def test_each_alert_fires_when_it_should(self):
        groups = []
        for alert, series, minute in CASES:
            groups.append({"interval": "1m",
                           "input_series": [{"series": name, "values": values} for name, values in series.items()],
                           "promql_expr_test": [{"expr": f'count(ALERTS{{alertname="{alert}",alertstate="firing"}})', "eval_time": f"{minute}m",
                                                 "exp_samples": [{"labels": "{}", "value": 1}]}]})
        folder = self.folder()
        shutil.copy(os.path.join(FOLDER, "alerts.yaml"), folder)
        with open(os.path.join(folder, "test.yaml"), "w") as f:
            json.dump({"rule_files": ["alerts.yaml"], "evaluation_interval": "1m", "tests": groups}, f)
        done = subprocess.run([unpacked("prometheus", "promtool"), "test", "rules", "test.yaml"], cwd=folder, capture_output=True, text=True,
                              timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
