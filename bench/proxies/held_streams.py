"""20,000 streams held for a service at zero over 200 connections of HTTP/2: memory of each, all answered, in order."""

import os
import selectors
import socket
import struct
import time

import processes
import single

CONNECTIONS, STREAMS = 200, 100
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, RST_STREAM, SETTINGS, GOAWAY = 1, 3, 4, 7
END_STREAM, END_HEADERS, ACK = 1, 4, 1


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def text(value):
    return bytes([len(value)]) + value


def request(number, stream):
    """GET http://bench.local/NUMBER, by the static table and literals that are not indexed (RFC 7541 6)."""
    fields = b"\x82\x86" + b"\x04" + text(b"/%d" % number) + b"\x01" + text(b"bench.local")
    return frame(HEADERS, END_STREAM | END_HEADERS, stream, fields)


class Caller:
    """One connection. Counts the streams that were answered, and those that were reset."""

    def __init__(self):
        self.socket = socket.create_connection(("127.0.0.1", single.LISTEN), 60)
        self.socket.sendall(PREFACE + frame(SETTINGS, 0, 0))
        self.rest, self.answered, self.failed = b"", 0, 0

    def read(self):
        """False once the other side has closed."""
        came = self.socket.recv(65536)
        self.rest += came
        while len(self.rest) >= 9 and len(self.rest) >= 9 + int.from_bytes(self.rest[:3], "big"):
            size = int.from_bytes(self.rest[:3], "big")
            self.take(self.rest[3], self.rest[4], self.rest[9:9 + size])
            self.rest = self.rest[9 + size:]
        return bool(came)

    def take(self, kind, flags, payload):
        if kind == SETTINGS and not flags & ACK:
            self.socket.sendall(frame(SETTINGS, ACK, 0))
        elif kind == HEADERS and 0x88 not in payload[:4]:  # ":status: 200", maybe after a new table size
            self.failed += 1
        elif kind in (RST_STREAM, GOAWAY):
            self.failed += 1
        if kind in (0, HEADERS) and flags & END_STREAM:
            self.answered += 1


def read_all(callers, is_done, limit=120):
    waiting = selectors.DefaultSelector()
    for caller in callers:
        waiting.register(caller.socket, selectors.EVENT_READ, caller)
    end_at = time.monotonic() + limit
    while not is_done():
        if time.monotonic() > end_at:
            raise TimeoutError("held streams: not all were answered in time")
        for key, _ in waiting.select(0.1):
            if not key.data.read():
                waiting.unregister(key.fileobj)


def held(tools, core):
    gate, seen = (os.path.join(tools.folder, name) for name in ("h2-gate", "h2-seen"))
    single.raise_descriptor_limit()
    command = single.bellows_run(tools, "--initial-scale", "0", "--max-scale", "1", "--container-concurrency", "1",
                                 "--queue-age", "10m", "--queue-bytes", "1Gi", "--queue-depth", "30000", "--progress-deadline",
                                 "10m", app=["python3", "-c", single.ORDER_APP, gate, seen])
    with processes.running(command, core=core) as bellows:
        processes.until(lambda: processes.listens(single.LISTEN), "bellows listens")
        callers = [Caller() for _ in range(CONNECTIONS)]
        before = processes.memory(bellows.pid)
        for turn in range(STREAMS):
            for place, caller in enumerate(callers):
                caller.socket.sendall(request(turn * CONNECTIONS + place, 2 * turn + 1))
            # Requests of two connections arrive in the order in which the activator reads them.
            wanted = (turn + 1) * CONNECTIONS
            processes.until(lambda: single.waiting() >= wanted, f"{wanted} requests wait")
        each = (processes.memory(bellows.pid) - before) / (CONNECTIONS * STREAMS)
        open(gate, "w").close()
        started = time.monotonic()
        total = lambda: sum(caller.answered for caller in callers)  # noqa: E731
        read_all(callers, lambda: total() >= CONNECTIONS * STREAMS or any(caller.failed for caller in callers))
        took = time.monotonic() - started
        for caller in callers:
            caller.socket.close()
        turns = [int(line[1:]) // CONNECTIONS for line in open(seen, "rb")]
    return {"bytes": each, "answered": total(), "failed": sum(caller.failed for caller in callers), "seconds": took,
            "reached_app": len(turns), "before_an_earlier_one": sum(b < a for a, b in zip(turns, turns[1:]))}


def lines(tools, core):
    found = held(tools, core)
    early = found["before_an_earlier_one"]
    order = f"{early} before one of an earlier round" if early else "round after round in order of arrival"
    return [f"* {CONNECTIONS * STREAMS:,} streams held over {CONNECTIONS} connections for a service at zero: "
            f"**{found['bytes'] / 1024:.1f} KB** each (bar 2.5), {found['answered']} answered in {found['seconds']:.1f} s, "
            f"{found['failed']} failed, {order}."], found
