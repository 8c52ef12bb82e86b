"""A thousand faults through real programs, then nothing may be left of them.

  BELLOWS_BIN=build/release/bin python3 tests/soak/soak.py [--faults 1000] [--seed 1] [--no-memory]

One service behind activator and queue-proxies, an app that misbehaves (faulty_app.py), and callers that do too. After
every hundred faults: nobody in flight, nobody waiting, no more descriptors than before but those of connections that are
kept. At the end: all slots of each replica usable again, and once the kept connections are closed not one descriptor more
than at the beginning. Of the last third of the faults the resident memory of a process may grow by no more than a block or
two (--no-memory: a sanitizer keeps freed memory). Prints what it did and what it found; exit code 1 if anything was left.
"""

import argparse
import collections
import os
import random
import socket
import struct
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))

import harness  # noqa: E402

LIMIT, REPLICAS = 4, 2
APP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "faulty_app.py")
MOST_GROWTH = 128 * 1024
KEPT_FOR = 60  # seconds: connections to replicas and apps that nobody uses


class Soak(harness.EndToEnd):
    """One service under faults. Not a unittest of its own: main() drives it."""

    def runTest(self):
        raise NotImplementedError

    def begin(self):
        self.service = self.run_bellows(
            "--min-scale", str(REPLICAS), "--max-scale", str(REPLICAS), "--container-concurrency", str(LIMIT),
            "--target-burst-capacity", "-1", "--", sys.executable, APP, quick=False)
        self.service.drain = threading.Thread(target=self.read_events, daemon=True)
        self.service.drain.start()
        self.wait_until_whole()

    def read_events(self):
        """The log is not needed; a queue of it would grow."""
        while self.service.events.get() is not None:
            pass

    def ask(self, path, timeout=60):
        return harness.get(self.service.port, path, timeout=timeout)

    def metric(self, name):
        text = harness.get(self.service.admin, "/metrics").body
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(name))

    def processes(self):
        """{what: pid} of everything of ours that lives."""
        found = {"bellows": self.service.pid}
        for pid, line in harness.descendants(self.service.pid).items():
            if "queue-proxy" in line.split(" ")[0]:
                found[f"queue-proxy {pid}"] = pid
        return found

    def wait_until_whole(self):
        """All replicas ready, nothing in flight, and every slot of every replica free."""
        def whole():
            ready = sum(r["phase"] == "ready" for r in self.status(self.service)["replicas"])
            return ready == REPLICAS and self.metric("bellows_activator_in_flight") == 0 \
                and self.metric("bellows_activator_queue_depth") == 0
        harness.until(whole, f"{REPLICAS} ready replicas and nothing in flight", deadline=60)

    def slots_in_use(self):
        """{app's pid: requests that run in it at once when more than enough come}: the slots that are left."""
        at_once = 2 * LIMIT * REPLICAS
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(self.ask("/together/150"))) for _ in range(at_once)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        most = {}
        for answer in answers:
            pid, at_once = map(int, answer.body.split())
            most[pid] = max(most.get(pid, 0), at_once)
        return most


def fault(soak, chance):
    """One fault; its name. What the caller gets is not judged here, only what stays behind."""
    kind = chance.choice(["cut", "chunked", "reset", "garbage", "leave early", "leave in queue", "leave in answer",
                          "half a body", "half a head"] * 11 + ["die"])
    try:
        FAULTS.get(kind, from_the_app)(soak, chance, kind)
    except OSError:
        pass
    return kind


def from_the_app(soak, chance, kind):
    number = f"/{chance.randrange(1100)}" if kind in ("cut", "chunked") else ""
    try:
        soak.ask(f"/{kind}{number}")
    except Exception:  # noqa: BLE001: a cut answer is what was asked for
        pass


def speak_and_leave(soak, chance, said, pause=0.0):
    with socket.create_connection(("127.0.0.1", soak.service.port), 10) as caller:
        caller.sendall(said)
        if pause:
            threading.Event().wait(pause)
        if chance.random() < 0.5:
            caller.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def leave_early(soak, chance, _):
    speak_and_leave(soak, chance, b"GET /wait/30 HTTP/1.1\r\nHost: web\r\n\r\n", pause=0.01)


