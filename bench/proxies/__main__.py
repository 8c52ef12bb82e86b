"""Measures the data path, HAProxy and nginx, and prints one table with ratios and bars.

  python3 bench/proxies [--quick] [--programs DIR] [--repeats N] [--seconds S] [--core N] [--json FILE]

The programs come from `cmake --preset release && cmake --build --preset release`. HAProxy and nginx are measured if
they are installed (`apt-get install haproxy nginx-light`; for HTTP/2 also nghttp2-client, nghttp2-server and libgrpc++-dev). Everything
is pinned to one core; CPU per request is the user and system time of the proxy's processes. Every round runs every
contender; a cell is the median of all rounds, followed by minimum and maximum. --quick runs 3 rounds of 4 s; recorded results use 5 rounds of 10 s (25 min).
"""

import argparse
import json
import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import types

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import contenders  # noqa: E402
import held_streams  # noqa: E402
import http2  # noqa: E402
import processes  # noqa: E402
import silent  # noqa: E402
import single  # noqa: E402
import slow_bodies  # noqa: E402
import workloads  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
WORKLOADS = ["a1", "a50", "a500", "b50", "c10", "r2k"]
# Maximum CPU cost of a queue-proxy relative to HAProxy in http mode on the same load.
BARS = {"a50": 0.95, "a500": 0.95, "r2k": 0.95, "b50": 1.0, "c10": 1.0}
PARTS = ["workloads", "limit", "path", "workers", "wake", "held", "idle", "silent", "slow-bodies", "bulk", "http2", "http2-bulk", "held-streams"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=os.path.join(HERE, "..", "..", "build", "release", "bin"))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--core", default="0")
    parser.add_argument("--workloads", default=",".join(WORKLOADS))
    parser.add_argument("--parts", default=",".join(PARTS), help=f"of {', '.join(PARTS)}")
    parser.add_argument("--before", help="folder of an earlier build, measured in turns with the programs")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", help="also write every number to this file")
    args = parser.parse_args()
    if args.quick:
        args.repeats, args.seconds = 3, 4
    for name in ("queue-proxy", "bellows"):
        if not os.access(os.path.join(args.programs, name), os.X_OK):
            parser.error(f"--programs: {args.programs} has no {name}; want the folder of a release build")
    return args


def built_tools(folder, programs):
    """Compiles the load generator, the upstream and the app for scale from zero."""
    tools = types.SimpleNamespace(folder=folder, programs=programs)
    for name, source in (("upstream", contenders.HARNESS), ("loadgen", contenders.HARNESS), ("wake_app", HERE)):
        target = os.path.join(folder, name)
        subprocess.run(["cc", "-O2", "-o", target, os.path.join(source, name + ".c"), "-lpthread"], check=True)
        setattr(tools, name, target)
    return tools


def cell(rows, key, digits=1, scale=1.0):
    low, high = workloads.spread(rows, key)
    middle = workloads.median(rows, key)
    return f"{middle * scale:.{digits}f} ({low * scale:.{digits}f}-{high * scale:.{digits}f})"


def before_table(rows, chosen):
    """The same programs of two builds. The machine changes during a run, so a ratio is the median of those of the rounds."""
    lines = ["| CPU us per request | queue-proxy | before | queue-proxy / before |", "| --- | --- | --- | --- |"]
    for workload in chosen:
        ours, before = rows["queue-proxy", workload], rows["before", workload]
        ratios = sorted(a["cpu_us"] / b["cpu_us"] for a, b in zip(ours, before))
        lines.append(f"| {workload} | {cell(ours, 'cpu_us', 2)} | {cell(before, 'cpu_us', 2)} | **{statistics.median(ratios):.3f}** "
                     f"({ratios[0]:.2f}-{ratios[-1]:.2f}) |")
    return lines + [""]


def workload_table(rows, names, chosen):
    lines = ["| CPU us per request | " + " | ".join(names) + " | queue-proxy / haproxy | bar |",
             "| --- |" + " --- |" * (len(names) + 2)]
    for workload in chosen:
        cells = [cell(rows[name, workload], "cpu_us") for name in names]
        ratio = "-"
        if "haproxy" in names:
            ours, peer = (workloads.median(rows[name, workload], "cpu_us") for name in ("queue-proxy", "haproxy"))
            ratio = f"**{ours / peer:.2f}**"
        lines.append(f"| {workload} | " + " | ".join(cells) + f" | {ratio} | {BARS.get(workload, '-')} |")
    return lines


