"""A test app for TLS: echoes what it is told of the caller, sends and takes large bodies, and has a page with an EventSource
and a WebSocket. Listens at $PORT."""

import base64
import hashlib
import http.server
import json
import os
import threading

PAGE = """<!doctype html><meta charset=utf-8><title>Over TLS</title>
<style>body{font:16px sans-serif;margin:3em}dt{font-weight:bold}</style>
<h1>Over TLS</h1><dl><dt>page<dd id=page><dt>events<dd id=events><dt>WebSocket<dd id=socket></dl>
<script>
const show = (id, text) => { document.getElementById(id).textContent = text; };
show('page', location.protocol + ' secure: ' + isSecureContext);
const heard = [];
new EventSource('/events').onmessage = (event) => { heard.push(event.data); show('events', heard.join(' ')); };
const socket = new WebSocket('wss://' + location.host + '/socket');
socket.onopen = () => socket.send('hello over wss');
socket.onmessage = (event) => show('socket', event.data);
</script>"""

MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455 1.3


class App(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, body, kind="text/plain"):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/events":
            return self.events()
        if self.path == "/socket":
            return self.socket()
        if self.path.startswith("/bytes/"):
            return self.answer(b"x" * int(self.path.rsplit("/", 1)[1]))
        if self.path == "/page":
            return self.answer(PAGE.encode(), "text/html")
        self.answer(json.dumps({name.lower(): value for name, value in self.headers.items()}).encode(), "application/json")

    def do_POST(self):
        digest = hashlib.sha256()
        left = int(self.headers["Content-Length"])
        while left > 0:
            piece = self.rfile.read(min(left, 65536))
            digest.update(piece)
            left -= len(piece)
        self.answer(digest.hexdigest().encode())

    def events(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for number in range(3):
            self.wfile.write(f"data: event {number}\n\n".encode())
            self.wfile.flush()
        threading.Event().wait(20)  # open, until the test ends
        self.close_connection = True

    def socket(self):
        """Echoes short text messages."""
        accept = base64.b64encode(hashlib.sha1((self.headers["Sec-WebSocket-Key"] + MAGIC).encode()).digest()).decode()
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", accept)
        self.end_headers()
        self.close_connection = True
        while True:
            head = self.rfile.read(2)
            if len(head) < 2 or head[0] & 15 != 1:
                return
            mask = self.rfile.read(4)
            text = bytes(byte ^ mask[i % 4] for i, byte in enumerate(self.rfile.read(head[1] & 127)))
            self.wfile.write(bytes([0x81, len(text)]) + text)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), App).serve_forever()
