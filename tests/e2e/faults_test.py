"""Crashed, hanging and misbehaving apps and proxies, and overload."""

import os
import signal
import socket
import stat
import threading

from harness import DEADLINE, LoadGenerator, EndToEnd, descendants, get, until


# Responds once, closes the connection, stops listening, and keeps running.
STOPS_LISTENING = """
import os, socket, time
listener = socket.create_server(("127.0.0.1", int(os.environ["PORT"])))
while True:
    client, _ = listener.accept()
    if client.recv(1000):
        listener.close()
        client.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n")
        time.sleep(600)
"""


class FailingApp(EndToEnd):
    def test_an_app_that_never_listens_is_reported_to_waiting_clients(self):
        bellows = self.run_bellows("--progress-deadline", "3s", "--", "sleep", "600")
        response = get(bellows.port)
        self.assertEqual(response.status, 503)
        self.assertIn("nothing listens on port", response.body)
        self.assertIn("web", response.body)
        self.assert_clean_exit(bellows)

    def test_an_app_that_crashes_immediately_shows_its_last_output(self):
        bellows = self.run_bellows("--progress-deadline", "3s", "--", "sh", "-c",
                                   "echo no database at db.example >&2; exit 3")
        response = get(bellows.port)
        self.assertEqual(response.status, 503)
        self.assertIn("exited with code 3", response.body)
        self.assertIn("no database at db.example", bellows.text())
        self.assert_clean_exit(bellows)

    def test_an_app_that_crashes_once_is_restarted_and_serves_again(self):
        bellows = self.run_bellows("--", *self.sample())
        self.assertEqual(get(bellows.port).status, 200)
        app = next(pid for pid, command in descendants(bellows.pid).items()
                   if "sample-app" in command and "shim" not in command)
        os.kill(app, signal.SIGKILL)
        bellows.wait_for("app crashed")
        self.assertEqual(get(bellows.port).status, 200)
        until(lambda: self.status(bellows)["replicas"][0]["restarts"] == 1, "one restart is counted")
        self.assert_clean_exit(bellows)

    def test_an_app_that_stops_listening_is_reported_with_the_reason(self):
        bellows = self.run_bellows("--min-scale", "1", "--max-scale", "1", "--", "python3", "-c", STOPS_LISTENING)
        bellows.wait_for("replica ready")
        self.assertEqual(get(bellows.port).status, 200)
        with socket.create_connection(("127.0.0.1", bellows.port), timeout=DEADLINE) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: web\r\n\r\n")
            lost = bellows.wait_for("replica no longer ready", replica="web-1")
        self.assertEqual(lost["because"], "the app refused a connection")
        self.assert_clean_exit(bellows)

    def test_a_file_that_cannot_be_executed_is_reported_in_one_line(self):
        path = os.path.join(self.folder(), "app")
        with open(path, "w") as f:
            f.write("#!/bin/sh\n")
        os.chmod(path, stat.S_IRUSR | stat.S_IWUSR)
        from harness import program
        import subprocess
        done = subprocess.run([program("bellows"), "run", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--", path],
                              capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertIn(path, done.stderr)


class KilledUnderLoad(EndToEnd):
    def kill_one(self, victim):
        """Two replicas, ten clients; one process of one replica is killed: only its requests may fail."""
        bellows = self.run_bellows("--min-scale", "2", "--container-concurrency", "5", "--max-scale", "2", "--",
                                   *self.sample(service_time="50ms"))
        for _ in range(2):
            bellows.wait_for("replica ready")
        load = LoadGenerator(bellows.port, 10)
        until(lambda: load.succeeded > 100, "a hundred responses")
        pid = next(pid for pid, command in descendants(bellows.pid).items()
                   if victim in command and "shim" not in command)
        os.kill(pid, signal.SIGKILL)
        before = load.succeeded
        until(lambda: load.succeeded > before + 200, "two hundred more")
        until(lambda: sum(r["phase"] == "ready" for r in self.status(bellows)["replicas"]) == 2, "two are ready again")
        load.stop()
        self.assertLessEqual(len(load.failures), 5, load.failures)
        for failure in load.failures:
            self.assertIn("502", failure)
        self.assert_clean_exit(bellows)

    def test_a_killed_queue_proxy_fails_only_what_it_had_in_flight(self):
        self.kill_one("queue-proxy")

    def test_a_killed_app_fails_only_what_it_had_in_flight(self):
        self.kill_one("sample-app")


class Overload(EndToEnd):
    def test_a_full_queue_rejects_with_503_and_retry_after(self):
        bellows = self.run_bellows("--queue-depth", "2", "--max-scale", "1", "--container-concurrency", "1", "--",
                                   *self.sample(start_delay="2s", service_time="100ms"))
        responses = []
        clients = [threading.Thread(target=lambda: responses.append(get(bellows.port))) for _ in range(6)]
        for client in clients:
            client.start()
        for client in clients:
            client.join(DEADLINE)
        rejected = [a for a in responses if a.status == 503]
        self.assertEqual(len(responses), 6)
        self.assertGreaterEqual(len(rejected), 3)
        for response in rejected:
            self.assertGreaterEqual(int(response.headers["Retry-After"]), 1)
        self.assertEqual(sum(a.status == 200 for a in responses), 6 - len(rejected))
        self.assert_clean_exit(bellows)

    def test_a_request_that_waited_too_long_is_rejected_with_the_reason(self):
        bellows = self.run_bellows("--queue-age", "1s", "--", *self.sample(start_delay="20s"))
        response = get(bellows.port)
        self.assertEqual(response.status, 503)
        self.assertIn("1s", response.body)
        self.assert_clean_exit(bellows)

    def test_a_response_that_takes_too_long_is_504(self):
        bellows = self.run_bellows("--revision-timeout", "1s", "--", *self.sample(service_time="30s"))
        self.assertEqual(get(bellows.port).status, 504)
        self.assert_clean_exit(bellows)
