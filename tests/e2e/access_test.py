"""Who may ask a running Bellows, and who may change it."""

import contextlib
import json
import os
import socket
import stat as file_stat
import struct
import subprocess

from harness import DEADLINE, EndToEnd, descendants, free_port, get, program, until

NOBODY = 65534


def answer_by_socket(path, target, body=""):
    """The response to a POST over a Unix socket."""
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(DEADLINE)
        s.connect(path)
        s.sendall(f"POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode())
        return b"".join(iter(lambda: s.recv(65536), b"")).decode()


def post_by_socket(path, target):
    """The status line of a POST over a Unix socket."""
    return answer_by_socket(path, target).split("\r\n", 1)[0]


def post_or_why_not(path, target):
    try:
        return post_by_socket(path, target)
    except OSError as error:
        return type(error).__name__


def as_nobody(ask):
    """What `ask` returns in a process of the user nobody."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        seen = "the child failed"
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            seen = ask()
        finally:
            os.write(write_end, json.dumps(seen).encode())
            os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as f:
        seen = json.loads(f.read())
    os.waitpid(child, 0)
    return seen


def packed(value):
    """msgpack of a stat (docs/formats/wire.md)."""
    if isinstance(value, dict):
        return bytes([0x80 | len(value)]) + b"".join(packed(key) + packed(item) for key, item in value.items())
    if isinstance(value, str):
        return bytes([0xA0 | len(value)]) + value.encode()
    return b"\xcb" + struct.pack(">d", value) if isinstance(value, float) else b"\xcf" + struct.pack(">Q", value)


def stat(pod, load, seq):
    return {"v": 1, "type": "stat", "rev": "web-00001", "pod": pod, "source": "replica", "boot": 7, "seq": seq, "age_ms": 0,
            "mean": float(load), "peak": float(load), "requests": 1}


class StatStream:
    """A sender of stats with a secret of its choice."""

    def __init__(self, port, secret=None):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)
        authorization = f"Authorization: Bearer {secret}\r\n" if secret else ""
        self.socket.sendall(f"GET /v1/stats HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            f"{authorization}Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                            "Sec-WebSocket-Version: 13\r\n\r\n".encode())
        self.received = b""
        while b"\r\n\r\n" not in self.received:
            self.received += self.socket.recv(4096)
        self.received = self.received.split(b"\r\n\r\n", 1)[1]

    def send(self, message):
        data = packed(message)
        length = bytes([0x80 | len(data)]) if len(data) < 126 else bytes([0x80 | 126]) + struct.pack(">H", len(data))
        self.socket.sendall(b"\x82" + length + b"\0\0\0\0" + data)

    def close(self):
        self.socket.close()

    def close_reason(self):
        while b"secret" not in self.received:
            piece = self.socket.recv(4096)
            if not piece:
                break
            self.received += piece
        return self.received[4:].decode(errors="replace")


class Access(EndToEnd):
    def running(self):
        self.runtime = self.folder()
        return self.run_bellows("--", *self.sample(), env={"XDG_RUNTIME_DIR": self.runtime})

    def control(self, bellows):
        return json.loads(get(bellows.admin, "/v1/control").body)["socket"]

    def command(self, bellows, *arguments):
        return subprocess.run([program("bellows"), *arguments, "--admin", f"127.0.0.1:{bellows.admin}"],
                              capture_output=True, text=True, timeout=DEADLINE, check=False)

    def test_pages_stay_readable(self):
        bellows = self.running()
        for path in ("/metrics", "/healthz", "/readyz", "/v1/status"):
            self.assertEqual(get(bellows.admin, path).status, 200, path)

    def test_what_an_order_says_and_nobody_reads_is_refused(self):
        bellows = self.running()
        control = self.control(bellows)
        canary = '"step_ms": 1000, "max_errors": 0, "min_requests": 1'
        for action, body, culprit in (("deploy", '{"comand": ["x"]}', '"comand"'),
                                      ("add", '{"command": ["x"], "host": "a", "more": [{"hots": "b"}]}', "more[0].hots"),
                                      ("deploy", '{"command": ["x"], "canary": {"shares": [5.5, 100], ' + canary + "}}", "canary.shares"),
                                      ("deploy", '{"command": ["x"], "canary": {"share": [100], ' + canary + "}}", "canary.share")):
            said = answer_by_socket(control, f"/v1/services/{'web' if action == 'deploy' else 'new'}/{action}", body)
            self.assertIn("HTTP/1.1 400 ", said)
            self.assertIn(culprit, said)
        self.assert_clean_exit(bellows)

    def test_a_web_page_can_neither_read_nor_change_anything(self):
        """Its Origin is foreign; after DNS rebinding its Host is."""
        bellows = self.running()
        foreign = {"Origin": "https://evil.example"}
        rebound = {"Host": f"evil.example:{bellows.admin}"}
        for headers in (foreign, rebound, {**rebound, "Origin": f"http://evil.example:{bellows.admin}"}):
            for method, path in (("GET", "/v1/status"), ("GET", "/metrics"), ("POST", "/v1/revisions/web/retire")):
                response = get(bellows.admin, path, method=method, headers=headers)
                self.assertEqual(response.status, 403, (headers, method, path))
        self.assertEqual(self.status(bellows)["state"], "Reserve")

    def test_changes_are_taken_by_a_socket_of_mode_0600_only(self):
        bellows = self.running()
        self.assertEqual(get(bellows.admin, "/v1/revisions/web/retire", method="POST").status, 403)
        path = self.control(bellows)
        self.assertEqual(path, os.path.join(self.runtime, f"bellows-{bellows.admin}.sock"))
        self.assertEqual(file_stat.S_IMODE(os.stat(path).st_mode), 0o600)
        for command in ("pause", "resume", "retire"):
            done = self.command(bellows, command, "web")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.status(bellows)["state"], "Retired")
        self.assert_clean_exit(bellows)
        self.assertFalse(os.path.exists(path))

    def test_without_a_runtime_folder_the_socket_is_in_one_of_its_own(self):
        bellows = self.run_bellows("--", *self.sample(),
                                   env={"XDG_RUNTIME_DIR": os.path.join(self.folder(), "missing")})
        folder = os.path.dirname(self.control(bellows))
        self.assertEqual(file_stat.S_IMODE(os.stat(folder).st_mode), 0o700)
        self.assertEqual(self.command(bellows, "retire", "web").returncode, 0)
        self.assert_clean_exit(bellows)
        self.assertFalse(os.path.exists(folder))

    def test_another_user_retires_nothing(self):
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        bellows = self.running()
        os.chmod(self.runtime, 0o755)
        path = self.control(bellows)
        seen = as_nobody(lambda: [get(bellows.admin, "/v1/revisions/web/retire", method="POST").status,
                                  post_or_why_not(path, "/v1/revisions/web/retire"),
                                  get(bellows.admin, "/metrics").status])
        self.assertEqual(seen, [403, "PermissionError", 200])
        self.assertEqual(self.status(bellows)["state"], "Reserve")

    FAILING = ("sh", "-c", "echo FATAL: hunter2 >&2; exit 3", "--password=swordfish")
    PAGES = ("/v1/status", "/v1/services", "/v1/services/web", "/v1/revisions/web/journal", "/v1/revisions/web/decisions",
             "/metrics", "/v1/recommendations", "/v1/cold-starts")

    def failing(self, *flags):
        """An app that has restarted at least once, so that every page knows why."""
        self.runtime = self.folder()
        os.chmod(self.runtime, 0o755)
        bellows = self.run_bellows("--min-scale", "1", *flags, "--", *self.FAILING, env={"XDG_RUNTIME_DIR": self.runtime})
        until(lambda: "exited with code 3" in self.command(bellows, "status").stdout, "the app has failed")
        until(lambda: any(replica["restarts"] > 0 for replica in self.status(bellows)["replicas"]), "a restart")
        return bellows

    def pages(self, bellows):
        said = "".join(get(bellows.admin, path).body for path in self.PAGES)
        with socket.create_connection(("127.0.0.1", bellows.admin), timeout=DEADLINE) as s:
            s.sendall(b"GET /v1/events?service=web HTTP/1.1\r\nHost: localhost\r\n\r\n")
            events = b""
            while events.count(b"event: service\n") < 2:
                events += s.recv(65536)
        return said + events.decode()

    def test_only_the_socket_shows_output_and_command_of_apps(self):
        bellows = self.failing()
        request = get(bellows.port).headers["X-Request-Id"]
        said = self.pages(bellows)
        self.assertIn("web-00001-1: the app exited with code 3", said)
        self.assertNotIn("hunter2", said)
        self.assertNotIn("swordfish", said)
        found = get(bellows.admin, f"/v1/requests/{request}")
        self.assertEqual(found.status, 403)
        self.assertIn("bellows explain --request", found.body)
        self.assertIn("exited with code 3, last line: FATAL: hunter2", self.command(bellows, "status").stdout)
        self.assertIn("--password=swordfish", self.command(bellows, "revisions").stdout)
        self.assertIn("hunter2", self.command(bellows, "explain", "--request", request).stdout)
        self.assertIn("hunter2", self.command(bellows, "check").stdout)

    def test_another_user_gets_the_status_without_them(self):
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        bellows = self.failing()
        seen = as_nobody(lambda: [self.command(bellows, name).stdout for name in ("status", "revisions")])
        self.assertIn("web-00001-1: the app exited with code 3", seen[0])
        self.assertIn("web", seen[1])
        self.assertNotIn("hunter2", "".join(seen))
        self.assertNotIn("swordfish", "".join(seen))

    def test_full_error_detail_tells_them_by_tcp_too(self):
        bellows = self.failing("--error-detail", "full")
        said = self.pages(bellows)
        self.assertIn("exited with code 3, last line: FATAL: hunter2", said)
        self.assertIn("--password=swordfish", said)
        self.assertEqual(get(bellows.admin, "/v1/requests/none").status, 404)

    def test_a_name_of_admin_hosts_is_taken(self):
        bellows = self.run_bellows("--admin-hosts", "node1.example.com", "--", *self.sample())
        self.assertEqual(get(bellows.admin, "/metrics", host="node1.example.com:8081").status, 200)
        self.assertEqual(get(bellows.admin, "/metrics", host="node2.example.com:8081").status, 403)

    def test_a_short_name_is_taken_if_it_is_that_of_the_machine(self):
        bellows = self.run_bellows("--", *self.sample())
        for host, status in ((socket.gethostname(), 200), ("localhost", 200), ("evil", 403), ("evil.default.svc", 403)):
            self.assertEqual(get(bellows.admin, "/metrics", host=f"{host}:{bellows.admin}").status, status, host)

    def refused(self, bellows):
        return json.loads(get(bellows.admin, "/v1/status").body).get("refused_stats", {}).get("by_reason", {})

    def test_forged_stats_of_a_sleeping_service_start_nothing(self):
        bellows = self.running()
        for secret in (None, "0" * 32):
            stream = StatStream(bellows.admin, secret)
            self.addCleanup(stream.close)
            with contextlib.suppress(OSError):  # it may be closed already
                for seq in range(5):
                    stream.send(stat("web-ghost", 1000, seq))
            self.assertIn("the secret is missing or unknown", stream.close_reason())
        self.assertEqual(until(lambda: self.refused(bellows), "a refusal")["secret"], 2)
        status = self.status(bellows)
        self.assertEqual((status["state"], status["desired"]), ("Reserve", 0))
        shown = self.command(bellows, "status").stdout
        self.assertIn("2 stats were rejected", shown)
        self.assertIn("a connection from 127.0.0.1", shown)

    def test_a_replica_is_believed_for_itself_only(self):
        bellows = self.run_bellows("--min-scale", "2", "--max-scale", "8", "--", *self.sample())
        until(lambda: self.status(bellows)["ready"] == 2, "two replicas")
        secrets = {}
        for pid, command in descendants(bellows.pid).items():
            if command.endswith("queue-proxy"):
                with open(f"/proc/{pid}/environ", "rb") as f:
                    variables = dict(line.split(b"=", 1) for line in f.read().split(b"\0") if b"=" in line)
                if b"BELLOWS_STAT_SECRET" in variables and variables.get(b"SERVING_POD"):
                    secrets[variables[b"SERVING_POD"].decode()] = variables[b"BELLOWS_STAT_SECRET"].decode()
                self.assertNotIn(secrets.get("web-00001-1", "none"), command)
            elif "sample-app" in command:
                with open(f"/proc/{pid}/environ", "rb") as f:
                    self.assertNotIn(b"BELLOWS_STAT_SECRET", f.read())
        self.assertEqual(sorted(secrets), ["web-00001-1", "web-00001-2"])
        self.assertNotEqual(secrets["web-00001-1"], secrets["web-00001-2"])
        stream = StatStream(bellows.admin, secrets["web-00001-1"])
        self.addCleanup(stream.close)
        stream.send(stat("web-00001-2", 1000, 1))
        stream.send(stat("web-00001-1", 1000, 1))  # beside the queue-proxy itself, which goes on
        until(lambda: self.refused(bellows).get("two-senders") == 1, "both refusals")
        self.assertEqual(self.refused(bellows)["other-pod"], 1)
        self.assertNotIn(secrets["web-00001-1"], get(bellows.admin, "/v1/status").body)
