"""HTTP/1 features through activator and queue-proxy."""

import os
import socket
import subprocess

from harness import DEADLINE, EndToEnd, get, metric, program, raw, until, until_equal

HERE = os.path.dirname(os.path.abspath(__file__))
APP = os.path.join(HERE, "protocol_app.py")
# Debian's Python, because it has Debian's python3-websockets.
WEBSOCKET_PEER = ["/usr/bin/python3", os.path.join(HERE, "websocket_peer.py")]


class Client:
    """One connection to the service, with raw bytes."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)
        self.received = b""

    def send(self, data):
        self.socket.sendall(data)

    def receive_until(self, end):
        """Receives up to and including `end`."""
        while end not in self.received:
            piece = self.socket.recv(65536)
            if not piece:
                raise AssertionError(f"closed before {end!r}: {self.received!r}")
            self.received += piece
        at = self.received.index(end) + len(end)
        said, self.received = self.received[:at], self.received[at:]
        return said

    def receive_head(self):
        """Returns status and fields, with lower-case names."""
        first, *lines = self.receive_until(b"\r\n\r\n").decode().strip().split("\r\n")
        fields = dict(line.split(": ", 1) for line in lines)
        return int(first.split()[1]), {name.lower(): value for name, value in fields.items()}

    def is_at_end(self):
        return self.received == b"" and self.socket.recv(1) == b""


class ThroughBothProxies(EndToEnd):
    def start_service(self, *flags):
        self.bellows = self.run_bellows("--max-scale", "1", *flags, "--", "python3", APP, "$PORT")
        self.assertEqual(get(self.bellows.port, "/").status, 200)

    def client(self):
        client = Client(self.bellows.port)
        self.addCleanup(client.socket.close)
        return client

    def test_pipelined_requests_are_answered_in_order(self):
        self.start_service()
        client = self.client()
        client.send(b"".join(b"GET /%d HTTP/1.1\r\nHost: a\r\n\r\n" % i for i in range(20)))
        for i in range(20):
            self.assertEqual(client.receive_head()[0], 200)
            self.assertEqual(client.receive_until(b"/%d " % i), b"GET /%d " % i)

    def test_the_maximum_number_of_header_fields_reaches_the_app(self):
        self.start_service()
        for lines, status in ((100, 200), (101, 431)):
            client = self.client()
            more = b"".join(b"X-%d: 1\r\n" % i for i in range(lines - 1))
            client.send(b"GET / HTTP/1.1\r\nHost: a\r\n" + more + b"\r\n")
            self.assertEqual(client.receive_head()[0], status)

    def test_responses_without_a_body_keep_the_connection_usable(self):
        self.start_service()
        client = self.client()
        for method, path, status in (("HEAD", "/", 200), ("GET", "/no-content", 204), ("GET", "/not-modified", 304)):
            client.send(f"{method} {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            self.assertEqual(client.receive_head()[0], status)
        client.send(b"GET /last HTTP/1.1\r\nHost: a\r\n\r\n")
        self.assertEqual(client.receive_head()[0], 200)
        self.assertEqual(client.receive_until(b"/last "), b"GET /last ")

    def test_an_http_1_0_client_gets_a_body_without_chunks_until_close(self):
        self.start_service()
        response = raw(self.bellows.port, b"GET / HTTP/1.0\r\n\r\n")
        self.assertTrue(response.endswith(b"\r\n\r\nGET / "), response)
        client = self.client()
        client.send(b"GET /events HTTP/1.0\r\n\r\n")
        self.assertNotIn("transfer-encoding", client.receive_head()[1])
        client.receive_until(b"data: 1\n\n")
        get(self.bellows.port, "/release")
        client.receive_until(b"data: 2\n\n")
        self.assertTrue(client.is_at_end())

    def test_a_body_is_sent_after_100_continue_of_the_app(self):
        self.start_service()
        client = self.client()
        client.send(b"POST /continue HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        self.assertEqual(client.receive_head()[0], 100)
        client.send(b"body")
        self.assertEqual(client.receive_head()[0], 200)
        self.assertEqual(client.receive_until(b"body"), b"POST /continue body")

    def test_chunks_and_trailers_pass_both_ways(self):
        self.start_service()
        client = self.client()
        client.send(b"POST /chunked HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                   b"5\r\nhello\r\n0\r\nX-Mine: 1\r\n\r\n")
        status, fields = client.receive_head()
        self.assertEqual((status, fields["trailer"]), (200, "X-Sum"))
        self.assertEqual(client.receive_until(b"\r\n\r\n"), b"f\r\nhello X-Mine: 1\r\n0\r\nX-Sum: 42\r\n\r\n")

    def test_server_sent_events_are_flushed_immediately(self):
        self.start_service()
        client = self.client()
        client.send(b"GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
        client.receive_until(b"data: 1\n\n")  # the app sends the second one only after /release
        get(self.bellows.port, "/release")
        client.receive_until(b"data: 2\n\n")

    def test_a_response_may_begin_before_its_request_is_complete(self):
        self.start_service()
        client = self.client()
        client.send(b"POST /duplex HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        client.receive_until(b"begin\r\n")
        for word in (b"one", b"two"):
            client.send(b"3\r\n" + word + b"\r\n")
            self.assertEqual(client.receive_until(word + b"\r\n"), b"3\r\n" + word + b"\r\n")
        client.send(b"0\r\n\r\n")
        client.receive_until(b"0\r\n\r\n")

    def test_third_party_websocket_client_and_server_communicate(self):
        bellows = self.run_bellows("--", *WEBSOCKET_PEER, "serve", "$PORT")
        talk = subprocess.run([*WEBSOCKET_PEER, "talk", f"ws://127.0.0.1:{bellows.port}/"], timeout=DEADLINE,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(talk.stdout, "100 texts, 1048576 bytes in pieces and a ping came back; closed with 1000\n")
        self.assertEqual(talk.returncode, 0)

    def open_websocket(self, *flags):
        """A service and a client with an open WebSocket."""
        bellows = self.run_bellows(*flags, "--", *WEBSOCKET_PEER, "serve", "$PORT")
        client = self.start(*WEBSOCKET_PEER, "wait", f"ws://127.0.0.1:{bellows.port}/")
        until(lambda: client.lines[:1] == ["open"], "the WebSocket is open")
        return bellows, client

    def test_ctrl_c_lets_an_app_close_its_websockets(self):
        bellows, client = self.open_websocket()
        self.assert_clean_exit(bellows)
        client.end()
        self.assertEqual(client.lines, ["open", "closed with 1000"])

    def test_a_draining_replica_lets_its_app_close_websockets(self):
        bellows, client = self.open_websocket()
        retired = subprocess.run([program("bellows"), "retire", "web", "--admin", f"127.0.0.1:{bellows.admin}"],
                                 capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(retired.returncode, 0, retired.stderr)
        client.end()
        self.assertEqual(client.lines, ["open", "closed with 1000"])
        self.assert_clean_exit(bellows)

    def test_a_websocket_ends_when_its_life_is_over(self):
        bellows, client = self.open_websocket("--max-tunnel-life", "300ms")
        client.end()
        self.assertEqual(client.lines, ["open", "closed with 1006"])
        self.assert_clean_exit(bellows)

    def test_an_upgrade_is_one_request_in_flight_until_it_closes(self):
        self.start_service()
        client = self.client()
        client.send(b"GET /upgrade HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        status, fields = client.receive_head()
        self.assertEqual((status, fields["upgrade"]), (101, "websocket"))
        client.send(b"\x81\x05hello")
        self.assertEqual(client.receive_until(b"hello"), b"\x81\x05hello")
        until_equal(lambda: metric(self.bellows.admin, 'bellows_activator_in_flight{revision="web-00001",service="web"}'), 1)
        client.send(b"\x82\x7e" + b"x" * 300_000 + b"end")  # more than the buffers of both proxies
        self.assertEqual(len(client.receive_until(b"end")), 300_005)
        client.socket.shutdown(socket.SHUT_WR)
        self.assertTrue(client.is_at_end())
        until_equal(lambda: metric(self.bellows.admin, 'bellows_activator_in_flight{revision="web-00001",service="web"}'), 0)
