"""A test app whose path selects the response, so that a proxy has to forward every feature of HTTP/1.1.
Argument: the port."""

import socketserver
import sys
import threading

RELEASED = threading.Semaphore(0)  # a request for /release lets one waiting response continue


class Connection(socketserver.StreamRequestHandler):
    def handle(self):
        while line := self.rfile.readline():
            self.method, self.path, version = line.decode().split()
            self.headers = {}
            while (field := self.rfile.readline()) not in (b"\r\n", b""):
                name, value = field.decode().rstrip("\r\n").split(":", 1)
                self.headers[name.lower()] = value.strip()
            if version == "HTTP/1.1" and "host" not in self.headers:
                return self.send("HTTP/1.1 400 Bad Request", "Content-Length: 0")
            name = self.path.strip("/").replace("-", "_")
            if getattr(self, "answer_" + name, self.answer_plain)() == "close":
                return

    def send(self, *lines, body=b""):
        self.wfile.write("\r\n".join((*lines, "", "")).encode() + body)

    def answer_plain(self):
        """Echoes the request in the body."""
        body = f"{self.method} {self.path} ".encode() + self.body()
        self.send("HTTP/1.1 200 OK", f"Content-Length: {len(body)}", body=b"" if self.method == "HEAD" else body)

    def answer_no_content(self):
        self.send("HTTP/1.1 204 No Content")

    def answer_not_modified(self):
        self.send("HTTP/1.1 304 Not Modified", 'ETag: "x"', "Content-Length: 1000")

    def answer_continue(self):
        self.send("HTTP/1.1 100 Continue")
        self.answer_plain()

    def answer_chunked(self):
        """Chunks and a trailer in both directions; the trailer of the request is returned in the body."""
        body = self.chunked_body()
        self.send("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Trailer: X-Sum",
                  body=b"%x\r\n%b\r\n0\r\nX-Sum: 42\r\n\r\n" % (len(body), body))

    def answer_events(self):
        """Sends the second event after a request for /release."""
        self.send("HTTP/1.1 200 OK", "Content-Type: text/event-stream")
        self.wfile.write(b"data: 1\n\n")
        RELEASED.acquire()
        self.wfile.write(b"data: 2\n\n")
        return "close"

    def answer_release(self):
        RELEASED.release()
        self.answer_plain()

    def answer_duplex(self):
        """Begins the response before the request is complete, and echoes the rest of the request."""
        self.send("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", body=b"5\r\nbegin\r\n")
        for piece in self.chunks():
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def answer_upgrade(self):
        """Echoes every byte after the handshake."""
        self.send("HTTP/1.1 101 Switching Protocols", "Connection: upgrade", f"Upgrade: {self.headers['upgrade']}")
        while piece := self.connection.recv(65536):
            self.connection.sendall(piece)
        return "close"

    def answer_wait(self):
        """Responds after a request for /release."""
        RELEASED.acquire()
        self.answer_plain()

    def answer_hang_up(self):
        return "close"

    def answer_many_lines(self):
        self.send("HTTP/1.1 200 OK", "Content-Length: 0", *[f"X-{number}: x" for number in range(100)])

    def answer_nonsense(self):
        self.wfile.write(b"what is HTTP?\r\n\r\n")
        return "close"

    def body(self):
        return self.rfile.read(int(self.headers.get("content-length", 0)))

    def chunks(self):
        """Yields the data of each chunk; the trailer remains unread."""
        while size := int(self.rfile.readline(), 16):
            yield self.rfile.read(size)
            self.rfile.readline()

    def chunked_body(self):
        body = b"".join(self.chunks())
        while (line := self.rfile.readline()) != b"\r\n":
            body += b" " + line.strip()
        return body


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    request_queue_size = 128


if __name__ == "__main__":
    Server(("127.0.0.1", int(sys.argv[1])), Connection).serve_forever()
