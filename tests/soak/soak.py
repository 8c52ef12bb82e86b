"""Sends a thousand faults through real programs and checks that nothing is left of them.

  BELLOWS_BIN=build/release/bin python3 tests/soak/soak.py [--faults 1000] [--seed 1] [--no-memory]

One service with activator and queue-proxies, an app that misbehaves (faulty_app.py), and clients that do too. After every
hundred faults no request is in flight or waiting, and no descriptors are open except those of idle pooled connections. At
the end all slots of each replica are usable, and after the idle timeout no process has more descriptors than at the start.
In the last third of the faults the resident memory of a process may not grow by more than MAX_GROWTH (--no-memory: a
sanitizer keeps freed memory). Prints the faults and the findings; exit code 1 if anything was left.
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
MAX_GROWTH = 128 * 1024
IDLE_TIMEOUT = 60  # seconds: idle connections to replicas and apps


class Soak(harness.EndToEnd):
    """One service under faults. main() drives it; it is not a unittest."""

    def runTest(self):
        raise NotImplementedError

    def begin(self):
        self.service = self.run_bellows(
            "--min-scale", str(REPLICAS), "--max-scale", str(REPLICAS), "--container-concurrency", str(LIMIT),
            "--target-burst-capacity", "-1", "--", sys.executable, APP, quick=False)
        self.service.drain = threading.Thread(target=self.read_events, daemon=True)
        self.service.drain.start()
        self.wait_until_idle()

    def read_events(self):
        """Discards the log."""
        while self.service.events.get() is not None:
            pass

    def ask(self, path, timeout=60):
        return harness.get(self.service.port, path, timeout=timeout)

    def metric(self, name):
        text = harness.get(self.service.admin, "/metrics").body
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(name))

    def processes(self):
        """{name: pid} of every running Bellows process."""
        found = {"bellows": self.service.pid}
        for pid, line in harness.descendants(self.service.pid).items():
            if "queue-proxy" in line.split(" ")[0]:
                found[f"queue-proxy {pid}"] = pid
        return found

    def wait_until_idle(self):
        """Waits until all replicas are ready and no request is in flight or waiting."""
        def is_idle():
            ready = sum(r["phase"] == "ready" for r in self.status(self.service)["replicas"])
            return ready == REPLICAS and self.metric("bellows_activator_in_flight") == 0 \
                and self.metric("bellows_activator_queue_depth") == 0
        harness.until(is_idle, f"{REPLICAS} ready replicas and nothing in flight", deadline=60)

    def slots_in_use(self):
        """{pid of the app: concurrent requests under more load than slots}: its usable slots."""
        at_once = 2 * LIMIT * REPLICAS
        responses = []
        threads = [threading.Thread(target=lambda: responses.append(self.ask("/together/150"))) for _ in range(at_once)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        peak = {}
        for response in responses:
            pid, at_once = map(int, response.body.split())
            peak[pid] = max(peak.get(pid, 0), at_once)
        return peak


def fault(soak, rng):
    """Sends one fault and returns its name. The response is not checked, only what the fault leaves."""
    kind = rng.choice(["cut", "chunked", "reset", "garbage", "disconnect early", "disconnect in queue", "disconnect in response",
                          "half a body", "half a head"] * 11 + ["die"])
    try:
        FAULTS.get(kind, from_the_app)(soak, rng, kind)
    except OSError:
        pass
    return kind


def from_the_app(soak, rng, kind):
    number = f"/{rng.randrange(1100)}" if kind in ("cut", "chunked") else ""
    try:
        soak.ask(f"/{kind}{number}")
    except Exception:  # noqa: BLE001: an aborted response is expected
        pass


def send_and_disconnect(soak, rng, data, pause=0.0):
    with socket.create_connection(("127.0.0.1", soak.service.port), 10) as client:
        client.sendall(data)
        if pause:
            threading.Event().wait(pause)
        if rng.random() < 0.5:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def disconnect_early(soak, rng, _):
    send_and_disconnect(soak, rng, b"GET /wait/30 HTTP/1.1\r\nHost: web\r\n\r\n", pause=0.01)


def disconnect_in_queue(soak, rng, _):
    fill = [threading.Thread(target=lambda: quietly(soak, "/wait/40")) for _ in range(LIMIT * REPLICAS)]
    for thread in fill:
        thread.start()
    send_and_disconnect(soak, rng, b"GET /ok HTTP/1.1\r\nHost: web\r\n\r\n", pause=0.01)
    for thread in fill:
        thread.join()


def quietly(soak, path):
    try:
        soak.ask(path)
    except Exception:  # noqa: BLE001: the replica may just have died
        pass


def disconnect_in_response(soak, rng, _):
    with socket.create_connection(("127.0.0.1", soak.service.port), 10) as client:
        client.sendall(b"GET /ok HTTP/1.1\r\nHost: web\r\n\r\n")
        client.recv(rng.randrange(1, 200))


def half_a_body(soak, rng, _):
    body = b"y" * rng.randrange(999)
    send_and_disconnect(soak, rng, b"POST /ok HTTP/1.1\r\nHost: web\r\nContent-Length: 1000\r\n\r\n" + body, pause=0.005)


def half_a_head(soak, rng, _):
    head = b"GET /ok HTTP/1.1\r\nHost: web\r\nX-Some: thing\r\n\r\n"
    send_and_disconnect(soak, rng, head[:rng.randrange(1, len(head))])


FAULTS = {"disconnect early": disconnect_early, "disconnect in queue": disconnect_in_queue, "disconnect in response": disconnect_in_response,
          "half a body": half_a_body, "half a head": half_a_head}


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def resident(pid):
    with open(f"/proc/{pid}/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def too_many_descriptors(soak, before, idle):
    """Processes with more descriptors than before plus `idle`; new processes are not compared."""
    return [f"{name}: {descriptors(pid)} descriptors, {before[name]} before"
            for name, pid in soak.processes().items() if name in before and descriptors(pid) > before[name] + idle]


def grown(soak, memory):
    return [f"{name}: resident memory grew by {(resident(pid) - memory[name]) // 1024} KB in the last third"
            for name, pid in soak.processes().items()
            if name in memory and resident(pid) - memory[name] > MAX_GROWTH]


def missing_slots(soak):
    peak = soak.slots_in_use()
    found = [f"app {pid}: {count} requests at once, want its limit {LIMIT}" for pid, count in peak.items() if count != LIMIT]
    return found + ([f"{len(peak)} replicas took part, want {REPLICAS}"] if len(peak) != REPLICAS else [])


def still_open(soak, before):
    """Descriptors that are still open after the idle timeout."""
    print(f"waiting up to {IDLE_TIMEOUT + 30} s until idle connections have closed", flush=True)
    try:
        harness.until(lambda: not too_many_descriptors(soak, before, 0), "descriptors as before", deadline=IDLE_TIMEOUT + 30)
    except AssertionError:
        return too_many_descriptors(soak, before, 0)
    return []


def run(soak, args):
    rng = random.Random(args.seed)
    soak.begin()
    before = {name: descriptors(pid) for name, pid in soak.processes().items()}
    memory, done, found = {}, collections.Counter(), []
    for number in range(1, args.faults + 1):
        done[fault(soak, rng)] += 1
        if number == args.faults * 2 // 3:
            soak.wait_until_idle()
            memory = {name: resident(pid) for name, pid in soak.processes().items()}
        if number % 100 == 0 or number == args.faults:
            soak.wait_until_idle()
            found += too_many_descriptors(soak, before, 2 * LIMIT * REPLICAS)
            print(f"{number} faults, {len(found)} findings", flush=True)
    if not args.no_memory:
        found += grown(soak, memory)
    found += missing_slots(soak)
    print(", ".join(f"{count} {kind}" for kind, count in sorted(done.items())))
    for name, pid in soak.processes().items():
        since = f", {(resident(pid) - memory[name]) // 1024:+d} KB in the last third" if name in memory else ", started later"
        print(f"{name}: {resident(pid) // 1024} KB resident{since}, {descriptors(pid)} descriptors")
    return found + still_open(soak, before)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-memory", action="store_true")
    args = parser.parse_args()
    soak = Soak()
    try:
        found = run(soak, args)
        soak.assert_clean_exit(soak.service)
    finally:
        soak.doCleanups()
    for line in found:
        print(f"left: {line}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
