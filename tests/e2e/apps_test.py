"""What apps get from Bellows, and what a Bellows is started with."""

import glob
import json
import os
import pty
import signal
import subprocess
import unittest

import sizing_test
from harness import DEADLINE, EndToEnd, LoadGenerator, descendants, free_port, get, metric, program, until, why_no_terminal, why_not_as_root

# Answers with its environment and its user.
TELLS = """
import http.server, json, os
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"environment": dict(os.environ), "user": os.getuid(), "groups": [os.getgid(), *os.getgroups()],
                           "status": open("/proc/self/status").read()}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
http.server.HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
"""


class WhatAppsGet(EndToEnd):
    def told(self, *flags):
        bellows = self.run_bellows(*flags, "--", "/usr/bin/python3", "-c", TELLS)
        told = json.loads(get(bellows.port).body)
        self.assert_clean_exit(bellows)
        return told

    def test_the_names_of_their_service_and_a_file_of_variables(self):
        path = os.path.join(self.folder(), "web.env")
        with open(path, "w") as f:
            f.write("# of the team\nDB_URL='postgres://db/x?a=b'\n")
        environment = self.told("--name", "shop", "--environment-file", path)["environment"]
        self.assertEqual([environment[name] for name in ("K_SERVICE", "K_CONFIGURATION", "K_REVISION")], ["shop", "shop", "shop-00001"])
        self.assertEqual(environment["DB_URL"], "postgres://db/x?a=b")

    @unittest.skipUnless(os.geteuid() == 0, "only root may change the user of an app")
    def test_the_user_that_is_asked_for_and_no_way_back(self):
        told = self.told("--run-as-user", "nobody", "--no-new-privileges")
        self.assertEqual(told["user"], 65534)
        self.assertEqual(set(told["groups"]), {65534})
        self.assertIn("NoNewPrivs:\t1", told["status"])
        for asked, user, group in (("nobody:daemon", 65534, 1), ("7:8", 7, 8), ("nobody:", 65534, 65534), (":daemon", 0, 1)):
            told = self.told("--run-as-user", asked)
            self.assertEqual((told["user"], set(told["groups"])), (user, {group}), asked)

    def test_an_unknown_user_is_reported_before_a_port_is_opened(self):
        for account in ("no-such-user", "nobody:no-such-group", ":"):
            done = subprocess.run([program("bellows"), "run", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                                   "--run-as-user", account, "--", "sleep", "1"],
                                  capture_output=True, text=True, timeout=DEADLINE, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f'run-as-user: "{account}": want', done.stderr)


# Allocates what is asked for, or takes a core for a while.
TAKES = """
import http.server, os, time
held = []
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        what, amount = self.path[1:].split("/")
        if what == "MiB":
            for _ in range(int(amount)):
                held.append(os.urandom(1 << 20))
        end = time.monotonic() + (int(amount) / 1000 if what == "ms" else 0)
        while time.monotonic() < end:
            pass
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
"""


class HardLimits(EndToEnd):
    """On real control groups, without a recommender."""

    def setUp(self):
        why = sizing_test.why_no_groups()
        if why:
            self.skipTest(why)

    def run_with(self, *flags):
        return self.run_bellows("--min-scale", "1", *flags, "--", "/usr/bin/python3", "-c", TAKES)

    def group(self, bellows, controller):
        """The control group of the first replica."""
        found = glob.glob(f"/sys/fs/cgroup/{controller}/**/bellows-{bellows.pid}-*/web-00001-1", recursive=True)
        self.assertEqual(len(found), 1, found)
        return found[0]

    def test_memory_limit_holds_from_the_start(self):
        bellows = self.run_with("--memory-limit", "64Mi")
        self.assertEqual(get(bellows.port, "/MiB/1").status, 200)
        with open(os.path.join(self.group(bellows, "memory"), "memory.limit_in_bytes")) as f:
            self.assertEqual(int(f.read()), 64 << 20)
        self.assertNotEqual(get(bellows.port, "/MiB/200", method="GET").status, 200)
        bellows.wait_for("app OOM-killed")
        crashed = bellows.wait_for("app crashed")
        self.assertEqual(crashed["how"], "was killed at memory-limit 64Mi; it needs more")
        until(lambda: self.answers(bellows), "it serves again")
        self.assert_clean_exit(bellows)

    def answers(self, bellows):
        return get(bellows.port, "/MiB/1").status == 200

    def test_cpu_limit_holds_from_the_start(self):
        bellows = self.run_with("--cpu-limit", "200m")
        self.assertEqual(get(bellows.port, "/ms/1000").status, 200)
        group = self.group(bellows, "cpu")
        with open(os.path.join(group, "cpu.cfs_quota_us")) as quota, open(os.path.join(group, "cpu.cfs_period_us")) as period:
            self.assertAlmostEqual(int(quota.read()) / int(period.read()), 0.2)
        with open(os.path.join(group, "cpu.stat")) as f:
            told = dict(line.split() for line in f)
        self.assertGreater(int(told["nr_throttled"]), 0)
        self.assert_clean_exit(bellows)


