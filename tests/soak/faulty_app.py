"""An app that misbehaves as its path selects.

  /ok            200, 1000 bytes
  /cut/N         the first N bytes of that response, then a reset
  /chunked/N     the same with chunked coding
  /reset         reads the request and resets
  /garbage       bytes that are not HTTP
  /wait/MS       /ok after so many milliseconds
  /together/MS   the same; the body is this process's id and the maximum of concurrent requests since it was last idle
  /die           the process ends without a response
"""

import os
import socket
import socketserver
import struct
import sys
import threading
import time

BODY = b"x" * 1000
PLAIN = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + BODY
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"%x\r\n%s\r\n" % (600, BODY[:600]) + \
    b"%x\r\n%s\r\n0\r\n\r\n" % (400, BODY[:400])


class Inside:
    def __init__(self):
        self.lock, self.now, self.peak = threading.Lock(), 0, 0

    def __enter__(self):
        with self.lock:
            self.now += 1
            self.peak = 1 if self.now == 1 else max(self.peak, self.now)

    def __exit__(self, *_):
        with self.lock:
            self.now -= 1


INSIDE = Inside()


class Visit(socketserver.StreamRequestHandler):
    def handle(self):
        try:
            while request := self.read_request():
                if not self.response(*request):
                    return
        except OSError:
            return

    def read_request(self):
        line = self.rfile.readline()
        length = 0
        while (field := self.rfile.readline()) not in (b"\r\n", b""):
            if field.lower().startswith(b"content-length:"):
                length = int(field.split(b":")[1])
        if not line:
            return None
        self.rfile.read(length)
        what, _, number = line.split()[1].decode()[1:].partition("/")
        return what, int(number or 0)

    def response(self, what, number):
        """False: the connection is over."""
        if what in ("cut", "chunked"):
            self.wfile.write((PLAIN if what == "cut" else CHUNKED)[:number])
            return self.reset()
        if what == "reset":
            return self.reset()
        if what == "garbage":
            self.wfile.write(b"\x00\x01 this is no response\r\n\r\n")
            return False
        if what == "die":
            os._exit(1)
        with INSIDE:
            time.sleep(number / 1000)
            peak = b"%d %d" % (os.getpid(), INSIDE.peak)
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(peak), peak) if what == "together" else PLAIN)
        return True

    def reset(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        return False

    def finish(self):
        try:
            super().finish()
        except (OSError, ValueError):
            pass


class App(socketserver.ThreadingTCPServer):
    allow_reuse_address, daemon_threads, request_queue_size = True, True, 128

    def handle_error(self, request, client_address):
        pass


if __name__ == "__main__":
    sys.setswitchinterval(0.001)
    App(("127.0.0.1", int(os.environ["PORT"])), Visit).serve_forever()
