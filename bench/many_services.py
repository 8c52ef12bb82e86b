"""Measures thousands of services in one Bellows, nearly all at zero, and prints one table with bars.

  python3 bench/many_services.py [--programs DIR] [--services 5000] [--added 1000] [--idle 20] [--json FILE]

The programs come from `cmake --preset release && cmake --build --preset release`. CPU times are those of the process, or of its
io thread alone. The longest request is that of one caller who asks for a static answer every millisecond, which the io
thread answers without a replica: it waits as long as the io thread does something else. What it is without a change is
printed beside it: on a busy machine other processes take the core for milliseconds.
"""

import argparse
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BARS = {"start s": 3, "idle % of a core": 1, "memory MB": 40, "add, ms of CPU": 5, "apply s": 2,
        "SIGHUP, ms of the io thread": 50, "SIGHUP, longest request ms": 10}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=os.path.join(HERE, "..", "build", "release", "bin"))
    parser.add_argument("--services", type=int, default=5000)
    parser.add_argument("--added", type=int, default=1000, help="by one `bellows apply`")
    parser.add_argument("--idle", type=float, default=20, help="seconds")
    parser.add_argument("--rounds", type=int, default=10, help="of adding one service, and of SIGHUP with one change")
    parser.add_argument("--json", help="also write every number to this file")
    args = parser.parse_args()
    if not os.access(os.path.join(args.programs, "bellows"), os.X_OK):
        parser.error(f"--programs: {args.programs} has no bellows; want the folder of a release build")
    return args


class Caller(threading.Thread):
    """Asks for a static answer every millisecond over one connection."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.took = []  # (begin, seconds)
        self.is_over = False

    def run(self):
        while not self.is_over:
            begin = time.monotonic()
            self.socket.sendall(b"GET /ping HTTP/1.1\r\nHost: s0.localhost\r\n\r\n")
            answer = self.socket.recv(65536)
            if not answer.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(f"answered {answer[:100]}")
            self.took.append((begin, time.monotonic() - begin))
            time.sleep(0.001)

    def longest(self, since, until):
        """In milliseconds."""
        return 1000 * max((took for begin, took in self.took if begin + took >= since and begin <= until), default=0)


class Bellows:
    def __init__(self, args):
        self.args = args
        self.program = os.path.abspath(os.path.join(args.programs, "bellows"))
        self.folder = tempfile.TemporaryDirectory(prefix="bellows-services-")
        self.file = os.path.join(self.folder.name, "bellows.yaml")
        self.log = os.path.join(self.folder.name, "log")

    def write(self, services, grace=30):
        with open(self.file, "w") as f:
            f.write("services:\n")
            for i in range(services):
                f.write(f"  - name: s{i}\n    host: s{i}.localhost\n    command: [sleep, \"600\"]\n")
                if i == 0:
                    f.write("    static-answers: [{path: /ping, body: ok}]\n")
                if i == 7 and grace != 30:
                    f.write(f"    scale-to-zero-grace-period: {grace}s\n")

    def start(self):
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [self.program, "up", self.file, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--log-format", "json"],
                stdout=log, stderr=log, cwd=self.folder.name)
        text = self.wait_for('"listening"', 1, 60)
        self.admin = re.search(r'"admin":"([^"]*)"', text)[1]
        self.port = int(re.search(r'"address":"[^"]*:(\d+)"', text)[1])

    def wait_for(self, words, count, seconds=30):
        """The text of the log as soon as it has the words so often."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with open(self.log) as log:
                text = log.read()
            if text.count(words) >= count:
                return text
            if self.process.poll() is not None:
                raise RuntimeError(f"bellows ended: {text[-2000:]}")
            time.sleep(0.002)
        raise RuntimeError(f"not logged within {seconds} s: {count} x {words}")

    def order(self, *words):
        done = subprocess.run([self.program, words[0], "--admin", self.admin, *words[1:]], capture_output=True, text=True,
                              timeout=60, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{words[:2]}: {(done.stdout + done.stderr)[-500:]}")

    def cpu(self):
        """Of all threads, in seconds, by the clock that Linux keeps for the process."""
        return time.clock_gettime(~self.process.pid << 3 | 2)

    def loop(self):
        """Of the io thread, which is the first one."""
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/schedstat") as f:
            return int(f.read().split()[0]) / 1e9

    def memory(self):
        """Resident megabytes: all, and those of the program's files."""
        with open(f"/proc/{self.process.pid}/status") as f:
            fields = dict(line.split(":", 1) for line in f if ":" in line)
        return [int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "RssFile")]

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)
        self.folder.cleanup()


