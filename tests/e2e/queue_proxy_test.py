"""The queue-proxy alone, configured as Knative configures its queue-proxy."""

import http.server
import json
import os
import resource
import signal
import socket
import subprocess
import threading

from harness import DEADLINE, EndToEnd, free_port, get, metric, program, raw, until, until_equal

DROPPED = "bellows_queue_proxy_access_log_dropped_total"


class App:
    """An app that holds requests for /slow until the test releases them."""

    def __init__(self):
        self.release = threading.Semaphore(0)
        self.arrived = threading.Semaphore(0)
        self.heads = []
        app = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                app.heads.append(dict(self.headers))
                if self.path.startswith("/slow"):
                    app.arrived.release()
                    app.release.acquire(timeout=DEADLINE)
                body = b"served"
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                if self.path == "/echo":
                    self.send_header("X-Echo", self.headers["Cookie"])
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Alone(EndToEnd):
    def start_proxy(self, stdout=None, descriptors=None, **environment):
        self.app = App()
        self.addCleanup(self.app.close)
        read_end, write_end = os.pipe()
        env = {"USER_PORT": str(self.app.port), "QUEUE_SERVING_PORT": "0", "BELLOWS_ADMIN_PORT": "0",
               "BELLOWS_LISTEN_HOST": "127.0.0.1", "SERVING_REVISION": "web", "SERVING_POD": "web-1",
               "BELLOWS_NOTIFY_FD": str(write_end), "BELLOWS_LOG_FORMAT": "json", **environment}
        os.set_inheritable(write_end, True)
        proxy = subprocess.Popen([program("queue-proxy")], env={**os.environ, **env}, close_fds=False,
                                 stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, text=True,
                                 preexec_fn=descriptors and (lambda: resource.setrlimit(
                                     resource.RLIMIT_NOFILE, (descriptors, descriptors))))
        os.close(write_end)
        self.addCleanup(proxy.stderr.close)
        self.addCleanup(proxy.wait)
        self.addCleanup(proxy.kill)
        notify = os.fdopen(read_end)
        self.addCleanup(notify.close)
        listening = json.loads(notify.readline())
        self.assertEqual(listening["event"], "listening")
        self.port = int(listening["serving"].rsplit(":", 1)[1])
        self.admin = int(listening["admin"].rsplit(":", 1)[1])
        self.assertEqual(json.loads(notify.readline()), {"event": "ready"})
        self.notify = notify
        return proxy

    def hold(self, path="/slow"):
        """Starts a client whose request is in flight in the app; its response appears in the list."""
        outcome = []
        client = threading.Thread(target=lambda: outcome.append(get(self.port, path)), daemon=True)
        client.start()
        return client, outcome

    def test_writes_a_line_of_json_for_each_request_but_not_for_probes(self):
        proxy = self.start_proxy(stdout=subprocess.PIPE, BELLOWS_ACCESS_LOG="true")
        self.addCleanup(proxy.stdout.close)
        raw(self.port, b"GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: kube-probe/1.29\r\nConnection: close\r\n\r\n")
        raw(self.port, b"GET /a?b=1 HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
        line = json.loads(proxy.stdout.readline())
        self.assertEqual((line["method"], line["url"], line["host"], line["status"], line["service"], line["replica"]),
                         ("GET", "/a?b=1", "shop.example", 200, "web", "web-1"))

    def test_an_unread_access_log_does_not_block_requests(self):
        proxy = self.start_proxy(stdout=subprocess.PIPE, BELLOWS_ACCESS_LOG="true",
                                 BELLOWS_ACCESS_LOG_TEMPLATE="${url}")
        self.addCleanup(proxy.stdout.close)
        request = b"GET /" + b"a" * 7000 + b" HTTP/1.1\r\nHost: a\r\n"
        for _ in range(60):  # 420 KB: more than the pipe and the proxy buffer
            self.assertIn(b"served", raw(self.port, request + b"Connection: close\r\n\r\n"))
        until(lambda: metric(self.admin, DROPPED) > 0, "lines are dropped")

    def test_writes_the_rest_of_its_access_log_for_a_late_reader(self):
        proxy = self.start_proxy(stdout=subprocess.PIPE, BELLOWS_ACCESS_LOG="true",
                                 BELLOWS_ACCESS_LOG_TEMPLATE="${url}")
        self.addCleanup(proxy.stdout.close)
        request = b"GET /" + b"a" * 7000 + b" HTTP/1.1\r\nHost: a\r\n"
        for _ in range(30):  # 210 KB: more than the pipe, less than pipe and proxy buffer
            raw(self.port, request + b"Connection: close\r\n\r\n")
        self.assertEqual(metric(self.admin, DROPPED), 0)
        proxy.send_signal(signal.SIGTERM)
        self.assertEqual([len(line) for line in proxy.stdout], [7002] * 30)
        self.assertEqual(proxy.wait(DEADLINE), 0)

    def test_an_unwritable_access_log_is_reported_once(self):
        def access_log_events(proxy):
            return [(line["event"], line["because"], line.get("lines"))
                    for line in map(json.loads, proxy.stderr) if line["event"].startswith("access log")]

        with open("/dev/full", "w") as full:
            proxy = self.start_proxy(stdout=full, BELLOWS_ACCESS_LOG="true")
        for _ in range(3):
            self.assertEqual(get(self.port, "/").status, 200)
        proxy.send_signal(signal.SIGTERM)
        self.assertEqual(access_log_events(proxy),
                         [("access log cannot be written", "No space left on device", None),
                          ("access log dropped its last lines", "No space left on device", 3)])

        proxy = self.start_proxy(stdout=subprocess.PIPE, BELLOWS_ACCESS_LOG="true")
        proxy.stdout.close()
        for _ in range(3):
            self.assertEqual(get(self.port, "/").status, 200)
        until_equal(lambda: metric(self.admin, DROPPED), 3)
        proxy.send_signal(signal.SIGTERM)
        self.assertEqual(access_log_events(proxy), [("access log cannot be written", "Broken pipe", None)])

    def test_forwards_and_counts(self):
        self.start_proxy()
        response = get(self.port, "/")
        self.assertEqual((response.status, response.body), (200, "served"))
        until_equal(lambda: metric(self.admin, 'bellows_queue_proxy_requests_total{code_class="2xx"}'), 1)
        self.assertEqual(get(self.admin, "/readyz").status, 200)

    def test_probes_are_answered_without_the_app_and_not_counted(self):
        self.start_proxy()
        probe = get(self.port, "/healthz", headers={"K-Network-Probe": "queue"})
        self.assertEqual((probe.status, probe.body), (200, "queue"))
        self.assertEqual(get(self.port, "/", headers={"User-Agent": "kube-probe/1.30"}).status, 200)
        self.assertEqual(get(self.port, "/", headers={"K-Network-Probe": "nonsense"}).status, 400)
        self.assertNotIn('code_class="2xx"} 1', get(self.admin, "/metrics").body)

    def test_the_app_gets_the_client_and_no_internal_header(self):
        self.start_proxy()
        get(self.port, "/", headers={"K-Network-Hash": "evil", "X-Bellows-Queue-Ms": "1", "traceparent": "00-abc"})
        head = self.app.heads[-1]
        self.assertFalse([name for name in head if name.lower().startswith(("k-", "x-bellows-"))], head)
        self.assertIn("127.0.0.1", head["X-Forwarded-For"])
        self.assertRegex(head["traceparent"], r"\A00-[0-9a-f]{32}-[0-9a-f]{16}-01\Z")  # docs/metrics.md

    def test_forwarded_fields_count_only_from_trusted_networks(self):
        words = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https", "X_Forwarded_For": "203.0.113.8",
                 "Forwarded": "for=203.0.113.7"}
        for networks, kept in (("private", True), ("127.0.0.0/8", True), ("none", False), ("10.0.0.0/8", False)):
            with self.subTest(networks):
                self.start_proxy(BELLOWS_TRUSTED_PROXIES=networks)
                get(self.port, "/", headers=words)
                head = self.app.heads[-1]
                self.assertEqual(head["X-Forwarded-For"], "203.0.113.9, 127.0.0.1" if kept else "127.0.0.1")
                self.assertEqual(head["X-Forwarded-Proto"], "https" if kept else "http")
                self.assertEqual("203.0.113.7" in head["Forwarded"], kept)
                self.assertNotIn("X_Forwarded_For", head)

    def test_the_size_of_heads_is_a_setting(self):
        token = "t" * 60_000
        self.start_proxy()
        self.assertEqual(get(self.port, "/", headers={"Cookie": token}).status, 431)
        self.assertEqual(get(self.port, "/", headers={"Cookie": "c" * 20_000}).status, 200)
        self.start_proxy(BELLOWS_MAX_HEADER_BYTES="128Ki")
        self.assertEqual(get(self.port, "/echo", headers={"Cookie": token}).headers["X-Echo"], token)

    def test_fields_that_are_not_ours_reach_the_app(self):
        self.start_proxy()
        get(self.port, "/", headers={"K-Foo": "1", "Proxy-Foo": "2", "Knative-Serving-Tag": "blue"})
        head = self.app.heads[-1]
        self.assertEqual((head["K-Foo"], head["Proxy-Foo"], head["Knative-Serving-Tag"]), ("1", "2", "blue"))

    def test_an_upgrade_to_anything_but_a_websocket_stays_http(self):
        self.start_proxy()
        for protocol in ("h2c", "h2c;x=1", "h2c/1", '"h2c"', "h2c-14", "HTTP/2.0", "TLS/1.0"):
            get(self.port, "/", headers={"Connection": "Upgrade", "Upgrade": protocol})
            self.assertNotIn("Upgrade", self.app.heads[-1], protocol)

    def test_a_request_beyond_limit_and_queue_gets_503_with_retry_after(self):
        self.start_proxy(CONTAINER_CONCURRENCY="1", BELLOWS_QUEUE_DEPTH="1")
        first, first_outcome = self.hold()
        self.app.arrived.acquire(timeout=DEADLINE)
        second, second_outcome = self.hold()
        until(lambda: "bellows_queue_proxy_queue_depth 1" in get(self.admin, "/metrics").body, "one request waits")
        rejected = get(self.port)
        self.assertEqual(rejected.status, 503)
        self.assertIn("Retry-After", rejected.headers)
        for client in (first, second):
            self.app.release.release()
            client.join(DEADLINE)
        self.assertEqual([a.status for a in first_outcome + second_outcome], [200, 200])

    def test_sigterm_ends_it_after_requests_in_flight(self):
        proxy = self.start_proxy()
        client, outcome = self.hold()
        self.app.arrived.acquire(timeout=DEADLINE)
        proxy.send_signal(signal.SIGTERM)
        until(lambda: get(self.admin, "/readyz").status == 503, "unready")
        self.assertIsNone(proxy.poll())
        self.app.release.release()
        client.join(DEADLINE)
        self.assertEqual(outcome[0].status, 200)
        self.assertEqual(proxy.wait(DEADLINE), 0)

    def test_sighup_makes_it_probe_the_restarted_app_again(self):
        proxy = self.start_proxy()
        proxy.send_signal(signal.SIGHUP)
        self.assertEqual(json.loads(self.notify.readline()),
                         {"event": "unready", "reason": "the app was restarted"})
        self.assertEqual(json.loads(self.notify.readline()), {"event": "ready"})
        self.assertEqual(get(self.port, "/").status, 200)

    def test_sigterm_ends_an_idle_proxy_immediately(self):
        proxy = self.start_proxy()
        proxy.send_signal(signal.SIGTERM)
        self.assertEqual(proxy.wait(5), 0)

    def test_a_drain_timeout_of_zero_aborts_requests(self):
        proxy = self.start_proxy(BELLOWS_DRAIN_TIMEOUT="0s", BELLOWS_ERROR_DETAIL="full")
        with socket.create_connection(("127.0.0.1", self.port), timeout=DEADLINE) as client:
            client.sendall(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
            self.app.arrived.acquire(timeout=DEADLINE)
            proxy.send_signal(signal.SIGTERM)
            self.assertEqual(proxy.wait(DEADLINE), 0)
            received = b""
            while piece := client.recv(4096):
                received += piece
        self.assertTrue(received.startswith(b"HTTP/1.1 503 "), received)
        self.assertTrue(received.endswith(b"server: stopped before the request was complete\n"), received)
        self.app.release.release()

    def test_connections_wait_for_descriptors(self):
        self.start_proxy(descriptors=40)
        clients = [socket.create_connection(("127.0.0.1", self.port), timeout=DEADLINE) for _ in range(60)]
        for client in clients:
            self.addCleanup(client.close)
            client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        for client in clients:
            self.assertTrue(client.recv(100).startswith(b"HTTP/1.1 200 "))
        until_equal(lambda: metric(self.admin, 'bellows_queue_proxy_requests_total{code_class="2xx"}'), 60)
        self.assertIn('bellows_queue_proxy_aborted_total{by="upstream"} 0\n', get(self.admin, "/metrics").body)

    def test_ambiguous_messages_are_rejected_and_the_connection_closes(self):
        self.start_proxy()
        for name, message, status in [
            ("both lengths", b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc", 400),
            ("two lengths", b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc", 400),
            ("folding", b"GET / HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\n\r\n", 400),
            ("bare line feed", b"GET / HTTP/1.1\nHost: a\n\n", 400),
            ("space before colon", b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
            ("no host", b"GET / HTTP/1.1\r\n\r\n", 400),
            ("long field", b"GET / HTTP/1.1\r\nHost: a\r\nX-A: " + b"b" * 40000 + b"\r\n\r\n", 431),
            ("connect", b"CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 501),
        ]:
            with self.subTest(name):
                response = raw(self.port, message)
                self.assertTrue(response.startswith(b"HTTP/1.1 %d " % status), response[:200])
        self.assertEqual(self.app.heads, [])
        for status, times in [(400, 6), (431, 1)]:
            until_equal(lambda status=status: metric(self.admin, f'bellows_queue_proxy_rejected_heads_total{{code="{status}"}}'), times)

    def test_wrong_settings_are_reported_together_before_any_port_opens(self):
        done = subprocess.run([program("queue-proxy")], capture_output=True, text=True, timeout=DEADLINE, check=False,
                              env={"CONTAINER_CONCURRENCY": "many", "USER_PORT": "70000", "PATH": os.environ["PATH"]})
        self.assertEqual(done.returncode, 2)
        self.assertIn("CONTAINER_CONCURRENCY", done.stderr)
        self.assertIn("USER_PORT", done.stderr)


class Log(EndToEnd):
    """The log on standard error."""

    def start_proxy(self, port, **environment):
        env = {"USER_PORT": str(port), "QUEUE_SERVING_PORT": "0", "BELLOWS_ADMIN_PORT": "0",
               "BELLOWS_LISTEN_HOST": "127.0.0.1", "BELLOWS_LOG_FORMAT": "json", **environment}
        self.proxy = subprocess.Popen([program("queue-proxy")], env={**os.environ, **env}, stdin=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.proxy.stderr.close)
        self.addCleanup(self.proxy.wait)
        self.addCleanup(self.proxy.kill)

    def line(self):
        return json.loads(self.proxy.stderr.readline())

    def test_logs_its_ports_readiness_and_end(self):
        app = App()
        self.addCleanup(app.close)
        self.start_proxy(app.port, BELLOWS_DRAIN_TIMEOUT="0s")
        listening = self.line()
        self.assertEqual((listening["event"], listening["app"]), ("listening", f"127.0.0.1:{app.port}"))
        self.assertEqual(self.line()["event"], "ready")
        with socket.create_connection(("127.0.0.1", int(listening["serving"].rsplit(":", 1)[1]))) as client:
            client.sendall(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
            app.arrived.acquire(timeout=DEADLINE)
            self.proxy.send_signal(signal.SIGTERM)
            draining, failed, stopped, ended = (self.line() for _ in range(4))
            self.assertTrue(client.recv(100).startswith(b"HTTP/1.1 503 "))
        app.release.release()
        self.assertEqual((draining["event"], draining["in_flight"], draining["at_most_ms"]), ("draining", 1, 0))
        self.assertEqual((failed["event"], failed["status"]), ("request failed", 503))
        self.assertEqual((stopped["event"], stopped["level"], stopped["requests"]), ("requests stopped", "warning", 1))
        self.assertEqual(ended["event"], "ended")
        self.assertEqual(self.proxy.stderr.read(), "")

    def test_warns_once_per_reason_that_the_app_is_not_ready(self):
        port = free_port()
        self.start_proxy(port)
        admin = int(self.line()["admin"].rsplit(":", 1)[1])
        first = self.line()
        self.assertEqual((first["event"], first["level"]), ("the app is not ready", "warning"))
        self.assertIn(f"127.0.0.1:{port}", first["because"])
        self.assertIn("refused", first["because"])
        self.assertIn("refused", get(admin, "/readyz").body)
        self.proxy.send_signal(signal.SIGTERM)
        self.assertEqual([self.line()["event"], self.line()["event"]], ["draining", "ended"])

    def test_warns_immediately_when_the_app_is_lost(self):
        app = App()
        self.start_proxy(app.port, BELLOWS_QUEUE_AGE="1s")
        port = int(self.line()["serving"].rsplit(":", 1)[1])
        self.assertEqual(self.line()["event"], "ready")
        app.close()
        self.assertEqual(get(port).status, 502)
        lost = self.line()
        self.assertEqual((lost["event"], lost["because"]), ("the app is not ready", "the app refused a connection"))

    def test_names_the_setting_that_cannot_be_applied(self):
        taken = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(taken.close)
        port = str(taken.getsockname()[1])
        # Descriptor 5 is one that the program opens itself.
        for setting, value, code, says in [
            ("QUEUE_SERVING_PORT", port, 1, f"queue-proxy: queue-serving-port: 127.0.0.1:{port}: "),
            ("BELLOWS_ADMIN_PORT", port, 1, f"queue-proxy: admin-port: 127.0.0.1:{port}: "),
            ("BELLOWS_NOTIFY_FD", "77", 2, "queue-proxy: notify-fd: 77 is not open for writing"),
            ("BELLOWS_NOTIFY_FD", "5", 2, "queue-proxy: notify-fd: 5 is not open for writing"),
        ]:
            with self.subTest(setting, value=value):
                self.start_proxy(1, **{setting: value})
                self.assertEqual(self.proxy.wait(DEADLINE), code)
                self.assertIn(says, self.proxy.stderr.read())
