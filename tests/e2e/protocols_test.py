"""Everything of HTTP/1 through activator and queue-proxy as an operator starts them."""

import os
import socket
import subprocess

from harness import DEADLINE, EndToEnd, get, raw, until

HERE = os.path.dirname(os.path.abspath(__file__))
APP = os.path.join(HERE, "protocol_app.py")
# Debian's own Python, whichever comes first on the path: it has Debian's python3-websockets.
WEBSOCKET_PEER = ["/usr/bin/python3", os.path.join(HERE, "websocket_peer.py")]


class Caller:
    """One connection to the service, byte by byte."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)
        self.heard = b""

    def say(self, data):
        self.socket.sendall(data)

    def hear(self, end):
        """What comes up to and with `end`."""
        while end not in self.heard:
            piece = self.socket.recv(65536)
            if not piece:
                raise AssertionError(f"closed before {end!r}: {self.heard!r}")
            self.heard += piece
        at = self.heard.index(end) + len(end)
        said, self.heard = self.heard[:at], self.heard[at:]
        return said

    def hear_head(self):
        """Status and fields, names in lower case."""
        first, *lines = self.hear(b"\r\n\r\n").decode().strip().split("\r\n")
        fields = dict(line.split(": ", 1) for line in lines)
        return int(first.split()[1]), {name.lower(): value for name, value in fields.items()}

    def is_at_end(self):
        return self.heard == b"" and self.socket.recv(1) == b""


class ThroughBoth(EndToEnd):
    def start_service(self, *flags):
        self.bellows = self.run_bellows("--max-scale", "1", *flags, "--", "python3", APP, "$PORT")
        self.assertEqual(get(self.bellows.port, "/").status, 200)

    def caller(self):
        caller = Caller(self.bellows.port)
        self.addCleanup(caller.socket.close)
        return caller

    def metric(self, series):
        text = get(self.bellows.admin, "/metrics").body
        return next((float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(series)), 0)

    def test_pipelined_requests_are_answered_in_their_order(self):
        self.start_service()
        caller = self.caller()
        caller.say(b"".join(b"GET /%d HTTP/1.1\r\nHost: a\r\n\r\n" % i for i in range(20)))
        for i in range(20):
            self.assertEqual(caller.hear_head()[0], 200)
            self.assertEqual(caller.hear(b"/%d " % i), b"GET /%d " % i)

    def test_as_many_header_lines_as_the_first_hop_takes_reach_the_app(self):
        self.start_service()
        for lines, status in ((100, 200), (101, 431)):
            caller = self.caller()
            more = b"".join(b"X-%d: 1\r\n" % i for i in range(lines - 1))
            caller.say(b"GET / HTTP/1.1\r\nHost: a\r\n" + more + b"\r\n")
            self.assertEqual(caller.hear_head()[0], status)

    def test_answers_without_a_body_leave_the_connection_in_step(self):
        self.start_service()
        caller = self.caller()
        for method, path, status in (("HEAD", "/", 200), ("GET", "/no-content", 204), ("GET", "/not-modified", 304)):
            caller.say(f"{method} {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            self.assertEqual(caller.hear_head()[0], status)
        caller.say(b"GET /last HTTP/1.1\r\nHost: a\r\n\r\n")
        self.assertEqual(caller.hear_head()[0], 200)
        self.assertEqual(caller.hear(b"/last "), b"GET /last ")

    def test_an_http_1_0_caller_gets_data_without_chunks_and_the_end(self):
        self.start_service()
        answer = raw(self.bellows.port, b"GET / HTTP/1.0\r\n\r\n")
        self.assertTrue(answer.endswith(b"\r\n\r\nGET / "), answer)
        caller = self.caller()
        caller.say(b"GET /events HTTP/1.0\r\n\r\n")
        self.assertNotIn("transfer-encoding", caller.hear_head()[1])
        caller.hear(b"data: 1\n\n")
        get(self.bellows.port, "/release")
        caller.hear(b"data: 2\n\n")
        self.assertTrue(caller.is_at_end())

    def test_a_body_is_sent_once_the_app_has_said_continue(self):
        self.start_service()
        caller = self.caller()
        caller.say(b"POST /continue HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        self.assertEqual(caller.hear_head()[0], 100)
        caller.say(b"body")
        self.assertEqual(caller.hear_head()[0], 200)
        self.assertEqual(caller.hear(b"body"), b"POST /continue body")

    def test_chunks_and_trailers_pass_both_ways(self):
        self.start_service()
        caller = self.caller()
        caller.say(b"POST /chunked HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                   b"5\r\nhello\r\n0\r\nX-Mine: 1\r\n\r\n")
        status, fields = caller.hear_head()
        self.assertEqual((status, fields["trailer"]), (200, "X-Sum"))
        self.assertEqual(caller.hear(b"\r\n\r\n"), b"f\r\nhello X-Mine: 1\r\n0\r\nX-Sum: 42\r\n\r\n")

    def test_server_sent_events_are_flushed_at_once(self):
        self.start_service()
        caller = self.caller()
        caller.say(b"GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
        caller.hear(b"data: 1\n\n")  # the app sends no second one before the first has arrived
        get(self.bellows.port, "/release")
        caller.hear(b"data: 2\n\n")

    def test_an_answer_may_begin_before_its_request_has_ended(self):
        self.start_service()
        caller = self.caller()
        caller.say(b"POST /duplex HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        caller.hear(b"begin\r\n")
        for word in (b"one", b"two"):
            caller.say(b"3\r\n" + word + b"\r\n")
            self.assertEqual(caller.hear(word + b"\r\n"), b"3\r\n" + word + b"\r\n")
        caller.say(b"0\r\n\r\n")
        caller.hear(b"0\r\n\r\n")

    def test_a_websocket_client_and_server_that_nobody_here_wrote_understand_each_other(self):
        bellows = self.run_bellows("--", *WEBSOCKET_PEER, "serve", "$PORT")
        talk = subprocess.run([*WEBSOCKET_PEER, "talk", f"ws://127.0.0.1:{bellows.port}/"], timeout=DEADLINE,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(talk.stdout, "100 texts, 1048576 bytes in pieces and a ping came back; closed with 1000\n")
        self.assertEqual(talk.returncode, 0)

    def test_an_upgrade_is_one_request_in_flight_to_its_end(self):
        self.start_service()
        caller = self.caller()
        caller.say(b"GET /upgrade HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        status, fields = caller.hear_head()
        self.assertEqual((status, fields["upgrade"]), (101, "websocket"))
        caller.say(b"\x81\x05hello")
        self.assertEqual(caller.hear(b"hello"), b"\x81\x05hello")
        until(lambda: self.metric('bellows_activator_in_flight{revision="web"}') == 1, "one in flight")
        caller.say(b"\x82\x7e" + b"x" * 300_000 + b"end")  # more than any buffer in between
        self.assertEqual(len(caller.hear(b"end")), 300_005)
        caller.socket.shutdown(socket.SHUT_WR)
        self.assertTrue(caller.is_at_end())
        until(lambda: self.metric('bellows_activator_in_flight{revision="web"}') == 0, "nothing in flight")