def latency_table(rows, names, chosen):
    lines = ["| p50 / p99 ms | " + " | ".join(names) + " |", "| --- |" + " --- |" * len(names)]
    for workload in chosen:
        cells = [f"{workloads.median(rows[n, workload], 'p50_us') / 1e3:.2f} / {cell(rows[n, workload], 'p99_us', 2, 1e-3)}"
                 for n in names]
        lines.append(f"| {workload} | " + " | ".join(cells) + " |")
    return lines


def size_table(rows, names):
    lines = ["| | " + " | ".join(names) + " | bar |", "| --- |" + " --- |" * (len(names) + 1)]
    for text, workload, key, scale, bar in (("resident idle, MiB", "a50", "idle_rss_kb", 1 / 1024, "6"),
                                            ("with 50 connections, MiB", "a50", "rss_kb", 1 / 1024, "8"),
                                            ("with 500 connections, MiB", "a500", "rss_kb", 1 / 1024, "16"),
                                            ("exec to accepting, ms", "a50", "start_ms", 1, "10")):
        if all((name, workload) in rows for name in names):
            cells = [cell(rows[name, workload], key, scale=scale) for name in names]
            lines.append(f"| {text} | " + " | ".join(cells) + f" | {bar} |")
    return lines


def limit_lines(rows):
    free, limited = rows["queue-proxy, no limit", "a50"], rows["queue-proxy, limit 10", "a50"]
    cpu = workloads.median(limited, "cpu_us") / workloads.median(free, "cpu_us")
    tail = workloads.median(limited, "p99_us") / workloads.median(limited, "p50_us")
    used = f"{cell(limited, 'cpu_us')} us per request, without a limit {cell(free, 'cpu_us')}"
    return [f"* Limit 10, 50 connections: p99 / p50 = **{tail:.2f}** (bar 2; p99 {cell(limited, 'p99_us', 2, 1e-3)} ms), CPU "
            f"{cpu:.2f} of no limit (bar 1.1): {used}."]


def compare(tools, args):
    """Runs the workloads; returns the tables and the raw rows."""
    these = [contenders.queue_proxy(tools.programs)]
    these += [contenders.queue_proxy(os.path.abspath(args.before), "before")] if args.before else contenders.peers(tools.folder)
    names = [contender.name for contender in these]
    chosen = args.workloads.split(",")
    rows = workloads.measure(tools, these, chosen, args.repeats, args.seconds, args.core)
    lines = before_table(rows, chosen) if args.before else []
    lines += workload_table(rows, names, chosen) + [""] + latency_table(rows, names, chosen) + [""]
    return lines + size_table(rows, names) + [""], rows


def compare_limits(tools, args):
    these = [contenders.queue_proxy(tools.programs, "queue-proxy, no limit", limit=0),
             contenders.queue_proxy(tools.programs, "queue-proxy, limit 10", limit=10)]
    rows = workloads.measure(tools, these, ["a50"], args.repeats, args.seconds, args.core)
    return limit_lines(rows), rows


def path_lines(tools, args):
    """Activator, whole path and one HAProxy hop, alternating."""
    peer = [contender for contender in contenders.peers(tools.folder) if contender.name == "haproxy"]
    if not peer:
        return ["* Whole path: not measured, haproxy is not installed."], {}
    hops, paths = [], []
    for turn in range(args.repeats):
        print(f"  round {turn + 1}/{args.repeats}  whole path", file=sys.stderr, flush=True)
        hops.append(workloads.run(tools, peer[0], "a50", args.seconds, args.core)["cpu_us"])
        paths.append(single.whole_path(tools, args.seconds, args.core))
    hop = statistics.median(hops)
    activator = statistics.median(path["activator"] for path in paths)
    whole = statistics.median(path["activator"] + path["queue-proxy"] for path in paths)
    spread = lambda values: f"{min(values):.1f}-{max(values):.1f}"  # noqa: E731
    alone, both = ([path["activator"] for path in paths], [path["activator"] + path["queue-proxy"] for path in paths])
    return [f"* Activator with a warm revision: {activator:.1f} ({spread(alone)}) us per request = **{activator / hop:.2f}** HAProxy "
            "hops (bar 1.3).",
            f"* Activator and queue-proxy together: {whole:.1f} ({spread(both)}) us = **{whole / hop:.2f}** HAProxy hops of {hop:.1f} "
            f"({spread(hops)}) us (bar 1.9)."], {"haproxy": hops, "path": paths}


