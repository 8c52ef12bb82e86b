"""bellows run: one service on one machine, from zero and back to zero."""

import http.client
import json
import os
import signal
import socket
import subprocess
import threading

from harness import (DEADLINE, HOLDING_APP, EndToEnd, HeldRequest, LoadGenerator, alive, descendants, free_port, get, metric, program,
                     until, until_equal)


class FromZero(EndToEnd):
    def test_the_first_request_starts_a_replica_and_is_answered(self):
        bellows = self.run_bellows("--", *self.sample())
        self.assertEqual(self.status(bellows)["state"], "Reserve")
        response = get(bellows.port)
        self.assertEqual(response.status, 200)
        self.assertIn("hello from process", response.body)
        self.assertEqual(self.status(bellows)["state"], "Active")
        self.assert_clean_exit(bellows)

    def test_a_third_party_server_gets_its_port_without_a_shell(self):
        folder = self.folder()
        with open(os.path.join(folder, "note.txt"), "w") as f:
            f.write("read me")
        bellows = self.run_bellows("--", "python3", "-m", "http.server", "--bind", "127.0.0.1", "--directory", folder,
                                   "$PORT")
        response = get(bellows.port, "/note.txt")
        self.assertEqual((response.status, response.body), (200, "read me"))
        self.assertEqual(get(bellows.port, "/missing").status, 404)
        self.assert_clean_exit(bellows)

    def test_it_scales_to_zero_without_requests_and_up_again(self):
        bellows = self.run_bellows("--", *self.sample())
        self.assertEqual(get(bellows.port).status, 200)
        bellows.wait_for("scaling", to=0)
        until(lambda: self.status(bellows)["state"] == "Reserve", "state Reserve")
        until(lambda: not any("sample-app" in c for c in descendants(bellows.pid).values()), "the app is gone")
        self.assertEqual(get(bellows.port).status, 200)
        self.assert_clean_exit(bellows)

    def test_min_scale_keeps_replicas_without_requests(self):
        bellows = self.run_bellows("--min-scale", "2", "--", *self.sample())
        for _ in range(2):
            bellows.wait_for("replica ready")
        self.assertEqual(len(self.status(bellows)["replicas"]), 2)
        self.assert_clean_exit(bellows)


class UnderLoad(EndToEnd):
    def test_a_burst_scales_in_panic_mode_without_rejections(self):
        bellows = self.run_bellows("--target", "5", "--max-scale", "4", "--", *self.sample(service_time="100ms"))
        load = LoadGenerator(bellows.port, 40)
        bellows.wait_for("scaling", to=4)
        until(lambda: self.status(bellows)["mode"] == "panic", "panic mode")
        until(lambda: sum(r["phase"] == "ready" for r in self.status(bellows)["replicas"]) == 4, "four are ready")
        load.stop()
        self.assertEqual(load.failures, [])
        self.assertGreater(load.succeeded, 40)
        self.assert_clean_exit(bellows)

    def test_a_hard_limit_is_never_exceeded_in_a_replica(self):
        bellows = self.run_bellows("--container-concurrency", "1", "--max-scale", "2", "--",
                                   *self.sample(service_time="50ms"))
        load = LoadGenerator(bellows.port, 10)
        until(lambda: load.succeeded > 50, "fifty responses")
        status = self.status(bellows)
        load.stop()
        self.assertEqual(load.failures, [])
        self.assertLessEqual(len(status["replicas"]), 2)
        self.assert_clean_exit(bellows)


class Ending(EndToEnd):
    def test_ctrl_c_lets_requests_in_flight_finish_and_ends_with_0(self):
        bellows = self.run_bellows("--", *HOLDING_APP, "one")
        held = HeldRequest(bellows.port, os.path.join(self.folder(), "gate"))
        until(lambda: any(r.get("in_flight", 0) > 0 for r in self.status(bellows)["replicas"]), "a request is in flight")
        bellows.signal(signal.SIGINT)
        bellows.wait_for("draining")
        self.assertEqual(held.release().status, 200)
        self.assertEqual(bellows.end(), 0)

    @staticmethod
    def text_of(path):
        if not os.path.exists(path):
            return ""
        with open(path) as f:
            return f.read().strip()

    def test_kill_9_ends_grandchildren_in_other_sessions(self):
        marker = os.path.join(self.folder(), "pid")
        script = f"setsid sh -c 'echo $$ > {marker}; exec sleep 600' & exec python3 -m http.server --bind 127.0.0.1 $PORT"
        bellows = self.run_bellows("--", "sh", "-c", script)
        self.assertEqual(get(bellows.port).status, 200)
        grandchild = int(until(lambda: self.text_of(marker), "the grandchild"))
        children = descendants(bellows.pid)
        self.assertTrue(alive(grandchild))
        self.assertTrue(any("queue-proxy" in command for command in children.values()))
        bellows.signal(signal.SIGKILL)
        until(lambda: not any(alive(pid) for pid in [*children, grandchild]), "no process is left")


