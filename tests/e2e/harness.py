"""Runs the built programs as a user would and watches them from outside.

No test sleeps for a fixed time. Tests wait for a log line, a response, or the end of a process, each with a deadline that
is long enough for a busy machine (DEADLINE).
"""

import contextlib
import functools
import http.client
import json
import os
import queue
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

BIN = os.environ.get("BELLOWS_BIN", "build/dev/bin")
DEPS = os.path.abspath(os.environ.get("BELLOWS_DEPS", "build/deps"))
DEADLINE = 90.0
# Apps of tests are "python3 ...": this interpreter, and no script that looks for one.
os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])

# Short windows, so that a test takes seconds. Decisions do not depend on the length of a window.
QUICK = ["--window", "4s", "--panic-window-percentage", "50", "--scale-to-zero-grace-period", "1s"]


def program(name):
    return os.path.join(BIN, name)


def unpacked(package, name):
    """The program that tools/setup unpacked, otherwise the one in PATH, otherwise None."""
    return shutil.which(name, path=os.path.join(DEPS, package, "usr/bin")) or shutil.which(name)


class Late:
    """A text that is made when it is printed."""

    def __init__(self, make):
        self.make = make

    def __str__(self):
        return self.make()

    def __format__(self, _):
        return self.make()


def until(condition, what, deadline=DEADLINE):
    """Polls `condition` until it returns a true value, and returns it. The longer it waits the less often it polls: a poll may
    read a whole log, or be a call of an API server, and others need the cores."""
    begin = time.monotonic()
    pause = threading.Event()
    while True:
        found = condition()
        if found:
            return found
        waited = time.monotonic() - begin
        if waited > deadline:
            raise AssertionError(f"not within {deadline:.0f} s: {what}")
        pause.wait(min(0.02 + waited / 20, 0.25))


HOLDING_APP = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "revision_app.py")]


class HeldRequest(threading.Thread):
    """A request to HOLDING_APP, which answers after release(). Several may have one `file`; it must not exist yet."""

    def __init__(self, port, file, host=None):
        super().__init__(daemon=True)
        self.port, self.file, self.host, self.response = port, file, host, None
        self.start()

    def run(self):
        self.response = get(self.port, f"/held?{self.file}", self.host)

    def release(self):
        with open(self.file, "w"):
            pass
        self.join(DEADLINE)
        return self.response


def until_equal(read, expected):
    """Polls until `read()` is `expected`. For what follows a response: a request is counted, logged and no longer in flight after
    its caller has the last byte."""
    last = []

    def is_expected():
        last[:] = [read()]
        return last[0] == expected

    try:
        until(is_expected, "the expected value")
    except AssertionError as late:
        raise AssertionError(f"{last[0]!r} after {DEADLINE:.0f} s, expected {expected!r}") from late


def metric(port, series):
    """The value of one series of /metrics, named with its labels; 0 if it is not there."""
    start = series + " "
    return next((float(line[len(start):]) for line in get(port, "/metrics").body.splitlines() if line.startswith(start)), 0.0)


RESERVED = []


def free_port():
    """A port for a program of this test. It stays bound here, so that the kernel does not assign it to others, and is not
    listened on, so that a program can bind it with SO_REUSEADDR."""
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("127.0.0.1", 0))
    RESERVED.append(s)
    return s.getsockname()[1]


def alive(pid):
    """True while the process exists and is not a zombie."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def descendants(pid):
    """{pid: command line} of every descendant of `pid`."""
    found = {}
    todo = [pid]
    while todo:
        parent = todo.pop()
        try:
            for task in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{task}/children") as f:
                    todo += [int(child) for child in f.read().split()]
        except OSError:
            continue
        if parent != pid:
            try:
                with open(f"/proc/{parent}/cmdline", "rb") as f:
                    found[parent] = f.read().replace(b"\0", b" ").decode().strip()
            except OSError:
                pass
    return found


class Response:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body


def get(port, path="/", host=None, method="GET", body=None, timeout=DEADLINE, headers=None):
    """Sends one request over a new connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        sent = dict(headers or {})
        if host:
            sent["Host"] = host
        connection.request(method, path, body=body, headers=sent)
        response = connection.getresponse()
        return Response(response.status, dict(response.getheaders()), response.read().decode(errors="replace"))
    finally:
        connection.close()


