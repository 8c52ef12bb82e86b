"""The measured proxies: each contender is a command that listens on PORT and forwards to UPSTREAM_PORT."""

import dataclasses
import os
import shutil
import socket
import subprocess
import time

HARNESS = os.path.join(os.path.dirname(__file__), "..", "harness")
PORT = 8012
UPSTREAM_PORT = 9000
ADMIN_PORT = 18022
STATS_PORT = 18081
GET = b"GET /16 HTTP/1.1\r\nHost: bench.local\r\nConnection: close\r\n\r\n"


@dataclasses.dataclass(frozen=True)
class Contender:
    name: str
    command: list
    env: dict = dataclasses.field(default_factory=dict)


def configuration(template, folder):
    """Fills in the configuration file of a peer with the script of the harness; returns its path."""
    script = os.path.join(HARNESS, "fill.sh")
    source = os.path.join(HARNESS, "conf", template)
    filled = subprocess.run([script, source, folder, "1", str(PORT), str(UPSTREAM_PORT)], check=True, text=True,
                            stdout=subprocess.PIPE)
    return filled.stdout.strip()


def queue_proxy(programs, name="queue-proxy", limit=100):
    """As in production: limit, meter, timeouts, header rules, metrics, an autoscaler that receives its stats."""
    return Contender(name, [os.path.join(programs, "queue-proxy")], {
        "USER_PORT": str(UPSTREAM_PORT), "QUEUE_SERVING_PORT": str(PORT), "BELLOWS_ADMIN_PORT": str(ADMIN_PORT),
        "SERVING_REVISION": "web", "SERVING_POD": "web-1", "CONTAINER_CONCURRENCY": str(limit),
        "BELLOWS_AUTOSCALER": f"ws://127.0.0.1:{STATS_PORT}/v1/stats"})


def peers(folder):
    """HAProxy and nginx, if installed."""
    found = []
    if shutil.which("haproxy"):
        found.append(Contender("haproxy", ["haproxy", "-db", "-f", configuration("haproxy-http.cfg.in", folder)]))
    if shutil.which("nginx"):
        found.append(Contender("nginx", ["nginx", "-c", configuration("nginx.conf.in", folder)]))
    return found


def call(timeout):
    """Seconds until the whole response of a new connection to the contender; None: none within the timeout."""
    begin = time.monotonic()
    try:
        with socket.create_connection(("127.0.0.1", PORT), timeout) as s:
            s.settimeout(timeout)
            s.sendall(GET)
            received = b""
            while piece := s.recv(65536):
                received += piece
        return time.monotonic() - begin if received.startswith(b"HTTP/1.1 200") else None
    except OSError:
        return None