# Finishes the requests in flight after SIGTERM, as the servers of most frameworks do. Says which it
# has begun: what is in the backlog of its socket when it ends is lost.
GRACEFUL = """
import http.server, os, signal, sys, threading, time
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        os.write(1, b"begun\\n")
        time.sleep(0.5)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
class Server(http.server.ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 64
server = Server(("127.0.0.1", int(os.environ["PORT"])), Handler)
signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
server.serve_forever()
server.server_close()
"""


class AddressTaken(EndToEnd):
    """Another program listens at the address of a setting."""

    def test_the_error_names_the_setting_and_what_helps(self):
        for setting, other in (("listen", "admin"), ("admin", "listen")):
            with self.subTest(setting), socket.create_server(("127.0.0.1", 0)) as taken:
                address = "127.0.0.1:%d" % taken.getsockname()[1]
                done = subprocess.run([program("bellows"), "run", f"--{setting}", address, f"--{other}", "127.0.0.1:0",
                                       "--", "true"], capture_output=True, text=True, timeout=DEADLINE, check=False)
                self.assertEqual(done.returncode, 1)
                self.assertIn(f'bellows run: --{setting}: "{address}": the address is in use', done.stderr)
                self.assertIn("set another address, or port 0 for a free one", done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)

    def test_the_error_names_the_variable_that_set_the_address(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = "127.0.0.1:%d" % taken.getsockname()[1]
            done = subprocess.run([program("bellows"), "run", "--listen", "127.0.0.1:0", "--", "true"],
                                  env=os.environ | {"BELLOWS_ADMIN": address}, capture_output=True, text=True,
                                  timeout=DEADLINE, check=False)
        self.assertIn(f'bellows run: environment BELLOWS_ADMIN: "{address}": the address is in use', done.stderr)


class SettingsOfTheMachine(EndToEnd):
    """Addresses and files that cannot be used."""

    def refusal(self, *flags):
        done = subprocess.run([program("bellows"), "run", *flags, "--", "true"], capture_output=True, text=True,
                              timeout=DEADLINE, check=False)
        self.assertIn(done.returncode, (1, 2), done.stderr)
        return done.stderr

    def test_two_addresses_with_one_port_are_named_together(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        for listen, admin in (("0.0.0.0", "127.0.0.1"), ("", "localhost"), ("127.0.0.1", "127.0.0.1")):
            with self.subTest(listen=listen, admin=admin):
                told = self.refusal("--listen", f"{listen}:{port}", "--admin", f"{admin}:{port}")
                self.assertIn(f'--listen and --admin: "{listen or "0.0.0.0"}:{port}" and "{admin}:{port}" overlap', told)

    def test_a_missing_folder_is_told_with_its_flag(self):
        both = ("--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0")
        for flags, name in ((("--control-socket", "/nope/x.sock", *both), "--control-socket"),
                            (("--listen", "unix:/nope/x", "--admin", "127.0.0.1:0"), "--listen"),
                            (("--detach", "--detach-log", "/nope/x.log", *both), "--detach-log"),
                            (("--tls-certificate", "/nope", "--tls-key", "/nope", *both), "tls-certificate")):
            with self.subTest(name):
                told = self.refusal(*flags)
                self.assertIn(f'{name}: "', told)
                self.assertRegex(told, "; make it, or set another path|want a file|want a PEM file")


class Signalled(EndToEnd):
    """Signals that do not come from Bellows itself."""

    def test_sigterm_to_every_process_at_once_loses_nothing(self):
        bellows = self.run_bellows("--min-scale", "2", "--max-scale", "2", "--container-concurrency", "25", "--",
                                   "python3", "-c", GRACEFUL)
        for _ in range(2):
            bellows.wait_for("replica ready")
        answers = []
        clients = [threading.Thread(target=lambda: answers.append(get(bellows.port, method="POST").status))
                   for _ in range(20)]
        for client in clients:
            client.start()
        until(lambda: bellows.text().count('"line":"begun"') == 20, "all run")
        for pid in [bellows.pid, *descendants(bellows.pid)]:
            os.kill(pid, signal.SIGTERM)
        for client in clients:
            client.join(DEADLINE)
        self.assertEqual(answers, [200] * 20)
        self.assertEqual(bellows.end(), 0, bellows.text())

    def test_closing_the_terminal_drains_as_ctrl_c_does(self):
        bellows = self.run_bellows("--min-scale", "1", "--", *HOLDING_APP, "one")
        bellows.wait_for("replica ready")
        self.assertEqual(get(bellows.port).status, 200)
        held = HeldRequest(bellows.port, os.path.join(self.folder(), "gate"))
        until(lambda: self.in_flight(bellows) == 1, "it runs")
        bellows.signal(signal.SIGHUP)
        bellows.wait_for("draining")
        self.assertEqual(held.release().status, 200)
        self.assertEqual(bellows.end(), 0, bellows.text())

    def test_callers_that_keep_their_connections_lose_nothing_at_ctrl_c(self):
        bellows = self.run_bellows("--min-scale", "1", "--", *self.sample(service_time="1ms"))
        bellows.wait_for("replica ready")
        failures, last_words = [], []

        def call():
            connection = http.client.HTTPConnection("127.0.0.1", bellows.port, timeout=DEADLINE)
            try:
                while True:
                    connection.request("GET", "/")
                    response = connection.getresponse()
                    response.read()
                    if response.getheader("Connection") == "close":
                        last_words.append(response.status)
                        return
            except OSError as why:
                failures.append(repr(why))
            except http.client.HTTPException as why:
                failures.append(repr(why))
            finally:
                connection.close()

        callers = [threading.Thread(target=call) for _ in range(30)]
        for caller in callers:
            caller.start()
        until(lambda: self.status(bellows)["replicas"], "it serves")
        bellows.signal(signal.SIGINT)
        for caller in callers:
            caller.join(DEADLINE)
        self.assertEqual(failures, [])
        self.assertEqual(last_words, [200] * 30)
        self.assertEqual(bellows.end(), 0, bellows.text())

    def test_a_stray_sigterm_replaces_the_replica_without_loss(self):
        bellows = self.run_bellows("--min-scale", "1", "--max-scale", "1", "--", *self.sample(service_time="50ms"))
        bellows.wait_for("replica ready")
        load = LoadGenerator(bellows.port, 8)
        until(lambda: load.succeeded > 50, "fifty responses")
        pid = next(pid for pid, command in descendants(bellows.pid).items()
                   if "queue-proxy" in command and "shim" not in command)
        os.kill(pid, signal.SIGTERM)
        bellows.wait_for("replica leaves", replica="web-00001-1")
        until(lambda: [r["name"] for r in self.status(bellows)["replicas"]] == ["web-00001-2"], "web-00001-1 has drained")
        before = load.succeeded
        until(lambda: load.succeeded > before + 50, "fifty more")
        load.stop()
        self.assertEqual(load.failures, [])
        self.assertEqual([r["name"] for r in self.status(bellows)["replicas"]], ["web-00001-2"])
        self.assert_clean_exit(bellows)

    def test_it_ends_although_it_was_started_with_sigterm_blocked(self):
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        try:
            bellows = self.run_bellows("--", *self.sample())
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
        self.assertEqual(get(bellows.port).status, 200)
        self.assert_clean_exit(bellows, signal.SIGTERM)


class UnreadLog(EndToEnd):
    LINES = 4000  # of 100 bytes: more than the pipe and the buffer hold together

    def events(self, pipe, seen):
        for line in pipe:
            seen.append(json.loads(line))

    def test_a_blocked_log_reader_drops_lines_and_no_request(self):
        port, admin = free_port(), free_port()
        script = f"yes {'x' * 99} | head -n {self.LINES}; exec {' '.join(self.sample())}"
        bellows = subprocess.Popen([program("bellows"), "run", "--listen", f"127.0.0.1:{port}", "--admin",
                                    f"127.0.0.1:{admin}", "--log-format", "json", "--min-scale", "1", "--", "sh", "-c",
                                    script], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(bellows.stderr.close)
        self.addCleanup(bellows.wait)
        self.addCleanup(bellows.kill)
        until(lambda: self.responses(port), "a request is served")
        seen = []
        reader = threading.Thread(target=self.events, args=(bellows.stderr, seen), daemon=True)
        reader.start()
        written = lambda: sum(e["event"] == "output" for e in seen)
        dropped = lambda: sum(e["lines"] for e in seen if e["event"] == "log lines dropped")
        until(lambda: written() + dropped() >= self.LINES, "every line was written or counted")
        self.assertGreater(dropped(), 0)
        self.assertGreater(written(), 1000)
        bellows.send_signal(signal.SIGINT)
        self.assertEqual(bellows.wait(DEADLINE), 0)
        reader.join(DEADLINE)

    @staticmethod
    def responses(port):
        try:
            return get(port, timeout=5).status == 200
        except OSError:
            return False


class InvalidInput(EndToEnd):
    def quick_end(self, *arguments):
        return subprocess.run([program("bellows"), *arguments], capture_output=True, text=True, timeout=DEADLINE,
                              check=False, stdin=subprocess.DEVNULL)

    def test_a_missing_program_is_reported_in_one_line(self):
        done = self.quick_end("run", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--", "nonexistent")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertIn("nonexistent", done.stderr)

    def test_a_port_in_use_is_named(self):
        import socket
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            done = self.quick_end("run", "--listen", f"127.0.0.1:{port}", "--admin", "127.0.0.1:0", "--", "true")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertIn(f"127.0.0.1:{port}", done.stderr)
        self.assertIn("in use", done.stderr)

    def test_all_invalid_settings_are_reported_together(self):
        done = self.quick_end("run", "--target", "0", "--window", "soon", "--max-scale", "-1", "--", "true")
        self.assertEqual(done.returncode, 2)
        for key in ("target", "window", "max-scale"):
            self.assertIn(key, done.stderr)
        self.assertIn("soon", done.stderr)

    def test_no_command_is_a_usage_error(self):
        done = self.quick_end("run")
        self.assertEqual(done.returncode, 2)
        self.assertIn("COMMAND", done.stderr)

    def test_status_without_a_running_bellows_names_the_address(self):
        port = free_port()
        done = self.quick_end("status", "--admin", f"127.0.0.1:{port}")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"127.0.0.1:{port}", done.stderr)


class Observing(EndToEnd):
    def test_status_top_metrics_and_health_show_what_runs(self):
        bellows = self.run_bellows("--name", "shop", "--", *self.sample())
        self.assertEqual(get(bellows.port).status, 200)
        where = ["--admin", f"127.0.0.1:{bellows.admin}"]
        for command in (["status"], ["status", "-o", "wide"], ["top", "--once"]):
            done = subprocess.run([program("bellows"), *command, *where], capture_output=True, text=True,
                                  timeout=DEADLINE, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("shop", done.stdout)
            self.assertIn("Active", done.stdout)
        self.assertEqual(get(bellows.admin, "/healthz").status, 200)
        self.assertEqual(get(bellows.admin, "/readyz").status, 200)
        until_equal(lambda: metric(bellows.admin, 'bellows_autoscaler_desired_pods{revision="shop-00001",service="shop"}'), 1)
        until_equal(lambda: metric(bellows.admin, 'bellows_activator_requests_total{code_class="2xx",revision="shop-00001",service="shop"}'), 1)
        self.assert_clean_exit(bellows)

    def test_a_paused_service_keeps_its_replicas_until_it_is_resumed(self):
        bellows = self.run_bellows("--min-scale", "1", "--max-scale", "3", "--", *self.sample())
        self.assertEqual(get(bellows.port).status, 200)

        def order(command):
            done = subprocess.run([program("bellows"), command, "web", "--admin", f"127.0.0.1:{bellows.admin}"],
                                  capture_output=True, text=True, timeout=DEADLINE, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("web: ", done.stdout)

        order("pause")
        until(lambda: self.status(bellows)["last_decision"]["rule"] == "paused", "the rule paused")
        self.assertTrue(self.status(bellows)["paused"])
        self.assertEqual(self.status(bellows)["requested"], 1)
        self.assertEqual(get(bellows.port).status, 200)
        done = subprocess.run([program("bellows"), "status", "--admin", f"127.0.0.1:{bellows.admin}"],
                              capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertIn("Paused", done.stdout)
        order("resume")
        until(lambda: self.status(bellows)["last_decision"]["rule"] != "paused", "another rule")
        self.assertNotIn("paused", self.status(bellows))
        self.assert_clean_exit(bellows)

    def test_a_retired_service_responds_410(self):
        bellows = self.run_bellows("--", *self.sample())
        self.assertEqual(get(bellows.port).status, 200)
        done = subprocess.run([program("bellows"), "retire", "web", "--admin", f"127.0.0.1:{bellows.admin}"],
                              capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        until(lambda: get(bellows.port).status == 410, "410 Gone")
        until(lambda: self.status(bellows)["state"] == "Retired", "state Retired")
        until(lambda: not any("sample-app" in c for c in descendants(bellows.pid).values()), "the app is gone")
        self.assertIn("`bellows resume web` undoes it", done.stdout)
        for command in (["status"], ["explain", "web"], ["revisions"], ["pause", "web"]):
            told = subprocess.run([program("bellows"), *command, "--admin", f"127.0.0.1:{bellows.admin}"],
                                  capture_output=True, text=True, timeout=DEADLINE, check=False)
            self.assertIn("retired", told.stdout + told.stderr, command)
            self.assertIn("`bellows resume web`", told.stdout + told.stderr, command)
        self.assertEqual(bellows.wait_for("retired")["hint"], "`bellows resume web` undoes it")
        done = subprocess.run([program("bellows"), "resume", "web", "--admin", f"127.0.0.1:{bellows.admin}"],
                              capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        until(lambda: get(bellows.port).status == 200, "it serves again")
        self.assert_clean_exit(bellows)
