"""Honest callers beside uploads of a byte a second that are as many as the slots of a replica."""

import concurrent.futures
import contextlib
import math
import socket
import statistics
import threading
import time

import contenders
import processes

SLOTS = 5
EVERY = 0.1  # seconds between honest callers
TIMEOUT = 60.0


def upload(length, stopping):
    """One slow upload after the other; each ends when the proxy ends it."""
    while not stopping.is_set():
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", contenders.PORT), 5) as s:
            s.sendall(b"POST /16 HTTP/1.1\r\nHost: bench.local\r\nContent-Length: %d\r\n\r\n" % length)
            while not stopping.wait(1):
                s.sendall(b"x")


def measure(tools, length, seconds):
    contender = contenders.queue_proxy(tools.programs, limit=SLOTS)
    stopping = threading.Event()
    with processes.running([tools.upstream, str(contenders.UPSTREAM_PORT)]), \
            processes.running(contender.command, env=contender.env):
        processes.until(lambda: processes.listens(contenders.PORT), "queue-proxy listens")
        uploads = [threading.Thread(target=upload, args=(length, stopping), daemon=True) for _ in range(SLOTS)]
        for thread in uploads:
            thread.start()
        time.sleep(1)
        with concurrent.futures.ThreadPoolExecutor(1000) as threads:
            calls = []
            for _ in range(int(seconds / EVERY)):
                calls.append(threads.submit(contenders.call, TIMEOUT))
                time.sleep(EVERY)
            times = [each.result() for each in calls]
        stopping.set()
        for thread in uploads:
            thread.join()
    served = sorted(each for each in times if each is not None)
    at = lambda share: served[math.ceil(share * len(served)) - 1] if served else math.nan  # noqa: E731
    return {"callers": len(times), "served": len(served), "p50_s": statistics.median(served) if served else math.nan,
            "p99_s": at(0.99), "max_s": at(1)}


def table(tools, seconds):
    """The lines of a table, and the raw numbers."""
    lines = [f"| {SLOTS} uploads at 1 byte/s, limit {SLOTS}, body of | honest callers | served | p50, s | p99, s | longest, s |",
             "| --- | --- | --- | --- | --- | --- |"]
    raw = {}
    for length in (1000, 1_000_000):
        found = raw[str(length)] = measure(tools, length, seconds)
        lines.append(f"| {length:,} bytes | {found['callers']} | {found['served']} | {found['p50_s']:.3f} | {found['p99_s']:.3f} | "
                     f"{found['max_s']:.3f} |")
    return lines, raw
