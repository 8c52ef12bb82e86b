"""gRPC and HTTP/2 through activator and queue-proxy, with clients and servers that nobody here wrote."""

import json
import os
import signal
import socket
import subprocess
import unittest

from harness import BIN, DEADLINE, EndToEnd, descendants, get, program, until

HERE = os.path.dirname(os.path.abspath(__file__))
# Debian's Python, because it has Debian's python3-grpcio.
APP = ["/usr/bin/python3", os.path.join(HERE, "grpc_app.py"), "$PORT"]
# That of python3-h2 too.
HTTP2_PEER = ["/usr/bin/python3", os.path.join(HERE, "http2_peer.py")]
HTTP1_APP = ["python3", os.path.join(HERE, "protocol_app.py"), "$PORT"]
BOTH_VERSIONS_APP = ["python3", os.path.join(HERE, "both_versions_app.py"), "$PORT"]
PEER = ["/usr/bin/python3", os.path.join(HERE, "grpc_peer.py")]
CPP_PEER = os.path.join(BIN, "..", "tests", "grpc_cpp_peer")


def call(port, case, *authority):
    done = subprocess.run([*PEER, str(port), case, *authority], capture_output=True, text=True, timeout=3 * DEADLINE)
    if done.returncode != 0:
        raise AssertionError(f"{case}: {done.stderr[-2000:]}")
    return json.loads(done.stdout)


class Grpc(EndToEnd):
    def start_app(self, *flags):
        self.bellows = self.run_bellows("--max-scale", "1", *flags, "--", *APP)
        return self.bellows.port

    def test_kinds_of_calls_from_zero(self):
        port = self.start_app("--initial-scale", "0")
        self.assertEqual(call(port, "unary"),
                         {"reply": "hello", "initial": "b", "trailing": "last", "binary": [0, 255]})
        self.assertEqual(call(port, "server_stream"), {"sum": 499500})
        self.assertEqual(call(port, "client_stream"), {"reply": "500000"})
        self.assertEqual(call(port, "bidirectional"), {"replies": 50, "last": "re: 49"})

    def test_large_messages_and_many_calls_at_once(self):
        port = self.start_app("--app-protocol", "h2c")
        self.assertEqual(call(port, "large"), {"is_same": True, "bytes": 4 << 20})
        self.assertEqual(call(port, "many_at_once"), {"replies": 150})

    def test_statuses_of_the_app(self):
        port = self.start_app("--readiness-path", "grpc")
        found = call(port, "missing")
        self.assertEqual((found["code"], found["details"]), ("NOT_FOUND", "no such thing: \u00e9"))
        self.assertEqual(call(port, "unknown_method")["code"], "UNIMPLEMENTED")

    def test_deadlines_and_cancellation(self):
        port = self.start_app()
        self.assertEqual(call(port, "late")["code"], "DEADLINE_EXCEEDED")
        left = call(port, "deadline")
        self.assertEqual(left["code"], "OK")
        self.assertTrue(15 < float(left["reply"]) <= 20, left)
        self.assertEqual(call(port, "cancel"), {"is_running": True, "cancelled": True})

    def test_an_end_after_the_first_message_has_a_status(self):
        """What ends it, what Bellows is started with, the code and the message."""
        cases = (
            ("time", ("--revision-timeout", "5s"), "DEADLINE_EXCEEDED",
             "the response took longer than the request's time limit"),
            ("idle", ("--revision-idle-timeout", "3s"), "DEADLINE_EXCEEDED",
             "nothing moved within the idle time limit"),
            ("app", (), "UNAVAILABLE", "the service ended in the middle of its response"),
            ("queue-proxy", (), "UNAVAILABLE", "the service ended in the middle of its response"),
            ("drain", ("--drain-timeout", "1s"), "UNAVAILABLE", "the server stopped in the middle of the response"))
        for what, flags, code, details in cases:
            with self.subTest(what):
                port = self.start_app("--min-scale", "1", *flags)
                self.bellows.wait_for("replica ready")  # its start is no part of the time limit
                caller = subprocess.Popen([*PEER, str(port), "after_first"], stdout=subprocess.PIPE, text=True)
                self.addCleanup(caller.kill)
                self.assertEqual(caller.stdout.readline(), "first\n")
                if what == "app":
                    os.kill(self.child("grpc_app.py"), signal.SIGKILL)
                elif what == "queue-proxy":
                    os.kill(self.child("queue-proxy"), signal.SIGKILL)
                elif what == "drain":
                    self.bellows.signal(signal.SIGTERM)
                found = json.loads(caller.communicate(timeout=3 * DEADLINE)[0])
                self.assertEqual((found["code"], found["details"]), (code, details))
                self.bellows.signal(signal.SIGKILL)

    def child(self, name):
        return next(pid for pid, command in descendants(self.bellows.pid).items()
                    if name in command and "shim" not in command)

    def test_a_full_queue_is_unavailable_with_the_reason(self):
        port = self.start_app("--container-concurrency", "1", "--queue-depth", "1", "--error-detail", "full")
        refused = call(port, "refused")
        self.assertEqual(refused["code"], "UNAVAILABLE", refused)
        self.assertIn("its queue is full: 1 request waits, queue-depth is 1", refused["details"])
        self.assertIn("grpc-retry-pushback-ms", refused["trailing"])

    def test_an_unknown_service_is_unimplemented(self):
        path = os.path.join(self.folder(), "bellows.yaml")
        with open(path, "w") as out:
            json.dump({"services": [{"name": "shop", "host": "shop.example", "command": APP}]}, out)
        bellows = self.start(program("bellows"), "up", path, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                             "--log-format", "json")
        port = int(bellows.wait_for("listening")["address"].rsplit(":", 1)[1])
        self.assertEqual(call(port, "echo", "shop.example"), {"code": "OK", "reply": "hello"})
        self.assertEqual(call(port, "echo", "other.example")["code"], "UNIMPLEMENTED")


