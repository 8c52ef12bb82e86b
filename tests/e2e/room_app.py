"""A game room: answers requests, and says at its queue-proxy whether it is occupied.

room_app.py [VERSION]. GET /occupy and GET /leave change that. Every answer names the room: its process, its version and
its own address, where players who are in the room reach it without a proxy.
"""

import http.client
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

VERSION = sys.argv[1] if len(sys.argv) > 1 else "1"


def say(path):
    connection = http.client.HTTPConnection(os.environ["BELLOWS_QUEUE_PROXY_ADMIN"], timeout=5)
    connection.request("POST", path)
    connection.getresponse().read()
    connection.close()


class Room(BaseHTTPRequestHandler):
    def do_GET(self):
        room = {"room": os.getpid(), "version": VERSION, "port": self.server.server_port}
        body = json.dumps(room).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        # Last: the queue-proxy may end a room that says that it is free, and does not see this request.
        if self.path == "/occupy":
            say("/occupied")
        elif self.path == "/leave":
            say("/ready")

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Room).serve_forever()
