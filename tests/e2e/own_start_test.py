"""Apps that cannot take $PORT, and things that are started by commands."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading

from harness import DEADLINE, QUICK, EndToEnd, Late, LoadGenerator, alive, descendants, free_port, get, program, until

# Answers with its process id and a word, at a port that it was not told by Bellows.
SERVER = """
import http.server, os, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = (str(os.getpid()) + " " + sys.argv[2]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""

# Stands for systemctl: asks the manager below, and ends when it has answered.
CONTROL = """
import socket, sys
with socket.socket(socket.AF_UNIX) as s:
    s.connect(sys.argv[1])
    s.sendall(sys.argv[2].encode())
    answer = s.recv(100).decode()
    print(answer, file=sys.stderr)
    sys.exit(0 if answer == "ok" else 3)
"""


class Manager:
    """Stands for systemd: the server that it runs is no child of Bellows."""

    def __init__(self, folder, port):
        self.port, self.server, self.orders, self.refuses = port, None, [], ""
        self.path = os.path.join(folder, "manager")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                order = connection.recv(100).decode()
                self.orders.append(order)
                self.end()
                if order == "start" and not self.refuses:
                    self.begin()
                connection.sendall((self.refuses or "ok").encode())

    def begin(self):
        self.server = subprocess.Popen([sys.executable, "-c", SERVER, str(self.port), "unit"])

    def end(self):
        if self.server:
            self.server.terminate()
            self.server.wait(DEADLINE)
            self.server = None

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(DEADLINE)
        self.end()


class OwnStart(EndToEnd):
    def up(self, service, *flags):
        """Starts `bellows up` with one service, given as the JSON that is YAML too."""
        self.path = os.path.join(self.folder(), "bellows.yaml")
        with open(self.path, "w") as f:
            json.dump({"services": [service]}, f)
        bellows = self.start(program("bellows"), "up", self.path, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                             "--log-format", "json", "--error-detail", "full", *QUICK, *flags)
        return self.listening(bellows)

    def listening(self, bellows):
        listening = bellows.wait_for("listening")
        bellows.port = int(listening["address"].rsplit(":", 1)[1])
        bellows.admin = int(listening["admin"].rsplit(":", 1)[1])
        return bellows

    def text(self, bellows, part):
        return until(lambda: next((line for line in bellows.lines if part in line), None), part)


class AnAppWithAFixedPort(OwnStart):
    def serve(self, *flags):
        self.port = free_port()
        return self.run_bellows("--port", str(self.port), *flags, "--", sys.executable, "-c", SERVER, str(self.port), "app")

    def test_sleeps_and_wakes_at_its_port_as_one_replica(self):
        bellows = self.serve()
        self.assertIn("max-scale is 1", self.text(bellows, "port is fixed"))
        first = get(bellows.port).body
        self.assertTrue(first.endswith(" app"))
        bellows.wait_for("replica drained")
        self.assertNotEqual(get(bellows.port).body, first)
        self.assert_clean_exit(bellows)

    def test_a_max_scale_above_one_is_refused_with_both_names(self):
        done = subprocess.run([program("bellows"), "run", "--port", "3000", "--max-scale", "4", "--", "sleep", "1"],
                              capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn('--max-scale: "4" together with port "3000" (--port)', done.stderr)

    def test_a_port_that_another_process_has_is_told_with_its_owner(self):
        self.port = free_port()
        stranger = subprocess.Popen([sys.executable, "-c", SERVER, str(self.port), "stranger"])
        self.addCleanup(stranger.kill)
        until(lambda: self.is_open(), "the stranger listens")
        bellows = self.run_bellows("--port", str(self.port), "--error-detail", "full", "--", sys.executable, "-c", SERVER,
                                   str(self.port), "app")
        self.assertIn(f"(pid {stranger.pid})", self.text(bellows, "port is taken"))
        refused = get(bellows.port)
        self.assertEqual(refused.status, 503, refused.body)
        self.assertIn(f"port {self.port} is taken by python3", refused.body)
        stranger.kill()
        stranger.wait()
        until(lambda: get(bellows.port).body.endswith(" app"), "it serves")
        self.assert_clean_exit(bellows)

    def is_open(self):
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", self.port)) == 0

    def test_a_deploy_and_a_restart_end_the_old_app_first_and_requests_wait(self):
        self.port = free_port()
        bellows = self.up({"name": "web", "port": self.port, "command": [sys.executable, "-c", SERVER, str(self.port), "one"]})
        self.assertTrue(get(bellows.port).body.endswith(" one"))
        load = LoadGenerator(bellows.port, 2)
        done = subprocess.run([program("bellows"), "deploy", "web", "--admin", f"127.0.0.1:{bellows.admin}", "--",
                               sys.executable, "-c", SERVER, str(self.port), "two"], capture_output=True, text=True,
                              timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"port {self.port} is fixed", done.stdout)
        two = until(lambda: (lambda body: body if body.endswith(" two") else None)(get(bellows.port).body), "the new app")
        service = "web"
        subprocess.run([program("bellows"), "restart", service, "--admin", f"127.0.0.1:{bellows.admin}"], check=True,
                       capture_output=True, timeout=DEADLINE)
        until(lambda: get(bellows.port).body not in ("", two), "another process")
        load.stop()
        self.assertEqual(load.failures, [])
        self.assertGreater(load.succeeded, 0)
        self.assert_clean_exit(bellows)


    def test_a_deploy_that_does_not_start_fails_and_the_old_app_serves_again(self):
        self.port = free_port()
        bellows = self.up({"name": "web", "port": self.port, "command": [sys.executable, "-c", SERVER, str(self.port), "one"]})
        self.assertTrue(get(bellows.port).body.endswith(" one"))
        done = subprocess.run([program("bellows"), "deploy", "web", "--admin", f"127.0.0.1:{bellows.admin}", "--",
                               sys.executable, "-c", "raise SystemExit('no database')"], capture_output=True, text=True,
                              timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("no database", done.stdout + done.stderr)
        self.assertIn("web-00002 does not become ready", done.stdout + done.stderr)
        self.assertTrue(get(bellows.port).body.endswith(" one"))
        self.assert_clean_exit(bellows)


class AThingThatIsStartedByACommand(OwnStart):
    def setUp(self):
        self.port = free_port()
        self.manager = Manager(self.folder(), self.port)
        self.addCleanup(self.manager.close)

    def serve(self, **settings):
        control = [sys.executable, "-c", CONTROL, self.manager.path]
        return self.up({"name": "unit", "port": self.port, "start": [*control, "start"], "stop": [*control, "stop"], **settings})

    def is_running(self):
        return self.manager.server is not None and self.manager.server.poll() is None

    def test_is_put_to_sleep_and_woken(self):
        bellows = self.serve()
        for _ in range(2):
            self.assertTrue(get(bellows.port).body.endswith(" unit"))
            bellows.wait_for("replica drained")
            until(lambda: not self.is_running(), "it sleeps")
        self.assertEqual(self.manager.orders, ["start", "stop"] * 2)
        self.assert_clean_exit(bellows)

    def test_ends_with_bellows(self):
        bellows = self.serve()
        self.assertEqual(get(bellows.port).status, 200)
        self.assert_clean_exit(bellows, signal.SIGTERM)
        self.assertEqual(self.manager.orders, ["start", "stop"])

    def test_ends_after_a_kill_of_bellows(self):
        bellows = self.serve()
        self.assertEqual(get(bellows.port).status, 200)
        bellows.signal(signal.SIGKILL)
        until(lambda: self.manager.orders == ["start", "stop"], "the shim stops it")
        until(lambda: not self.is_running(), "it has ended")

    def test_that_fails_to_start_is_told_with_its_last_line(self):
        self.manager.refuses = "Unit unit.service not found."
        bellows = self.serve()
        refused = get(bellows.port)
        self.assertEqual(refused.status, 503)
        self.assertIn("was not started: its start command exited with code 3", refused.body)
        self.assertIn("Unit unit.service not found.", refused.body)
        self.assert_clean_exit(bellows)

    def test_that_hangs_is_told_as_that(self):
        bellows = self.up({"name": "web", "port": free_port(), "start": ["sleep", "60"], "stop": ["true"],
                           "progress-deadline": "2s", "min-scale": 1})
        late = bellows.wait_for("replica not ready")
        self.assertIn("its start command still runs after 2", late["because"])
        self.assert_clean_exit(bellows)

    def test_that_ends_by_itself_is_started_again(self):
        bellows = self.serve(**{"liveness-period": "1s", "liveness-threshold": 2, "min-scale": 1})
        self.assertEqual(get(bellows.port).status, 200)
        self.manager.server.kill()
        bellows.wait_for("app hangs: it is killed and restarted")
        until(lambda: get(bellows.port).status == 200, "it serves again")
        self.assertEqual(self.manager.orders, ["start", "stop", "start"])
        self.assert_clean_exit(bellows)

    def test_that_runs_already_is_stopped_and_started_again(self):
        """As after a kill of Bellows and all its shims."""
        self.manager.begin()
        before = self.manager.server.pid
        until(lambda: self.answers(), "it runs")
        bellows = self.serve()
        self.text(bellows, "port is taken")
        self.assertNotEqual(get(bellows.port).body, f"{before} unit")
        self.assertEqual(self.manager.orders, ["stop", "start"])
        self.assert_clean_exit(bellows)

    def answers(self):
        try:
            return get(self.port).status == 200
        except OSError:
            return False

    def test_is_checked_before_it_starts(self):
        self.manager.begin()
        until(lambda: self.answers(), "it runs")
        path = os.path.join(self.folder(), "bellows.yaml")
        with open(path, "w") as f:
            json.dump({"listen": "127.0.0.1:0", "admin": "127.0.0.1:0",
                       "services": [{"name": "unit", "port": self.port, "command": ["sleep", "1"]}]}, f)
        done = subprocess.run([program("bellows"), "check", path], capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertIn(f"{self.port} is taken by", done.stdout)
        self.assertEqual(done.returncode, 1)


class ADaemonThatAScriptLeaves(OwnStart):
    """It stays below the shim, so its end is seen at once and needs no stop command of its own."""

    def serve(self, **settings):
        self.port = free_port()
        pid_file = os.path.join(self.folder(), "pid")
        script = f'setsid "$0" -c "$1" {self.port} daemon & echo $! > {pid_file}'
        return self.up({"name": "web", "port": self.port, "start": ["sh", "-c", script, sys.executable, SERVER],
                        "stop": ["sh", "-c", f"kill $(cat {pid_file})"], **settings})

    def test_is_started_again_when_it_has_crashed(self):
        bellows = self.serve(**{"min-scale": 1})
        pid = int(get(bellows.port).body.split()[0])
        self.assertIn(pid, descendants(bellows.pid))
        os.kill(pid, signal.SIGKILL)
        bellows.wait_for("app crashed", how="was killed by SIGKILL")
        until(lambda: get(bellows.port).body.split()[0] != str(pid), "another one")
        self.assert_clean_exit(bellows)

    def test_leaves_nothing_behind(self):
        bellows = self.serve()
        pid = int(get(bellows.port).body.split()[0])
        self.assert_clean_exit(bellows)
        self.assertFalse(alive(pid))


class ACommandWithAStopHook(OwnStart):
    def test_the_hook_ends_it_and_what_it_left_elsewhere(self):
        """As `podman run` with `podman stop`: the command is not the app."""
        port = free_port()
        mark = os.path.join(self.folder(), "stopped")
        bellows = self.up({"name": "web", "port": port, "command": [sys.executable, "-c", SERVER, str(port), "app"],
                           "stop": ["sh", "-c", f"echo $PORT > {mark}"]})
        self.assertEqual(get(bellows.port).status, 200)
        self.assert_clean_exit(bellows)
        with open(mark) as f:
            self.assertEqual(f.read(), f"{port}\n")


    def test_the_hook_goes_on_when_nobody_reads_what_it_says_any_more(self):
        """As a program in Go, whose writes to a pipe without a reader end it."""
        says = ("import os, signal, sys, time\nhere = sys.argv[1]\nsignal.signal(signal.SIGPIPE, signal.SIG_DFL)\n"
                "open(here + '/begun', 'w').close()\n"
                "while not os.path.exists(here + '/go'): time.sleep(0.01)\n"
                "print('stopping', flush=True)\nopen(here + '/done', 'w').close()\n")
        for killed in ("bellows", "its shim, then bellows"):
            with self.subTest(killed):
                here, port = self.folder(), free_port()
                bellows = self.up({"name": "web", "port": port, "command": [sys.executable, "-c", SERVER, str(port), "app"],
                                   "stop": [sys.executable, "-c", says, here]}, "--stop-timeout", "1m")
                self.assertEqual(get(bellows.port).status, 200)
                bellows.signal(signal.SIGTERM)
                until(lambda here=here: os.path.exists(here + "/begun"), "the hook has begun")
                shim = [pid for pid, command in descendants(bellows.pid).items() if "replica-shim" in command and here in command]
                self.assertEqual(len(shim), 1)
                for pid in (shim if "shim" in killed else []) + [bellows.pid]:
                    os.kill(pid, signal.SIGKILL)
                until(lambda pid=bellows.pid: not alive(pid), "Bellows is gone")
                open(here + "/go", "w").close()
                until(lambda here=here: os.path.exists(here + "/done"), "the hook has gone on")


CONTAINERS_CONF = """
[containers]
default_ulimits = ["nofile=1000:1000", "nproc=1000:1000"]
netns = "host"
[engine]
cgroup_manager = "cgroupfs"
runtime = "{runtime}"
"""


class AContainer(OwnStart):
    """Its root is a folder with the programs of this machine, because the tests have no images."""

    def setUp(self):
        if not shutil.which("podman"):
            self.skipTest("needs podman")
        self.here = self.folder()
        self.root = os.path.join(self.here, "root")
        for name in ("usr", "etc", "proc", "dev", "sys", "tmp", "run"):
            os.makedirs(os.path.join(self.root, name))
        for name in ("bin", "lib", "lib64"):
            os.symlink(f"usr/{name}", os.path.join(self.root, name))
        conf = os.path.join(self.here, "containers.conf")
        with open(conf, "w") as f:
            f.write(CONTAINERS_CONF.format(runtime="runc" if shutil.which("runc") else "crun"))
        os.environ["CONTAINERS_CONF"] = conf
        self.addCleanup(os.environ.pop, "CONTAINERS_CONF")
        self.name = f"bellows-e2e-{os.getpid()}-{self._testMethodName}"
        self.addCleanup(subprocess.run, ["podman", "rm", "--force", self.name], capture_output=True, timeout=DEADLINE, check=False)
        tried = subprocess.run([*self.run_podman("--rm"), "true"], capture_output=True, text=True, timeout=DEADLINE, check=False)
        if tried.returncode != 0:
            self.skipTest(f"podman runs no container here: {tried.stderr.strip()}")

    def run_podman(self, *options):
        return ["podman", "run", *options, "--name", self.name, "--security-opt", "seccomp=unconfined", "--volume", "/usr:/usr:ro",
                "--rootfs", self.root]

    def containers(self):
        done = subprocess.run(["podman", "ps", "--all", "--quiet", "--filter", f"name={self.name}"], capture_output=True, text=True,
                              timeout=DEADLINE, check=True)
        return done.stdout.split()

    def described(self):
        return subprocess.run(["podman", "ps", "--all", "--filter", f"name={self.name}"], capture_output=True, text=True,
                              timeout=DEADLINE, check=False).stdout

    def serve(self):
        """On a busy machine podman needs more than the 10 s of stop-timeout to stop and to remove a container."""
        command = [*self.run_podman("--rm", "--replace"), "/usr/bin/python3", "-c", SERVER, "$PORT", "box"]
        return self.up({"name": "box", "command": command, "stop": ["podman", "stop", "--time", "2", self.name]},
                       "--stop-timeout", "1m")

    def test_sleeps_and_wakes(self):
        bellows = self.serve()
        for _ in range(2):
            self.assertTrue(get(bellows.port).body.endswith(" box"))
            bellows.wait_for("replica drained")
            self.assertEqual(self.containers(), [])
        self.assert_clean_exit(bellows)

    def test_ends_after_a_kill_of_bellows(self):
        bellows = self.serve()
        self.assertEqual(get(bellows.port).status, 200)
        self.assertEqual(len(self.containers()), 1)
        shims = [pid for pid, command in descendants(bellows.pid).items() if "replica-shim" in command]
        bellows.signal(signal.SIGKILL)
        until(lambda: not any(alive(pid) for pid in shims), "the shims have ended", 3 * DEADLINE)
        until(lambda: self.containers() == [], Late(lambda: f"none runs, and none is left: {self.described()}"))
