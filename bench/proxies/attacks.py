"""An honest caller while others attack: a queue-proxy by HTTP/2, `bellows run --tls self-signed` by TLS. p50 and p99, in turns.

  python3 bench/proxies/attacks.py [--programs DIR] [--rounds N] [--seconds S] [--core N] [--attackers N] [--kinds KIND,...]

Prints a table with a row for each attack. The proxy has a core of its own. Attackers send as fast as the proxy reads, with the
lowest priority, and come again when they are thrown out. `nothing` is the noise of the machine: the same without attackers.
The control is what attackers cost beside the proxy: as many connections and bytes of theirs, as those that the proxy took in the same
round, at even times, into a sink on the proxy's core that drops them. Who is attacked cannot do better than that.
`requests` is no attack but as much load without malice: as many streams at once as `caused_resets` has before it is thrown out.
The share of a core that the program takes says what an attack costs it, also on a machine whose p99 says little. So do the
turns of its loop, in CPU time between two polls: a request waits for one of them at each hop. The longest, and the share in those over 0.5 ms.
"""

import argparse
import contextlib
import multiprocessing
import os
import re
import select
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
TLS_PORT, TLS_ADMIN_PORT, SINK_PORT = 18443, 18444, 18445
TURNS = struct.Struct("4d")  # of harness/turns.c
HANDSHAKE_TIMEOUT = 1  # seconds; the sink ends its connections after it too


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


def slow_handshakes(until, port):
    """Many that have begun, and go on by a byte each now and then; those that were ended are made again."""
    hello, begun = client_hello(), []
    while time.monotonic() < until:
        if len(begun) < HANDSHAKES_HELD:
            s = socket.create_connection(("127.0.0.1", port), 1)
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


def renegotiation(until, port):
    """A full handshake, and the wish for another on the same connection: OpenSSL's client ends when it is not granted."""
    while time.monotonic() < until:
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(["openssl", "s_client", "-tls1_2", "-connect", f"127.0.0.1:{port}"], input=b"R\n", capture_output=True,
                           timeout=2, check=False)


def requests(until, port):
    """Streams at once, as many as a connection may have, each second."""
    while time.monotonic() < until:
        with socket.create_connection(("127.0.0.1", port), 1) as s:
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


def wait_in_line(begins, until, port):
    """Connections that send their first bytes and wait."""
    waiting = []
    while time.monotonic() < until:
        with contextlib.suppress(OSError):
            waiting.append(socket.create_connection(("127.0.0.1", port), 1))
            waiting[-1].sendall(begins)
            time.sleep(max(0, until - time.monotonic()) if len(waiting) == MOST_WAITING else 0.02)


def flood(begins, again, until, dose):
    """Sends until it is thrown out, and comes again. `dose`: connections and bytes that were taken of it."""
    while time.monotonic() < until:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", contenders.PORT), 1) as s:
            dose[0] += 1
            piece = begins
            while time.monotonic() < until:
                taken = s.send(piece)
                dose[1] += taken
                piece = piece[taken:] or again


