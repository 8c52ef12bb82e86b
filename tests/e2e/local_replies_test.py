"""Compares each reply of docs/troubleshooting.md with the responses of the programs."""

import json
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import threading
import unittest

from harness import DEADLINE, EndToEnd, get, program, raw, until

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "troubleshooting.md"
APP = str(HERE / "protocol_app.py")
FULL = ("--error-detail", "full")  # the page shows the texts that tell one case from another
# What differs between runs: fields, numbers, and whether a request had to wait for an ejected replica.
VARYING = [(re.compile(r"^(Date|Content-Length|X-Request-Id): .*$", re.M), r"\1: ..."), (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:PORT"),
           (re.compile(r"^Retry-After: \d+$", re.M), "Retry-After: N"), (re.compile(r"^X-Bellows-Queue-Ms: \d+\n", re.M), "")]


# | **Name** | status | `reason` | `fields` | `text` | when |; a text that is too long for a cell is in the block of HTML.
ROW = re.compile(r"^\| \*\*(.+?)\*\* \| (\d{3} [^|]+) \| `([a-z-]+)` \|(?: (`[^|]+`))? \|(?: ([^|]+))? \|", re.M)


def response_of_row(row, page):
    """The response that a row of the page stands for."""
    _, status, reason, fields, text = row
    fields = fields[1:-1].split("`, `") if fields else []
    own_type = [field for field in fields if field.startswith("Content-Type: ")]
    body = text[1:-1] if text.startswith("`") else re.search(r"^```html\n(.*?)^```$", page, re.M | re.S)[1] if text else ""
    lines = [f"HTTP/1.1 {status}"]
    if body:
        lines += [*(own_type or ["Content-Type: text/plain; charset=utf-8"]), "Content-Length: ..."]
    lines.append(f"X-Bellows-Reason: {reason}")
    lines += [field if ": " in field else f"{field}: 0" for field in fields if field not in own_type]
    return "\n".join((*lines, "Date: ...", "Connection: close", "", body))


def replies():
    """{name: the response}."""
    page = PAGE.read_text()
    return {row[0]: response_of_row(row, page) for row in ROW.findall(page)}


def comparable(response):
    for pattern, instead in VARYING:
        response = pattern.sub(instead, response)
    return response.strip().splitlines()


def request(path="/", method="GET", *lines, body=b"", host="shop.localhost"):
    return "\r\n".join((f"{method} {path} HTTP/1.1", f"Host: {host}", *lines, "Connection: close", "", "")).encode() + body


class LocalReplies(EndToEnd):
    maxDiff = None

    def check(self, name, response):
        with self.subTest(name):
            head, _, body = response.decode().replace("\r\n", "\n").partition("\n\n")
            self.assertEqual(comparable(f"{head}\n\n{body}"), comparable(replies()[name]))
            length = re.search(r"^Content-Length: (\d+)$", head, re.M)
            self.assertEqual(int(length[1]) if length else 0, len(body.encode()))

    def asked(self, name, port, data):
        self.check(name, raw(port, data))

    def hold(self, port, data):
        """Starts a client; its response appears in the list."""
        responses = []
        client = threading.Thread(target=lambda: responses.append(raw(port, data)), daemon=True)
        client.start()
        return client, responses

    def waiting(self, bellows):
        text = get(bellows.admin, "/metrics").body
        lines = [line for line in text.splitlines() if line.startswith("bellows_activator_queue_depth{")]
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines)

    def run_app(self, *flags):
        return self.run_bellows("--name", "shop", "--max-scale", "1", *FULL, *flags, "--", "python3", APP, "$PORT")

    def run_sleeper(self, *flags):
        """A service whose app never listens."""
        return self.run_bellows("--name", "shop", *FULL, *flags, "--", "sleep", "600")

    def test_what_needs_no_replica_or_waits_for_one(self):
        bellows = self.run_sleeper("--static-answers", '[{"path":"/healthz","body":"ok"}]', "--waiting-page", "built-in",
                                   "--fallback-after", "0s")
        self.asked("Static answer", bellows.port, request("/healthz"))
        self.asked("Waiting page", bellows.port, request("/", "GET", "Accept: text/html"))

    def test_each_reply_of_the_page_is_caused_here(self):
        source = pathlib.Path(__file__).read_text()
        rows = re.findall(r"^\| \*\*", PAGE.read_text(), re.M)
        self.assertGreater(len(rows), 20)
        self.assertEqual(len(replies()), len(rows))
        self.assertEqual([name for name in replies() if f'"{name}"' not in source], [])

    def explained(self, admin, request_id):
        done = subprocess.run([program("bellows"), "explain", "--request", request_id, "--admin", f"127.0.0.1:{admin}"],
                              capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_log_has_an_apps_last_line_and_callers_not(self):
        """The app's line has a password and bytes that a terminal obeys."""
        script = r"printf 'FATAL: \033[31mpostgres://admin:hunter2@db\n' >&2; exit 3"
        bellows = self.run_bellows("--name", "shop", "--", "sh", "-c", script)
        response = get(bellows.port, "/orders?key=1", headers={"X-Request-Id": "trace-77"})
        self.assertEqual((response.status, response.headers["X-Request-Id"]), (503, "trace-77"))
        self.assertEqual(response.body, "the service is not available; request trace-77\n")
        for leak in ("hunter2", "shop-00001-1", "exited"):
            self.assertNotIn(leak, str(response.headers))
        logged = bellows.wait_for("request failed", request_id="trace-77")
        self.assertIn("hunter2", logged["error"])
        told = self.explained(bellows.admin, "trace-77")
        self.assertIn("hunter2", told)
        self.assertIn("/orders", told)
        self.assertNotIn("key=1", told)
        self.assertNotIn("\x1b", told)

    def test_the_whole_text_has_no_bytes_that_a_terminal_obeys(self):
        script = r"printf 'FATAL: \033[31mpostgres://admin:hunter2@db\n' >&2; exit 3"
        bellows = self.run_bellows("--name", "shop", *FULL, "--", "sh", "-c", script)
        response = get(bellows.port)
        self.assertIn("hunter2", response.body)
        self.assertNotIn("\x1b", response.body)

    def test_hosts_of_other_services_are_not_told(self):
        path = os.path.join(self.folder(), "bellows.yaml")
        pathlib.Path(path).write_text("services:\n  - name: shop\n    host: shop.internal\n    command: [sleep, '600']\n")
        bellows = self.start(program("bellows"), "up", path, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                             "--log-format", "json")
        listening = bellows.wait_for("listening")
        port, admin = (int(listening[key].rsplit(":", 1)[1]) for key in ("address", "admin"))
        response = get(port, host="nobody.example")
        request_id = response.headers["X-Request-Id"]
        self.assertEqual((response.status, response.body),
                         (404, f"no service takes this host and path; request {request_id}\n"))
        self.assertIn("known: shop.internal", self.explained(admin, request_id))

    def test_inner_addresses_are_not_told(self):
        """The queue-proxy's reply goes through the activator, which logs what was withheld."""
        bellows = self.run_bellows("--name", "shop", "--max-scale", "1", "--", "python3", APP, "$PORT")
        self.assertEqual(get(bellows.port, "/").status, 200)
        for path, method, text in (("/hang-up", "POST", "did not respond"), ("/nonsense", "POST", "cannot be used")):
            with self.subTest(path):
                response = get(bellows.port, path, method=method)
                request_id = response.headers["X-Request-Id"]
                self.assertEqual(response.status, 502)
                self.assertIn(text, response.body)
                self.assertNotIn("shop-00001-1", response.body)
                self.assertFalse([name for name in response.headers if name.startswith("X-Bellows-Detail")])
                self.assertIn("replica shop-00001-1", self.explained(bellows.admin, request_id))

    def test_malformed_requests(self):
        port = self.run_app().port
        head = b"GET / HTTP/1.1\r\nHost: shop.localhost\r\n"
        self.asked("Malformed head", port, head + b"X-A : b\r\n\r\n")
        self.asked("Two lengths for one body", port, b"POST / HTTP/1.1\r\nHost: shop.localhost\r\nContent-Length: 3\r\n"
                   b"Transfer-Encoding: chunked\r\n\r\n")
        self.asked("Malformed chunk", port, request("/", "POST", "Transfer-Encoding: chunked", body=b"five\r\nhello\r\n"))
        self.asked("Request target too long", port, b"GET /" + b"a" * 40000 + b" HTTP/1.1\r\nHost: a\r\n\r\n")
        self.asked("Header fields too large", port, head + b"X-A: " + b"a" * 40000 + b"\r\n\r\n")
        self.asked("CONNECT", port, b"CONNECT db.localhost:5432 HTTP/1.1\r\nHost: db.localhost:5432\r\n\r\n")
        self.asked("Unsupported transfer coding", port,
                   request("/", "POST", "Transfer-Encoding: gzip, chunked"))
        self.asked("Unsupported HTTP version", port, b"GET / HTTP/2.0\r\nHost: shop.localhost\r\n\r\n")
        self.asked("Unsupported expectation", port, request("/", "GET", "Expect: a-miracle"))

    def test_a_request_over_a_connection_for_another_host(self):
        port = self.run_app("--tls", "self-signed").port
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE) as plain, \
                context.wrap_socket(plain, server_hostname="localhost") as caller:
            caller.sendall(request(host="mail.example"))
            response = b""
            while piece := caller.recv(65536):
                response += piece
        self.check("Misdirected request", response)

    def test_requests_that_end_at_the_proxy(self):
        port = self.run_app().port
        self.asked("OPTIONS with Max-Forwards 0", port, request("/", "OPTIONS", "Max-Forwards: 0"))
        self.asked("TRACE with Max-Forwards 0", port, request("/", "TRACE", "Max-Forwards: 0"))
        self.asked("Probe", port, request("/", "GET", "User-Agent: kube-probe/1.32"))
        self.asked("Network probe for another program", port, request("/", "GET", "K-Network-Probe: autoscaler"))

    def test_no_service(self):
        path = os.path.join(self.folder(), "bellows.yaml")
        pathlib.Path(path).write_text("services:\n  - name: shop\n    host: shop.localhost\n    command: [sleep, '600']\n")
        bellows = self.start(program("bellows"), "up", path, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                             "--log-format", "json", *FULL)
        listening = bellows.wait_for("listening")
        port, admin = (int(listening[key].rsplit(":", 1)[1]) for key in ("address", "admin"))
        self.asked("No route", port, request(host="nobody.example"))
        done = subprocess.run([program("bellows"), "retire", "shop", "--admin", f"127.0.0.1:{admin}"],
                              capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        until(lambda: raw(port, request()).startswith(b"HTTP/1.1 410 "), "410 Gone")
        self.asked("Retired service", port, request())

    def test_a_full_queue(self):
        bellows = self.run_sleeper("--queue-depth", "1", "--progress-deadline", "10m")
        self.hold(bellows.port, request())
        until(lambda: self.waiting(bellows) == 1, "one waits")
        self.asked("Full queue", bellows.port, request())

    def test_no_replica_within_the_queue_age(self):
        bellows = self.run_sleeper("--queue-age", "1s", "--progress-deadline", "10m")
        self.asked("Too long in the queue", bellows.port, request())

    def test_request_timeout_in_the_queue(self):
        bellows = self.run_sleeper("--revision-timeout", "1s", "--progress-deadline", "10m")
        self.asked("Request timeout in the queue", bellows.port, request())

    def test_replicas_that_do_not_become_ready(self):
        bellows = self.run_bellows("--name", "shop", *FULL, "--", "sh", "-c", "exit 3")
        self.asked("Replicas that do not become ready", bellows.port, request())

    def test_stopped_while_queued(self):
        bellows = self.run_sleeper("--drain-timeout", "1s", "--progress-deadline", "10m")
        client, responses = self.hold(bellows.port, request())
        until(lambda: self.waiting(bellows) == 1, "one waits")
        bellows.signal(signal.SIGTERM)
        client.join(DEADLINE)
        self.check("Stopped while queued", responses[0])

    def test_an_app_that_responds_incorrectly(self):
        bellows = self.run_app("--revision-timeout", "2s")
        self.assertEqual(get(bellows.port, "/").status, 200)
        self.asked("Timeout", bellows.port, request("/wait"))
        self.asked("The app closes without a response", bellows.port, request("/hang-up", "POST"))
        self.asked("Response head too large", bellows.port, request("/many-lines"))
        self.asked("Malformed response", bellows.port, request("/nonsense", "POST"))

    def test_an_app_that_has_exited(self):
        """The queue-proxy alone, after queue-age: an activator would retry the request on another replica."""
        app, read_end, write_end = socket.create_server(("127.0.0.1", 0)), *os.pipe()
        os.set_inheritable(write_end, True)
        environment = {"USER_PORT": str(app.getsockname()[1]), "QUEUE_SERVING_PORT": "0",
                       "BELLOWS_ADMIN_PORT": "0", "BELLOWS_LISTEN_HOST": "127.0.0.1", "SERVING_SERVICE": "shop", "SERVING_REVISION": "shop-00001",
                       "SERVING_POD": "shop-00001-1", "BELLOWS_ERROR_DETAIL": "full", "BELLOWS_APP_PROTOCOL": "http1",
                       "BELLOWS_QUEUE_AGE": "1s", "BELLOWS_NOTIFY_FD": str(write_end)}
        proxy = subprocess.Popen([program("queue-proxy")], env={**os.environ, **environment}, close_fds=False,
                                 stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(proxy.wait)
        self.addCleanup(proxy.kill)
        os.close(write_end)
        with os.fdopen(read_end) as notify:
            port = int(json.loads(notify.readline())["serving"].rsplit(":", 1)[1])
            self.assertEqual(json.loads(notify.readline()), {"event": "ready"})
        app.close()
        self.asked("Connection refused by the app", port, request())

    def test_plain_http_where_https_is_spoken(self):
        bellows = self.run_bellows("--tls", "self-signed", "--redirect-listen", "127.0.0.1:0", "--acme-folder", self.folder(),
                                   "--", "sleep", "600")
        said = next(json.loads(line) for line in bellows.lines if "redirecting to https" in line)
        port = int(said["address"].rsplit(":", 1)[1])
        self.asked("Plain http where https is spoken", port, request("/a?b=c", host="127.0.0.1"))
        self.asked("A challenge that is not there", port, request("/.well-known/acme-challenge/token", host="127.0.0.1"))
