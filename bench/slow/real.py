"""The slow brain on a real server: an app under a CPU quota, or with a fixed number of workers, under `bellows run`, with
open-loop load over loopback.

1. A sweep: a fixed number of replicas, the load rises step by step. The best concurrency is the requests in flight per replica
   at which more than 4 % of the seconds begin to miss the goal, between the last step that keeps it and the first that does not.
2. slow-brain auto knows only the goal: the target that it has found after MINUTES of mixed load, within 20 % of the best.
3. The load falls to a half and rises to three times that: p95 keeps the goal.

    python3 bench/slow/real.py --programs build/bench/bin                  # 16 minutes
    python3 bench/slow/real.py --programs build/bench/bin --minutes 6      # 12 minutes
    python3 bench/slow/real.py --quota "" --workers 5 --wait-ms 200 --work-ms 0.5 --rate 100 --goal "p95 < 600ms"

Other programs on the machine slow every replica down at once. The last line of each part says how much of the CPU others used,
and how late this program sent its requests. Where either is too much the verdict is that the run says nothing.

Exit status: 0 passed, 1 failed, 3 the machine was not quiet.
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


NOISE_CORES = 0.15  # of others, on average over a part
LATE_MS = 20  # p99 of how late requests are sent: more is this program's delay, not the replicas'
MISSED = 0.04  # of the seconds of a step of the sweep; one second of 25


class Load:
    """Requests at random times (Poisson) at a rate that may change, over as many connections as they need."""

    def __init__(self, port):
        self.port = port
        self.free = []
        self.ended = []  # (time of the arrival, seconds, replied)
        self.open = {}  # task: time of the arrival
        self.late = []  # seconds between the time at which a request was due and when it was sent
        self.random = random.Random(7)

    async def exchange(self, connection):
        """The status of one request; the connection is free again after it."""
        reader, writer = connection
        writer.write(b"GET / HTTP/1.1\r\nHost: web\r\n\r\n")
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: *(\d+)", head.lower())
        await reader.readexactly(int(length[1]) if length else 0)
        self.free.append(connection)
        return int(head.split(b" ", 2)[1])

    async def request(self, arrived):
        self.late.append(time.monotonic() - arrived)
        replied = False
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            try:
                if not self.free:
                    raise ConnectionError
                replied = await self.exchange(self.free.pop()) == 200
            except (OSError, asyncio.IncompleteReadError):  # none is free, or this one was closed while it was
                replied = await self.exchange(await asyncio.open_connection("127.0.0.1", self.port)) == 200
        self.ended.append((arrived, time.monotonic() - arrived, replied))

    async def run(self, rate, seconds):
        """`rate` of the time since the begin, in requests a second."""
        begin = due = time.monotonic()
        while due - begin < seconds:
            await asyncio.sleep(max(0, due - time.monotonic()))
            task = asyncio.create_task(self.request(due))
            self.open[task] = due
            task.add_done_callback(self.open.pop)
            due += self.random.expovariate(rate(due - begin))
        if self.open:
            await asyncio.wait(list(self.open), timeout=10)
        for task, arrived in list(self.open.items()):  # without a reply after 10 s
            task.cancel()
            self.ended.append((arrived, time.monotonic() - arrived, False))


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
    quota = ["--cpu-limit", asked.quota] if asked.quota else []
    workers = [str(asked.workers)] if asked.workers else []
    command = [os.path.join(asked.programs, "bellows"), "run", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
               "--log-format", "json", *quota, "--container-concurrency", "0", *more, "--", app, "$PORT",
               str(asked.wait_ms), str(asked.work_ms), *workers]
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
    """Replicas and targets while a load runs, each second; tells them every half a minute."""

    def __init__(self, admin, load, limit):
        self.admin, self.load, self.limit = admin, load, limit
        self.replicas, self.targets = [], []

    async def look(self):
        status = (await asyncio.to_thread(page, self.admin, "/v1/status"))["services"][0]["revisions"][0]
        self.replicas.append((time.monotonic(), len(status["replicas"])))
        slow = await asyncio.to_thread(page, self.admin, "/v1/revisions/web/slow")
        self.targets.append((time.monotonic(), slow.get("in-use", 0), slow.get("sentence", "")))

    def tell(self, since):
        told = judge(self.load.ended, since, self.limit)
        print(f"  {time.strftime('%H:%M:%S')} target {self.targets[-1][1]:.1f}, {self.replicas[-1][1]} replicas, "
              f"p95 {1000 * told['p95']:.0f} ms, goal missed in {100 * told['missed']:.0f} % of the seconds\n"
              f"    {self.targets[-1][2]}", flush=True)

    async def run(self):
        told = time.monotonic()
        while True:
            await asyncio.sleep(1)
            with contextlib.suppress(OSError, KeyError, IndexError, ValueError):  # a page that comes late is left out
                await self.look()
            if self.targets and time.monotonic() - told >= 30:
                self.tell(told)
                told = time.monotonic()

    def mean_replicas(self, begin):
        counted = [n for at, n in self.replicas if at >= begin]
        return sum(counted) / max(1, len(counted))

    def target_at(self, at):
        """0: none was seen yet."""
        return ([0] + [target for seen, target, _ in self.targets if seen <= at])[-1]


async def watched(port, admin, rate, seconds, limit):
    load = Load(port)
    watch = Watch(admin, load, limit)
    watching = asyncio.create_task(watch.run())
    await load.run(rate, seconds)
    watching.cancel()
    return load, watch


class Quiet:
    """Whether the machine was quiet: collects what the parts saw."""

    def __init__(self):
        self.cores, self.late = [], []

    def is_so(self):
        return max(self.cores) <= NOISE_CORES and 1000 * quantile(self.late, 0.99) <= LATE_MS


@contextlib.contextmanager
def noise_told(quiet):
    """Says how much CPU was used by others than this program and what it started, and how late requests were sent."""

    def used():
        with open("/proc/stat", encoding="ascii") as stat:
            ticks = [int(word) for word in stat.readline().split()[1:9]]
        times = os.times()
        busy = (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")
        return busy, times.user + times.system + times.children_user + times.children_system, time.monotonic()

    before, known = used(), len(quiet.late)
    yield
    after = used()
    busy, own, wall = (now - then for now, then in zip(after, before))
    quiet.cores.append(max(0.0, busy - own) / wall)
    print(f"CPU used by others: {quiet.cores[-1]:.2f} cores; requests were sent {1000 * quantile(quiet.late[known:], 0.99):.1f} ms "
          f"late (p99)\n", flush=True)


def between(kept, failed):
    """Where MISSED lies on the line between two steps (in flight, share of missed seconds)."""
    share = (MISSED - kept[1]) / max(1e-9, failed[1] - kept[1])
    return kept[0] + min(1.0, share) * (failed[0] - kept[0])


def sweep(asked, app, limit, quiet):
    """The best concurrency: requests in flight per replica. None: no step keeps the goal."""
    print("| requests a second per replica | in flight | p95 | late requests | seconds that miss the goal |\n|---|---|---|---|---|")
    replicas = 2
    bounds = ["--min-scale", str(replicas), "--max-scale", str(replicas), "--initial-scale", str(replicas)]
    best = None
    with bellows(asked, app, "--slow-brain", "off", *bounds) as (port, _):
        for step in range(asked.steps):
            rate = asked.capacity * (0.6 + 0.45 * step / max(1, asked.steps - 1))
            load = Load(port)
            begin = time.monotonic() + 3
            asyncio.run(load.run(lambda _, rate=rate: replicas * rate, 3 + asked.seconds))
            quiet.late += load.late
            told = judge(load.ended, begin, limit)
            counted = [e for e in load.ended if e[0] >= begin]
            in_flight = sum(e[1] for e in counted) / asked.seconds / replicas
            print(f"| {rate:.1f} | {in_flight:.1f} | {1000 * told['p95']:.0f} ms | {100 * told['late']:.1f} % "
                  f"| {100 * told['missed']:.1f} % |", flush=True)
            if told["missed"] > MISSED or told["lost"]:
                return best and between(best, (in_flight, told["missed"]))
            best = (in_flight, told["missed"])
    print("every step keeps the goal: the best concurrency may be higher")
    return best and best[0]


def learned(asked, app, limit, quiet):
    """The target after the minutes of learning, and how the goal was kept through a threefold rise."""
    flags = ["--slow-brain", "auto", "--latency-goal", asked.goal, "--latency-window", "1m", "--min-scale", "1", "--max-scale", "12"]
    whole, half = 60 * asked.minutes, 60
    length = whole + half + 60 * asked.rise_minutes
    with bellows(asked, app, *flags) as (port, admin):
        begin = time.monotonic()

        def rate(at):
            if at < whole:  # mixed: half a minute each of two levels, and a slow begin
                return asked.rate * (1 if int(at / 30) % 2 else 0.6) * min(1, (at + 5) / 30)
            return asked.rate * 0.5 * (3 if at >= whole + half else 1)

        load, watch = asyncio.run(watched(port, admin, rate, length, limit))
        quiet.late += load.late
        sentence = page(admin, "/v1/revisions/web/slow").get("sentence", "")
        curve = subprocess.run([os.path.join(asked.programs, "bellows"), "slow", "web", "--admin", f"127.0.0.1:{admin}"],
                               capture_output=True, text=True, check=False).stdout
    minutes = [begin + 60 * minute for minute in range(1, int(length / 60) + 1)]
    print("\ntarget by minute: " + " ".join(f"{watch.target_at(at):.1f}" for at in minutes))
    last = [e for e in load.ended if e[0] < begin + whole]
    for name, ended, since in (("minute 3 to the end of learning", last, begin + 120),
                               ("the threefold rise and after it", load.ended, begin + whole + half)):
        told = judge(ended, since, limit)
        print(f"{name}: p95 {1000 * told['p95']:.0f} ms, {100 * told['late']:.2f} % of requests late, goal missed in "
              f"{100 * told['missed']:.1f} % of seconds, {told['lost']} lost, mean replicas {watch.mean_replicas(since):.2f}")
    print(sentence + "\n\n" + curve)
    return watch.target_at(begin + whole), told


def verdict(asked, best, found, rise, limit, quiet):
    """The exit status; prints what was asked and what was found."""
    is_near = abs(found / best - 1) <= 0.2
    is_kept = rise["p95"] <= limit and rise["lost"] == 0
    print(f"best concurrency {best:.1f}; found after {asked.minutes} minutes: {found:.1f}, {found / best - 1:+.0%} "
          f"(bar 20 %): {'passed' if is_near else 'failed'}")
    print(f"through the threefold rise p95 {1000 * rise['p95']:.0f} ms (goal {1000 * limit:.0f} ms), {rise['lost']} lost: "
          f"{'passed' if is_kept else 'failed'}")
    if not quiet.is_so():
        print(f"VERDICT: none. Others used {max(quiet.cores):.2f} cores (at most {NOISE_CORES}), requests were sent "
              f"{1000 * quantile(quiet.late, 0.99):.1f} ms late (at most {LATE_MS}): repeat it on a quiet machine")
        return 3
    print(f"VERDICT: {'passed' if is_near and is_kept else 'failed'}")
    return 0 if is_near and is_kept else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default="build/bench/bin")
    parser.add_argument("--goal", default="p95 < 400ms")
    parser.add_argument("--quota", default="100m", help="CPU of one replica; empty: none, with --workers")
    parser.add_argument("--workers", type=int, default=0, help="requests that one replica processes at once; 0: no limit")
    parser.add_argument("--wait-ms", type=float, default=100)
    parser.add_argument("--work-ms", type=float, default=2)
    parser.add_argument("--rate", type=float, default=120, help="requests a second")
    parser.add_argument("--minutes", type=int, default=10, help="of learning")
    parser.add_argument("--rise-minutes", type=int, default=2, help="of three times the load")
    parser.add_argument("--seconds", type=float, default=25, help="of each step of the sweep")
    parser.add_argument("--steps", type=int, default=7, help="of the sweep")
    asked = parser.parse_args()
    limit = float(re.search(r"(\d+)ms", asked.goal)[1]) / 1000
    if asked.workers:
        asked.capacity = 1000 * asked.workers / (asked.wait_ms + asked.work_ms)
    else:
        asked.capacity = float(asked.quota.removesuffix("m")) / asked.work_ms
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "log"), "w") as asked.log:
        app = os.path.join(folder, "app")
        subprocess.run(["cc", "-O2", "-o", app, os.path.join(HERE, "app.c"), "-lpthread"], check=True)
        print(f"app: {asked.wait_ms:g} ms of waiting and {asked.work_ms:g} ms of CPU a request, quota {asked.quota or 'none'}, "
              f"workers {asked.workers or 'without limit'}; goal {asked.goal}; {asked.rate:g} requests a second\n")
        quiet = Quiet()
        with noise_told(quiet):
            best = sweep(asked, app, limit, quiet)
        with noise_told(quiet):
            found, rise = learned(asked, app, limit, quiet)
        if best is None:
            raise SystemExit("no step of the sweep keeps the goal: want a longer goal or less work")
        raise SystemExit(verdict(asked, best, found, rise, limit, quiet))


if __name__ == "__main__":
    main()
