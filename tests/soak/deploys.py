"""Deploys, rolls back, splits, adds and removes under load, and kills Bellows in the middle of deploys.

  BELLOWS_BIN=build/release/bin python3 tests/soak/deploys.py [--rate 1000] [--deploys 100] [--rollbacks 20]
      [--services 50] [--splits 20] [--kills 30] [--requests 1000000] [--seconds 0] [--seed 1]

Callers send `--rate` requests a second, a tenth of them 2 s long; each response says which revision it is of. Orders come one after
the other, evenly over the `--requests`. After `--seconds`, if that is not 0, no order begins and no request is sent. Then, without load, Bellows gets SIGKILL at a random time after each of `--kills` deploys began, and starts again.

Exit code 1 if a request failed, was answered by a revision that had no share between its start and its end, a rollback took 1 s
or more, a restart had neither the old nor the new shares (a mixture), or (without `--seconds`) not all of the orders and requests were
made. The first line of what it prints is PASSED or FAILED with these counts.
"""

import argparse
import asyncio
import collections
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))

import harness  # noqa: E402

SLOW = 2.0
CONNECTIONS = 64


class Truth:
    """Which versions may answer, over time."""

    def __init__(self, version):
        self.since = [(0.0, frozenset([version]))]

    def allow(self, *versions):
        self.since.append((time.monotonic(), frozenset(versions)))

    def now(self):
        return self.since[-1][1]

    def between(self, begin, end):
        allowed = set()
        for i in range(len(self.since) - 1, -1, -1):
            at, versions = self.since[i]
            if at <= end:
                allowed |= versions
            if at <= begin:
                return allowed
        return allowed


