"""Sends stats to an autoscaler as queue-proxies do (docs/formats/wire.md): msgpack over a WebSocket, written here from the RFC and
the page, not with the programs' own code."""

import base64
import os
import random
import select
import socket
import struct
import threading

PING, PONG = 9, b"\x8a"


def packed(value):
    """msgpack of what a stat holds: short strings, whole numbers, floats, one map."""
    if isinstance(value, dict):
        return bytes([0x80 | len(value)]) + b"".join(packed(key) + packed(item) for key, item in value.items())
    if isinstance(value, str):
        data = value.encode()
        if len(data) < 32:
            return bytes([0xA0 | len(data)]) + data
        return (b"\xd9" + bytes([len(data)]) if len(data) < 256 else b"\xda" + struct.pack(">H", len(data))) + data
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    return b"\xcf" + struct.pack(">Q", value)


def frame(message, first=b"\x82"):
    """One masked frame (RFC 6455, 5.2), binary if not said otherwise. The mask is zero: the bytes go out as they are."""
    size = len(message)
    length = bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + struct.pack(">H", size)
    return first + length + b"\0\0\0\0" + message


class Received:
    """The frames that arrive, whole ones only."""

    def __init__(self):
        self.data = b""

    def frames(self, data):
        """[(opcode, payload)] of what is complete with these bytes."""
        self.data += data
        found = []
        while len(self.data) >= 2:
            size, start = self.data[1] & 0x7F, 2
            if size >= 126:
                start = 4 if size == 126 else 10
                size = int.from_bytes(self.data[2:start], "big")
            if len(self.data) < start + size:
                break
            found.append((self.data[0] & 0x0F, self.data[start:start + size]))
            self.data = self.data[start + size:]
        return found


class StatSender:
    """Every second one stat for each pod of each revision; set() says which. One connection, reopened when lost. With a token it
    says who it is."""

    def __init__(self, port, token=None):
        self.port = port
        self.token = token
        self.lock = threading.Lock()
        self.load = {}  # {revision: (pods, requests in flight for each)}
        self.boots = {}
        self.sequence = 0
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def set(self, revision, pods, in_flight):
        with self.lock:
            self.load[revision] = (list(pods), float(in_flight))

    def close(self):
        self.stopping.set()
        self.thread.join(30)

    def _run(self):
        while not self.stopping.is_set():
            try:
                self._send_until_lost()
            except OSError:
                self.stopping.wait(0.1)

    def _connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=10)
        key = base64.b64encode(os.urandom(16)).decode()
        token = f"Authorization: Bearer {self.token}\r\n" if self.token else ""
        connection.sendall(f"GET /v1/stats HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{token}"
                           f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        head = b""
        while b"\r\n\r\n" not in head:
            piece = connection.recv(4096)
            if not piece:
                raise OSError("closed during the handshake")
            head += piece
        if b" 101 " not in head:
            raise OSError(f"no WebSocket: {head!r}")
        return connection

    def _send_until_lost(self):
        connection = self._connect()
        received = Received()
        try:
            while not self.stopping.is_set():
                with self.lock:
                    load = dict(self.load)
                self._answer(connection, received)
                self.sequence += 1
                connection.sendall(b"".join(frame(packed(stat)) for stat in self._stats(load)))
                self.stopping.wait(1.0)
        finally:
            connection.close()

    def _answer(self, connection, received):
        """Answers pings, as queue-proxies do: a sender that does not is taken for dead after 10 s. Fails on a connection that has
        ended, on which the next stats would be lost."""
        while select.select([connection], [], [], 0)[0]:
            data = connection.recv(65536)
            if not data:
                raise OSError("the autoscaler has closed the connection")
            for opcode, payload in received.frames(data):
                if opcode == PING:
                    connection.sendall(frame(payload, PONG))

    def _stats(self, load):
        for revision, (pods, in_flight) in load.items():
            for pod in pods:
                boot = self.boots.setdefault(pod, random.getrandbits(63))
                yield {"v": 1, "type": "stat", "rev": revision, "pod": pod, "source": "replica", "boot": boot,
                       "seq": self.sequence, "age_ms": 0, "mean": in_flight, "peak": in_flight,
                       "requests": int(in_flight * 10)}

    def wake(self, revision, waiting=1):
        """One scale-from-zero trigger, on a connection of its own."""
        self.wake_all([revision], waiting)

    def wake_all(self, revisions, waiting=1):
        """One scale-from-zero trigger for each, on one connection."""
        connection = self._connect()
        boot = random.getrandbits(63)
        try:
            connection.sendall(b"".join(frame(packed({"v": 1, "type": "wake", "rev": revision, "pod": "activator-1",
                                                      "boot": boot, "waiting": waiting})) for revision in revisions))
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(4096):
                pass
        finally:
            connection.close()
