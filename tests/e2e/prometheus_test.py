"""recommender serve with a real Prometheus, unpacked by tools/setup."""

import json
import os
import subprocess
import time

from harness import DEADLINE, EndToEnd, free_port, get, program, unpacked, until

LABELS = 'job="kubernetes-cadvisor",namespace="shop",pod_name="web-5d8f9c7b6d-x2x9z",name="app"'


def history(end, hours):
    """OpenMetrics of one container: 0.1 cores and 300 MiB, every five minutes."""
    lines = ["# TYPE container_cpu_usage_seconds counter"]
    times = range(end - hours * 3600, end, 300)
    lines += [f"container_cpu_usage_seconds_total{{{LABELS}}} {0.1 * (t - times[0]):.1f} {t}" for t in times]
    lines.append("# TYPE container_memory_working_set_bytes gauge")
    lines += [f"container_memory_working_set_bytes{{{LABELS}}} {300 << 20} {t}" for t in times]
    return "\n".join([*lines, "# EOF\n"])


class FromPrometheus(EndToEnd):
    def prometheus(self):
        """A Prometheus with one day of one container; returns its port."""
        if not unpacked("prometheus", "prometheus") or not unpacked("prometheus", "promtool"):
            self.skipTest("no prometheus and promtool, neither in build/deps (tools/setup --tests) nor in PATH")
        folder = self.folder()
        with open(os.path.join(folder, "history.txt"), "w") as f:
            f.write(history(int(time.time()) - 60, 24))
        with open(os.path.join(folder, "prometheus.yml"), "w") as f:
            f.write("global: {}\n")
        subprocess.run([unpacked("prometheus", "promtool"), "tsdb", "create-blocks-from", "openmetrics", "history.txt", "data"], cwd=folder,
                       check=True, capture_output=True, timeout=DEADLINE)
        port = free_port()
        server = self.start(unpacked("prometheus", "prometheus"), "--config.file=prometheus.yml", "--storage.tsdb.path=data",
                            f"--web.listen-address=127.0.0.1:{port}", "--storage.tsdb.retention.time=30d", cwd=folder)
        until(lambda: self.is_ready(port), "Prometheus is ready")
        return server, port

    @staticmethod
    def is_ready(port):
        try:
            return get(port, "/-/ready").status == 200
        except OSError:
            return False

    def recommender(self, prometheus_port, *more):
        running = self.start(program("recommender"), "serve", "--listen", "127.0.0.1:0", "--log-format", "json",
                             "--prometheus-address", f"127.0.0.1:{prometheus_port}", "--usage-interval", "1s",
                             "--prometheus-timeout", "2s", "--recommender-interval", "200ms", *more)
        running.admin = int(running.wait_for("listening")["address"].rsplit(":", 1)[1])
        return running

    @staticmethod
    def said(running):
        return json.loads(get(running.admin, "/v1/recommendations").body)

    def test_a_day_of_history_gives_vpas_recommendation(self):
        server, port = self.prometheus()
        running = self.recommender(port, "--policy", "vpa", "--shadow-policies", "hybrid")
        until(lambda: any(r.get("target") for r in self.said(running)["recommendations"]), "a target")
        found = next(r for r in self.said(running)["recommendations"] if not r["shadow"])
        self.assertEqual((found["workload"], found["container"], found["policy"]), ("shop/web", "app", "vpa"))
        # VPA's arithmetic: a tenth of a core is in the bucket that ends at 0.11027, with 15 % margin 126m.
        self.assertEqual(found["target"]["cpu_millicores"], 126)
        self.assertGreater(found["target"]["memory_bytes"], 300 << 20)

        explained = subprocess.run([program("recommender"), "explain", "web-5d8f9c7b6d-x2x9z/app", "--admin",
                                    f"127.0.0.1:{running.admin}"], capture_output=True, text=True, timeout=DEADLINE,
                                   check=False)
        self.assertEqual(explained.returncode, 0, explained.stderr)
        self.assertIn("126m", explained.stdout)

        server.process.terminate()
        server.end()
        source = until(lambda: self.said(running)["sources"][0].get("trouble"), "the source is named")
        self.assertIn(f"prometheus 127.0.0.1:{port}", source)
        self.assertEqual(next(r for r in self.said(running)["recommendations"] if not r["shadow"])["target"],
                         found["target"])
        self.assertIn("bellows_recommender_source_up", get(running.admin, "/metrics").body)
        running.process.terminate()
        self.assertEqual(running.end(), 0)

    def test_a_missing_prometheus_is_reported_and_nothing_else_stops(self):
        running = self.recommender(free_port())
        running.wait_for("usage source not responding")
        self.assertEqual(self.said(running)["recommendations"], [])
        self.assertEqual(get(running.admin, "/readyz").status, 200)
        running.process.terminate()
        self.assertEqual(running.end(), 0)
