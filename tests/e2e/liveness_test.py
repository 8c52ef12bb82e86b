"""Apps that hang are found, killed and restarted; apps that are slow are not."""

import json
import subprocess
import threading

from harness import DEADLINE, EndToEnd, LoadGenerator, descendants, get, program, until

PROBED = ["--liveness-period", "1s", "--liveness-threshold", "2", "--min-scale", "1", "--max-scale", "1"]

# One thread: what it is asked waits for what it was asked before. Every request takes 250 ms.
SLOW = """
import http.server, os, time
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        time.sleep(0.25)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *ignored):
        pass
http.server.HTTPServer.request_queue_size = 64
http.server.HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
"""

# Listens, and never answers.
DEAF = """
import os, socket, time
s = socket.create_server(("127.0.0.1", int(os.environ["PORT"])), backlog=64)
while True:
    time.sleep(60)
"""


class Liveness(EndToEnd):
    def queue_proxies(self, bellows):
        return {pid for pid, command in descendants(bellows.pid).items() if command.split()[0].endswith("queue-proxy")}

    def test_a_deadlocked_app_is_restarted_and_serves_again(self):
        bellows = self.run_bellows(*PROBED, "--liveness-path", "/", "--error-detail", "full", "--",
                                   program("sample-app"), "--start-delay", "0ms", "--service-time", "10ms", "--hang-path", "/hang")
        first = get(bellows.port).body
        proxies = self.queue_proxies(bellows)
        answers = []
        caller = threading.Thread(target=lambda: answers.append(get(bellows.port, "/hang")))
        caller.start()
        hangs = bellows.wait_for("app hangs: it is killed and restarted", replica="web-00001-1")
        self.assertIn("2 liveness probes failed in a row: ", hangs["because"])
        self.assertIn("within 1s", hangs["because"])
        caller.join(DEADLINE)
        self.assertEqual(answers[0].status, 502)
        self.assertIn("replica web-00001-1: its app hung and is restarted: 2 liveness probes failed", answers[0].body)
        second = get(bellows.port)
        self.assertEqual(second.status, 200)
        self.assertNotEqual(second.body, first, "another process")
        self.assertEqual(self.queue_proxies(bellows), proxies, "the queue-proxy stays")
        replica = self.status(bellows)["replicas"][0]
        self.assertEqual((replica["phase"], replica["restarts"]), ("ready", 1))
        self.assertIn("the app hung and was killed: 2 liveness probes failed", replica["restarted_because"])
        shown = subprocess.run([program("bellows"), "status", "-o", "wide", "--admin", f"127.0.0.1:{bellows.admin}"],
                               capture_output=True, text=True, timeout=DEADLINE, check=False).stdout
        self.assertIn("restarted: the app hung and was killed", shown)
        journal = subprocess.run([program("bellows"), "journal", "web", "--admin", f"127.0.0.1:{bellows.admin}"],
                                 capture_output=True, text=True, timeout=DEADLINE, check=False).stdout
        told = [json.loads(line) for line in journal.splitlines() if "restarted" in json.loads(line)]
        self.assertEqual([(line["restarted"], line["restarts"]) for line in told], [("web-00001-1", 1)], journal)
        self.assertIn("the app hung and was killed: 2 liveness probes failed", told[0]["because"])
        replayed = subprocess.run([program("bellows"), "replay", "decisions", "-"], input=journal, capture_output=True,
                                  text=True, timeout=DEADLINE, check=False)
        self.assertEqual(replayed.returncode, 0, replayed.stderr)
        self.assert_clean_exit(bellows)

    def test_a_repeatedly_hanging_app_restarts_with_backoff(self):
        bellows = self.run_bellows("--liveness-path", "/live", "--liveness-period", "1s", "--liveness-threshold", "1",
                                   "--min-scale", "1", "--", "/usr/bin/python3", "-c", DEAF)
        waits = [bellows.wait_for("app restarts", replica="web-00001-1")["after_ms"] for _ in range(4)]
        self.assertEqual(waits[0], 100)
        self.assertGreater(waits[3], 300, waits)
        self.assertGreaterEqual(self.status(bellows)["replicas"][0]["restarts"], 3)
        self.assert_clean_exit(bellows)

    def test_an_app_that_is_slow_at_its_limit_is_not_killed(self):
        bellows = self.run_bellows(*PROBED, "--liveness-path", "/live", "--container-concurrency", "8", "--", "/usr/bin/python3",
                                   "-c", SLOW)
        load = LoadGenerator(bellows.port, 16)
        until(lambda: load.succeeded > 30, "requests that are answered one after the other")
        self.assertEqual(self.status(bellows)["replicas"][0]["restarts"], 0)
        load.stop()
        self.assertEqual(load.failures, [])
        self.assertNotIn("app hangs", bellows.text())
        self.assert_clean_exit(bellows)

    def test_an_unsupported_probe_is_refused_at_the_start(self):
        for value, want in (("live", "tcp, a port from 1 to 65535, a path that starts with /"), ("0", "a port from 1")):
            done = subprocess.run([program("bellows"), "run", "--liveness-path", value, "--", "sleep", "1"],
                                  capture_output=True, text=True, timeout=DEADLINE, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f'--liveness-path: "{value}": want ', done.stderr)
            self.assertIn(want, done.stderr)

    def test_a_queue_proxy_without_a_parent_refuses_to_probe(self):
        done = subprocess.run([program("queue-proxy"), "--user-port", "1", "--liveness-probe", "/live"],
                              capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("set the livenessProbe of the app's container instead", done.stderr)
