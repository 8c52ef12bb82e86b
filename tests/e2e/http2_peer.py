"""A client of HTTP/2 for the tests: http2_peer.py PORT CASE. Prints what happened as JSON. Needs Debian's python3-h2."""

import json
import socket
import sys

import h2.config
import h2.connection
import h2.events
import h2.settings
from hyperframe.frame import GoAwayFrame

DEADLINE = 30


class Client:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self.h2.initiate_connection()
        self.events = []

    def flush(self):
        self.socket.sendall(self.h2.data_to_send())

    def flush_byte_by_byte(self):
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in self.h2.data_to_send():
            self.socket.sendall(bytes([byte]))

    def request(self, path, *fields, method="GET", body=None, end=True, pseudo=()):
        stream = self.h2.get_next_available_stream_id()
        head = [(":method", method), (":scheme", "http"), (":authority", "web.localhost"), (":path", path),
                *pseudo, *fields]
        self.h2.send_headers(stream, head, end_stream=end and body is None)
        if body is not None:
            self.h2.send_data(stream, body, end_stream=end)
        return stream

    def receive(self, is_done):
        """Reads until `is_done` of an event; returns that event, or None at the end of the connection."""
        while True:
            for event in self.events:
                if is_done(event):
                    self.events.remove(event)
                    return event
            data = self.socket.recv(65536)
            if not data:
                return None
            for event in self.h2.receive_data(data):
                if isinstance(event, h2.events.DataReceived):
                    self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                self.events.append(event)
            self.flush()

    def response(self, stream):
        """Status, fields, body and trailers; or the code of a reset."""
        end = self.receive(lambda e: isinstance(e, (h2.events.StreamEnded, h2.events.StreamReset))
                           and e.stream_id == stream)
        if end is None:
            return {"ended": True}
        if isinstance(end, h2.events.StreamReset):
            return {"reset": int(end.error_code)}
        mine = [event for event in self.events if getattr(event, "stream_id", 0) == stream]
        self.events = [event for event in self.events if event not in mine]
        fields = {}
        trailers = {}
        interim = []
        body = b""
        for event in mine:
            if isinstance(event, h2.events.InformationalResponseReceived):
                interim.append(dict(event.headers)[":status"])
            elif isinstance(event, h2.events.ResponseReceived):
                fields = dict(event.headers)
            elif isinstance(event, h2.events.TrailersReceived):
                trailers = dict(event.headers)
            elif isinstance(event, h2.events.DataReceived):
                body += event.data
        return {"status": fields.get(":status"), "fields": fields, "body": body.decode(), "trailers": trailers,
                "interim": interim}


def slow_preface(client):
    stream = client.request("/a?b=c")
    client.flush_byte_by_byte()
    return client.response(stream)


def features(client):
    found = {}
    streams = {
        "get": client.request("/x", ("cookie", "a=1"), ("cookie", "b=2")),
        "head": client.request("/x", method="HEAD"),
        "post": client.request("/x", ("content-length", "5"), method="POST", body=b"hello"),
        "no_content": client.request("/no-content"),
        "not_modified": client.request("/not-modified"),
        "chunked": client.request("/chunked", ("te", "trailers"), method="POST", body=b"piece"),
        "continue": client.request("/continue", ("expect", "100-continue"), ("content-length", "5"), method="POST",
                                   body=b"hello"),
        "hang_up": client.request("/hang-up", method="POST", body=b"x"),
        "events": client.request("/events"),
        "release": client.request("/release"),
    }
    client.flush()
    for name, stream in streams.items():
        found[name] = client.response(stream)
    return found


def websocket(client):
    """RFC 8441: the app sees an upgrade of HTTP/1.1, and echoes what follows."""
    client.flush()
    settings = client.receive(lambda e: isinstance(e, h2.events.RemoteSettingsChanged)).changed_settings
    enabled = settings[h2.settings.SettingCodes.ENABLE_CONNECT_PROTOCOL].new_value
    stream = client.request("/upgrade", ("sec-websocket-version", "13"), method="CONNECT", end=False,
                            pseudo=((":protocol", "websocket"),))
    client.flush()
    head = client.receive(lambda e: isinstance(e, h2.events.ResponseReceived) and e.stream_id == stream)
    client.h2.send_data(stream, b"ping")
    client.flush()
    echoed = client.receive(lambda e: isinstance(e, h2.events.DataReceived) and e.stream_id == stream)
    client.h2.end_stream(stream)
    client.flush()
    return {"enabled": enabled, "status": dict(head.headers)[":status"], "echoed": echoed.data.decode(),
            "end": client.receive(lambda e: isinstance(e, h2.events.StreamEnded)) is not None}


def go_on_after_goaway(client):
    """python3-h2 takes a GOAWAY for the end of the connection; streams below its last one go on (RFC 9113 6.8)."""
    table = client.h2._frame_dispatch_table
    received = table[GoAwayFrame]

    def go_on(frame):
        state = client.h2.state_machine.state
        client.flush()  # it drops what was not sent yet
        found = received(frame)
        client.h2.state_machine.state = state
        return found

    table[GoAwayFrame] = go_on


def goaway(client):
    """One stream waits in the app while the server is told to end; says so, and what came."""
    go_on_after_goaway(client)
    stream = client.request("/wait")
    client.flush()
    print("waiting", flush=True)
    first = client.receive(lambda e: isinstance(e, h2.events.ConnectionTerminated))
    print("told", flush=True)
    response = client.response(stream)
    second = client.receive(lambda e: isinstance(e, h2.events.ConnectionTerminated))
    return {"codes": [int(first.error_code), int(second.error_code) if second else None],
            "last": [first.last_stream_id, second.last_stream_id if second else None],
            "response": response, "ended": client.receive(lambda e: False) is None}


def events(client):
    """A response in two parts; says that the first one has come."""
    stream = client.request("/events")
    client.flush()
    first = client.receive(lambda e: isinstance(e, h2.events.DataReceived))
    print("begun", flush=True)
    return {"first": first.data.decode(), "rest": client.response(stream)}


def age(client):
    """Requests, until the server says that the connection is too old."""
    go_on_after_goaway(client)
    count = 0
    while not any(isinstance(e, h2.events.ConnectionTerminated) for e in client.events):
        stream = client.request("/x")
        client.flush()
        if client.response(stream).get("status") != "200":
            break
        count += 1
    return {"some": count > 0, "told": any(isinstance(e, h2.events.ConnectionTerminated) for e in client.events)}


CASES = {each.__name__: each for each in (slow_preface, features, websocket, goaway, events, age)}


def main():
    client = Client(int(sys.argv[1]))
    print(json.dumps(CASES[sys.argv[2]](client)))


if __name__ == "__main__":
    main()
