"""An app that notes what it runs: /fast/ID and /slow/MS/ID append "METHOD ID" to the file named by NOTES and respond ID."""

import http.server
import os
import time

NOTES = os.open(os.environ["NOTES"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)


class App(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one piece: a response whose head has been relayed cannot be sent again

    def run(self):
        *what, number = self.path.strip("/").split("/")
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        os.write(NOTES, f"{self.command} {number}\n".encode())
        if what[0] == "slow":
            time.sleep(int(what[1]) / 1000)
        answer = f"{number} {len(body)}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST = run

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True


Server(("127.0.0.1", int(os.environ["PORT"])), App).serve_forever()