class Load(threading.Thread):
    """Open loop: requests start by the clock, whether or not earlier ones have ended."""

    def __init__(self, port, rate, truth, seed):
        super().__init__(daemon=True)
        self.port, self.rate, self.truth, self.rng = port, rate, truth, random.Random(seed)
        self.stopping = False
        self.sent = self.wrong = 0
        self.failures = collections.Counter()
        self.worst = 0.0
        self.idle = []

    def run(self):
        asyncio.run(self.send_all())

    async def send_all(self):
        tasks = set()
        begin, count = time.monotonic(), 0
        while not self.stopping:
            due = int((time.monotonic() - begin) * self.rate)
            while count < due:
                task = asyncio.create_task(self.send(self.rng.random() < 0.1))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
                count += 1
            await asyncio.sleep(0.005)
        await asyncio.gather(*tasks)

    async def send(self, is_slow):
        self.sent += 1
        begin = time.monotonic()
        try:
            body = await asyncio.wait_for(self.ask(is_slow), 30)
        except Exception as error:  # noqa: BLE001: whatever a caller may see counts
            self.failures[repr(error)] += 1
            return
        end = time.monotonic()
        took = end - begin - (SLOW if is_slow else 0)
        self.worst = max(self.worst, took)
        version = body.split(" ")[-1]
        if version not in self.truth.between(begin, begin + max(took, 0) + 0.1):
            self.wrong += 1

    async def ask(self, is_slow):
        reader, writer = self.idle.pop() if self.idle else await asyncio.open_connection("127.0.0.1", self.port)
        path = f"/slow/{int(SLOW * 1000)}" if is_slow else "/fast"
        writer.write(f"GET {path} HTTP/1.1\r\nHost: web.localhost\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        status = int(head.split(b" ", 2)[1])
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
        body = (await reader.readexactly(length)).decode()
        if b"connection: close" not in head.lower() and len(self.idle) < CONNECTIONS:
            self.idle.append((reader, writer))
        else:
            writer.close()
        if status != 200:
            raise RuntimeError(f"{status} {body.strip()[:200]}")
        return body


class Soak:
    def __init__(self, args):
        self.args, self.rng = args, random.Random(args.seed)
        self.folder = tempfile.TemporaryDirectory(prefix="bellows-deploys-")
        self.file = os.path.join(self.folder.name, "bellows.yaml")
        self.version = 1
        self.took = collections.defaultdict(list)
        self.problems = []
        with open(self.file, "w") as f:
            f.write("error-detail: full\nservices:\n  - name: web\n    host: web.localhost\n    window: 6s\n    target: 200\n"
                    f"    max-scale: 4\n    min-scale: 1\n    command: {json.dumps(self.app(1))}\n")
        self.start()

    def app(self, version):
        return [sys.executable, os.path.join(HERE, "revision_app.py"), f"v{version}"]

    def start(self):
        self.bellows = harness.Running([harness.program("bellows"), "up", self.file, "--listen", "127.0.0.1:0",
                                        "--admin", "127.0.0.1:0", "--log-format", "json"])
        listening = self.bellows.wait_for("listening")
        self.port = int(listening["address"].rsplit(":", 1)[1])
        self.admin = listening["admin"]

    def order(self, *words, wait=True):
        words = list(words)
        rest = words[words.index("--"):] if "--" in words else []
        command = [harness.program("bellows"), *words[:len(words) - len(rest)], "--admin", self.admin,
                   *([] if wait else ["--no-wait"]), *rest]
        begin = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        self.took[words[0]].append(time.monotonic() - begin)
        if done.returncode != 0:
            self.problems.append(" ".join(words[:3]) + ": " + (done.stdout + done.stderr).strip()[-300:])
        return done.returncode == 0

    def get(self, host="web.localhost"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", "/fast", headers={"Host": host})
        response = connection.getresponse()
        body = response.read().decode()
        connection.close()
        return response.status, body

    def shares(self):
        connection = http.client.HTTPConnection(self.admin, timeout=30)
        connection.request("GET", "/v1/services/web")
        page = json.loads(connection.getresponse().read())
        connection.close()
        return {r["command"][-1]: r["share"] for r in page["services"][0]["revisions"] if r["share"]}

    def change(self, *words, to):
        """An order after which `to` answer, and while which they and those before may."""
        before = self.truth.now()
        self.truth.allow(*before, *to)
        if self.order(*words):
            self.truth.allow(*to)

    def deploy(self):
        self.previous, self.version = self.version, self.version + 1
        self.change("deploy", "web", "--", *self.app(self.version), to=[f"v{self.version}"])

    def rollback(self):
        self.previous, self.version = self.version, self.previous
        self.change("rollback", "web", to=[f"v{self.version}"])

    def split(self):
        names = {command: name for name, command in self.names()}
        one, two = f"v{self.version}", f"v{self.previous}"
        share = self.rng.randint(1, 99)
        self.change("split", "web", f"{names[one]}={share}", f"{names[two]}={100 - share}", to=[one, two])
        self.change("split", "web", f"{names[one]}=100", to=[one])

    def names(self):
        connection = http.client.HTTPConnection(self.admin, timeout=30)
        connection.request("GET", "/v1/services/web")
        page = json.loads(connection.getresponse().read())
        connection.close()
        return [(r["name"], r["command"][-1]) for r in page["services"][0]["revisions"]]

    def add_and_remove(self, number):
        name = f"extra{number}"
        self.order("add", name, "--host", f"{name}.localhost", "--", *self.app(name))
        answer = self.get(f"{name}.localhost")
        if answer != (200, f"{name} v{name}"):
            self.problems.append(f"{name}: answered {answer}")
        self.order("remove", name)

    def run_load(self):
        self.truth = Truth("v1")
        self.get()
        load = Load(self.port, self.args.rate, self.truth, self.args.seed)
        load.start()
        orders = (["deploy"] * self.args.deploys + ["rollback"] * self.args.rollbacks + ["split"] * self.args.splits +
                  ["service"] * self.args.services)
        self.rng.shuffle(orders)
        orders.insert(0, "deploy")
        end = time.monotonic() + (self.args.seconds or float("inf"))
        for number, order in enumerate(orders):
            if time.monotonic() > end:
                break
            if order == "service":
                self.add_and_remove(number)
            else:
                getattr(self, order)()
            # Evenly over the requests that are to be sent.
            due = self.args.requests * (number + 1) / len(orders)
            while load.sent < due and time.monotonic() < end:
                time.sleep(0.02)
        load.stopping = True
        load.join()
        return load

    def run_kills(self):
        ended = collections.Counter()
        for _ in range(self.args.kills):
            old = self.shares()
            self.version += 1
            new = {f"v{self.version}": 100}
            self.order("deploy", "web", "--", *self.app(self.version), wait=False)
            time.sleep(self.rng.uniform(0, 0.6))
            self.bellows.process.send_signal(signal.SIGKILL)
            self.bellows.close()
            self.start()
            shares = self.shares()
            ended["old" if shares == old else "new" if shares == new else "mixture"] += 1
            if shares not in (old, new):
                self.problems.append(f"after a kill: {shares}, not {old} or {new}")
            status, body = self.get()
            if status != 200 or body.split(" ")[-1] not in shares:
                self.problems.append(f"after a kill: {status} {body} with {shares}")
        return ended

    def stop(self):
        self.bellows.signal(signal.SIGINT)
        if self.bellows.end(60) != 0:
            self.problems.append("did not end with code 0: " + self.bellows.text())
        self.bellows.close()
        self.folder.cleanup()


def main():
    parser = argparse.ArgumentParser()
    for flag, value in (("rate", 1000), ("requests", 1_000_000), ("deploys", 100), ("rollbacks", 20), ("splits", 20),
                        ("services", 50), ("kills", 30), ("seconds", 0), ("seed", 1)):
        parser.add_argument(f"--{flag}", type=int, default=value)
    soak = Soak(parser.parse_args())
    load = soak.run_load()
    ended = soak.run_kills()
    soak.stop()
    counts = {"deploy": soak.args.deploys + 1, "rollback": soak.args.rollbacks, "split": soak.args.splits,
              "add": soak.args.services, "remove": soak.args.services}
    short = [f"{len(soak.took[order])} of {count} orders {order}" for order, count in counts.items()
             if len(soak.took[order]) < count]
    if load.sent < soak.args.requests:
        short.append(f"{load.sent} of {soak.args.requests} requests")
    if soak.args.seconds == 0:
        soak.problems += short
    slow = sum(took >= 1 for took in soak.took["rollback"])
    if slow:
        soak.problems.append(f"{slow} rollbacks took 1 s or more")
    failed = sum(load.failures.values())
    is_good = not (failed or load.wrong or ended["mixture"] or soak.problems)
    print(f"{'PASSED' if is_good else 'FAILED'}: requests {load.sent}, deploys {len(soak.took['deploy'])}, "
          f"rollbacks {len(soak.took['rollback'])}, splits {len(soak.took['split'])}, adds and removes {len(soak.took['remove'])}, "
          f"kills {ended.total()}; failed {failed}, wrong revision {load.wrong}, mixtures {ended['mixture']}, "
          f"longest {load.worst:.3f} s beyond its own time")
    for failure, count in load.failures.most_common(10):
        print(f"  {count} x {failure}")
    for order, took in sorted(soak.took.items()):
        print(f"{order}: {len(took)}, median {sorted(took)[len(took) // 2]:.2f} s, longest {max(took):.2f} s")
    print(f"state after the kills: {dict(ended)}")
    for problem in soak.problems[:20]:
        print(f"PROBLEM {problem}")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
