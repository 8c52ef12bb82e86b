#!/usr/bin/env python3
"""Requests that wait at full replicas, as processes: the first of cases.py under `bellows run`, with profile knative beside bellows.

    python3 bench/proving/real.py --programs build/bench/bin     # 4 minutes, idle but for a few requests

One replica with container-concurrency 10, whose service takes 20 s and whose start takes 2 s, serves 6 requests. 8 s after the
first of them 8 more come. 4 of the 14 find no slot: prints the longest wait of the 8, beyond their service, of each run. Decisions
are every 2 s; each run begins later between two of them.
"""

import argparse
import json
import os
import signal
import sys
import threading
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/e2e"))

from harness import Running, get, until  # noqa: E402

SERVICE = 20
ARRIVALS = [0.1 * i for i in range(6)] + [8 + 0.05 * i for i in range(8)]
FIRST_LATE = 6


def started(programs, profile):
    """`bellows run` with one ready replica; its port."""
    running = Running([os.path.join(programs, "bellows"), "run", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                       "--log-format", "json", "--profile", profile, "--container-concurrency", "10", "--min-scale", "1",
                       "--drain-timeout", "1s", "--", os.path.join(programs, "sample-app"), "--start-delay", "2s",
                       "--service-time", f"{SERVICE}s"])
    listening = running.wait_for("listening")
    port, admin = (int(listening[key].rsplit(":", 1)[1]) for key in ("address", "admin"))
    until(lambda: json.loads(get(admin, "/v1/status").body)["services"][0]["revisions"][0]["ready"] == 1, "a ready replica")
    return running, port


def waits(port):
    """Seconds beyond the service, for each arrival."""
    found = [None] * len(ARRIVALS)
    begin = time.monotonic()

    def send(i):
        arrived = begin + ARRIVALS[i]
        time.sleep(max(0, arrived - time.monotonic()))
        response = get(port, timeout=3 * SERVICE)
        assert response.status == 200, f"request {i}: {response.status} {response.body}"
        found[i] = time.monotonic() - arrived - SERVICE

    threads = [threading.Thread(target=send, args=(i,)) for i in range(len(ARRIVALS))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert None not in found, "a request failed"
    return found


def longest_wait(programs, profile, later):
    running, port = started(programs, profile)
    try:
        time.sleep(3 + later)
        return max(waits(port)[FIRST_LATE:])
    finally:
        running.signal(signal.SIGINT)
        running.end()
        running.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default="build/bench/bin")
    parser.add_argument("--runs", type=int, default=3, help="of each profile")
    asked = parser.parse_args()
    print("| run | knative | bellows |\n| --- | --- | --- |")
    for run in range(asked.runs):
        found = [longest_wait(asked.programs, profile, 2 * run / asked.runs) for profile in ("knative", "bellows")]
        print(f"| {run + 1} | " + " | ".join(f"{wait:.1f} s" for wait in found) + " |", flush=True)


if __name__ == "__main__":
    main()
