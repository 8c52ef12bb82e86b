"""Measurements of Bellows alone: scale from zero, held requests, idle connections, the whole path."""

import contextlib
import hashlib
import json
import os
import resource
import shutil
import socket
import subprocess
import time
import types

import contenders
import processes

LISTEN, ADMIN = 18080, 18081


def bellows_run(tools, *flags, app):
    """The command of a service on this machine."""
    return [os.path.join(tools.programs, "bellows"), "run", "--listen", f"127.0.0.1:{LISTEN}", "--admin",
            f"127.0.0.1:{ADMIN}", "--quiet", *flags, "--", *app]


def get(path="/", port=LISTEN, limit=60):
    """The complete response of one request."""
    with socket.create_connection(("127.0.0.1", port), limit) as s:
        s.settimeout(limit)
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while chunk := s.recv(65536):
            answer += chunk
        return answer


def wake(tools, times, core):
    """Milliseconds from the app's listen() to the first byte of the held request, one per start from zero."""
    report = os.path.join(tools.folder, "wake.txt")
    open(report, "w").close()
    for _ in range(times):
        command = bellows_run(tools, "--initial-scale", "0", app=[tools.wake_app, report])
        with processes.running(command, core=core):
            processes.until(lambda: processes.listens(LISTEN), "bellows listens")
            answer = get()
            if b" 200 " not in answer[:20]:
                raise RuntimeError(f"waking: {answer[:200]!r}")
    return [int(line) / 1000 for line in open(report)]


def whole_path(tools, seconds, core):
    """CPU microseconds per request of bellows (activator and autoscaler) and of the queue-proxy, a50."""
    app = ["sh", "-c", f"exec {tools.upstream} $PORT"]
    command = bellows_run(tools, "--min-scale", "1", "--max-scale", "1", "--container-concurrency", "100",
                          "--target-burst-capacity", "-1", app=app)
    with processes.running(command, core=core) as bellows:
        processes.until(lambda: processes.listens(LISTEN) and b" 200 " in get("/1k")[:20], "the service answers")
        proxy = next(pid for pid, name in processes.children(bellows.pid).items() if name == "queue-proxy")
        load(tools, core, "/1k", 50, 1)
        before = processes.cpu_seconds(bellows.pid), processes.cpu_seconds(proxy)
        result = load(tools, core, "/1k", 50, seconds)
        after = processes.cpu_seconds(bellows.pid), processes.cpu_seconds(proxy)
    return {"activator": (after[0] - before[0]) / result["requests"] * 1e6,
            "queue-proxy": (after[1] - before[1]) / result["requests"] * 1e6}


def capacity(tools, workers, seconds):
    """Requests a second of an activator whose busiest worker has a processor of its own, a50. The machine need not have a
    processor for each: replicas, app and callers share those that there are, and what counts is each worker's own time."""
    app = ["sh", "-c", f"exec {tools.upstream} $PORT"]
    command = bellows_run(tools, "--min-scale", "1", "--max-scale", "1", "--container-concurrency", "100",
                          "--target-burst-capacity", "-1", "--workers", str(workers), app=app)
    with processes.running(command) as bellows:
        processes.until(lambda: processes.listens(LISTEN) and b" 200 " in get("/1k")[:20], "the service answers")
        load(tools, None, "/1k", 50, 1)
        before = processes.cpu_seconds_of_threads(bellows.pid)
        result = load(tools, None, "/1k", 50, seconds)
        after = processes.cpu_seconds_of_threads(bellows.pid)
    used = sorted((after[thread] - before.get(thread, 0) for thread in after), reverse=True)[:workers]
    return {"per_second": result["requests"] / used[0], "cpu_us": sum(used) / result["requests"] * 1e6,
            "p99_us": result["p99_us"], "seen_per_second": result["requests"] / seconds}


