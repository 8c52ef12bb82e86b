"""A game room: answers requests, and says at its queue-proxy whether it is occupied.

GET /occupy and GET /leave change that; GET / answers the name of the process, so that a test sees which room it reached.
"""

import http.client
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def say(path):
    connection = http.client.HTTPConnection(os.environ["BELLOWS_QUEUE_PROXY_ADMIN"], timeout=5)
    connection.request("POST", path)
    connection.getresponse().read()
    connection.close()


class Room(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/occupy":
            say("/occupied")
        elif self.path == "/leave":
            say("/ready")
        body = str(os.getpid()).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Room).serve_forever()