def median(values):
    return sorted(values)[len(values) // 2]


def start(bellows, numbers):
    bellows.write(bellows.args.services)
    begin = time.monotonic()
    bellows.start()
    numbers["start s"] = time.monotonic() - begin
    numbers["start, s of CPU"] = bellows.cpu()


def rest(bellows, numbers):
    time.sleep(3)
    begin, cpu = time.monotonic(), bellows.cpu()
    time.sleep(bellows.args.idle)
    numbers["idle % of a core"] = 100 * (bellows.cpu() - cpu) / (time.monotonic() - begin)
    numbers["memory MB"], numbers["memory of files MB"] = bellows.memory()


def add_one(bellows, numbers):
    took, loop, wall = [], [], []
    for i in range(bellows.args.rounds):
        begin, cpu, io = time.monotonic(), bellows.cpu(), bellows.loop()
        bellows.order("add", f"x{i}", "--host", f"x{i}.localhost", "--no-probe", "--", "sleep", "600")
        wall.append(1000 * (time.monotonic() - begin))
        took.append(1000 * (bellows.cpu() - cpu))
        loop.append(1000 * (bellows.loop() - io))
    numbers["add, ms of CPU"] = median(took)
    numbers["add, ms of the io thread"] = median(loop)
    numbers["add, ms with the command"] = median(wall)


def hang_up(bellows, caller, numbers):
    """SIGHUP with one change: a setting of one service."""
    loop, cpu, longest, wall, quiet = [], [], [], [], []
    for i in range(bellows.args.rounds):
        bellows.write(bellows.args.services, 31 + i)
        since = time.monotonic()
        time.sleep(0.5)
        quiet.append(caller.longest(since, time.monotonic()))
        begin, used, io = time.monotonic(), bellows.cpu(), bellows.loop()
        bellows.process.send_signal(signal.SIGHUP)
        bellows.wait_for('"applied"', i + 1)
        wall.append(time.monotonic() - begin)
        time.sleep(0.3)  # what was read is freed
        loop.append(1000 * (bellows.loop() - io))
        cpu.append(1000 * (bellows.cpu() - used))
        longest.append(caller.longest(begin, time.monotonic()))
    numbers["SIGHUP, ms of the io thread"] = median(loop)
    numbers["SIGHUP, ms of CPU"] = median(cpu)
    numbers["SIGHUP s"] = median(wall)
    numbers["SIGHUP, longest request ms"] = median(longest)
    numbers["SIGHUP, longest request of all rounds ms"] = max(longest)
    numbers["longest request without a change ms"] = median(quiet)


def apply_many(bellows, caller, numbers):
    bellows.write(bellows.args.services + bellows.args.added)
    begin, cpu, io = time.monotonic(), bellows.cpu(), bellows.loop()
    bellows.order("apply", "-f", bellows.file, "--no-wait")
    numbers["apply s"] = time.monotonic() - begin
    numbers["apply, s of CPU"] = bellows.cpu() - cpu
    numbers["apply, ms of the io thread"] = 1000 * (bellows.loop() - io)
    time.sleep(0.5)
    numbers["apply, longest request ms"] = caller.longest(begin, time.monotonic())
    numbers["memory after apply MB"] = bellows.memory()[0]


def main():
    args = arguments()
    numbers = {}
    bellows = Bellows(args)
    start(bellows, numbers)
    try:
        rest(bellows, numbers)
        caller = Caller(bellows.port)
        caller.start()
        hang_up(bellows, caller, numbers)
        apply_many(bellows, caller, numbers)
        caller.is_over = True
        caller.join()
        add_one(bellows, numbers)
    finally:
        bellows.stop()
    print(f"| {args.services} services | measured | bar |\n| --- | --- | --- |")
    for name, value in numbers.items():
        print(f"| {name} | {value:.3g} | {BARS.get(name, '')} |")
    if args.json:
        with open(args.json, "w") as f:
            json.dump(numbers, f, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
