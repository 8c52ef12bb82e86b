"""Runs the workloads with alternating contenders, so that a drift of the machine affects all of them equally."""

import collections
import json
import os
import statistics
import subprocess
import sys

import contenders

PROGRAM = os.path.join(contenders.HARNESS, "bench.py")
# CPU time is counted in ticks of 10 ms: a slow workload needs a longer run for a precise result.
LEAST_SECONDS = {"r2k": 20}


def measure(tools, these, workloads, repeats, seconds, core):
    """{(contender, workload): [row of the harness, ...]}; every round runs every contender once."""
    rows = collections.defaultdict(list)
    for turn in range(repeats):
        for workload in workloads:
            for contender in these:
                print(f"  round {turn + 1}/{repeats}  {workload:5} {contender.name}", file=sys.stderr, flush=True)
                rows[contender.name, workload].append(run(tools, contender, workload, seconds, core))
    return rows


def run(tools, contender, workload, seconds, core):
    result = os.path.join(tools.folder, "row.json")
    if os.path.exists(result):
        os.unlink(result)
    command = [sys.executable, PROGRAM, "--name", contender.name, "--upstream", tools.upstream, "--loadgen", tools.loadgen,
               "--port", str(contenders.PORT), "--upstream-port", str(contenders.UPSTREAM_PORT), "--workloads", workload,
               "--seconds", str(max(seconds, LEAST_SECONDS.get(workload, 0))), "--pin-proxy", core, "--pin-rest", core,
               "--json", result]
    for key, value in contender.env.items():
        command += ["--env", f"{key}={value}"]
    done = subprocess.run(command + ["--"] + contender.command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if not os.path.exists(result):
        raise RuntimeError(f"{contender.name} {workload}: nothing measured\n{done.stdout}")
    row = json.loads(open(result).read())
    if row["non2xx"] or row["errors"]:
        raise RuntimeError(f"{contender.name} {workload}: {row['non2xx']} answers not 2xx, {row['errors']} errors")
    return row


def median(rows, key):
    return statistics.median(row[key] for row in rows)


def spread(rows, key):
    values = [row[key] for row in rows]
    return min(values), max(values)
