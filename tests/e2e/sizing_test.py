"""bellows run --recommend: replicas that are measured, sized, killed for memory, and sized again."""

import glob
import json
import os
import signal
import subprocess
import time

from harness import DEADLINE, EndToEnd, get, program, until
from revisions_test import Services

# Serves HTTP; /grow allocates memory up to GROW_MIB.
GROWING = """
import http.server, os
held = []
peak = int(os.environ["GROW_MIB"])
step = int(os.environ.get("STEP_MIB", "16"))
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/grow":
            while len(held) * step < peak:
                held.append(bytearray(os.urandom(1 << 20) * step))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"%d MiB held\\n" % (len(held) * step))
    def log_message(self, *arguments):
        pass
http.server.HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Page).serve_forever()
"""

# Small sizes are recommended soon, so that a test takes seconds.
SMALL = ["--recommender-interval", "500ms", "--usage-interval", "500ms", "--min-scale", "1",
         "--recommender-pod-recommendation-min-memory-mb", "16"]


def why_no_groups():
    """Why no control group with a memory limit can be created here; empty if it can."""
    try:
        with open("/proc/self/cgroup") as f:
            paths = dict((c, p) for _, cs, p in (l.strip().split(":", 2) for l in f) for c in cs.split(","))
        if "memory" not in paths:
            return "no cgroup of version 1 with the memory controller; version 2 is tested on a folder"
        probe = f"/sys/fs/cgroup/memory{paths['memory'].rstrip('/')}/bellows-e2e-probe-{os.getpid()}"
        os.mkdir(probe)
        os.rmdir(probe)
        probe = f"/sys/fs/cgroup/cpu{paths.get('cpu', '/').rstrip('/')}/bellows-e2e-probe-{os.getpid()}"
        os.mkdir(probe)
        os.rmdir(probe)
    except OSError as error:
        return f"no control groups can be made here: {error}"
    return ""


def groups_of(pid):
    """The control groups of this run of Bellows in every hierarchy."""
    return [d for d in glob.glob(f"/sys/fs/cgroup/**/bellows-{pid}-*", recursive=True) if os.path.isdir(d)]


