"""An honest caller while others attack: a queue-proxy by HTTP/2, `bellows run --tls self-signed` by TLS. p50 and p99, in turns.

  python3 bench/proxies/attacks.py [--programs DIR] [--rounds N] [--seconds S] [--core N] [--attackers N] [--kinds KIND,...]

Prints a table with a row for each attack. The proxy has a core of its own. Attackers send as fast as the proxy reads, with the
lowest priority, and come again when they are thrown out. `nothing` is the noise of the machine: the same without attackers.
`requests` is no attack but as much load without malice: as many streams at once as `caused_resets` has before it is thrown out.
The share of a core that the program takes says what an attack costs it, also on a machine whose p99 says little.
"""

import argparse
import contextlib
import multiprocessing
import os
import re
import socket
import ssl
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import contenders  # noqa: E402
import processes  # noqa: E402

DATA, HEADERS, PRIORITY, RESET, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION = 0, 1, 2, 3, 4, 6, 8, 9
HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
REQUEST = b"GET /16 HTTP/1.1\r\nHost: bench.local\r\n\r\n"
RATE = 200  # honest requests a second
RESPONSES_HELD = 100  # streams of a connection of the attack by windows
MOST_WAITING = 10  # connections of an attack that waits
HANDSHAKES_HELD = 200  # connections of an attacker whose handshakes do not end
TLS_PORT, TLS_ADMIN_PORT = 18443, 18444


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def literal(name, value):
    """RFC 7541 6.2.2, of less than 127 bytes each."""
    return bytes([0, len(name)]) + name + bytes([len(value)]) + value


def head(method, path=b"/16"):
    fields = ((b":method", method), (b":scheme", b"http"), (b":authority", b"a"), (b":path", path))
    return b"".join(literal(*field) for field in fields)


GET, POST = head(b"GET"), head(b"POST")
# A field of 4,000 bytes into the table (6.2.1; 4,000 = 127 + 0xa1 + 128 * 30), then its index: 4 KB of fields a byte.
GROWING = GET + b"\x40\x01a\x7f\xa1\x1e" + b"x" * 4000


def number(value):
    return struct.pack(">I", value)


def times(count, piece):
    return b"".join(piece(2 * i + 1) for i in range(count))


def client_hello():
    """The first bytes of a handshake, as OpenSSL sends them."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    session = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="localhost")
    with contextlib.suppress(ssl.SSLWantReadError):
        session.do_handshake()
    return outgoing.read()


def slow_handshakes(until):
    """Many that have begun, and go on by a byte each now and then; those that were ended are made again."""
    hello, begun = client_hello(), []
    while time.monotonic() < until:
        if len(begun) < HANDSHAKES_HELD:
            s = socket.create_connection(("127.0.0.1", TLS_PORT), 1)
            s.sendall(hello[:5])
            begun.append((s, iter(hello[5:-1])))
            continue
        kept = []
        for s, rest in begun:
            try:
                s.sendall(bytes([next(rest)]))
                kept.append((s, rest))
            except (OSError, StopIteration):
                s.close()
        begun = kept
        time.sleep(0.02)


def renegotiation(until):
    """A full handshake, and the wish for another on the same connection: OpenSSL's client ends when it is not granted."""
    while time.monotonic() < until:
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(["openssl", "s_client", "-tls1_2", "-connect", f"127.0.0.1:{TLS_PORT}"], input=b"R\n", capture_output=True,
                           timeout=2, check=False)


def requests(until):
    """Streams at once, as many as a connection may have, each second."""
    while time.monotonic() < until:
        with socket.create_connection(("127.0.0.1", contenders.PORT), 1) as s:
            s.sendall(HELLO + frame(SETTINGS, 0, 0) + times(RESPONSES_HELD, lambda n: frame(HEADERS, 5, n, GET)))
            time.sleep(1)


TLS_ATTACKS = {"slow_handshakes": (slow_handshakes, 'tls_handshakes_total{outcome="late"}'),
               "renegotiation": (renegotiation, 'tls_handshakes_total{outcome="full"}')}

