"""The slow brain on a real server: an app under a CPU quota, under `bellows run`, with open-loop load over loopback.

1. A sweep: fixed targets, slow-brain off; which ones keep the latency goal.
2. slow-brain auto knows only the goal: the target that it has found after MINUTES.
3. The load rises to three times as much: how often the goal is missed then.

    python3 bench/slow/real.py --programs build/bench/bin
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import signal
import subprocess
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))


class Load:
    """Requests at random times (Poisson) at a rate that may change, over as many connections as they need."""

    def __init__(self, port):
        self.port = port
        self.free = []
        self.ended = []  # (time of the arrival, seconds, replied)
        self.open = set()
        self.random = random.Random(7)

    async def request(self, arrived):
        replied = False
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = self.free.pop() if self.free else await asyncio.open_connection("127.0.0.1", self.port)
            writer.write(b"GET / HTTP/1.1\r\nHost: web\r\n\r\n")
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: *(\d+)", head.lower())
            await reader.readexactly(int(length[1]) if length else 0)
            replied = b" 200 " in head[:20]
            self.free.append((reader, writer))
        self.ended.append((arrived, time.monotonic() - arrived, replied))

    async def run(self, rate, seconds):
        """`rate` of the time since the begin, in requests a second."""
        begin = due = time.monotonic()
        while due - begin < seconds:
            await asyncio.sleep(max(0, due - time.monotonic()))
            task = asyncio.create_task(self.request(due))
            self.open.add(task)
            task.add_done_callback(self.open.discard)
            due += self.random.expovariate(rate(due - begin))
        if self.open:
            await asyncio.wait(self.open, timeout=10)


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else float("nan")


def judge(ended, begin, limit):
    """p95, and the shares of requests and of seconds that miss the goal, of what arrived from `begin` on."""
    counted = [e for e in ended if e[0] >= begin]
    late = [e for e in counted if e[1] > limit or not e[2]]
    by_second = {}
    for arrived, seconds, replied in counted:
        total = by_second.setdefault(int(arrived), [0, 0])
        total[0] += 1
        total[1] += seconds > limit or not replied
    missed = sum(1 for total, bad in by_second.values() if bad > 0.05 * total)
    return {"p95": quantile([e[1] for e in counted], 0.95), "late": len(late) / max(1, len(counted)),
            "missed": missed / max(1, len(by_second)), "lost": sum(1 for e in counted if not e[2])}


@contextlib.contextmanager
def bellows(asked, app, *more):
    """`bellows run` with the app; yields (port, admin)."""
    command = [os.path.join(asked.programs, "bellows"), "run", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
               "--log-format", "json", "--cpu-limit", asked.quota, "--max-scale", "12", "--min-scale", "1",
               "--container-concurrency", "0", *more, "--", app, "$PORT", str(asked.wait_ms), str(asked.work_ms)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    drain = None
    try:
        for line in process.stdout:
            told = json.loads(line) if line.startswith("{") else {}
            if told.get("event") == "listening":
                break
            asked.log.write(line)
        else:
            raise SystemExit(f"bellows ended with {process.wait()}: {line}")
        drain = subprocess.Popen(["cat"], stdin=process.stdout, stdout=asked.log)
        yield tuple(int(told[key].rsplit(":", 1)[1]) for key in ("address", "admin"))
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        if drain:
            drain.wait(30)


def page(admin, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{admin}{path}", timeout=10) as answer:
        return json.load(answer)


class Watch:
    """Replicas and targets while a load runs, each second."""

    def __init__(self, admin):
        self.admin, self.replicas, self.targets = admin, [], []

    async def run(self):
        while True:
            await asyncio.sleep(1)
            status = (await asyncio.to_thread(page, self.admin, "/v1/status"))["revisions"][0]
            self.replicas.append((time.monotonic(), len(status["replicas"])))
            slow = await asyncio.to_thread(page, self.admin, "/v1/revisions/web/slow")
            self.targets.append((time.monotonic(), slow.get("in-use", 0), slow.get("sentence", "")))

    def mean_replicas(self, begin):
        counted = [n for at, n in self.replicas if at >= begin]
        return sum(counted) / max(1, len(counted))


async def watched(port, admin, rate, seconds):
    load, watch = Load(port), Watch(admin)
    watching = asyncio.create_task(watch.run())
    await load.run(rate, seconds)
    watching.cancel()
    return load, watch


def sweep(asked, app, limit):
    print("| fixed target | p95 | late requests | seconds that miss the goal | mean replicas |\n|---|---|---|---|---|")
    rows = []
    for target in asked.targets:
        with bellows(asked, app, "--slow-brain", "off", "--target", str(target)) as (port, admin):
            begin = time.monotonic() + 20
            load = Load(port)

            async def both():
                watch = Watch(admin)
                watch.run_replicas = asyncio.create_task(replicas_only(watch))
                await load.run(lambda _: asked.rate, 20 + asked.seconds)
                watch.run_replicas.cancel()
                return watch

            watch = asyncio.run(both())
        told = judge(load.ended, begin, limit)
        rows.append((target, told, watch.mean_replicas(begin)))
        print(f"| {target:g} | {1000 * told['p95']:.0f} ms | {100 * told['late']:.1f} % | {100 * told['missed']:.1f} % "
              f"| {rows[-1][2]:.2f} |", flush=True)
    return rows


async def replicas_only(watch):
    while True:
        await asyncio.sleep(1)
        status = (await asyncio.to_thread(page, watch.admin, "/v1/status"))["revisions"][0]
        watch.replicas.append((time.monotonic(), len(status["replicas"])))


def learned(asked, app, limit):
    flags = ["--slow-brain", "auto", "--latency-goal", asked.goal, "--latency-window", "1m"]
    with bellows(asked, app, *flags) as (port, admin):
        begin = time.monotonic()
        whole = 60 * asked.minutes

        def rate(at):
            if at < whole:  # mixed: half a minute each of two levels
                return asked.rate * (1 if int(at / 30) % 2 else 0.6)
            return asked.rate * 0.5 * (3 if at >= whole + 120 else 1)

        load, watch = asyncio.run(watched(port, admin, rate, whole + 120 + 240))
        sentence = page(admin, "/v1/revisions/web/slow").get("sentence", "")
        curve = subprocess.run([os.path.join(asked.programs, "bellows"), "slow", "web", "--admin", f"127.0.0.1:{admin}"],
                               capture_output=True, text=True, check=False).stdout
    at_end = [target for at, target, _ in watch.targets if at <= begin + whole][-1]
    print("\ntarget by minute: " + " ".join(
        f"{[t for at, t, _ in watch.targets if at <= begin + 60 * minute][-1]:.1f}"
        for minute in range(1, asked.minutes + 7) if watch.targets[0][0] <= begin + 60 * minute))
    last = [e for e in load.ended if e[0] < begin + whole]
    for name, ended, since in (("minutes 2 to the end of learning", last, begin + 120),
                               ("threefold rise and the 4 minutes after it", load.ended, begin + whole + 120)):
        told = judge(ended, since, limit)
        print(f"{name}: p95 {1000 * told['p95']:.0f} ms, {100 * told['late']:.2f} % of requests late, goal missed in "
              f"{100 * told['missed']:.1f} % of seconds, {told['lost']} lost, mean replicas {watch.mean_replicas(since):.2f}")
    print(sentence + "\n\n" + curve)
    return at_end


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default="build/bench/bin")
    parser.add_argument("--goal", default="p95 < 250ms")
    parser.add_argument("--quota", default="300m", help="CPU of one replica")
    parser.add_argument("--wait-ms", type=float, default=80)
    parser.add_argument("--work-ms", type=float, default=4)
    parser.add_argument("--rate", type=float, default=120, help="requests a second")
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=60, help="of each fixed target")
    parser.add_argument("--targets", type=float, nargs="*", default=[2, 3, 4, 5, 6, 7, 8, 10, 13])
    asked = parser.parse_args()
    limit = float(re.search(r"(\d+)ms", asked.goal)[1]) / 1000
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "log"), "w") as asked.log:
        app = os.path.join(folder, "app")
        subprocess.run(["cc", "-O2", "-o", app, os.path.join(HERE, "app.c"), "-lpthread"], check=True)
        print(f"app: {asked.wait_ms:g} ms of waiting and {asked.work_ms:g} ms of CPU a request, quota {asked.quota}; "
              f"goal {asked.goal}; {asked.rate:g} requests a second\n")
        rows = sweep(asked, app, limit) if asked.targets else []
        kept = [row for row in rows if row[1]["late"] <= 0.05 and row[1]["lost"] == 0]
        best = max(kept, key=lambda row: row[0])[0] if kept else float("nan")
        found = learned(asked, app, limit)
        print(f"best fixed target {best:g}; found after {asked.minutes} minutes: {found:.1f}, {found / best - 1:+.0%}")


if __name__ == "__main__":
    main()
