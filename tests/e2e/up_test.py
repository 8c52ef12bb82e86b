"""bellows up: several services, and the services as separate programs."""

import json
import os
import pty
import signal
import subprocess
from socket import gethostname

from harness import DEADLINE, QUICK, LoadGenerator, EndToEnd, descendants, free_port, get, program, until

TWO_SERVICES = """
defaults:
  window: 4s
  panic-window-percentage: 50
  scale-to-zero-grace-period: 1s
services:
  - name: shop
    host: shop.localhost
    command: [{sample}, --service-time, 5ms]
  - name: mail
    path-prefix: /mail
    command: [{sample}, --service-time, 5ms]
    environment: {{GREETING: hello}}
"""


class SeveralServices(EndToEnd):
    def start_two(self):
        path = os.path.join(self.folder(), "bellows.yaml")
        with open(path, "w") as f:
            f.write(TWO_SERVICES.format(sample=program("sample-app")))
        bellows = self.start(program("bellows"), "up", path, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                             "--log-format", "json", "--error-detail", "full")
        listening = bellows.wait_for("listening")
        bellows.port = int(listening["address"].rsplit(":", 1)[1])
        bellows.admin = int(listening["admin"].rsplit(":", 1)[1])
        return bellows

    def test_services_are_distinguished_by_host_and_path(self):
        bellows = self.start_two()
        self.assertEqual(get(bellows.port, host="shop.localhost").status, 200)
        self.assertEqual(self.status(bellows, "shop")["state"], "Active")
        self.assertEqual(self.status(bellows, "mail")["state"], "Reserve")
        self.assertIn("you asked for /mail", get(bellows.port, "/mail", host="any.localhost").body)
        self.assertEqual(self.status(bellows, "mail")["state"], "Active")
        self.assert_clean_exit(bellows)

    def test_an_unknown_host_is_404_with_its_name(self):
        bellows = self.start_two()
        response = get(bellows.port, host="nobody.example")
        self.assertEqual(response.status, 404)
        self.assertIn("nobody.example", response.body)
        self.assert_clean_exit(bellows)

    def test_an_invalid_file_reports_every_error_with_its_line(self):
        path = os.path.join(self.folder(), "bellows.yaml")
        with open(path, "w") as f:
            f.write("services:\n  - name: web\n    comand: [x]\n    target: 0\n  - name: web\n    command: [y]\n")
        done = subprocess.run([program("bellows"), "up", path], capture_output=True, text=True, timeout=DEADLINE,
                              check=False)
        self.assertEqual(done.returncode, 2)
        for expected in (f"{path}:3", "comand", "command", f"{path}:4", "target", f"{path}:5"):
            self.assertIn(expected, done.stderr)