def raw(port, data, timeout=DEADLINE):
    """Sends raw bytes and returns everything received until the peer closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as s:
        s.sendall(data)
        received = b""
        while True:
            piece = s.recv(65536)
            if not piece:
                return received
            received += piece


class LoadGenerator:
    """Client threads that send one request after the other until stopped; records every failure."""

    def __init__(self, port, clients, host=None, path="/"):
        self.port, self.host, self.path = port, host, path
        self.stopping = threading.Event()
        self.lock = threading.Lock()
        self.succeeded = 0
        self.failures = []
        self.threads = [threading.Thread(target=self._send, daemon=True) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    def _send(self):
        while not self.stopping.is_set():
            try:
                response = get(self.port, self.path, host=self.host)
                failure = None if response.status == 200 else f"{response.status}: {response.body.strip()}"
            except Exception as error:  # noqa: BLE001: whatever a client may see counts
                failure = repr(error)
            with self.lock:
                if failure is None:
                    self.succeeded += 1
                else:
                    self.failures.append(failure)

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join(DEADLINE)
        assert not any(thread.is_alive() for thread in self.threads), "a client got no response"


class Running:
    """A program under test. Its log is parsed as JSON lines; all output is kept in `lines`."""

    def __init__(self, arguments, env=None, stdin=subprocess.DEVNULL, cwd=None, pass_fds=()):
        self.arguments = arguments
        self.events = queue.Queue()
        self.seen = []
        self.lines = []
        self.ended_pipes = 0
        # Its own session, so that Ctrl-C of the test run does not reach it.
        self.process = subprocess.Popen(arguments, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env={**os.environ, **(env or {})}, cwd=cwd, start_new_session=True,
                                        pass_fds=pass_fds)
        self.readers = [threading.Thread(target=self._read, args=(pipe,), daemon=True)
                        for pipe in (self.process.stdout, self.process.stderr)]
        for reader in self.readers:
            reader.start()

    def _read(self, pipe):
        for line in pipe:
            line = line.rstrip("\n")
            self.lines.append(line)
            if line.startswith("{"):
                with contextlib.suppress(ValueError):
                    self.events.put(json.loads(line))
        self.events.put(None)

    @property
    def pid(self):
        return self.process.pid

    def wait_for(self, event, deadline=DEADLINE, **fields):
        """Returns the next log line with this event and these fields; skips other lines."""
        end = time.monotonic() + deadline
        while True:
            # The lines of a pipe come before its end, so nothing is left once both have ended.
            if self.ended_pipes == len(self.readers):
                raise AssertionError(f"ended before the log line {event!r} {fields}:\n{self.text()}")
            left = end - time.monotonic()
            try:
                found = self.events.get(timeout=max(left, 0.001))
            except queue.Empty:
                raise AssertionError(f"no log line {event!r} {fields} within {deadline:.0f} s:\n{self.text()}") from None
            if found is None:
                self.ended_pipes += 1
                continue
            if found.get("event") == event and all(found.get(k) == v for k, v in fields.items()):
                return found

    def text(self):
        return "\n".join(self.lines[-60:])

    def signal(self, number):
        self.process.send_signal(number)

    def end(self, deadline=DEADLINE):
        """Waits until it exits; returns the exit code."""
        try:
            code = self.process.wait(deadline)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"did not end within {deadline:.0f} s:\n{self.text()}") from None
        for reader in self.readers:
            reader.join(DEADLINE)
        return code

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for reader in self.readers:
            reader.join(DEADLINE)
        self.process.stdout.close()
        self.process.stderr.close()


@functools.cache
def why_not_as_root(*command):
    """Why this process may not do `command` as root, in the words of the command; empty if it may."""
    if os.geteuid() != 0:
        return "needs root"
    if not shutil.which(command[0]):
        return f"needs {command[0]}"
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=False)
    return "" if done.returncode == 0 else f"{command[0]} is refused here: {done.stderr.strip()}"


def why_no_terminal():
    """Why this process gets no pseudo-terminal; empty if it does."""
    try:
        for end in os.openpty():
            os.close(end)
        return ""
    except OSError as error:
        return f"needs a pseudo-terminal: {error}"


def revisions_of(status):
    """All revisions of a page /v1/status."""
    return [revision for service in json.loads(status)["services"] for revision in service["revisions"]]


class EndToEnd(unittest.TestCase):
    """Starts programs and ends all of them after the test."""

    def start(self, *arguments, **how):
        running = Running(list(arguments), **how)
        self.addCleanup(running.close)
        return running

    def folder(self):
        folder = tempfile.TemporaryDirectory(prefix="bellows-e2e-")
        self.addCleanup(folder.cleanup)
        return folder.name

    def run_bellows(self, *arguments, port=None, admin=None, quick=True, **how):
        """Starts `bellows run ...`, waits until it listens, and sets .port and .admin."""
        command = [program("bellows"), "run", "--listen", f"127.0.0.1:{port or 0}", "--admin",
                   f"127.0.0.1:{admin or 0}", "--log-format", "json", *(QUICK if quick else []), *arguments]
        running = self.start(*command, **how)
        listening = running.wait_for("listening")
        running.port = int(listening["address"].rsplit(":", 1)[1])
        running.admin = int(listening["admin"].rsplit(":", 1)[1])
        return running

    def status(self, running, name="web"):
        """The status of a revision, or of the one of a service with most requests; without replicas if it is not listed yet. Tests
        poll it, so it starts no program, which would be most of the load of a busy machine, and has no time limit of its own."""
        response = get(running.admin, "/v1/status")
        self.assertEqual(response.status, 200, response.body)
        named = [r for r in revisions_of(response.body) if name in (r["service"], r["name"])]
        return max(named, key=lambda revision: revision["share"], default={"replicas": []})

    def in_flight(self, running):
        """Requests at replicas, according to /metrics, which shows a service from the end of its first request on."""
        found = re.search(r"bellows_activator_in_flight\{[^}]*\} (\d+)", get(running.admin, "/metrics").body)
        return int(found[1]) if found else 0

    def sample(self, start_delay="0ms", service_time="20ms"):
        return [program("sample-app"), "--start-delay", start_delay, "--service-time", service_time]

    def assert_clean_exit(self, running, number=signal.SIGINT):
        running.signal(number)
        self.assertEqual(running.end(), 0, running.text())