@unittest.skipUnless(os.path.exists(CPP_PEER), "no grpc_cpp_peer; tools/setup --tests installs libgrpc++-dev")
class GrpcOfCpp(EndToEnd):
    """Caller and app by gRPC's C++ library, through activator and queue-proxy."""

    def start_app(self, *flags):
        return self.run_bellows("--max-scale", "1", *flags, "--", CPP_PEER, "serve", "$PORT").port

    def call(self, port, case):
        done = subprocess.run([CPP_PEER, "call", str(port), case], capture_output=True, text=True, timeout=3 * DEADLINE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_kinds_of_calls_from_zero(self):
        port = self.start_app("--initial-scale", "0")
        self.assertEqual(self.call(port, "unary"), {"code": 0, "reply": "hello", "initial": True, "binary": True})
        self.assertEqual(self.call(port, "server_stream"), {"code": 0, "sum": 499500})
        self.assertEqual(self.call(port, "client_stream"), {"code": 0, "reply": "500000"})
        self.assertEqual(self.call(port, "bidirectional"), {"code": 0, "replies": 50, "last": "re: 49"})
        self.assertEqual(self.call(port, "large"), {"code": 0, "is_same": True})

    def test_deadlines_and_cancellation(self):
        port = self.start_app()
        self.call(port, "unary")  # the app runs: its start is not part of the deadline
        self.assertEqual(self.call(port, "deadline"), {"code": 4, "replies": 1})
        self.assertEqual(self.call(self.start_app(), "cancel"), {"code": 1, "runs": True, "app_knows": True})


class AppOfBothVersions(EndToEnd):
    def test_an_upgrade_goes_by_http1(self):
        bellows = self.run_bellows("--max-scale", "1", "--", *BOTH_VERSIONS_APP)
        with socket.create_connection(("127.0.0.1", bellows.port), timeout=DEADLINE) as caller:
            caller.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n")
            answer = b""
            while b"\r\n\r\n" not in answer:
                answer += caller.recv(4096)
            self.assertTrue(answer.startswith(b"HTTP/1.1 101 "), answer)
            caller.sendall(b"ping")
            self.assertEqual(caller.recv(4), b"ping")


class AppOfPythonsHttpServer(EndToEnd):
    """It logs each request, and a preface of HTTP/2 as an error."""

    def test_sees_no_preface_if_its_probe_is_an_http_path(self):
        app = ["python3", "-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", self.folder(), "$PORT"]
        bellows = self.run_bellows("--max-scale", "1", "--readiness-path", "/", "--", *app)
        self.assertEqual(get(bellows.port, "/").status, 200)
        self.assert_clean_exit(bellows)
        said = bellows.text()
        self.assertIn("GET / HTTP/1.1", said)
        self.assertNotIn("PRI ", said)
        self.assertNotIn(" 505 ", said)


class Http2ToAnHttp1App(EndToEnd):
    """Downgrade: the app speaks HTTP/1.1."""

    def start_app(self, *flags):
        self.bellows = self.run_bellows("--max-scale", "1", *flags, "--", *HTTP1_APP)
        self.assertEqual(get(self.bellows.port, "/").status, 200)
        return self.bellows.port

    def client(self, case):
        client = subprocess.Popen([*HTTP2_PEER, str(self.bellows.port), case], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        self.addCleanup(client.wait)
        self.addCleanup(client.kill)
        self.addCleanup(client.stdout.close)
        self.addCleanup(client.stderr.close)
        return client

    def result(self, client):
        text, errors = client.communicate(timeout=3 * DEADLINE)
        self.assertEqual(client.returncode, 0, errors)
        return json.loads(text.splitlines()[-1])

    def test_a_preface_that_comes_byte_by_byte(self):
        self.start_app()
        found = self.result(self.client("slow_preface"))
        self.assertEqual((found["status"], found["body"]), ("200", "GET /a?b=c "))

    def test_what_http1_has_comes_over_http2(self):
        self.start_app()
        found = self.result(self.client("features"))
        self.assertEqual({name: each.get("status") for name, each in found.items()},
                         {"get": "200", "head": "200", "post": "200", "no_content": "204", "not_modified": "304",
                          "chunked": "200", "continue": "200", "hang_up": "502", "events": "200", "release": "200"})
        self.assertEqual(found["head"]["body"], "")
        self.assertEqual(found["post"]["body"], "POST /x hello")
        self.assertEqual(found["chunked"]["trailers"], {"x-sum": "42"})
        self.assertEqual(found["continue"]["interim"], ["100"])
        self.assertEqual(found["events"]["body"], "data: 1\n\ndata: 2\n\n")
        self.assertNotIn("connection", found["get"]["fields"])

    def test_a_websocket_by_extended_connect(self):
        self.start_app()
        self.assertEqual(self.result(self.client("websocket")),
                         {"enabled": 1, "status": "200", "echoed": "ping", "end": True})

    def test_the_end_is_told_twice_and_streams_finish(self):
        port = self.start_app()
        client = self.client("goaway")
        self.assertEqual(client.stdout.readline(), "waiting\n")
        until(lambda: self.in_flight(self.bellows) == 1, "the request is at the app")
        release = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)
        self.addCleanup(release.close)
        release.sendall(b"GET /x HTTP/1.1\r\nHost: web.localhost\r\n\r\n")
        self.assertTrue(release.recv(1))
        self.bellows.signal(signal.SIGTERM)
        self.assertEqual(client.stdout.readline(), "told\n")
        self.release_app()
        found = self.result(client)
        self.assertEqual(found["codes"], [0, 0])
        self.assertEqual(found["last"][1], 1)
        self.assertEqual(found["response"]["status"], "200")
        self.assertTrue(found["ended"])
        self.assertEqual(self.bellows.end(), 0, self.bellows.text())

    def release_app(self):
        """Asks the app itself, because Bellows takes no more connections."""
        for command in descendants(self.bellows.pid).values():
            if "protocol_app.py" in command:
                return get(int(command.split()[-1]), "/release")
        raise AssertionError("no app runs")

    def test_the_last_stream_of_a_replica_that_leaves_ends_whole(self):
        self.start_app()
        client = self.client("events")
        self.assertEqual(client.stdout.readline(), "begun\n")
        children = descendants(self.bellows.pid)
        os.kill(next(pid for pid, command in children.items() if "queue-proxy" in command.split()[0]), signal.SIGTERM)
        port = next(int(command.split()[-1]) for command in children.values() if "protocol_app.py" in command)
        self.bellows.wait_for("replica leaves")
        self.bellows.wait_for("replica ready")  # another one: meanwhile GOAWAY has come
        get(port, "/release")
        found = self.result(client)
        self.assertEqual(found["first"], "data: 1\n\n")
        self.assertEqual((found["rest"].get("body"), found["rest"].get("reset")), ("data: 2\n\n", None))

    def test_a_connection_past_its_age_is_told_to_go(self):
        self.start_app("--max-connection-age", "1s")
        self.assertEqual(self.result(self.client("age")), {"some": True, "told": True})

    def test_curl_and_nghttp(self):
        port = self.start_app()
        url = f"http://127.0.0.1:{port}/x"
        curl = subprocess.run(["curl", "-s", "--http2-prior-knowledge", "-w", "%{http_version} %{http_code}", url],
                              capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(curl.stdout, "GET /x 2 200")
        upgrade = subprocess.run(["curl", "-s", "--http2", "-w", "%{http_version} %{http_code}", url],
                                 capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(upgrade.stdout, "GET /x 1.1 200", "an upgrade to h2c is ignored")
        nghttp = subprocess.run(["nghttp", "-v", url], capture_output=True, text=True, timeout=DEADLINE)
        self.assertIn(":status: 200", nghttp.stdout)


class Http1CallerOfAnHttp2App(EndToEnd):
    def test_gets_its_answers(self):
        bellows = self.run_bellows("--max-scale", "1", "--", "node", os.path.join(HERE, "http2_app.js"), "$PORT")
        found = get(bellows.port, "/a", method="POST", body="hello")
        self.assertEqual((found.status, found.body), (200, "POST /a hello"))
        self.assertEqual(get(bellows.port, "/a", method="HEAD").body, "")
        self.assertEqual(get(bellows.port, "/reset").status, 502)