def flood_sink(begins, again, until, dose):
    """As many connections and bytes as a flood had, at even times."""
    connections, begun = int(dose[0]), time.monotonic()
    for i in range(connections):
        time.sleep(max(0, begun + i * (until - begun) / connections - time.monotonic()))
        size = int(dose[1] / connections)
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", SINK_PORT), 1) as s:
            s.sendall((begins + again * (size // len(again) + 1))[:size])


def attack(kind, core, until, dose, is_control):
    """One attacker, of the program or of the sink."""
    os.sched_setaffinity(0, {core})
    os.nice(19)
    if kind in TLS_ATTACKS:
        with contextlib.suppress(OSError):
            TLS_ATTACKS[kind][0](until, SINK_PORT if is_control else TLS_PORT)
        return
    port = SINK_PORT if is_control else contenders.PORT
    if kind == "requests":
        with contextlib.suppress(OSError):
            requests(until, port)
        return
    begins, again = ATTACKS[kind]
    begins = HELLO + frame(SETTINGS, 0, 0) + begins
    if again is None:
        wait_in_line(begins, until, port)
    else:
        (flood_sink if is_control else flood)(begins, again, until, dose)


def sink(core):
    """Takes connections and bytes and drops them."""
    os.sched_setaffinity(0, {core})
    buffer, begun, watched = bytearray(65536), {}, select.epoll()
    with socket.create_server(("127.0.0.1", SINK_PORT), backlog=1024) as listening:
        watched.register(listening, select.EPOLLIN)
        while True:
            for fd, _ in watched.poll(0.1):
                if fd == listening.fileno():
                    s = listening.accept()[0]
                    watched.register(s, select.EPOLLIN)
                    begun[s.fileno()] = (s, time.monotonic())
                    continue
                with contextlib.suppress(OSError):
                    if begun[fd][0].recv_into(buffer, 0, socket.MSG_TRUNC):  # the kernel drops them, nothing is copied
                        continue
                begun.pop(fd)[0].close()
            while begun and next(iter(begun.values()))[1] < time.monotonic() - HANDSHAKE_TIMEOUT:
                begun.pop(next(iter(begun)))[0].close()


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


def percentiles(seconds):
    ordered = sorted(seconds)
    return [statistics.median(ordered) * 1e3, ordered[int(len(ordered) * 0.99)] * 1e3]


def observed(args, is_tls, pid):
    """p50 and p99 of honest requests, ms; what the program takes of a core, percent; its longest turn, ms, and the percentage of its
    CPU time in turns over 0.5 ms."""
    cpu, begin = processes.cpu_seconds(pid), time.monotonic()
    with open(os.path.join(args.turns, str(pid)), "r+b", buffering=0) as noted:
        noted.write(bytes(TURNS.size))
        times = percentiles(honest(args.seconds, is_tls))
        noted.seek(0)
        in_turns, in_long, longest, _ = TURNS.unpack(noted.read())
    return [*times, (processes.cpu_seconds(pid) - cpu) / (time.monotonic() - begin) * 100, longest * 1e3, in_long / in_turns * 100]


def observed_beside(kind, args, core, pid, doses, is_control):
    """The same, with attackers of the program or of the sink."""
    until = time.monotonic() + args.seconds + 0.3
    running = [multiprocessing.Process(target=attack, args=(kind, core, until, dose, is_control)) for dose in doses]
    for each in running:
        each.start()
    time.sleep(0.2)
    found = observed(args, kind in TLS_ATTACKS, pid)
    for each in running:
        each.join()
    return found


def measure(kind, args, other_core, pids):
    """Medians of observed() quiet, attacked and beside the control; p99 attacked by quiet, and by control; how often it was counted."""
    is_tls, pid = kind in TLS_ATTACKS, pids[kind in TLS_ATTACKS]
    attackers = 0 if kind == "nothing" else args.attackers
    rounds, before = [], counted(kind)  # of each: quiet, attacked, control
    for _ in range(args.rounds):
        doses = [multiprocessing.Array("d", 2) for _ in range(attackers)]
        rounds.append((observed(args, is_tls, pid), observed_beside(kind, args, other_core, pid, doses, False),
                       observed_beside(kind, args, other_core, pid, doses, True)))
    medians = [[statistics.median(column) for column in zip(*each)] for each in zip(*rounds)]
    ratios = [statistics.median(each[1][1] / each[base][1] for each in rounds) for base in (0, 2)]
    return medians, ratios, counted(kind) - before


@contextlib.contextmanager
def attacked_programs(args, other_core, kinds):
    """An upstream, a queue-proxy, and a whole Bellows with TLS if one of the kinds is for it: the process ids of the last two."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as programs:
        upstream = os.path.join(folder, "upstream")
        subprocess.run(["cc", "-O2", "-o", upstream, os.path.join(contenders.HARNESS, "upstream.c")], check=True)
        turns = os.path.join(folder, "turns.so")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", turns, os.path.join(contenders.HARNESS, "turns.c")], check=True)
        args.turns = folder
        watched = {"LD_PRELOAD": turns, "TURNS": folder}
        ours = contenders.queue_proxy(args.programs, limit=0)
        env = {**ours.env, **watched, "BELLOWS_AUTOSCALER": ""}
        app = programs.enter_context(processes.running([upstream, str(contenders.UPSTREAM_PORT)], core=str(other_core)))
        attacked = [programs.enter_context(processes.running(ours.command, env, str(args.core)))]
        ports = [(app, contenders.UPSTREAM_PORT), (attacked[0], contenders.PORT)]
        if any(kind in TLS_ATTACKS for kind in kinds):
            bellows = [os.path.join(args.programs, "bellows"), "run", "--listen", f"127.0.0.1:{TLS_PORT}", "--tls", "self-signed",
                       "--tls-handshake-timeout", f"{HANDSHAKE_TIMEOUT}s", "--admin", f"127.0.0.1:{TLS_ADMIN_PORT}", "--quiet",
                       "--min-scale", "1", "--max-scale", "1", "--app-protocol", "http1", "--", "taskset", "-c", str(other_core), upstream,
                       "$PORT"]
            attacked.append(programs.enter_context(processes.running(bellows, watched, str(args.core))))
            ports += [(attacked[1], TLS_PORT), (attacked[1], TLS_ADMIN_PORT)]
        dropping = multiprocessing.Process(target=sink, args=(args.core,), daemon=True)
        dropping.start()
        programs.callback(dropping.terminate)
        for process, port in ports:
            processes.until_listens(process, port)
        processes.until(lambda: processes.listens(SINK_PORT), "the sink listens")
        yield [process.pid for process in attacked]


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
        print("| attack | p50 ms, quiet | control | attacked | p99 ms, quiet | control | attacked "
              "| p99, attacked / quiet | attacked / control | of a core, quiet | attacked | longest turn ms, quiet | attacked "
              "| over 0.5 ms, quiet | attacked | counted |")
        print("| --- " * 16 + "|")
        for kind in kinds:
            (quiet, attacked, control), (by_quiet, by_control), count = measure(kind, args, other_core, pids)
            times = [f"{each[i]:.2f}" for i in (0, 1) for each in (quiet, control, attacked)]
            print(f"| `{kind}` | {' | '.join(times)} | **{by_quiet:.2f}** | **{by_control:.2f}** | {quiet[2]:.0f} % "
                  f"| {attacked[2]:.0f} % | {quiet[3]:.2f} | {attacked[3]:.2f} | {quiet[4]:.1f} % | {attacked[4]:.1f} % | {count} |",
                  flush=True)


main()