def load(tools, core, path, connections, seconds):
    pinned = ["taskset", "-c", core] if core else []
    out = subprocess.run([*pinned, tools.loadgen, str(LISTEN), path, str(connections), "0", str(seconds)],
                         check=True, stdout=subprocess.PIPE, text=True).stdout
    result = json.loads(out)
    if result["non2xx"] or result["errors"]:
        raise RuntimeError(f"{result['non2xx']} answers not 2xx, {result['errors']} errors")
    return result


ORDER_APP = """
import os, socketserver, sys, time
while not os.path.exists(sys.argv[1]): time.sleep(0.05)
class One(socketserver.StreamRequestHandler):
    def handle(self):
        while line := self.rfile.readline():
            while self.rfile.readline() not in (b"\\r\\n", b""): pass
            if line.split()[1][1:].isdigit():  # else it is a probe
                with open(sys.argv[2], "ab") as seen: seen.write(line.split()[1] + b"\\n")
            self.wfile.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")
class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address, request_queue_size = True, 128
Server(("127.0.0.1", int(os.environ["PORT"])), One).serve_forever()
"""


def held(tools, count, core):
    """Memory per request held for a revision at zero, the number of responses, and how many were out of order."""
    gate, seen = os.path.join(tools.folder, "gate"), os.path.join(tools.folder, "seen")
    for left in (gate, seen):
        if os.path.exists(left):
            os.unlink(left)
    raise_descriptor_limit()
    command = bellows_run(tools, "--initial-scale", "0", "--max-scale", "1", "--container-concurrency", "1",
                          "--queue-age", "10m", "--queue-bytes", "256Mi", "--progress-deadline", "10m",
                          app=["python3", "-c", ORDER_APP, gate, seen])
    with processes.running(command, core=core) as bellows:
        processes.until(lambda: processes.listens(LISTEN), "bellows listens")
        before = processes.memory(bellows.pid)
        return hold_and_release(bellows.pid, before, count, gate, seen)


def hold_and_release(pid, before, count, gate, seen):
    callers = []
    for number in range(count):
        caller = socket.create_connection(("127.0.0.1", LISTEN), 60)
        caller.sendall(f"GET /{number} HTTP/1.1\r\nHost: bench.local\r\nConnection: close\r\n\r\n".encode())
        callers.append(caller)
    processes.until(lambda: waiting() >= count, f"{count} requests wait")
    each = (processes.memory(pid) - before) / count
    open(gate, "w").close()
    started = time.monotonic()
    answers = [caller.recv(4096) for caller in callers]
    took = time.monotonic() - started
    for caller in callers:
        caller.close()
    order = [int(line[1:]) for line in open(seen, "rb")]
    early = sum(later < earlier for earlier, later in zip(order, order[1:]))
    return {"bytes": each, "answered": sum(b" 200 " in answer[:20] for answer in answers), "reached_app": len(order),
            "before_an_earlier_one": early, "seconds": took}


BULK_APP = """
import hashlib, os, socketserver
PIECE = bytes(range(256)) * 256
class One(socketserver.StreamRequestHandler):
    def handle(self):
        while line := self.rfile.readline():
            method, size = line.split()[0], int(line.split()[1][1:])
            while self.rfile.readline() not in (b"\\r\\n", b""): pass
            if method == b"GET":
                self.wfile.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n" % size)
                for _ in range(size // len(PIECE)): self.wfile.write(PIECE)
                continue
            digest = hashlib.sha256()
            for _ in range(size // len(PIECE)): digest.update(self.rfile.read(len(PIECE)))
            self.wfile.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 64\\r\\n\\r\\n" + digest.hexdigest().encode())
class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
Server(("127.0.0.1", int(os.environ["PORT"])), One).serve_forever()
"""


