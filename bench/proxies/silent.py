"""Honest callers beside connections that never send a byte, at the proxy's limit of connections."""

import concurrent.futures
import contextlib
import os
import re
import socket
import statistics

import contenders
import processes

CALLERS = 545
TIMEOUT = 5.0


def silent_connections(count):
    """As many as the kernel takes: those that the proxy does not accept wait in its backlog."""
    opened = []
    for _ in range(count):
        s = socket.socket()
        s.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            s.connect(("127.0.0.1", contenders.PORT))
        opened.append(s)
    return opened


def at_its_limit(command, descriptors):
    """The command of a peer with a configuration that uses the descriptors: two for each connection, as a queue-proxy
    counts them, less some of its own. (As configured for the other parts HAProxy refuses to start with 1,024.)"""
    changed = []
    for word in command:
        if os.path.isfile(word) and not os.access(word, os.X_OK):
            text = open(word).read()
            text = re.sub(r"maxconn 8192", f"maxconn {(descriptors - 60) // 2}", text)
            text = re.sub(r"worker_connections 8192", f"worker_connections {descriptors - 24}", text)
            word = f"{word}-{descriptors}"
            with open(word, "w") as out:
                out.write(text)
        changed.append(word)
    return changed


def measure(tools, contender, silent, descriptors):
    limited = ["sh", "-c", f'ulimit -n {descriptors} && exec "$0" "$@"', *at_its_limit(contender.command, descriptors)]
    with processes.running([tools.upstream, str(contenders.UPSTREAM_PORT)]), \
            processes.running(limited, env=contender.env):
        processes.until(lambda: processes.listens(contenders.PORT), f"{contender.name} listens")
        opened = silent_connections(silent)
        try:
            with concurrent.futures.ThreadPoolExecutor(20) as threads:
                times = list(threads.map(contenders.call, [TIMEOUT] * CALLERS))
        finally:
            for s in opened:
                s.close()
    served = sorted(seconds for seconds in times if seconds is not None)
    return {"served": len(served), "p50_ms": statistics.median(served) * 1e3 if served else None,
            "max_ms": served[-1] * 1e3 if served else None}


def table(tools, these):
    """The lines of a table, and the raw numbers."""
    lines = [f"| silent connections, descriptors | proxy | served of {CALLERS} within {TIMEOUT:.0f} s | p50, ms | longest, ms |",
             "| --- | --- | --- | --- | --- |"]
    raw = {}
    for silent, descriptors in ((1100, 1024), (10_000, 20_000)):
        for contender in these:
            found = raw[f"{contender.name} {silent}"] = measure(tools, contender, silent, descriptors)
            number = lambda value: "-" if value is None else f"{value:.1f}"  # noqa: E731
            lines.append(f"| {silent:,}, {descriptors:,} | {contender.name} | {found['served']} | {number(found['p50_ms'])} | "
                         f"{number(found['max_ms'])} |")
    return lines, raw
