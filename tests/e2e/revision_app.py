"""An app of tests that says which revision it is: `revision_app.py VERSION`. A path of /held is answered
when the file that its query names exists; /env/NAME is a variable of its environment. The version "broken" answers 500, "slow" takes 0.5 s."""

import http.server
import os
import sys
import time


class App(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):  # noqa: N802: the name is the library's
        path, _, query = self.path.partition("?")
        if path == "/held":
            while not os.path.exists(query):
                time.sleep(0.02)
        elif sys.argv[1] == "slow":
            time.sleep(0.5)
        said = os.environ.get(path[len("/env/"):], "") if path.startswith("/env/") else " ".join(sys.argv[1:])
        body = (os.environ["K_REVISION"] + " " + said).encode()
        self.send_response(500 if sys.argv[1] == "broken" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *ignored):
        pass


http.server.ThreadingHTTPServer.request_queue_size = 256
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), App).serve_forever()