def bulk(tools, size, core):
    """Seconds, and whether every byte arrived, of one download and one upload of `size` bytes through activator and
    queue-proxy with curl; and the peak memory of both programs in bytes."""
    piece = bytes(range(256)) * 256
    digest = hashlib.sha256()
    for _ in range(size // len(piece)):
        digest.update(piece)
    url = f"http://127.0.0.1:{LISTEN}/{size}"
    # -1: the activator stays in the path.
    command = bellows_run(tools, "--min-scale", "1", "--target-burst-capacity", "-1", app=["python3", "-c", BULK_APP])
    with processes.running(command, core=core) as bellows:
        processes.until(lambda: processes.listens(LISTEN) and b" 200 " in get("/0")[:20], "the service answers")
        proxy = next(pid for pid, name in processes.children(bellows.pid).items() if name == "queue-proxy")
        started = time.monotonic()
        came = sha256_of(subprocess.Popen(["curl", "-sS", url], stdout=subprocess.PIPE).stdout)
        down = time.monotonic() - started
        upload = subprocess.Popen(["curl", "-sS", "-T", "-", "-H", "Transfer-Encoding:", "-H", f"Content-Length: {size}", url],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        started = time.monotonic()
        for _ in range(size // len(piece)):
            upload.stdin.write(piece)
        told, _ = upload.communicate()
        return {"down": down, "up": time.monotonic() - started, "arrived": [came, told.decode()] == [digest.hexdigest()] * 2,
                "bellows": processes.memory(bellows.pid, "VmHWM"), "queue-proxy": processes.memory(proxy, "VmHWM")}


def sha256_of(stream):
    digest = hashlib.sha256()
    while piece := stream.read(1 << 20):
        digest.update(piece)
    return digest.hexdigest()


def waiting():
    """Requests that wait in the activator, from /metrics."""
    text = get("/metrics", ADMIN).decode()
    lines = [line for line in text.splitlines() if line.startswith("bellows_activator_queue_depth")]
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines)


def idle_connections(tools, count, core):
    """Resident MiB of a queue-proxy with `count` idle connections, each used once before."""
    raise_descriptor_limit()
    contender = contenders.queue_proxy(tools.programs)
    with processes.running([tools.upstream, str(contenders.UPSTREAM_PORT)], core=core), \
            processes.running(contender.command, env=contender.env, core=core) as proxy:
        processes.until(lambda: processes.listens(contenders.PORT), "queue-proxy listens")
        idle = []
        for _ in range(count):
            s = socket.create_connection(("127.0.0.1", contenders.PORT), 10)
            s.sendall(b"GET /16 HTTP/1.1\r\nHost: bench.local\r\n\r\n")
            s.recv(4096)
            idle.append(s)
        used = processes.memory(proxy.pid) / 2**20
        for s in idle:
            s.close()
        return used


@contextlib.contextmanager
def autoscaler_for_stats(tools):
    """`bellows run` whose one replica has a script as its queue-proxy, which only notes its environment: a measured queue-proxy then
    inherits the secret of that replica and is believed."""
    folder = os.path.join(tools.folder, "autoscaler")
    os.mkdir(folder)
    for program in ("bellows", "replica-shim"):
        shutil.copy(os.path.join(tools.programs, program), folder)
    script, noted = os.path.join(folder, "queue-proxy"), os.path.join(folder, "environment")
    with open(script, "w") as f:
        f.write(f'#!/bin/sh\nenv > "{noted}.new" && mv "{noted}.new" "{noted}"\nexec sleep 1000000\n')
    os.chmod(script, 0o755)
    command = bellows_run(types.SimpleNamespace(programs=folder), "--min-scale", "1", "--max-scale", "1", "--progress-deadline", "24h",
                          app=["sleep", "1000000"])
    with processes.running(command):
        processes.until(lambda: os.path.exists(noted), "a replica of the autoscaler for the stats")
        given = dict(line.rstrip("\n").split("=", 1) for line in open(noted) if "=" in line)
        os.environ["BELLOWS_STAT_SECRET"] = given["BELLOWS_STAT_SECRET"]
        try:
            yield
        finally:
            del os.environ["BELLOWS_STAT_SECRET"]


def stats_received():
    """From the autoscaler of the `bellows run` that listens at ADMIN."""
    text = get("/metrics", ADMIN).decode()
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
               if line.startswith("bellows_autoscaler_stats_received_total"))


def raise_descriptor_limit():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 20_000), hard))
