"""Stand-in activators: endpoints of a Service that say for each port whose it is, and hold no requests.

The server refuses loopback addresses in an EndpointSlice, so they listen at the machine's own address; what is sent there stays
on the machine. Each activator takes every port of a small range, for one revision.
"""

import http.client
import http.server
import random
import socket
import threading


def own_address():
    """An IPv4 address of this machine that is no loopback address, or None. Nothing is sent: UDP connects without a packet."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        address = probe.getsockname()[0]
    return None if address.startswith("127.") or address == "0.0.0.0" else address


def free_range(address, size):
    """The first of `size` ports in a row that are free at the address."""
    while True:
        first = random.randrange(20000, 30000)
        sockets = []
        try:
            for port in range(first, first + size):
                sockets.append(socket.create_server((address, port)))
            return first
        except OSError:
            continue
        finally:
            for each in sockets:
                each.close()


def revision_at(address, port):
    """Whose port an activator says it is, in its reply to a probe there."""
    connection = http.client.HTTPConnection(address, port, timeout=30)
    try:
        connection.request("GET", "/", headers={"K-Network-Probe": "activator"})
        return connection.getresponse().getheader("X-Bellows-Revision")
    finally:
        connection.close()


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("X-Bellows-Revision", self.server.revision(self.server.server_address[1]))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class StandInActivators:
    """Until close(). flags() are what the autoscaler needs to find them; the slice is written once. Each port says the revision
    that the slices of the namespace name for it, as activators do."""

    def __init__(self, api, namespace, ports=3, revisions_in=None):
        self.api = api
        self.revisions_in = revisions_in or namespace
        self.address = own_address()
        self.namespace = namespace
        self.first, self.last = 0, 0
        self.servers = []
        self.first = free_range(self.address, ports)
        self.last = self.first + ports - 1
        for port in range(self.first, self.last + 1):
            server = http.server.ThreadingHTTPServer((self.address, port), Answer)
            server.revision = self.revision_at
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
            self.servers.append(server)
        api.create("EndpointSlice", namespace, {
            "metadata": {"name": "activators-1", "labels": {"kubernetes.io/service-name": "activators"}},
            "addressType": "IPv4", "ports": [{"name": "http", "port": 8012}],
            "endpoints": [{"addresses": [self.address], "conditions": {"ready": True},
                           "targetRef": {"kind": "Pod", "name": "activator-1", "namespace": namespace}}]})

    def revision_at(self, port):
        for item in self.api.list("EndpointSlice", self.revisions_in):
            kept = item["metadata"].get("annotations", {})
            if kept.get("bellows.dev/activator-port") == str(port):
                return f"{self.revisions_in}/{kept['bellows.dev/revision']}"
        return "none"

    def flags(self, settle="1s"):
        return ("--activator-service", f"{self.namespace}/activators", "--activator-ports", f"{self.first}-{self.last}",
                "--path-settle-time", settle)

    def close(self):
        for server in self.servers:
            server.shutdown()
            server.server_close()
