"""A gRPC server for the tests, with messages of plain bytes: grpc_app.py PORT. Needs Debian's python3-grpcio."""

import sys
import threading
import time
from concurrent import futures

import grpc


class Calls:
    """What the tests ask about earlier calls."""

    def __init__(self):
        self.lock = threading.Lock()
        self.running = 0
        self.cancelled = 0

    def note_begin(self):
        with self.lock:
            self.running += 1

    def note_end(self, context):
        with self.lock:
            self.running -= 1
            self.cancelled += not context.is_active()


CALLS = Calls()


def echo(request, context):
    for name, value in context.invocation_metadata():
        if name.startswith("x-test-"):
            context.send_initial_metadata([(name, value)])
            break
    context.set_trailing_metadata([("x-trailing", "last"), ("x-binary-bin", b"\x00\xff")])
    return request


def many(request, context):
    for number in range(int(request)):
        yield b"%d" % number


def stay(request, context):
    """One message, and no end."""
    yield request
    hang(request, context)


def total(requests, context):
    return b"%d" % sum(len(request) for request in requests)


def talk(requests, context):
    for request in requests:
        yield b"re: " + request


def missing(request, context):
    context.abort(grpc.StatusCode.NOT_FOUND, "no such thing: \u00e9")


def hang(request, context):
    ended = threading.Event()

    def end():
        CALLS.note_end(context)
        ended.set()

    CALLS.note_begin()
    context.add_callback(end)
    ended.wait(60)
    return b""


def deadline(request, context):
    left = context.time_remaining()
    return b"none" if left is None or left > 1e6 else b"%.1f" % left


def cancelled(request, context):
    return b"%d" % CALLS.cancelled


def running(request, context):
    return b"%d" % CALLS.running


def slow(request, context):
    time.sleep(float(request))
    return request


UNARY = {"Echo": echo, "Missing": missing, "Hang": hang, "Deadline": deadline, "Cancelled": cancelled, "Running": running, "Slow": slow}


def handlers():
    made = {name: grpc.unary_unary_rpc_method_handler(call) for name, call in UNARY.items()}
    made["Many"] = grpc.unary_stream_rpc_method_handler(many)
    made["Stay"] = grpc.unary_stream_rpc_method_handler(stay)
    made["Total"] = grpc.stream_unary_rpc_method_handler(total)
    made["Talk"] = grpc.stream_stream_rpc_method_handler(talk)
    return grpc.method_handlers_generic_handler("test.Test", made)


def health():
    check = grpc.unary_unary_rpc_method_handler(lambda request, context: b"\x08\x01")
    return grpc.method_handlers_generic_handler("grpc.health.v1.Health", {"Check": check})


def main():
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=64),
                         options=[("grpc.max_receive_message_length", 8 << 20)])
    server.add_generic_rpc_handlers((handlers(), health()))
    if server.add_insecure_port(f"127.0.0.1:{sys.argv[1]}") == 0:
        sys.exit(f"port {sys.argv[1]} cannot be bound")
    server.start()
    server.wait_for_termination()


main()