def worker_lines(tools, args):
    """One worker and two, alternating."""
    found = {1: [], 2: []}
    for turn in range(args.repeats):
        for workers, rows in found.items():
            print(f"  round {turn + 1}/{args.repeats}  workers {workers}", file=sys.stderr, flush=True)
            rows.append(single.capacity(tools, workers, args.seconds))
    of = lambda workers, key: statistics.median(row[key] for row in found[workers])  # noqa: E731
    gain = of(2, "per_second") / of(1, "per_second")
    return [f"* Two workers of the activator, a50: {of(2, 'per_second'):,.0f} requests a second of the busier one's time, with one worker "
            f"{of(1, 'per_second'):,.0f} = **{gain:.2f}** (bar 1.8); CPU {of(2, 'cpu_us'):.1f} and {of(1, 'cpu_us'):.1f} us per request, "
            f"p99 {of(2, 'p99_us') / 1000:.2f} and {of(1, 'p99_us') / 1000:.2f} ms, {of(2, 'seen_per_second'):,.0f} and "
            f"{of(1, 'seen_per_second'):,.0f} requests a second on this machine."], found


def wake_lines(tools, args):
    times = sorted(single.wake(tools, 100, args.core))
    at = lambda share: times[math.ceil(share * len(times)) - 1]  # noqa: E731  nearest rank
    return [f"* From app ready to the first byte of a held request at the app, {len(times)} starts: p50 {at(0.5):.2f} ms, p99 **{at(0.99):.2f} ms** (bar 10), "
            f"maximum {times[-1]:.2f} ms."], times


def held_lines(tools, args):
    result = single.held(tools, 9000, args.core)
    early = result["before_an_earlier_one"]
    order = f"{early} before an earlier one" if early else "all in order of arrival"
    return [f"* 9,000 requests held for a service at zero: **{result['bytes'] / 1024:.1f} KB** each (bar 8), {result['answered']} "
            f"answered in {result['seconds']:.1f} s, {order}."], result


def idle_lines(tools, args):
    used = single.idle_connections(tools, 9000, args.core)
    return [f"* Queue-proxy with 9,000 idle connections: **{used:.0f} MiB** resident (bar 90)."], used


def silent_lines(tools, args):
    return silent.table(tools, [contenders.queue_proxy(tools.programs), *contenders.peers(tools.folder)])


def slow_body_lines(tools, args):
    return slow_bodies.table(tools, 60)


def bulk_lines(tools, args):
    found = single.bulk(tools, 1 << 30, args.core)
    whole = "every byte arrived" if found["arrived"] else "**NOT every byte arrived**"
    return [f"* 1 GiB through activator and queue-proxy, curl and a Python app: download {found['down']:.1f} s, upload {found['up']:.1f} s, "
            f"{whole}; peak resident memory {found['bellows'] / 2**20:.1f} and {found['queue-proxy'] / 2**20:.1f} MiB."], found


def http2_lines(tools, args):
    if not shutil.which("h2load") or not shutil.which("nginx"):
        return ["* HTTP/2: not measured, h2load (nghttp2-client) or nginx is not installed."], {}
    return http2.table(tools, args.repeats, int(args.seconds), args.core)


def http2_bulk_lines(tools, args):
    return http2.bulk_lines(tools, args.core)


def held_stream_lines(tools, args):
    return held_streams.lines(tools, args.core)


MEASURED = {"workloads": compare, "limit": compare_limits, "path": path_lines, "workers": worker_lines, "wake": wake_lines, "held": held_lines,
            "idle": idle_lines, "silent": silent_lines, "slow-bodies": slow_body_lines,
            "bulk": bulk_lines, "http2": http2_lines, "http2-bulk": http2_bulk_lines, "held-streams": held_stream_lines}


def measure_with_stats(tools, args, parts):
    """The parts whose queue-proxies send stats to an autoscaler; prints their lines and returns their numbers."""
    raw = {}
    with single.autoscaler_for_stats(tools):
        for part in parts:
            lines, raw[part] = MEASURED[part](tools, args)
            print("\n".join(lines), flush=True)
        if not single.stats_received():
            sys.exit("bench/proxies: no stat has reached the autoscaler: the queue-proxies were not as in production")
    return raw


def main():
    args = arguments()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(20_000, hard), hard))
    folder = tempfile.mkdtemp(prefix="bellows-bench-")
    raw = {}
    try:
        tools = built_tools(folder, os.path.abspath(args.programs))
        with_stats = [part for part in ("workloads", "limit") if part in args.parts.split(",")]
        if with_stats:
            raw |= measure_with_stats(tools, args, with_stats)
        for part in [part for part in PARTS[2:] if part in args.parts.split(",")]:
            lines, raw[part] = MEASURED[part](tools, args)
            print("\n".join(lines), flush=True)
    finally:
        shutil.rmtree(folder)
    if args.json:
        text = {part: {"/".join(k): v for k, v in rows.items()} if part in ("workloads", "limit") else rows
                for part, rows in raw.items()}
        with open(args.json, "w") as out:
            json.dump(text, out, indent=1)


main()