# kind of the metric: what a connection sends after its preface, once and then again and again.
ATTACKS = {
    "nothing": None,
    "requests": None,
    "peer_resets": (b"", times(1200, lambda n: frame(HEADERS, 5, n, GET) + frame(RESET, 0, n, number(8)))),
    "caused_resets": (b"", times(200, lambda n: frame(HEADERS, 4, n, POST) + frame(WINDOW_UPDATE, 0, n, number(2**31 - 1)))),
    "continuations": (frame(HEADERS, 1, 1, GET), times(100, lambda n: frame(CONTINUATION, 0, 1, literal(b"a", b"b")))),
    "settings": (b"", times(2000, lambda n: frame(SETTINGS, 0, 0))),
    "pings": (b"", times(2000, lambda n: frame(PING, 0, 0, bytes(8)))),
    "priorities": (b"", times(2000, lambda n: frame(PRIORITY, 0, 3, bytes(5)))),
    "window_updates": (b"", times(5000, lambda n: frame(WINDOW_UPDATE, 0, 0, number(1)))),
    "empty_data": (frame(HEADERS, 4, 1, POST), times(2000, lambda n: frame(DATA, 0, 1))),
    "header_block": (b"", times(20, lambda n: frame(HEADERS, 5, n, GROWING + b"\xbe" * 10000))),
    "large_head": (b"", times(500, lambda n: frame(HEADERS, 5, n, GROWING + b"\xbe" * 20))),
    "malformed": (b"", times(500, lambda n: frame(HEADERS, 5, n, literal(b":method", b"GET")))),
    # These do not send on: they wait.
    "late_head": (frame(HEADERS, 1, 1, GET), None),
    "closed_window": (frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 0)) +
                      times(RESPONSES_HELD, lambda n: frame(HEADERS, 5, n, GET)), None),
}


def attack(kind, core, until):
    """One attacker: attacks, is thrown out, and comes again."""
    os.sched_setaffinity(0, {core})
    os.nice(19)
    if kind in TLS_ATTACKS:
        with contextlib.suppress(OSError):
            TLS_ATTACKS[kind][0](until)
        return
    if kind == "requests":
        with contextlib.suppress(OSError):
            requests(until)
        return
    begins, again = ATTACKS[kind]
    waiting = []
    while time.monotonic() < until:
        with contextlib.suppress(OSError):
            s = socket.create_connection(("127.0.0.1", contenders.PORT), 1)
            s.sendall(HELLO + frame(SETTINGS, 0, 0) + begins)
            if again is None:
                waiting.append(s)
                time.sleep(max(0, until - time.monotonic()) if len(waiting) == MOST_WAITING else 0.02)
                continue
            with s:
                while time.monotonic() < until:
                    s.sendall(again)


def connect(is_tls):
    s = socket.create_connection(("127.0.0.1", TLS_PORT if is_tls else contenders.PORT), 5)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if not is_tls:
        return s
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    return trusting.wrap_socket(s)


def honest(seconds, is_tls):
    """Seconds of each request, begun at fixed times: a late response does not delay the next request's time."""
    found = []
    with connect(is_tls) as s:
        begin = time.monotonic()
        for i in range(int(seconds * RATE)):
            due = begin + i / RATE
            if (left := due - time.monotonic()) > 0:
                time.sleep(left)
            sent = max(due, time.monotonic()) if left > 0 else due
            s.sendall(REQUEST)
            got = b""
            while not got.endswith(b"x" * 16):
                piece = s.recv(4096)
                if not piece:
                    raise RuntimeError("the honest caller's connection was closed")
                got += piece
            if not got.startswith(b"HTTP/1.1 200 "):
                raise RuntimeError(f"the honest caller got {got[:80]}")
            found.append(time.monotonic() - sent)
    return found


def counted(kind):
    if kind in TLS_ATTACKS:
        port, name = TLS_ADMIN_PORT, "bellows_activator_" + TLS_ATTACKS[kind][1]
    else:
        port, name = contenders.ADMIN_PORT, f'bellows_queue_proxy_http2_abuses_total{{side="downstream",kind="{kind}"}}'
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as page:
        match = re.search(rf"^{re.escape(name)} (\d+)", page.read().decode(), re.MULTILINE)
    return int(match.group(1)) if match else 0


