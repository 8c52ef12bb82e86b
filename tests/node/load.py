#!/usr/bin/env python3
"""Callers for tests/node: sends requests at a steady rate until its input ends, then prints what happened as JSON.

    load.py HOST:PORT --rate N [--callers N] [--name HOST]

A quarter of the rate each: GET and POST, over a new connection for each request and over kept-alive ones. The rate is
shared by callers that wait for their response; one that is late sends its next request at once. A kept-alive caller whose
connection was closed while it was idle opens another, as every client does. Nothing is sent twice: a request that gets no
whole response with 200 is a failure.

Output: one object with the numbers of each of the four groups, and every failure with its time (seconds since 1970), the
address that it came from, and what the caller saw.
"""

import argparse
import json
import select
import socket
import sys
import threading
import time

TIMEOUT = 60.0
BODY = b"x" * 512


class Failed(Exception):
    pass


class Connection:
    def __init__(self, address):
        try:
            self.socket = socket.create_connection(address, timeout=TIMEOUT)
        except OSError as error:
            raise Failed(f"connect: {error.strerror or error}") from None
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""

    def close(self):
        self.socket.close()

    def is_closed(self):
        """The peer has closed it while it was idle."""
        return bool(select.select([self.socket], [], [], 0)[0])

    def more(self, what):
        try:
            piece = self.socket.recv(65536)
        except OSError as error:
            raise Failed(f"{what}: {error.strerror or error}") from None
        if not piece:
            raise Failed(f"{what}: closed")
        self.received += piece

    def send(self, request):
        """Returns (status, body, may the connection be used again)."""
        try:
            self.socket.sendall(request)
        except OSError as error:
            raise Failed(f"send: {error.strerror or error}") from None
        while b"\r\n\r\n" not in self.received:
            self.more("response" if self.received else "before the response")
        head, self.received = self.received.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        status = int(lines[0].split(" ")[1])
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        if "content-length" not in fields:
            raise Failed(f"{status} without Content-Length")
        length = int(fields["content-length"])
        while len(self.received) < length:
            self.more("body")
        body, self.received = self.received[:length], self.received[length:]
        return status, body.decode(errors="replace"), fields.get("connection", "").lower() != "close"


class Group:
    """The callers of one kind."""

    def __init__(self, address, name, method, keeps, rate, callers):
        self.address, self.method, self.keeps = address, method, keeps
        self.label = f"{method} {'kept' if keeps else 'new'}"
        body = BODY if method == "POST" else b""
        length = f"Content-Length: {len(body)}\r\n" if body else ""
        close = "" if keeps else "Connection: close\r\n"
        self.request = f"{method} /{method.lower()} HTTP/1.1\r\nHost: {name}\r\n{length}{close}\r\n".encode() + body
        self.interval = callers / rate
        self.lock = threading.Lock()
        self.seconds, self.failures, self.pods, self.reopened = [], [], {}, 0
        self.threads = [threading.Thread(target=self._run, args=(i / callers,), daemon=True) for i in range(callers)]

    def _run(self, phase):
        connection = self._one(None)  # at least one, however soon the input ends
        following = time.monotonic() + phase * self.interval
        while not STOPPING.wait(max(0.0, following - time.monotonic())):
            following = max(time.monotonic(), following + self.interval)
            connection = self._one(connection)
        if connection:
            connection.close()

    def _one(self, connection):
        """One request; returns the connection if it may be used again."""
        if connection and connection.is_closed():
            connection.close()
            connection = None
            with self.lock:
                self.reopened += 1
        started, at = time.monotonic(), time.time()
        was_new = connection is None
        try:
            connection = connection or Connection(self.address)
            status, body, again = connection.send(self.request)
            if status != 200:
                raise Failed(f"{status} {body.strip()[:200]}")
        except Failed as failed:
            peer = connection.socket.getsockname()[1] if connection else None
            if connection:
                connection.close()
            with self.lock:
                self.failures.append({"at": at, "after": time.monotonic() - started, "group": self.label,
                                      "new": was_new, "port": peer, "saw": str(failed)})
            return None
        with self.lock:
            self.seconds.append((at, time.monotonic() - started))
            self.pods[body.strip()] = self.pods.get(body.strip(), 0) + 1
        if again and self.keeps:
            return connection
        connection.close()
        return None

    def report(self):
        lengths = sorted(length for _, length in self.seconds)
        share = lambda part: round(lengths[min(len(lengths) - 1, int(part * len(lengths)))] * 1000, 1) if lengths else None  # noqa: E731
        return {"group": self.label, "requests": len(lengths) + len(self.failures), "failed": len(self.failures),
                "p50_ms": share(0.5), "p99_ms": share(0.99), "max_ms": share(1.0), "pods": self.pods,
                "reopened": self.reopened}


STOPPING = threading.Event()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address")
    parser.add_argument("--rate", type=float, required=True)
    parser.add_argument("--callers", type=int, default=8)
    parser.add_argument("--name", default="web")
    given = parser.parse_args()
    host, port = given.address.rsplit(":", 1)
    groups = [Group((host, int(port)), given.name, method, keeps, given.rate / 4, max(1, given.callers // 4))
              for method in ("GET", "POST") for keeps in (False, True)]
    threads = [thread for group in groups for thread in group.threads]
    for thread in threads:
        thread.start()
    print("started", flush=True)
    sys.stdin.read()
    STOPPING.set()
    for thread in threads:
        thread.join(TIMEOUT + 5)
    print(json.dumps({"groups": [group.report() for group in groups],
                      "failures": sorted((f for group in groups for f in group.failures), key=lambda f: f["at"])}))


if __name__ == "__main__":
    main()
