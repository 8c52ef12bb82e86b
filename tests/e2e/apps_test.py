"""What apps get from Bellows, and what a Bellows is started with."""

import json
import os
import shutil
import signal
import subprocess
import unittest

from harness import DEADLINE, EndToEnd, descendants, free_port, get, program, until

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
        for name in ("K_SERVICE", "K_CONFIGURATION", "K_REVISION"):
            self.assertEqual(environment[name], "shop")
        self.assertEqual(environment["DB_URL"], "postgres://db/x?a=b")

    @unittest.skipUnless(os.geteuid() == 0, "only root may change the user of an app")
    def test_the_user_that_is_asked_for_and_no_way_back(self):
        told = self.told("--run-as-user", "nobody", "--no-new-privileges")
        self.assertEqual(told["user"], 65534)
        self.assertEqual(set(told["groups"]), {65534})
        self.assertIn("NoNewPrivs:\t1", told["status"])

    def test_an_unknown_user_is_reported_before_a_port_is_opened(self):
        done = subprocess.run([program("bellows"), "run", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                               "--run-as-user", "no-such-user", "--", "sleep", "1"],
                              capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("run-as-user", done.stderr)


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

    def test_replicas_that_do_not_fit_its_descriptors_are_refused_with_the_numbers(self):
        running = self.start_by("sh", "-c", 'ulimit -n 300; exec "$0" "$@"', flags=("--min-scale", "30", "--max-scale", "30"))
        until(lambda: any("does not fit" in line for line in running.lines), "the refusal")
        line = next(line for line in running.lines if "does not fit" in line)
        self.assertIn("180 of 300 open files", line)
        self.assertEqual(get(running.admin, "/healthz").status, 200)
        self.assertEqual(len(self.status(running)["replicas"]), 18)
        self.assert_clean_exit(running)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "needs a PID namespace")
    def test_as_pid_1_it_reaps_the_orphans_of_killed_shims(self):
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