class Sizing(EndToEnd):
    def write(self, text):
        path = os.path.join(self.folder(), "app.py")
        with open(path, "w") as f:
            f.write(text)
        return path

    def resources(self, bellows):
        return self.status(bellows).get("resources", {})

    def first_size(self, bellows):
        replicas = self.status(bellows)["replicas"]
        return replicas[0].get("size", {}) if replicas else {}

    def need_groups(self):
        why = why_no_groups()
        if why:
            self.skipTest(why)

    def test_advice_needs_no_privileges_and_is_shown_everywhere(self):
        bellows = self.run_bellows("--resources-mode", "advise", *SMALL, "--", *self.sample())
        bellows.wait_for("replica ready")
        resources = until(lambda: "target" in self.resources(bellows) and self.resources(bellows), "a target")
        self.assertEqual(resources["mode"], "advise")
        self.assertEqual(resources["note"], "advice only: resources-mode is advise")
        self.assertGreater(resources["target"]["memory_bytes"], 1 << 20)
        self.assertLessEqual(resources["lower_bound"]["memory_bytes"], resources["target"]["memory_bytes"])
        self.assertGreaterEqual(resources["upper_bound"]["memory_bytes"], resources["target"]["memory_bytes"])
        self.assertTrue(resources["reason"]["memory"])
        metrics = get(bellows.admin, "/metrics").body
        self.assertIn('bellows_recommender_target_memory_bytes{container="app",policy="hybrid",role="chosen",service="web",workload="web-00001"}', metrics)
        listed = subprocess.run([program("bellows"), "status", "-o", "wide", "--admin", f"127.0.0.1:{bellows.admin}"],
                                capture_output=True, text=True, timeout=DEADLINE, check=True).stdout
        self.assertIn("advice only: resources-mode is advise", listed)
        self.assert_clean_exit(bellows)

    def test_recommend_reports_that_nothing_is_measured_yet(self):
        bellows = self.run_bellows("--resources-mode", "advise", "--recommender-interval", "1h", "--usage-interval", "1h",
                                   "--min-scale", "1", "--", *self.sample())

        def ask():
            return subprocess.run([program("bellows"), "recommend", "web", "--admin", f"127.0.0.1:{bellows.admin}"],
                                  capture_output=True, text=True, timeout=DEADLINE, check=False)

        until(lambda: "it has no replica" not in ask().stderr, "the first replica")
        asked = ask()
        self.assertEqual(asked.returncode, 1)
        self.assertEqual(asked.stderr, 'bellows recommend: "web": not measured yet; it recommends every 1h, and sooner '
                                       'after a crash\n')
        self.assert_clean_exit(bellows)

    def test_recommend_explains_each_number_of_a_running_service(self):
        bellows = self.run_bellows("--resources-mode", "advise", "--shadow-policies", "vpa,spike", *SMALL, "--",
                                   *self.sample())
        until(lambda: "target" in self.resources(bellows), "a target")
        for name, policy in [("web", []), ("web-00001-1/app", ["--policy", "vpa"])]:
            done = subprocess.run([program("bellows"), "recommend", name, *policy, "--admin",
                                   f"127.0.0.1:{bellows.admin}"], capture_output=True, text=True, timeout=DEADLINE,
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("memory", done.stdout)
        unknown = subprocess.run([program("bellows"), "recommend", "shop", "--admin", f"127.0.0.1:{bellows.admin}"],
                                 capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(unknown.returncode, 1)
        self.assertEqual(unknown.stderr, 'bellows recommend: "shop": neither a workload nor a replica that was seen; '
                                         'workloads: web-00001\n')
        metrics = get(bellows.admin, "/metrics").body
        for policy in ["vpa", "spike"]:
            self.assertIn(f'policy="{policy}",role="shadow"', metrics)
        self.assert_clean_exit(bellows)

    def test_a_changed_policy_changes_the_recommendation(self):
        bellows = self.run_bellows("--resources-mode", "advise", *SMALL, "--", *self.sample())
        until(lambda: "target" in self.resources(bellows), "a target")
        self.assertLess(self.resources(bellows)["target"]["memory_bytes"], 512 << 20)
        self.assertEqual(self.resources(bellows)["policy"], "hybrid")

        def deploy(*settings, code=0):
            flags = [word for setting in settings for word in ("--set", setting)]
            done = subprocess.run([program("bellows"), "deploy", "web", *flags, "--admin", f"127.0.0.1:{bellows.admin}"],
                                  capture_output=True, text=True, timeout=DEADLINE, check=False)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            return done.stdout + done.stderr

        said = deploy("min-allowed-memory=512Mi", "max-allowed-cpu=3m")
        self.assertIn("min-allowed-memory (unset) -> 512Mi", said)
        until(lambda: self.resources(bellows)["target"] == {"cpu_millicores": 3, "memory_bytes": 512 << 20}, "both bounds")
        self.assertLess(self.resources(bellows)["uncapped_target"]["memory_bytes"], 512 << 20)
        self.assertIn("min-allowed", self.resources(bellows)["reason"]["memory"])
        deploy("controlled-resources=memory", "resources-policy=vpa")
        until(lambda: self.resources(bellows)["policy"] == "vpa", "another policy")
        until(lambda: "cpu_millicores" not in self.resources(bellows)["target"], "CPU is not controlled")
        said = deploy("max-allowed-memory=64Mi", code=2)
        self.assertIn("min-allowed-memory at most max-allowed-memory", said)
        self.assertEqual(self.resources(bellows)["target"]["memory_bytes"], 512 << 20)
        replica = self.status(bellows)["replicas"][0]
        self.assertEqual((replica["name"], replica["restarts"]), ("web-00001-1", 0), "no replica was restarted for it")
        self.assert_clean_exit(bellows)

    def test_a_deploy_keeps_what_is_recommended(self):
        app = self.write(GROWING)
        bellows = self.run_bellows("--resources-mode", "advise", *SMALL, "--", "python3", app,
                                   env={"GROW_MIB": "200", "STEP_MIB": "50"})
        self.assertEqual(get(bellows.port, "/grow").status, 200)
        until(lambda: self.resources(bellows).get("target", {}).get("memory_bytes", 0) > 200 << 20, "its size")
        before = self.resources(bellows)["target"]
        done = subprocess.run([program("bellows"), "deploy", "web", "--environment", "LOG=debug", "--admin",
                               f"127.0.0.1:{bellows.admin}"], capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr + bellows.text())
        bellows.wait_for("new revision inherits sizes", to="web-00002", **{"from": "web-00001"})
        # The new one uses a tenth of it, and has no hour of its own yet.
        after = until(lambda: self.status(bellows, "web-00002").get("resources", {}).get("target"), "its recommendation")
        self.assertGreaterEqual(after["memory_bytes"], before["memory_bytes"])
        until(lambda: 'role="chosen",service="web",workload="web-00002"}' in get(bellows.admin, "/metrics").body, "its series is of the service")
        self.assert_clean_exit(bellows)

    def test_a_new_revision_starts_with_the_recommended_size(self):
        self.need_groups()
        bellows = self.run_bellows("--recommend", "--cpu", "100m", "--memory", "24Mi", *SMALL, "--", *self.sample())
        until(lambda: "target" in self.resources(bellows), "a target")
        deploy = subprocess.run([program("bellows"), "deploy", "web", "--environment", "LOG=debug", "--set",
                                 "min-allowed-memory=96Mi", "--admin", f"127.0.0.1:{bellows.admin}"],
                                capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(deploy.returncode, 0, deploy.stdout + deploy.stderr + bellows.text())
        replica = until(lambda: [r for r in self.status(bellows, "web-00002")["replicas"] if r.get("size")], "its size")[0]
        self.assertGreaterEqual(replica["size"]["memory_bytes"], 96 << 20)
        self.assertNotIn("replica resized", [line for line in bellows.text().splitlines() if "web-00002-1" in line])
        self.assert_clean_exit(bellows)

    def test_an_oom_killed_app_restarts_with_more_memory(self):
        self.need_groups()
        app = self.write(GROWING)
        bellows = self.run_bellows("--recommend", "--cpu", "100m", "--memory", "24Mi", *SMALL, "--",
                                   "python3", app, env={"GROW_MIB": "320", "STEP_MIB": "64"})
        bellows.wait_for("replica ready")
        until(lambda: self.first_size(bellows).get("memory_limit_bytes"), "a hard limit")
        before = self.first_size(bellows)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                response = get(bellows.port, "/grow")
                if response.status == 200:
                    break
            except OSError:
                pass
        self.assertEqual(response.body, "320 MiB held\n", bellows.text())
        bellows.wait_for("app OOM-killed")
        after = self.first_size(bellows)
        self.assertGreater(after["memory_limit_bytes"], 320 << 20)
        self.assertGreater(after["memory_bytes"], before["memory_bytes"])
        self.assert_clean_exit(bellows)
        until(lambda: not groups_of(bellows.pid), "its groups are gone")

    def test_a_crash_loop_is_detected_and_ends_with_its_cause(self):
        folder = self.folder()
        broken = os.path.join(folder, "broken")
        with open(broken, "w"):
            pass
        script = f"test -e {broken} && exit 3; exec {program('sample-app')} --service-time 1ms"
        bellows = self.run_bellows("--recommend", "--cpu", "100m", "--memory", "64Mi", *SMALL, "--", "sh", "-c", script)
        bellows.wait_for("app crashed")
        until(lambda: self.status(bellows)["replicas"][0]["restarts"] >= 3, "three restarts")
        os.remove(broken)
        until(lambda: get(bellows.port).status == 200, "it serves again")
        self.assert_clean_exit(bellows)

    def test_kill_9_leaves_no_control_group(self):
        self.need_groups()
        bellows = self.run_bellows("--recommend", "--cpu", "100m", "--memory", "64Mi", *SMALL, "--", *self.sample())
        bellows.wait_for("replica ready")
        until(lambda: self.first_size(bellows), "a size")
        self.assertTrue(groups_of(bellows.pid))
        bellows.signal(signal.SIGKILL)
        bellows.end()
        until(lambda: not groups_of(bellows.pid), "its groups are gone")

    def test_the_checkpoint_survives_a_restart(self):
        state = os.path.join(self.folder(), "learned.json")
        flags = ["--resources-mode", "advise", "--checkpoint-file", state, *SMALL]
        bellows = self.run_bellows(*flags, "--", *self.sample())
        until(lambda: "target" in self.resources(bellows), "a target")
        self.assert_clean_exit(bellows)
        with open(state) as f:
            self.assertEqual(json.load(f)["version"], 1)
        with open(state, "w") as f:
            f.write('{"version": 7}')
        bellows = self.run_bellows(*flags, "--", *self.sample())
        self.assertTrue(any("version: 7, want 1" in line for line in bellows.lines), bellows.text())
        self.assertTrue(os.path.exists(state + ".broken"))
        self.assert_clean_exit(bellows)


class SizingByAFile(Services):
    def write_policy(self, *lines):
        with open(self.file, "w") as f:
            f.write("recommender-interval: 500ms\nusage-interval: 500ms\nservices:\n"
                    f"  - name: web\n    command: {json.dumps(self.app('one'))}\n    resources-mode: advise\n    min-scale: 1\n")
            f.writelines(f"    {line}\n" for line in lines)

    def test_sighup_and_apply_change_the_policies_of_a_service(self):
        self.file = os.path.join(self.folder(), "bellows.yaml")
        self.write_policy("max-allowed-cpu: 3m")
        bellows = self.up()

        def target():
            return self.status(bellows).get("resources", {}).get("target", {})
        until(lambda: target().get("cpu_millicores") == 3, "the bound of the file")
        self.write_policy("max-allowed-cpu: 2m", "min-allowed-memory: 1Gi")
        bellows.signal(signal.SIGHUP)
        until(lambda: target() == {"cpu_millicores": 2, "memory_bytes": 1 << 30}, "the changed file")
        self.write_policy("controlled-resources: cpu")
        self.assertIn("controlled-resources cpu,memory -> cpu", self.call(bellows, "apply", "-f", self.file))
        until(lambda: list(target()) == ["cpu_millicores"] and target()["cpu_millicores"] > 3, "free CPU alone")
        self.write_policy("controlled-resources: disk")
        self.assertIn('controlled-resources: "disk": want', self.call(bellows, "apply", "-f", self.file, code=2))
        self.assertEqual(self.shares(bellows), {"web-00001": 100}, "none of it made a revision")
        self.assert_clean_exit(bellows)