def leave_in_queue(soak, chance, _):
    fill = [threading.Thread(target=lambda: quietly(soak, "/wait/40")) for _ in range(LIMIT * REPLICAS)]
    for thread in fill:
        thread.start()
    speak_and_leave(soak, chance, b"GET /ok HTTP/1.1\r\nHost: web\r\n\r\n", pause=0.01)
    for thread in fill:
        thread.join()


def quietly(soak, path):
    try:
        soak.ask(path)
    except Exception:  # noqa: BLE001: the replica may have died a moment ago
        pass


def leave_in_answer(soak, chance, _):
    with socket.create_connection(("127.0.0.1", soak.service.port), 10) as caller:
        caller.sendall(b"GET /ok HTTP/1.1\r\nHost: web\r\n\r\n")
        caller.recv(chance.randrange(1, 200))


def half_a_body(soak, chance, _):
    body = b"y" * chance.randrange(999)
    speak_and_leave(soak, chance, b"POST /ok HTTP/1.1\r\nHost: web\r\nContent-Length: 1000\r\n\r\n" + body, pause=0.005)


def half_a_head(soak, chance, _):
    head = b"GET /ok HTTP/1.1\r\nHost: web\r\nX-Some: thing\r\n\r\n"
    speak_and_leave(soak, chance, head[:chance.randrange(1, len(head))])


FAULTS = {"leave early": leave_early, "leave in queue": leave_in_queue, "leave in answer": leave_in_answer,
          "half a body": half_a_body, "half a head": half_a_head}


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def resident(pid):
    with open(f"/proc/{pid}/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def too_many_descriptors(soak, before, kept):
    """What holds more than before and `kept` connections, in words; what was born since has nothing to compare with."""
    return [f"{name}: {descriptors(pid)} descriptors, {before[name]} before"
            for name, pid in soak.processes().items() if name in before and descriptors(pid) > before[name] + kept]


def grown(soak, memory):
    return [f"{name}: resident memory grew by {(resident(pid) - memory[name]) // 1024} KB in the last third"
            for name, pid in soak.processes().items()
            if name in memory and resident(pid) - memory[name] > MOST_GROWTH]


def missing_slots(soak):
    most = soak.slots_in_use()
    found = [f"app {pid}: {count} requests at once, want its limit {LIMIT}" for pid, count in most.items() if count != LIMIT]
    return found + ([f"{len(most)} replicas took part, want {REPLICAS}"] if len(most) != REPLICAS else [])


def kept_for_ever(soak, before):
    """What is still open long after the last request."""
    print(f"waiting up to {KEPT_FOR + 30} s until kept connections have closed", flush=True)
    try:
        harness.until(lambda: not too_many_descriptors(soak, before, 0), "descriptors as before", deadline=KEPT_FOR + 30)
    except AssertionError:
        return too_many_descriptors(soak, before, 0)
    return []


def run(soak, args):
    chance = random.Random(args.seed)
    soak.begin()
    before = {name: descriptors(pid) for name, pid in soak.processes().items()}
    memory, done, found = {}, collections.Counter(), []
    for number in range(1, args.faults + 1):
        done[fault(soak, chance)] += 1
        if number == args.faults * 2 // 3:
            soak.wait_until_whole()
            memory = {name: resident(pid) for name, pid in soak.processes().items()}
        if number % 100 == 0 or number == args.faults:
            soak.wait_until_whole()
            found += too_many_descriptors(soak, before, 2 * LIMIT * REPLICAS)
            print(f"{number} faults, {len(found)} left behind", flush=True)
    if not args.no_memory:
        found += grown(soak, memory)
    found += missing_slots(soak)
    print(", ".join(f"{count} {kind}" for kind, count in sorted(done.items())))
    for name, pid in soak.processes().items():
        since = f", {(resident(pid) - memory[name]) // 1024:+d} KB in the last third" if name in memory else ", born since"
        print(f"{name}: {resident(pid) // 1024} KB resident{since}, {descriptors(pid)} descriptors")
    return found + kept_for_ever(soak, before)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-memory", action="store_true")
    args = parser.parse_args()
    soak = Soak()
    try:
        found = run(soak, args)
        soak.assert_ends_well(soak.service)
    finally:
        soak.doCleanups()
    for line in found:
        print(f"left behind: {line}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
