#!/usr/bin/env python3
"""Plays the cases that the rules were once found wrong on, knative beside bellows, and prints tables.

cases.py PATH/TO/bellows [TRACE-OF-LLM-REQUESTS.csv] [--parts cases,sparse,steady] [--policy bellows]

  cases   single services
  sparse  calls that are few, with the constant keep-alive that costs least in hindsight
  steady  144 small steady loads: how many of them wait longer than with knative

Arrivals are drawn from fixed seeds and written into a temporary folder. Times are waiting times.
"""
import argparse
import itertools
import json
import random
import subprocess
import tempfile
from pathlib import Path

HOUR = 3600
DAY = 24 * HOUR
CONSTANTS = ["5s", "15s", "30s", "60s", "90s", "2m", "5m", "15m", "1h"]
COLD_START_WORTH = 60  # replica-seconds, as the default of cold-start-worth


def poisson(rate, seconds, together=1):
    """Arrival times of `together` requests at once, `rate` requests a second on average."""
    times = []
    now = random.expovariate(rate / together)
    while now < seconds:
        times += [now] * together
        now += random.expovariate(rate / together)
    return times


def renewals(draw_gap, seconds):
    """Arrival times with independent gaps."""
    times = []
    now = draw_gap()
    while now < seconds:
        times.append(now)
        now += draw_gap()
    return times


def sessions(gap, pause, seconds):
    """Four calls on average, `pause` apart, each `gap` seconds."""
    times = []
    for now in poisson(1 / gap, seconds):
        times.append(now)
        while random.random() < 0.75:
            now += random.expovariate(1 / pause)
            times.append(now)
    return [t for t in times if t < seconds]


def hawkes(gap, delay, seconds):
    """Each call causes 0.6 more on average, `delay` later on average."""
    times = poisson(0.4 / gap, seconds)
    for now in times:  # it grows meanwhile
        if random.random() < 0.6:
            times.append(now + random.expovariate(1 / delay))
    return [t for t in times if t < seconds]


def events(path, times):
    path.write_text("TIMESTAMP\n" + "".join(f"{t:.3f}\n" for t in sorted(times)))


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
    for seed in ("1", "2", "3"):
        yield f"load 20, seed {seed}", "steady20.csv", ["--seed", seed]
    for start in ("2s", "10s", "20s"):
        yield f"10 requests a second become 60, start {start}", "step.csv", ["--app", f"start={start}"]
    yield "50 requests at once every 10 s", "batches.csv", []
    if llm:
        yield "requests of a language model", str(Path(llm).resolve()), ["--app", "start=2s"]


def sparse_traffic():
    """Names and arrival times: seven without a rhythm, one with."""
    random.seed(20261128)
    for gap in (120, 300, 900, 3600):
        yield f"Poisson, a call in {gap} s", poisson(1 / gap, min(600 * gap, 10 * DAY))
    yield "lognormal (sigma 1.5), 300 s", renewals(lambda: random.lognormvariate(4.579, 1.5), 2 * DAY)
    yield "sessions of 4, 20 s apart, each 900 s", sessions(900, 20, 3 * DAY)
    yield "Hawkes, a call in 300 s", hawkes(300, 60, 2 * DAY)
    yield "a timer, every 300 s", [7.0 + t for t in range(0, DAY, 300)]


def played(asked, trace, flags, constants=()):
    policies = ",".join(["knative", asked.policy, *constants])
    command = [asked.bellows, "simulate", "--trace", str(trace), "--policy", policies, "--json", *flags]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)["policies"]


def span(seconds):
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.2f} s"


def print_row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def print_head(*names):
    print()
    print_row(*names)
    print_row(*("---" for _ in names))


def waste(one):
    return one["waste_replica_seconds"]


def print_cases(asked, folder):
    print_head("case", "mean wait, knative / bellows", "p99", "longest", "waste / knative's", "most replicas", "starts")
    for name, trace, flags in cases(folder, asked.llm):
        pair = played(asked, folder / trace, flags)
        waits = [" / ".join(span(one["wait_seconds"][key]) for one in pair) for key in ("mean", "p99", "worst")]
        counts = [" / ".join(str(one[key]) for one in pair) for key in ("most_replicas", "starts")]
        print_row(name, *waits, f"{waste(pair[1]) / waste(pair[0]):.2f}", *counts)


def print_sparse(asked, folder):
    print_head("traffic", "calls", "cold starts: knative / bellows / constant", "waste of knative's: bellows / constant",
               "starts: knative / bellows / constant", "the constant", "as few cold starts for 5 % less")
    constants = [f"{asked.policy}:keep-alive=constant:idle-clock={length}" for length in CONSTANTS]
    for name, times in sparse_traffic():
        events(folder / "sparse.csv", times)
        knative, ours, *rivals = played(asked, folder / "sparse.csv", ["--app", "start=2s", "--warm-up", "0s"], constants)
        best = min(rivals, key=lambda one: waste(one) + COLD_START_WORTH * one["cold_starts"])
        better = [CONSTANTS[i] for i, one in enumerate(rivals)
                  if one["cold_starts"] <= ours["cold_starts"] and 1.05 * waste(one) < waste(ours)]
        shown = (knative, ours, best)
        print_row(name, len(times), " / ".join(str(one["cold_starts"]) for one in shown),
                  " / ".join(f"{waste(one) / waste(knative):.2f}" for one in shown[1:]),
                  " / ".join(str(one["starts"]) for one in shown), CONSTANTS[rivals.index(best)], ", ".join(better) or "none")


def print_steady(asked, folder):
    random.seed(20261129)
    cells = list(itertools.product((1, 2, 10), (0.5, 1, 2, 3, 5, 8), (0.2, 2, 10, 60), (1, 4)))
    longer = {"worst": 0, "p99": 0, "mean": 0}
    shorter = dict(longer)
    wastes = []
    for limit, load, service, together in cells:
        events(folder / "cell.csv", poisson(load / service, 2 * HOUR, together))
        knative, ours = played(asked, folder / "cell.csv", [
            "--app", f"start=2s,service=exponential({int(1000 * service)}ms)", "--set", f"container-concurrency={limit}"])
        for key in longer:
            longer[key] += ours["wait_seconds"][key] > knative["wait_seconds"][key] + 0.001
            shorter[key] += ours["wait_seconds"][key] < knative["wait_seconds"][key] - 0.001
        wastes.append(waste(ours) / waste(knative))
    print_head(f"of {len(cells)} steady loads", "longer than with knative, by more than 1 ms", "shorter")
    for name, key in (("longest wait", "worst"), ("p99", "p99"), ("mean wait", "mean")):
        print_row(name, longer[key], shorter[key])
    print(f"\nwaste of knative's: {min(wastes):.2f} to {max(wastes):.2f}, on average {sum(wastes) / len(wastes):.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bellows")
    parser.add_argument("llm", nargs="?", help="trace of requests of a language model")
    parser.add_argument("--parts", default="cases,sparse,steady")
    parser.add_argument("--policy", default="bellows", help="what is compared with knative, as in bellows simulate")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts = {"cases": lambda: print_cases(asked, folder),
                 "sparse": lambda: print_sparse(asked, folder),
                 "steady": lambda: print_steady(asked, folder)}
        for part in asked.parts.split(","):
            parts[part]()


if __name__ == "__main__":
    main()
