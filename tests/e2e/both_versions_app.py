"""An app that answers the preface of HTTP/2 with SETTINGS, and an upgrade of HTTP/1.1 by an echo. Only the echo is complete."""

import socketserver
import sys

SETTINGS = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])


class Caller(socketserver.BaseRequestHandler):
    def handle(self):
        read = b""
        while b"\r\n\r\n" not in read:
            more = self.request.recv(4096)
            if not more:
                return
            read += more
        if read.startswith(b"PRI * HTTP/2.0"):
            self.request.sendall(SETTINGS)
        else:
            self.request.sendall(b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n")
        while more := self.request.recv(4096):
            if not read.startswith(b"PRI"):
                self.request.sendall(more)


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


Server(("127.0.0.1", int(sys.argv[1])), Caller).serve_forever()