def measure(kind, args, other_core, pids):
    """(p50, p99) without and with the attack, ms; the attacked program's share of a core in both; and how often it was counted."""
    def percentiles(seconds):
        ordered = sorted(seconds)
        return [statistics.median(ordered) * 1e3, ordered[int(len(ordered) * 0.99)] * 1e3]

    is_tls = kind in TLS_ATTACKS

    def observed():
        cpu, begin = processes.cpu_seconds(pids[is_tls]), time.monotonic()
        times = percentiles(honest(args.seconds, is_tls))
        return [*times, (processes.cpu_seconds(pids[is_tls]) - cpu) / (time.monotonic() - begin) * 100]

    attackers = 0 if kind == "nothing" else args.attackers
    quiet, attacked, before = [], [], counted(kind)
    for _ in range(args.rounds):
        quiet.append(observed())
        until = time.monotonic() + args.seconds + 0.3
        running = [multiprocessing.Process(target=attack, args=(kind, other_core, until)) for _ in range(attackers)]
        for each in running:
            each.start()
        time.sleep(0.2)
        attacked.append(observed())
        for each in running:
            each.join()
    medians = [statistics.median(column) for rows in (quiet, attacked) for column in zip(*rows)]
    return [*medians, statistics.median(b[1] / a[1] for a, b in zip(quiet, attacked)), counted(kind) - before]


@contextlib.contextmanager
def attacked_programs(args, other_core, kinds):
    """An upstream, a queue-proxy, and a whole Bellows with TLS if one of the kinds is for it: the process ids of the last two."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as programs:
        upstream = os.path.join(folder, "upstream")
        subprocess.run(["cc", "-O2", "-o", upstream, os.path.join(contenders.HARNESS, "upstream.c")], check=True)
        ours = contenders.queue_proxy(args.programs, limit=0)
        env = {**ours.env, "BELLOWS_AUTOSCALER": ""}
        programs.enter_context(processes.running([upstream, str(contenders.UPSTREAM_PORT)], core=str(other_core)))
        pids = [programs.enter_context(processes.running(ours.command, env, str(args.core))).pid]
        ports = [contenders.UPSTREAM_PORT, contenders.PORT]
        if any(kind in TLS_ATTACKS for kind in kinds):
            bellows = [os.path.join(args.programs, "bellows"), "run", "--listen", f"127.0.0.1:{TLS_PORT}", "--tls", "self-signed",
                       "--tls-handshake-timeout", "1s", "--admin", f"127.0.0.1:{TLS_ADMIN_PORT}", "--quiet", "--min-scale", "1",
                       "--max-scale", "1", "--app-protocol", "http1", "--", "taskset", "-c", str(other_core), upstream, "$PORT"]
            pids.append(programs.enter_context(processes.running(bellows, core=str(args.core))).pid)
            ports += [TLS_PORT, TLS_ADMIN_PORT]
        for port in ports:
            processes.until(lambda: processes.listens(port), f"port {port} is listened at")
        yield pids


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    every = [*ATTACKS, *TLS_ATTACKS]
    parser.add_argument("--programs", default=os.path.join(here, "..", "..", "build", "release", "bin"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--core", type=int, default=0)
    parser.add_argument("--attackers", type=int, default=2)
    parser.add_argument("--kinds", default=",".join(every))
    args = parser.parse_args()
    kinds = args.kinds.split(",")
    if unknown := [kind for kind in kinds if kind not in every]:
        parser.error(f"\"{unknown[0]}\": want some of {', '.join(every)}")
    other_core = (args.core + 1) % os.cpu_count()
    os.sched_setaffinity(0, {other_core})
    with attacked_programs(args, other_core, kinds) as pids:
        print("| attack | p50 ms, quiet | attacked | p99 ms, quiet | attacked | p99, attacked / quiet | of a core, quiet | attacked | counted |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
        for kind in kinds:
            p50, p99, cpu, bad_p50, bad_p99, bad_cpu, ratio, count = measure(kind, args, other_core, pids)
            print(f"| `{kind}` | {p50:.2f} | {bad_p50:.2f} | {p99:.2f} | {bad_p99:.2f} | **{ratio:.2f}** | {cpu:.0f} % | {bad_cpu:.0f} % "
                  f"| {count} |", flush=True)


main()