class ReloadedSettings(EndToEnd):
    """SIGHUP reloads the file."""

    def write(self, *settings):
        with open(self.file, "w") as f:
            f.write("services:\n  - name: web\n"
                    f"    command: [{program('sample-app')}, --service-time, 5ms]\n    window: 60s\n")
            f.writelines(f"    {setting}\n" for setting in settings)

    def start_web(self):
        self.file = os.path.join(self.folder(), "bellows.yaml")
        self.write("target: 10", "max-scale: 4")
        bellows = self.start(program("bellows"), "up", self.file, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                             "--log-format", "json")
        listening = bellows.wait_for("listening")
        bellows.port = int(listening["address"].rsplit(":", 1)[1])
        bellows.admin = int(listening["admin"].rsplit(":", 1)[1])
        self.assertEqual(get(bellows.port).status, 200)
        return bellows

    def apps(self, bellows):
        return {pid for pid, c in descendants(bellows.pid).items() if "sample-app" in c and "shim" not in c}

    def test_they_apply_immediately_and_no_replica_is_restarted(self):
        bellows = self.start_web()
        apps = self.apps(bellows)
        self.assertEqual(self.status(bellows)["target"], 7)
        self.write("target: 20", "max-scale: 3")
        bellows.signal(signal.SIGHUP)
        changed = bellows.wait_for("settings changed", service="web")
        self.assertEqual(changed["changes"], "target 10 -> 20, max-scale 4 -> 3")
        until(lambda: self.status(bellows)["target"] == 14, "the new target")
        self.assertEqual(get(bellows.port).status, 200)
        self.assertEqual(self.apps(bellows), apps)
        self.assert_clean_exit(bellows)

    def test_an_error_in_the_file_changes_nothing_and_is_reported_with_its_line(self):
        bellows = self.start_web()
        self.write("target: 30", "max-scale: many")
        bellows.signal(signal.SIGHUP)
        rejected = bellows.wait_for("settings rejected, still using the previous settings")
        self.assertIn(f"{self.file}:6: max-scale: \"many\": want", rejected["error"])
        self.assertEqual(self.status(bellows)["target"], 7)
        self.write("target: 30", "max-scale: 5")
        bellows.signal(signal.SIGHUP)
        self.assertEqual(bellows.wait_for("settings changed")["changes"], "target 10 -> 30, max-scale 4 -> 5")
        self.assert_clean_exit(bellows)

    def test_settings_that_need_a_restart_are_reported_and_the_others_apply(self):
        bellows = self.start_web()
        self.write("target: 30", "max-scale: 4")
        with open(self.file, "a") as f:
            f.write("keep-revisions: 2\n")
        bellows.signal(signal.SIGHUP)
        self.assertEqual(bellows.wait_for("settings changed")["changes"], "target 10 -> 30")
        self.assertEqual(bellows.wait_for("takes effect after a restart")["setting"], "keep-revisions")
        self.assertEqual(get(bellows.port).status, 200)
        self.assert_clean_exit(bellows)

    def test_a_route_changes_at_once(self):
        bellows = self.start_web()
        self.write("target: 10", "max-scale: 4", "host: web.localhost")
        bellows.signal(signal.SIGHUP)
        bellows.wait_for("route changed", change="web: route any host -> web.localhost")
        until(lambda: get(bellows.port).status == 404, "the old route is gone")
        self.assertEqual(get(bellows.port, host="web.localhost").status, 200)
        self.assert_clean_exit(bellows)

    def test_a_fifo_in_the_place_of_the_file_stalls_nothing(self):
        bellows = self.start_web()
        os.remove(self.file)
        os.mkfifo(self.file)  # opening it would wait for a writer
        bellows.signal(signal.SIGHUP)
        bellows.wait_for("settings not reloaded: this is not a regular file", file=self.file)
        self.assertEqual(get(bellows.port, timeout=10).status, 200)
        self.assertEqual(self.status(bellows)["target"], 7)
        os.remove(self.file)
        self.write("target: 20", "max-scale: 4")
        bellows.signal(signal.SIGHUP)
        bellows.wait_for("settings changed")
        self.assert_clean_exit(bellows)

    def test_closing_the_terminal_ends_it(self):
        self.file = os.path.join(self.folder(), "bellows.yaml")
        self.write("target: 10")
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(program("bellows"), ["bellows", "up", self.file, "--listen", "127.0.0.1:0", "--admin",
                                          "127.0.0.1:0", "--log-format", "json"])
        ended = []

        def kill_what_is_left():
            if not ended:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)

        self.addCleanup(kill_what_is_left)
        seen = b""
        while b'"listening"' not in seen:
            seen += os.read(terminal, 4096)
        os.close(terminal)

        def has_ended():
            found, code = os.waitpid(pid, os.WNOHANG)
            if found:
                ended.append(os.waitstatus_to_exitcode(code))
            return ended

        self.assertEqual(until(has_ended, "its end"), [0])


