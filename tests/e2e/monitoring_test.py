"""deploy/monitoring in a real Prometheus, against a running Bellows; tests/kubernetes/metrics_test.py is that of a cluster."""

import json
import os
import re
import shutil
import subprocess
import textwrap
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

OF_WEB = 'namespace="shop",revision="web",service="web"'
# The same for those that a cluster alone has.
CLUSTER_CASES = [
    ("BellowsNobodyOrders", {'bellows_autoscaler_takes_orders{instance="b"}': "0x20"}, 3),
    ("BellowsNoActivator", {'bellows_autoscaler_takes_orders{instance="b"}': "1x20"}, 3),
    ("BellowsProgramRestarts", {'process_start_time_seconds{instance="b"}': "1 2 3 4x17", 'bellows_build_info{instance="b"}': "1x20"}, 4),
    ("BellowsStartsTakeLong", {f'bellows_autoscaler_starting_pods{{instance="a",{OF_WEB}}}': "1x20",
                               f'bellows_autoscaler_starting_pods{{instance="b",{OF_WEB}}}': "1x20",
                               'bellows_autoscaler_takes_orders{instance="a"}': "0x20",
                               'bellows_autoscaler_takes_orders{instance="b"}': "1x20"}, 16),
    ("BellowsReplicasUnreachable", {f'bellows_activator_unreachable_replicas{{instance="c",{OF_WEB}}}': "2x20",
                                    f'bellows_activator_unreachable_replicas{{instance="d",{OF_WEB}}}': "0x20"}, 2),
    ("BellowsPortsNotOpened", {'bellows_activator_revision_ports{instance="c",state="failed"}': "1x20"}, 6),
    ("BellowsOrdersRejected", {'bellows_autoscaler_scale_rejected_total{instance="b"}': "0+1x20"}, 10),
    ("BellowsApiCallsFail", {'bellows_kubernetes_calls_total{verb="patch",resource="revisions.bellows.dev/status",result="403"}': "0+6x30",
                             'bellows_kubernetes_calls_total{verb="patch",resource="deployments.apps/scale",result="200"}': "0+6x30"}, 14),
    ("BellowsListsFail", {'bellows_kubernetes_failing_seconds{kind="pods"}': "0+60x20"}, 4),
    ("BellowsObjectsRejected", {'bellows_kubernetes_rejected_objects_total{kind="pods"}': "0 0 1x18"}, 4),
    ("BellowsStatsRefused", {'bellows_autoscaler_stats_refused_total{reason="token"}': "0+6x30",
                             'bellows_autoscaler_stats_refused_total{reason="unlisted"}': "0x30"}, 12),
    ("BellowsStatsDoNotArrive", {'bellows_queue_proxy_autoscaler_connected{instance="e"}': "0x20",
                                 'bellows_queue_proxy_autoscaler_connected{instance="f"}': "1x20"}, 11),
    ("BellowsPodsNotInjected", {'bellows_injector_reviews_total{result="refused"}': "0 0 1x18",
                                'bellows_injector_reviews_total{result="injected"}': "0+9x20"}, 4),
]


def read(name):
    with open(os.path.join(FOLDER, name)) as f:
        return f.read()


def cluster_rules():
    """The groups of prometheus-rule.yaml as a file of rules."""
    return textwrap.dedent(read("prometheus-rule.yaml").split("\nspec:\n")[1])


def expressions(text):
    """{alert: expression} of a file of rules, on one line."""
    found = re.findall(r"(?m)^ *- alert: (\w+)\n *expr: ((?:.*\n)+?) *(?:for|labels):", text)
    return {alert: " ".join(expression.removeprefix("|").split()) for alert, expression in found}


def documented():
    """Names that docs/metrics.md has; `_memory_bytes` beside a name replaces its last words."""
    with open(os.path.join(ROOT, "docs/metrics.md")) as f:
        page = f.read()
    names = set(METRIC.findall(page))
    for what in ("target", "lower_bound", "upper_bound", "uncapped_target"):
        names |= {f"bellows_recommender_{what}_{unit}" for unit in ("cpu_cores", "memory_bytes")}
    return names


def panels():
    """(title, expressions) of each panel of the board, for everything that Prometheus has."""
    for panel in json.loads(read("grafana-board.json"))["panels"]:
        if panel["type"] != "row":
            texts = [target["expr"].replace("$__rate_interval", "1m") for target in panel["targets"]]
            yield panel["title"], [re.sub(r"\$(instance|namespace|service)", ".*", text) for text in texts]


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

        seldom = {"Recommended size of a replica", "Retries and ejections a second", "Room on the machine",
                  "Calls of the API server that fail", "Replicas that activators cannot reach"}
        for title, queries in panels():
            if title in seldom:
                for expression in queries:
                    self.query(port, expression)
            else:
                until(lambda: any([self.query(port, each) for each in queries]), f"something is in the panel {title}")
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
        for file in ("alerts.yaml", "prometheus-rule.yaml", "grafana-board.json"):
            used = {without_suffix(name) for name in METRIC.findall(read(file))}
            self.assertEqual(used - names, set(), file)
        self.assert_clean_exit(running)

    def test_each_alert_fires_when_it_should(self):
        self.assertEqual(expressions(read("alerts.yaml")).keys(), {alert for alert, _, _ in CASES})
        self.check_alerts(read("alerts.yaml"), CASES)

    def test_alerts_of_a_cluster_are_those_of_a_machine_and_more(self):
        machine, cluster = expressions(read("alerts.yaml")), expressions(cluster_rules())
        both = machine.keys() & cluster.keys()
        self.assertEqual({alert: cluster[alert] for alert in both}, {alert: machine[alert].replace("instance, ", "") for alert in both})
        self.assertEqual(machine.keys() - both, {"BellowsDown", "BellowsMachineFull"})
        self.assertEqual(cluster.keys() - both, {alert for alert, _, _ in CLUSTER_CASES})

    def test_each_alert_of_a_cluster_fires_when_it_should(self):
        both = expressions(cluster_rules()).keys()
        self.check_alerts(cluster_rules(), CLUSTER_CASES + [case for case in CASES if case[0] in both])

    def check_alerts(self, rules, cases):
        """promtool: each alert fires once, at its minute; one that waits does not yet fire in the first."""
        groups = []
        for alert, series, minute in cases:
            groups.append({"interval": "1m",
                           "input_series": [{"series": name, "values": values} for name, values in series.items()],
                           "promql_expr_test": [{"expr": f'count(ALERTS{{alertname="{alert}",alertstate="firing"}})', "eval_time": f"{minute}m",
                                                 "exp_samples": [{"labels": "{}", "value": 1}]},
                                                {"expr": f'ALERTS{{alertname="{alert}",alertstate="firing"}}', "eval_time": "0m",
                                                 "exp_samples": []}]})
        folder = self.folder()
        with open(os.path.join(folder, "alerts.yaml"), "w") as f:
            f.write(rules)
        with open(os.path.join(folder, "test.yaml"), "w") as f:
            json.dump({"rule_files": ["alerts.yaml"], "evaluation_interval": "1m", "tests": groups}, f)
        done = subprocess.run([unpacked("prometheus", "promtool"), "test", "rules", "test.yaml"], cwd=folder, capture_output=True, text=True,
                              timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
