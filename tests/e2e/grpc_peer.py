"""A gRPC client for the tests: grpc_peer.py PORT CASE. Prints what happened as JSON. Needs Debian's python3-grpcio."""

import json
import sys
import threading
import time

import grpc

DEADLINE = 30
OPTIONS = [("grpc.max_receive_message_length", 8 << 20), ("grpc.enable_retries", 0)]


class Client:
    def __init__(self, port, authority=None):
        options = OPTIONS + ([("grpc.default_authority", authority)] if authority else [])
        self.channel = grpc.insecure_channel(f"127.0.0.1:{port}", options=options)

    def unary(self, name):
        return self.channel.unary_unary("/test.Test/" + name)


def failure(error):
    trailing = {name: value for name, value in error.trailing_metadata() or () if isinstance(value, str)}
    return {"code": error.code().name, "details": error.details(), "trailing": trailing}


def outcome(call):
    try:
        return {"code": "OK", "reply": call().decode()}
    except grpc.RpcError as error:
        return failure(error)


def until(condition):
    """Polls; returns what is true, or False after the deadline."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    return False


def unary(client):
    reply, call = client.unary("Echo").with_call(b"hello", timeout=DEADLINE, metadata=[("x-test-a", "b")])
    return {"reply": reply.decode(),
            "initial": dict(call.initial_metadata()).get("x-test-a"),
            "trailing": dict(call.trailing_metadata()).get("x-trailing"),
            "binary": list(dict(call.trailing_metadata()).get("x-binary-bin", b""))}


def server_stream(client):
    replies = client.channel.unary_stream("/test.Test/Many")(b"1000", timeout=DEADLINE)
    return {"sum": sum(int(reply) for reply in replies)}


def after_first(client):
    """How a call ends after its first message; says when that is there."""
    replies = client.channel.unary_stream("/test.Test/Stay")(b"first", timeout=DEADLINE)
    print(next(replies).decode(), flush=True)
    return outcome(lambda: next(replies))


def client_stream(client):
    call = client.channel.stream_unary("/test.Test/Total")
    return {"reply": call((b"x" * 1000 for _ in range(500)), timeout=DEADLINE).decode()}


def bidirectional(client):
    """Each message is sent after the reply to the one before: nothing is buffered on the way."""
    heard = threading.Semaphore(1)

    def requests():
        for number in range(50):
            heard.acquire()
            yield b"%d" % number

    replies = []
    for reply in client.channel.stream_stream("/test.Test/Talk")(requests(), timeout=DEADLINE):
        replies.append(reply.decode())
        heard.release()
    return {"replies": len(replies), "last": replies[-1]}


def large(client):
    message = bytes(range(256)) * (4 << 12)
    return {"is_same": client.unary("Echo")(message, timeout=DEADLINE) == message, "bytes": len(message)}


def missing(client):
    return outcome(lambda: client.unary("Missing")(b"", timeout=DEADLINE))


def unknown_method(client):
    return outcome(lambda: client.unary("Nothing")(b"", timeout=DEADLINE))


def late(client):
    began = time.monotonic()
    return dict(outcome(lambda: client.unary("Hang")(b"", timeout=1)), seconds=time.monotonic() - began)


def deadline(client):
    return outcome(lambda: client.unary("Deadline")(b"", timeout=20))


def cancel(client):
    """A call that is cancelled once it is at the app; then what the app knows of it."""
    count = lambda name: int(client.unary(name)(b"", timeout=DEADLINE))
    before = count("Cancelled")
    running = count("Running")
    call = client.unary("Hang").future(b"", timeout=DEADLINE)
    is_running = until(lambda: count("Running") == running + 1)
    call.cancel()
    return {"is_running": is_running, "cancelled": until(lambda: count("Cancelled") == before + 1)}


def many_at_once(client):
    """More calls than one connection of HTTP/2 may have streams."""
    calls = [client.unary("Slow").future(b"0.2", timeout=DEADLINE) for _ in range(150)]
    return {"replies": sum(call.result() == b"0.2" for call in calls)}


def refused(client):
    """One call runs, one waits, further ones are refused."""
    calls = [client.unary("Hang").future(b"", timeout=DEADLINE) for _ in range(3)]
    ended = until(lambda: next((call for call in calls if call.done()), None))
    for call in calls:
        call.cancel()
    return failure(ended.exception()) if ended else None


def echo(client):
    return outcome(lambda: client.unary("Echo")(b"hello", timeout=DEADLINE))


CASES = {each.__name__: each for each in (unary, server_stream, after_first, client_stream, bidirectional, large, missing,
                                          unknown_method, late, deadline, cancel, many_at_once, refused, echo)}


def main():
    authority = sys.argv[3] if len(sys.argv) > 3 else None
    print(json.dumps(CASES[sys.argv[2]](Client(sys.argv[1], authority))))


main()
