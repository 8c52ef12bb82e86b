"""bellows up: several services, and a file that is read again."""

import json
import os
import pty
import signal
import subprocess
import time
from socket import gethostname

from harness import DEADLINE, QUICK, LoadGenerator, EndToEnd, descendants, free_port, get, program, until, why_no_terminal

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
    def start_two(self, folder=None, services=TWO_SERVICES):
        path = self.path = os.path.join(folder or self.folder(), "bellows.yaml")
        with open(path, "w") as f:
            f.write(services.format(sample=program("sample-app")))
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

    def test_a_second_one_with_the_same_state_file_is_refused(self):
        bellows = self.start_two()
        second = [program("bellows"), "up", self.path, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"]
        done = subprocess.run(second, capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{self.path}.state: process {bellows.pid}, a running Bellows, uses it", done.stderr)
        folder = os.path.dirname(self.path)
        other = os.path.join(self.folder(), "alias.yaml")
        os.symlink(self.path, other)
        link = os.path.join(self.folder(), "link.state")
        os.symlink(self.path + ".state", link)  # of a file that does not exist yet
        for words in ([other], [self.path, "--state-file", link]):
            done = subprocess.run([*second[:2], *words, *second[3:]], capture_output=True, text=True, timeout=DEADLINE, check=False)
            self.assertEqual(done.returncode, 1, words)
            self.assertIn(f"{self.path}.state: process {bellows.pid}, a running Bellows, uses it", done.stderr)
        self.assert_clean_exit(bellows)
        self.assertEqual(sorted(os.listdir(folder)), ["bellows.yaml", "bellows.yaml.state.day"])  # no lock

    def test_what_a_killed_one_decided_after_its_last_save_is_not_known(self):
        bellows = self.start_two()
        folder = os.path.dirname(self.path)
        self.assertEqual(get(bellows.port, host="shop.localhost").status, 200)
        self.assert_clean_exit(bellows)
        day = self.path + ".state.day"
        self.assertEqual(os.stat(day).st_mode & 0o777, 0o600)
        bellows = self.start_two(folder)
        until(lambda: os.path.exists(day + ".tail"), "the first save")
        saved = time.time()
        until(lambda: time.time() > saved + 1, "a second after it")
        killed_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        bellows.signal(signal.SIGKILL)
        bellows.end()
        bellows = self.start_two(folder)
        done = subprocess.run([program("bellows"), "explain", "shop", "--at", killed_at, "--admin", f"127.0.0.1:{bellows.admin}"],
                              capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("not known: Bellows ended without writing its day", done.stderr)
        self.assert_clean_exit(bellows)

    def test_a_service_that_cannot_start_says_so_after_a_restart_too(self):
        broken = "services:\n  - name: web\n    command: [sh, -c, 'echo no database >&2; exit 3']\n"
        bellows = self.start_two(services=broken)
        folder = os.path.dirname(self.path)
        self.assertEqual(get(bellows.port).status, 503)
        failed = self.status(bellows)["failed_starts"]
        tail = self.path + ".state.day.tail"
        until(lambda: os.path.exists(tail) and "failed-starts" in open(tail).read(), "it is kept at once")
        bellows.signal(signal.SIGKILL)
        bellows.end()
        for _ in ("after the kill", "after an orderly end"):
            bellows = self.start_two(folder, broken)
            self.assertGreaterEqual(self.status(bellows)["failed_starts"]["count"], 1)
            self.assertEqual(self.status(bellows)["failed_starts"]["last"], failed["last"])
            self.assertRegex(get(bellows.admin, "/metrics").body, r'bellows_autoscaler_failed_starts\{[^}]*\} [1-9]')
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

    def test_an_error_in_the_file_changes_nothing(self):
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

    def test_settings_that_need_a_restart_are_reported(self):
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
        if why := why_no_terminal():
            self.skipTest(why)
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
