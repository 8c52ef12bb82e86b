"""Crashed, hanging and misbehaving apps and proxies, and overload."""

import os
import signal
import socket
import stat
import threading

from harness import DEADLINE, LoadGenerator, EndToEnd, alive, descendants, get, until


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


class SecondSignal(EndToEnd):
    def test_ends_at_once_whatever_is_open(self):
        """A request in flight, the stat streams of replicas, and a page that follows events."""
        for workers in ("1", "2"):
            with self.subTest(workers=workers):
                bellows = self.run_bellows("--workers", workers, "--min-scale", "2", "--", *self.sample(service_time="60s"))
                with socket.create_connection(("127.0.0.1", bellows.port), timeout=DEADLINE) as client, \
                        socket.create_connection(("127.0.0.1", bellows.admin), timeout=DEADLINE) as page:
                    client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    page.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    self.assertIn(b"200 OK", page.recv(1000))
                    until(lambda: any(r.get("in_flight", 0) > 0 for r in self.status(bellows)["replicas"]),
                          "a request is in flight")
                    children = descendants(bellows.pid)
                    bellows.signal(signal.SIGINT)
                    bellows.wait_for("draining")
                    bellows.signal(signal.SIGINT)
                    self.assertEqual(bellows.end(), 1, bellows.text())
                until(lambda: not any(alive(pid) for pid in children), "no process is left")


class FailingApp(EndToEnd):
    def test_an_app_that_never_listens_is_reported_to_waiting_clients(self):
        bellows = self.run_bellows("--progress-deadline", "3s", "--error-detail", "full", "--", "sleep", "600")
        response = get(bellows.port)
        self.assertEqual(response.status, 503)
        self.assertIn("nothing listens on 127.0.0.1:", response.body)
        self.assertIn("web", response.body)
        self.assert_clean_exit(bellows)

    def test_an_app_that_crashes_immediately_shows_its_last_output(self):
        bellows = self.run_bellows("--progress-deadline", "3s", "--error-detail", "full", "--", "sh", "-c",
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
        # It answers once: the question which version of HTTP it speaks would be that.
        bellows = self.run_bellows("--min-scale", "1", "--max-scale", "1", "--app-protocol", "http1", "--", "python3", "-c",
                                   STOPS_LISTENING)
        bellows.wait_for("replica ready")
        self.assertEqual(get(bellows.port).status, 200)
        with socket.create_connection(("127.0.0.1", bellows.port), timeout=DEADLINE) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: web\r\n\r\n")
            lost = bellows.wait_for("replica no longer ready", replica="web-00001-1")
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


TELLS_AND_HANGS = """
import http.server, os, time
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        print("it has the request", flush=True)
        time.sleep(600)
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
"""


class KilledUnderLoad(EndToEnd):
    """Four replicas, sixteen clients that send GETs. Whatever is killed, no GET fails: it goes elsewhere or waits."""

    KILLS = 5

    def serve(self):
        bellows = self.run_bellows("--min-scale", "4", "--max-scale", "4", "--container-concurrency", "8", "--",
                                   *self.sample(service_time="10ms"))
        self.until_ready(bellows)
        return bellows

    def until_ready(self, bellows):
        until(lambda: sum(r["phase"] == "ready" for r in self.status(bellows)["replicas"]) == 4, "four are ready")

    def victims(self, bellows, program):
        return [pid for pid, command in descendants(bellows.pid).items()
                if program in command and "shim" not in command]

    def kill_under_load(self, choose):
        bellows = self.serve()
        load = LoadGenerator(bellows.port, 16)
        for _ in range(self.KILLS):
            before = load.succeeded
            until(lambda: load.succeeded > before + 100, "a hundred responses")
            for pid in choose(bellows):
                os.kill(pid, signal.SIGKILL)
            before = load.succeeded
            until(lambda: load.succeeded > before + 100, "a hundred more")
            self.until_ready(bellows)
        load.stop()
        self.assertEqual(load.failures, [])
        self.assert_clean_exit(bellows)

    def test_one_of_four_apps_killed_under_gets_fails_none(self):
        self.kill_under_load(lambda bellows: self.victims(bellows, "sample-app")[:1])

    def test_a_killed_queue_proxy_fails_no_get(self):
        self.kill_under_load(lambda bellows: self.victims(bellows, "queue-proxy")[:1])

    def test_all_apps_killed_at_once_fail_no_get(self):
        self.kill_under_load(lambda bellows: self.victims(bellows, "sample-app"))

    def test_all_queue_proxies_killed_at_once_fail_no_get(self):
        self.kill_under_load(lambda bellows: self.victims(bellows, "queue-proxy"))

    def test_a_post_that_has_reached_the_app_is_not_sent_again(self):
        bellows = self.run_bellows("--min-scale", "2", "--max-scale", "2", "--", "python3", "-c", TELLS_AND_HANGS)
        for _ in range(2):
            bellows.wait_for("replica ready")
        answers = []
        client = threading.Thread(target=lambda: answers.append(get(bellows.port, method="POST", body=b"x")))
        client.start()
        bellows.wait_for("output", line="it has the request")
        for pid in self.victims(bellows, "python3"):
            os.kill(pid, signal.SIGKILL)
        client.join(DEADLINE)
        self.assertEqual([answer.status for answer in answers], [502])
        self.assert_clean_exit(bellows)


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
        bellows = self.run_bellows("--queue-age", "1s", "--error-detail", "full", "--",
                                   *self.sample(start_delay="20s"))
        response = get(bellows.port)
        self.assertEqual(response.status, 503)
        self.assertIn("1s", response.body)
        self.assert_clean_exit(bellows)

    def test_a_response_that_takes_too_long_is_504(self):
        bellows = self.run_bellows("--revision-timeout", "1s", "--", *self.sample(service_time="30s"))
        self.assertEqual(get(bellows.port).status, 504)
        self.assert_clean_exit(bellows)
