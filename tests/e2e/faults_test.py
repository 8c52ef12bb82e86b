"""What happens when something dies, lies or never comes."""

import os
import signal
import socket
import stat
import threading

from harness import DEADLINE, Crowd, EndToEnd, descendants, get, until


# Answers once, on a connection that it closes, and does not listen any more; but it lives.
STOPS_LISTENING = """
import os, socket, time
listener = socket.create_server(("127.0.0.1", int(os.environ["PORT"])))
while True:
    visitor, _ = listener.accept()
    if visitor.recv(1000):
        listener.close()
        visitor.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n")
        time.sleep(600)
"""


class AppInTrouble(EndToEnd):
    def test_an_app_that_never_listens_is_reported_to_whoever_waits(self):
        bellows = self.run_bellows("--progress-deadline", "3s", "--", "sleep", "600")
        answer = get(bellows.port)
        self.assertEqual(answer.status, 503)
        self.assertIn("nothing listens on port", answer.body)
        self.assertIn("web", answer.body)
        self.assert_ends_well(bellows)

    def test_an_app_that_crashes_at_once_shows_its_last_words(self):
        bellows = self.run_bellows("--progress-deadline", "3s", "--", "sh", "-c",
                                   "echo no database at db.example >&2; exit 3")
        answer = get(bellows.port)
        self.assertEqual(answer.status, 503)
        self.assertIn("exited with code 3", answer.body)
        self.assertIn("no database at db.example", bellows.text())
        self.assert_ends_well(bellows)

    def test_an_app_that_crashes_once_is_restarted_and_serves_again(self):
        bellows = self.run_bellows("--", *self.sample())
        self.assertEqual(get(bellows.port).status, 200)
        app = next(pid for pid, command in descendants(bellows.pid).items()
                   if "sample-app" in command and "keeper" not in command)
        os.kill(app, signal.SIGKILL)
        bellows.wait_for("app crashed")
        self.assertEqual(get(bellows.port).status, 200)
        until(lambda: self.status(bellows)["replicas"][0]["restarts"] == 1, "one restart is counted")
        self.assert_ends_well(bellows)

    def test_an_app_that_listens_no_more_but_lives_is_named_with_the_reason(self):
        bellows = self.run_bellows("--min-scale", "1", "--max-scale", "1", "--", "python3", "-c", STOPS_LISTENING)
        bellows.wait_for("replica ready")
        self.assertEqual(get(bellows.port).status, 200)
        with socket.create_connection(("127.0.0.1", bellows.port), timeout=DEADLINE) as caller:
            caller.sendall(b"GET / HTTP/1.1\r\nHost: web\r\n\r\n")
            lost = bellows.wait_for("replica not ready any more", replica="web-1")
        self.assertEqual(lost["because"], "the app refused a connection")
        self.assert_ends_well(bellows)

    def test_a_file_that_cannot_be_executed_is_one_clear_line(self):
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
        """Two replicas, ten visitors, one process of one replica dies: at most what that replica served may fail."""
        bellows = self.run_bellows("--min-scale", "2", "--container-concurrency", "5", "--max-scale", "2", "--",
                                   *self.sample(service_time="50ms"))
        for _ in range(2):
            bellows.wait_for("replica ready")
        crowd = Crowd(bellows.port, 10)
        until(lambda: crowd.answered > 100, "a hundred answers")
        pid = next(pid for pid, command in descendants(bellows.pid).items()
                   if victim in command and "keeper" not in command)
        os.kill(pid, signal.SIGKILL)
        before = crowd.answered
        until(lambda: crowd.answered > before + 200, "two hundred more")
        until(lambda: sum(r["phase"] == "ready" for r in self.status(bellows)["replicas"]) == 2, "two are ready again")
        crowd.stop()
        self.assertLessEqual(len(crowd.failures), 5, crowd.failures)
        for failure in crowd.failures:
            self.assertIn("502", failure)
        self.assert_ends_well(bellows)

    def test_a_killed_queue_proxy_fails_only_what_it_had_in_flight(self):
        self.kill_one("queue-proxy")

    def test_a_killed_app_fails_only_what_it_had_in_flight(self):
        self.kill_one("sample-app")


class Overload(EndToEnd):
    def test_a_full_queue_answers_503_with_retry_after(self):
        bellows = self.run_bellows("--queue-depth", "2", "--max-scale", "1", "--container-concurrency", "1", "--",
                                   *self.sample(start_delay="2s", service_time="100ms"))
        answers = []
        visitors = [threading.Thread(target=lambda: answers.append(get(bellows.port))) for _ in range(6)]
        for visitor in visitors:
            visitor.start()
        for visitor in visitors:
            visitor.join(DEADLINE)
        refused = [a for a in answers if a.status == 503]
        self.assertEqual(len(answers), 6)
        self.assertGreaterEqual(len(refused), 3)
        for answer in refused:
            self.assertGreaterEqual(int(answer.headers["Retry-After"]), 1)
        self.assertEqual(sum(a.status == 200 for a in answers), 6 - len(refused))
        self.assert_ends_well(bellows)

    def test_a_request_that_waited_too_long_is_told_so(self):
        bellows = self.run_bellows("--queue-age", "1s", "--", *self.sample(start_delay="20s"))
        answer = get(bellows.port)
        self.assertEqual(answer.status, 503)
        self.assertIn("1s", answer.body)
        self.assert_ends_well(bellows)

    def test_an_answer_that_takes_too_long_is_504(self):
        bellows = self.run_bellows("--revision-timeout", "1s", "--", *self.sample(service_time="30s"))
        self.assertEqual(get(bellows.port).status, 504)
        self.assert_ends_well(bellows)
