#!/usr/bin/env python3
"""Plays the cases that the rules were once found wrong on, knative beside bellows, and prints a table.

cases.py PATH/TO/bellows [TRACE-OF-LLM-REQUESTS.csv]

Arrivals are drawn from a fixed seed and written into a temporary folder. Times are waiting times.
"""
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

HOUR = 3600


def poisson(rate, seconds, together=1):
    """Arrival times of `together` requests at once, `rate` requests a second on average."""
    times = []
    now = random.expovariate(rate / together)
    while now < seconds:
        times += [now] * together
        now += random.expovariate(rate / together)
    return times


def events(path, times):
    lines = [f"2026-01-01 {int(t) // HOUR:02d}:{int(t) % HOUR // 60:02d}:{t % 60:06.3f}" for t in sorted(times)]
    path.write_text("TIMESTAMP\n" + "\n".join(lines) + "\n")


def minutes(path, counts):
    lines = [f"2026-01-01 {i // 60:02d}:{i % 60:02d}:00,{count}" for i, count in enumerate(counts)]
    path.write_text("period,count\n" + "\n".join(lines) + "\n")


def cases(folder, llm):
    random.seed(42)
    limit10 = ["--set", "container-concurrency=10"]
    full = [start + t for start in range(5, HOUR, 300)
            for t in [i * 0.1 for i in range(6)] + [8 + i * 0.05 for i in range(8)]]
    events(folder / "full.csv", full)
    events(folder / "long.csv", poisson(5 / 60, 4 * HOUR))
    events(folder / "long-bursts.csv", poisson(3 / 60, 4 * HOUR, together=4))
    events(folder / "batches.csv", [t for t in range(0, HOUR, 10) for _ in range(50)])
    minutes(folder / "steady.csv", [600] * 60)
    minutes(folder / "steady20.csv", [2400] * 60)
    minutes(folder / "step.csv", [600] * 20 + [3600] * 20)
    yield ("8 more come to 6 in service of 20 s, one replica of 10", "full.csv",
           ["--app", "start=2s,service=20s", "--set", "container-concurrency=10,min-scale=1"])
    yield "load 5, services of 60 s, limit 10", "long.csv", ["--app", "start=2s,service=60s", *limit10]
    yield ("load 3 in fours, services of 60 s, limit 1", "long-bursts.csv",
           ["--app", "start=2s,service=60s", "--set", "container-concurrency=1"])
    for seed in ("1", "2", "3"):
        yield f"load 5, limit 10, seed {seed}", "steady.csv", ["--seed", seed]
    yield "the same, dispersion 4", "steady.csv", ["--dispersion", "4"]
    yield "load 20", "steady20.csv", []
    yield "10 requests a second become 60", "step.csv", []
    yield "50 requests at once every 10 s", "batches.csv", []
    if llm:
        yield "requests of a language model", str(Path(llm).resolve()), ["--app", "start=2s"]


def played(bellows, trace, flags):
    command = [bellows, "simulate", "--trace", trace, "--policy", "knative,bellows", "--json", *flags]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)["policies"]


def span(seconds):
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.2f} s"


def row(name, knative, ours):
    pair = [(one, one["wait_seconds"]) for one in (knative, ours)]
    columns = [" / ".join(span(waits[key]) for _, waits in pair) for key in ("mean", "p99", "worst")]
    columns.append(f"{ours['waste_replica_seconds'] / knative['waste_replica_seconds']:.2f}")
    columns += [" / ".join(str(one[key]) for one, _ in pair) for key in ("most_replicas", "starts")]
    print("| " + " | ".join([name, *columns]) + " |", flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print("| case | mean wait, knative / bellows | p99 | longest | waste / knative's | most replicas | starts |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name, trace, flags in cases(Path(folder), sys.argv[2] if len(sys.argv) > 2 else None):
            row(name, *played(sys.argv[1], str(Path(folder) / trace), flags))


if __name__ == "__main__":
    main()