class SeparatePrograms(EndToEnd):
    """`bellows up --autoscaler URL` owns the replicas; autoscaler and activator are clients of its socket."""

    def start_apart(self, *flags, resources=""):
        self.dir = self.folder()
        path = os.path.join(self.dir, "bellows.yaml")
        with open(path, "w") as f:
            f.write(f"services:\n  - name: web\n    command: [{program('sample-app')}, --service-time, 100ms]\n"
                    "    target: 5\n    max-scale: 4\n    window: 20s\n    panic-window-percentage: 20\n"
                    "    scale-to-zero-grace-period: 1s\n" + resources)
        self.scaler_port = free_port()
        self.socket = os.path.join(self.dir, "cluster.sock")
        self.owner_command = [program("bellows"), "up", path, "--autoscaler",
                              f"ws://127.0.0.1:{self.scaler_port}/v1/stats", "--socket", self.socket, "--admin",
                              "127.0.0.1:0", "--log-format", "json", *flags]
        self.start_owner()
        self.scaler = self.start_autoscaler()
        self.activator = self.start(program("activator"), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                                    "--cluster", f"unix:{self.socket}", "--autoscaler",
                                    f"ws://127.0.0.1:{self.scaler_port}/v1/stats", "--log-format", "json")
        listening = self.activator.wait_for("listening")
        self.port = int(listening["address"].rsplit(":", 1)[1])
        admin = int(listening["admin"].rsplit(":", 1)[1])
        until(lambda: get(admin, "/readyz").status == 200, "the activator knows the services")

    def start_owner(self):
        self.owner = self.start(*self.owner_command)
        self.owner.admin = int(self.owner.wait_for("cluster socket listening")["admin"].rsplit(":", 1)[1])

    def start_autoscaler(self):
        scaler = self.start(program("autoscaler"), "--listen", f"127.0.0.1:{self.scaler_port}", "--cluster",
                            f"unix:{self.socket}", "--state-file", os.path.join(self.dir, "state.json"),
                            "--log-format", "json")
        scaler.wait_for("listening")
        scaler.admin = self.scaler_port
        return scaler

    def end_all(self):
        for running in (self.activator, self.scaler, self.owner):
            self.assert_clean_exit(running, signal.SIGTERM)

    def test_the_owner_of_the_replicas_takes_control_commands(self):
        self.start_apart()
        self.assertEqual(get(self.port).status, 200)

        def owner(*words):
            return subprocess.run([program("bellows"), *words, "--admin", f"127.0.0.1:{self.owner.admin}"],
                                  capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(owner("restart", "web").returncode, 0)
        self.assertEqual(owner("logs", "web").returncode, 0)
        self.assertEqual(owner("reload").stdout, "nothing changed\n")
        refused = owner("scale", "web", "2")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("a program of its own", refused.stderr)
        refused = subprocess.run([program("bellows"), "deploy", "web", "--canary", "5%,100%", "--admin",
                                  f"127.0.0.1:{self.owner.admin}", "--", "sleep", "60"], capture_output=True, text=True,
                                 timeout=DEADLINE, check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertEqual(refused.stderr, "bellows deploy: canary: nobody here sees the requests, the activator is a program "
                                         "of its own; want `bellows split`\n")
        for running in (self.activator, self.scaler):
            self.assert_clean_exit(running, signal.SIGTERM)
        self.assertEqual(owner("down").returncode, 0)
        self.assertEqual(self.owner.end(), 0)

    def test_only_the_owner_can_open_the_socket(self):
        self.start_apart()
        self.assertEqual(os.stat(self.socket).st_mode & 0o777, 0o600)
        self.end_all()

    def test_from_zero_through_the_three_programs(self):
        self.start_apart()
        self.assertEqual(get(self.port).status, 200)
        self.assertEqual(self.status(self.scaler)["state"], "Active")
        name = f"{gethostname()}-{self.activator.pid}"
        until(lambda: self.status(self.scaler)["activators"] ==
              {"wanted": 3, "heard": [name], "subset": [name]}, "the activator is named")
        self.end_all()

    def test_an_autoscaler_killed_in_a_burst_restores_its_decision(self):
        self.start_apart()
        load = LoadGenerator(self.port, 30)
        until(lambda: self.status(self.scaler).get("desired") == 4, "four desired")
        until(lambda: self.status(self.scaler)["mode"] == "panic", "panic mode")
        until(lambda: sum(r["phase"] == "ready" for r in self.status(self.scaler)["replicas"]) == 4, "four ready")
        apps = {pid for pid, c in descendants(self.owner.pid).items() if "sample-app" in c}
        self.scaler.signal(signal.SIGKILL)
        self.scaler.end()
        self.scaler = self.start_autoscaler()
        until(lambda: self.status(self.scaler).get("desired") == 4, "the same decision again", deadline=3)
        self.assertEqual(self.status(self.scaler)["mode"], "panic")
        load.stop()
        self.assertEqual(load.failures, [])
        self.assertEqual({pid for pid, c in descendants(self.owner.pid).items() if "sample-app" in c}, apps)
        self.end_all()

    def test_what_was_learned_by_another_version_is_told_put_aside_and_begun_anew(self):
        self.start_apart()
        self.assert_clean_exit(self.scaler, signal.SIGTERM)
        learned = os.path.join(self.dir, "state.json.slow")
        self.assertTrue(os.path.exists(learned), "what was learned is kept at the end")
        with open(learned, "w") as f:
            f.write("bellows slow brain 2 0\n{}\n")
        self.scaler = self.start_autoscaler()
        until(lambda: "version: 2, want 1" in self.scaler.text(), "the version is named")
        self.assertTrue(os.path.exists(learned + ".unusable"), self.scaler.text())
        until(lambda: self.status(self.scaler), "it decides")
        self.assertEqual(get(self.port).status, 200)
        self.end_all()

    def test_the_recommender_runs_next_to_the_replicas(self):
        self.start_apart("--recommender-interval", "500ms", "--usage-interval", "500ms",
                         resources="    min-scale: 1\n    resources.mode: advise\n")

        def advice():
            said = json.loads(get(self.owner.admin, "/v1/recommendations").body)["recommendations"]
            return [each for each in said if each.get("target")]
        found = until(advice, "a target")[0]
        self.assertEqual((found["workload"], found["container"]), ("web", "app"))
        self.assertIn("bellows_recommender_target_memory_bytes", get(self.owner.admin, "/metrics").body)
        explained = subprocess.run([program("bellows"), "recommend", "web", "--admin", f"127.0.0.1:{self.owner.admin}"],
                                   capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(explained.returncode, 0, explained.stderr)
        self.assertIn("memory", explained.stdout)
        self.end_all()

    def test_sigterm_of_the_owner_of_replicas_under_load_ends_it_and_loses_nothing(self):
        self.start_apart()
        load = LoadGenerator(self.port, 30)
        until(lambda: load.succeeded > 50, "fifty responses")
        self.owner.signal(signal.SIGTERM)
        self.assertEqual(self.owner.end(deadline=10), 0, self.owner.text())
        self.start_owner()  # what came meanwhile waits for it
        before = load.succeeded
        until(lambda: load.succeeded > before + 50, "fifty more")
        load.stop()
        self.assertEqual(load.failures, [])
        self.end_all()

    def test_a_service_scales_from_zero_without_the_autoscaler(self):
        self.start_apart()
        self.scaler.signal(signal.SIGKILL)
        self.scaler.end()
        self.assertEqual(get(self.port).status, 200)
        self.scaler = self.start_autoscaler()
        self.end_all()