class OutputOfApps(EndToEnd):
    def test_control_bytes_do_not_reach_a_terminal(self):
        """Bellows at a terminal shows what apps write, and their last words in its log."""
        script = (r"printf '\033]0;owned\007\033[2Jclear\r\nspoofed \302\233 \233 \377 \303\244\n'; "
                  r"printf 'last\033[31mwords\n' >&2; exit 3")
        if why := why_no_terminal():
            self.skipTest(why)
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(program("bellows"), ["bellows", "run", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                                          "--min-scale", "1", "--", "sh", "-c", script])
        seen = b""
        try:
            while seen.count(b"words") < 3:  # also of replicas that are started again
                seen += os.read(terminal, 4096)
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(terminal)
        self.assertIn(rb"\x1b]0;owned\x07\x1b[2Jclear", seen)
        self.assertIn(rb"last\x1b[31mwords", seen)
        self.assertIn(rb"spoofed \xc2\x9b \x9b \xff " + "ä".encode(), seen)
        for bytes_of_the_app in (b"\x1b]0;", b"\x07", b"\x1b[31mwords", b"\x9b", b"\xff", b"\x1b[2Jclear"):
            self.assertNotIn(bytes_of_the_app, seen)


class WhatBellowsIsStartedWith(EndToEnd):
    def start_by(self, *prefix, flags=()):
        """Starts it by another program; its ports are known before, because its log may be closed."""
        port, admin = free_port(), free_port()
        running = self.start(*prefix, program("bellows"), "run", "--listen", f"127.0.0.1:{port}", "--admin",
                             f"127.0.0.1:{admin}", "--log-format", "json", *flags, "--", *self.sample())
        running.port, running.admin = port, admin

        def answers():
            try:
                return get(port).status == 200
            except OSError:
                return False
        until(answers, "it serves")
        return running

    def test_closed_standard_output_and_error_do_not_become_sockets(self):
        running = self.start_by("sh", "-c", 'exec "$0" "$@" >&- 2>&-')
        for number in (1, 2):
            self.assertEqual(os.readlink(f"/proc/{running.pid}/fd/{number}"), "/dev/null")
        self.assert_clean_exit(running)

    def test_a_max_scale_beyond_the_descriptors_is_refused(self):
        port = free_port()
        done = subprocess.run(["sh", "-c", 'ulimit -n 300; exec "$0" "$@"', program("bellows"), "run", "--listen", f"127.0.0.1:{port}",
                               "--max-scale", "30", "--", *self.sample()], capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("service web: max-scale 30 needs 557 open files", done.stderr)
        self.assertIn("max-scale at most 15", done.stderr)
        self.assertNotIn("listening", done.stderr)

    def test_replicas_beyond_the_descriptors_are_refused(self):
        running = self.start_by("sh", "-c", 'ulimit -n 300; exec "$0" "$@"', flags=("--initial-scale", "30", "--max-scale", "0"))
        until(lambda: any("does not fit" in line for line in running.lines), "the refusal")
        line = next(line for line in running.lines if "does not fit" in line)
        self.assertIn("180 of 300 open files", line)
        self.assertEqual(get(running.admin, "/healthz").status, 200)
        self.assertEqual(len(self.status(running)["replicas"]), 15)
        self.assert_clean_exit(running)

    def test_the_maximum_of_replicas_leaves_room_for_callers(self):
        running = self.start_by("sh", "-c", 'ulimit -n 300; exec "$0" "$@"', flags=("--min-scale", "15", "--max-scale", "15"))
        until(lambda: sum(r["phase"] == "ready" for r in self.status(running)["replicas"]) == 15, "all are ready")
        load = LoadGenerator(running.port, 80)
        for _ in range(20):
            self.assertEqual(get(running.admin, "/metrics").status, 200)
        done = subprocess.run([program("bellows"), "status", "--admin", f"127.0.0.1:{running.admin}"], capture_output=True, text=True,
                              timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        until(lambda: load.succeeded > 200, "callers are served")
        load.stop()
        # More callers than it has room for: one that connects and says nothing for 250 ms makes room, which is counted.
        closed = metric(running.admin, 'bellows_activator_closed_connections_total{limit="max-connections"}')
        self.assertLessEqual(len(load.failures), closed)
        self.assertEqual([each for each in load.failures if "RemoteDisconnected" not in each and "ConnectionReset" not in each], [])
        self.assertFalse([line for line in running.lines if "cannot accept" in line])
        self.assert_clean_exit(running)

    def test_as_pid_1_it_reaps_the_orphans_of_killed_shims(self):
        if why := why_not_as_root("unshare", "--pid", "--fork", "--mount-proc", "true"):
            self.skipTest(f"needs a PID namespace: {why}")
        running = self.start_by("unshare", "--pid", "--fork", "--mount-proc", flags=("--min-scale", "3"))
        bellows = next(pid for pid, command in descendants(running.pid).items() if " run " in command)
        until(lambda: sum(r["phase"] == "ready" for r in self.status(running)["replicas"]) == 3, "three are ready")
        for pid, command in descendants(bellows).items():
            if "replica-shim" in command and "sample-app" in command:
                os.kill(pid, signal.SIGKILL)
        until(lambda: [r["restarts"] for r in self.status(running)["replicas"]] == [1, 1, 1], "all were restarted")
        until(lambda: self.zombies(bellows) == [], "no zombie is left")
        os.kill(bellows, signal.SIGTERM)
        self.assertEqual(running.end(), 0, running.text())

    def zombies(self, parent):
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat") as f:
                    state, ppid = f.read().rsplit(") ", 1)[1].split()[:2]
            except OSError:
                continue
            if state == "Z" and int(ppid) == parent:
                found.append(pid)
        return found
