"""What is tried: one queue-proxy in front of one app, or `bellows up` with services of several replicas (activator and
queue-proxies); how their processes are killed and drained; and what they look like from outside."""

import asyncio
import collections
import glob
import json
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))

import harness  # noqa: E402

# What each kind of app can do, and the states in which a caller leaves, with what the app has to be able to do for it.
ABLE = {
    "h1": ["fast", "post", "slow", "big", "echo", "trailers", "hints", "tunnel"],
    "h2": ["fast", "post", "slow", "big", "echo", "trailers", "hints", "tunnel"],
    "node": ["fast", "post", "slow", "big", "echo"],
    "http.server": ["fast", "post", "slow"],
}
LEAVES = {"connect": None, "head": None, "body": None, "queued": None, "waiting": None, "answering": None, "streaming": "big",
          "trailers": "trailers", "tunnel": "tunnel"}
STARTING = "starting"  # behind an activator: a queue-proxy alone lets nobody wait for its app
ENDS = ["app killed", "replica killed", "drained"]
# What an app does to a request; on HTTP/2 the second group ends a connection that others share.
ALONE = ["app resets", "app: GOAWAY"]
SHARED = ["app: before", "app: in head", "app: in body", "app: at its end", "app: in upload", "app: in tunnel", "app: nonsense"]

SLOTS, REPLICAS = 4, 2
DRAIN = 8  # seconds that a drain may take
TIME_LIMIT = 60  # seconds: longer than that something hangs, on any machine
CALM, ROUGH = 5, 3  # seconds of the two phases, in turn
REPORTS = ("ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "runtime error:", "WARNING: ThreadSanitizer",
           "AddressSanitizer:DEADLYSIGNAL")
OPTIONS = {"ASAN_OPTIONS": "abort_on_error=0:detect_leaks=1:halt_on_error=1:handle_abort=1:quarantine_size_mb=16:exitcode=99",
           "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1", "TSAN_OPTIONS": "halt_on_error=0:exitcode=99"}

APPS = {"h1": [sys.executable, "-B", os.path.join(HERE, "app.py"), "h1"],
        "h2": [sys.executable, "-B", os.path.join(HERE, "app.py"), "h2"],
        "node": ["node", os.path.join(HERE, "node_app.js")],
        "http.server": [sys.executable, "-B", os.path.join(HERE, "..", "soak", "counting_app.py")]}
PROTOCOLS = {"h1": "http1", "h2": "h2c", "node": "auto", "http.server": "auto"}


class Program:
    """One process of ours. Its output goes to a file: a pipe that nobody reads would block it."""

    def __init__(self, chaos, name, command, environment=None):
        self.chaos, self.name, self.command = chaos, name, command
        self.environment = environment or {}
        self.output = os.path.join(chaos.folder, name.replace(" ", "-") + ".log")
        self.process = None
        self.may_end = True
        self.deaths = 0

    def start(self):
        with open(self.output, "ab") as output:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                            env={**os.environ, **self.chaos.options, **self.environment}, start_new_session=True)
        self.may_end = False

    def end_at_once(self):
        self.may_end = True
        self.process.kill()
        self.process.wait()

    async def told_to_end(self, limit):
        """SIGTERM. Returns the seconds that the end took, or None; a program that does not end is killed, with its stacks."""
        self.may_end = True
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        while self.process.poll() is None:
            if time.monotonic() - begin > limit:
                await self.show_stacks()
                self.chaos.found(f"{self.name}: SIGTERM did not end it within {limit:.0f} s")
                self.end_at_once()
                return None
            await asyncio.sleep(0.02)
        if self.process.returncode != 0:
            self.chaos.found(f"{self.name}: exit code {self.process.returncode} after SIGTERM; {self.tail()}")
        return time.monotonic() - begin

    async def show_stacks(self):
        """ASan prints the stack of a program that gets SIGABRT."""
        self.process.send_signal(signal.SIGABRT)
        for _ in range(100):
            if self.process.poll() is not None:
                return
            await asyncio.sleep(0.1)

    def has_died(self):
        """Ended although nobody told it to."""
        return not self.may_end and self.process.poll() is not None

    def tail(self):
        with open(self.output, errors="replace") as output:
            lines = output.read().splitlines()
        return f"{self.output}: {' | '.join(lines[-3:])[:600]}"


def resident(pid):
    with open(f"/proc/{pid}/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


class Stand:
    """One app (or service) with its honest callers, and what was done to it."""

    is_tls = False
    host = "chaos.localhost"

    def __init__(self, chaos, hops, app):
        self.chaos, self.hops, self.app = chaos, hops, app
        self.name = f"{hops} {app}"
        self.ident = f"{hops}{app}".replace(" ", "").replace(".", "")
        self.slots = SLOTS
        self.queue_lock = asyncio.Lock()
        self.ends = []
        self.disturbances = []  # (begin, end, what): requests meanwhile may fail
        self.drains = []  # (begin, apps): the processes that drained replicas told to end, with their tunnels
        self.results = collections.Counter()
        self.failures = []
        self.notes = os.path.join(chaos.folder, self.ident + ".notes")

    def row(self, kind):
        return f"{self.hops}, {kind} caller, {self.app} app"

    def reachable(self):
        """The states of the table that callers of this stand can be in."""
        found = {state for state, needs in LEAVES.items() if needs is None or needs in ABLE[self.app]}
        if "tunnel" in ABLE[self.app]:
            found |= {*ALONE, *SHARED}
        return found | {*ENDS}

    def rows(self):
        return [self.row("h1"), self.row("h2")]

    def is_calm(self):
        """In a calm phase nobody but callers leaves."""
        return (time.monotonic() - self.chaos.begin) % (CALM + ROUGH) < CALM

    def next_end(self, rng, ends):
        if not self.ends:
            self.ends = rng.sample(ends, len(ends))
        return self.ends.pop()

    def disturbed(self, what, begin=None, end=None):
        now = time.monotonic()
        self.disturbances.append((begin or now, end or now, what))

    def note(self, kind, what, ident, told, begin, end, app=None):
        """`app`: the process that had opened the tunnel."""
        self.results[kind, told is None] += 1
        if told is not None:
            self.failures.append((begin, end, kind, what, ident, told, app))

    def has_drained(self, end, app):
        """A drain that had begun by then has ended the tunnels of that process."""
        return app is not None and any(begin <= end and app in apps for begin, apps in self.drains)

    def runs(self):
        """{"POST ID": how often the app ran it}."""
        if not os.path.exists(self.notes):
            return {}
        with open(self.notes) as notes:
            return collections.Counter(line.strip() for line in notes)

    def ran_twice(self):
        return [f"{self.name}: {what} ran {count} times" for what, count in self.runs().items() if what.startswith("POST") and count > 1]


class OneHop(Stand):
    """queue-proxy and app, both started here."""

    def __init__(self, chaos, app, protocol=None):
        super().__init__(chaos, "queue-proxy", app)
        if protocol:
            self.name += f" {protocol}"
        self.port, self.admin, self.app_port = (harness.free_port() for _ in range(3))
        label = self.name.replace("queue-proxy ", "")
        self.server = Program(chaos, f"app {label}", [*APPS[app], label], {
            "PORT": str(self.app_port), "NOTES": self.notes, "START_DELAY": "300"})
        self.proxy = Program(chaos, f"queue-proxy {label}", [
            chaos.program("queue-proxy"), "--listen-host", "127.0.0.1", "--queue-serving-port", str(self.port),
            "--admin-port", str(self.admin), "--user-port", str(self.app_port), "--app-protocol", protocol or PROTOCOLS[app],
            "--container-concurrency", str(SLOTS), "--drain-timeout", f"{DRAIN}s", "--log-level", "warning"])
        self.programs = [self.server, self.proxy]
        self.watched = {self.proxy.name: self.proxy}

    def start(self):
        self.server.start()
        self.proxy.start()

    async def is_ready(self):
        return await status_of(self.admin, "/readyz") == 200

    async def disturb(self, rng):
        """One of the ends that a replica may have. The port is closed meanwhile, so callers may see that."""
        what = self.next_end(rng, ["app killed", "replica killed", "drained"])
        begin = time.monotonic()
        if what == "app killed":
            self.server.end_at_once()
            await asyncio.sleep(rng.uniform(0, 0.3))
            self.server.start()
        elif what == "replica killed":
            self.proxy.end_at_once()
            self.server.end_at_once()
            self.start()
        elif await self.proxy.told_to_end(DRAIN + TIME_LIMIT) is not None:
            self.proxy.start()
        else:
            self.proxy.start()
        await until_ready(self)
        self.disturbed(what, begin, time.monotonic())
        return what

    def processes(self):
        return {self.proxy.name: self.proxy.process.pid}


class Bellows:
    """`bellows up` with one service for each app."""

    def __init__(self, chaos, hops, apps, is_tls):
        self.chaos, self.hops = chaos, hops
        self.port, self.admin = harness.free_port(), harness.free_port()
        self.services = [Service(chaos, self, app, is_tls) for app in apps]
        path = os.path.join(chaos.folder, hops.replace(" ", "-") + ".yaml")
        services = [{"name": each.service, "host": each.host, "command": [*APPS[each.app], each.service],
                     "environment": {"NOTES": each.notes, "START_DELAY": "300"}, "min-scale": REPLICAS, "max-scale": REPLICAS,
                     "container-concurrency": SLOTS, "app-protocol": PROTOCOLS[each.app]} for each in self.services]
        with open(path, "w", encoding="ascii") as settings:
            json.dump({"listen": f"127.0.0.1:{self.port}", "admin": f"127.0.0.1:{self.admin}", "log-format": "json",
                       **({"tls": "self-signed"} if is_tls else {}), "services": services}, settings)
        self.program = Program(chaos, hops, [chaos.program("bellows"), "up", path])

    def replicas(self, service):
        """Process ids: queue-proxies and apps of a service."""
        proxies, apps = [], []
        for pid, line in harness.descendants(self.program.process.pid).items():
            try:
                with open(f"/proc/{pid}/environ", "rb") as environment:
                    mine = f"NOTES={service.notes}".encode() in environment.read().split(b"\0")
                words = line.split()
            except OSError:
                continue
            if mine and words and words[-1] == service.service and "replica-shim" not in words[0]:
                apps.append(pid)
            elif words and words[0].endswith("queue-proxy") and service_of(pid) == service.service:
                proxies.append(pid)
        return proxies, apps


def catches_sigterm(pid):
    """A queue-proxy that has just been started ends by SIGTERM as any process does: it has nothing to drain yet."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            caught = next(line for line in status if line.startswith("SigCgt:"))
    except (OSError, StopIteration):
        return False
    return int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1 == 1


def service_of(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as environment:
            for word in environment.read().split(b"\0"):
                if word.startswith(b"SERVING_SERVICE="):
                    return word.split(b"=", 1)[1].decode()
    except OSError:
        pass
    return None


class Service(Stand):
    def __init__(self, chaos, bellows, app, is_tls):
        super().__init__(chaos, bellows.hops, app)
        self.bellows, self.is_tls, self.port, self.admin = bellows, is_tls, bellows.port, bellows.admin
        self.service = app.replace(".", "-")
        self.host = f"{self.service}.localhost"
        self.slots = SLOTS * REPLICAS

    def reachable(self):
        return super().reachable() | {STARTING}

    async def is_ready(self):
        body = await body_of(self.admin, "/v1/status")
        if body is None:
            return False
        mine = next((s["revisions"][0] for s in json.loads(body)["services"] if s["name"] == self.service), {"replicas": []})
        return sum(r["phase"] == "ready" for r in mine["replicas"]) >= REPLICAS

    async def disturb(self, rng):
        """Replicas are killed or drained. A drain must not be seen by anybody, but for the tunnels of the replica: once it has nothing
        else its app is told to end (docs/decisions/one-machine.md)."""
        what = self.next_end(rng, ["app killed", "replica killed", "all killed", "drained"])
        proxies, apps = self.bellows.replicas(self)
        begin = time.monotonic()
        victims = {"app killed": apps[:1], "replica killed": proxies[:1], "all killed": proxies + apps,
                   "drained": list(filter(catches_sigterm, proxies))[:1]}[what]
        for pid in victims:
            try:
                os.kill(pid, signal.SIGTERM if what == "drained" else signal.SIGKILL)
            except ProcessLookupError:
                pass
        if what == "all killed":
            await self.chaos.leave_while_it_starts(self)
        if what == "drained":
            await self.until_gone(victims, begin, apps)
        await until_ready(self)
        if what != "drained":
            self.disturbed(what, begin, time.monotonic())
        return {"all killed": "app killed"}.get(what, what)

    async def until_gone(self, proxies, begin, apps):
        """Of queue-proxies that drain: they and the apps behind them end, in either order."""
        end = begin + TIME_LIMIT
        behind = set()
        while any(os.path.exists(f"/proc/{pid}") for pid in proxies) or len(behind) < len(proxies):
            if time.monotonic() > end:
                return self.chaos.found(f"{self.name}: SIGTERM ended {len(behind)} apps and not all of queue-proxies {proxies} "
                                        f"within {TIME_LIMIT} s")
            await asyncio.sleep(0.05)
            behind = set(apps) - set(self.bellows.replicas(self)[1])
        self.drains.append((begin, behind))
        return None

    def processes(self):
        proxies, _ = self.bellows.replicas(self)
        return {f"{self.name}: queue-proxy {pid}": pid for pid in proxies}


async def until_ready(stand):
    end = time.monotonic() + TIME_LIMIT
    while not stand.chaos.has_failed_to_start(stand):
        if await stand.is_ready():
            return True
        if time.monotonic() > end:
            stand.chaos.found(f"{stand.name}: not ready within {TIME_LIMIT} s")
            return False
        await asyncio.sleep(0.05)
    return False


async def status_and_body(port, path, host="localhost", limit=TIME_LIMIT):
    """Of a GET over a connection of its own; (0, why) if it failed."""
    async def ask():
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            said = await reader.read(-1)
            head, _, body = said.partition(b"\r\n\r\n")
            return int(head.split(b" ", 2)[1]), unchunked(head, body)
        finally:
            writer.transport.abort()
    try:
        return await asyncio.wait_for(ask(), limit)
    except TimeoutError:
        return 0, f"no answer in {limit} s"
    except (OSError, IndexError, ValueError) as error:
        return 0, repr(error)


def unchunked(head, body):
    if b"transfer-encoding: chunked" not in head.lower():
        return body
    whole = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        whole, body = whole + body[:int(size, 16)], body[int(size, 16) + 2:]
    return whole


async def status_of(port, path, host="localhost", limit=TIME_LIMIT):
    return (await status_and_body(port, path, host, limit))[0]


async def body_of(port, path):
    status, body = await status_and_body(port, path)
    return body if status == 200 else None


def reports(folder):
    """(file, report) of sanitizers: the frames in our sources, and what else names memory."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "*"))):
        if not os.path.isfile(path):
            continue
        with open(path, errors="replace") as text:
            lines = text.read().splitlines()
        at = next((i for i, line in enumerate(lines) if any(report in line for report in REPORTS)), None)
        if at is not None:
            found.append((path, [line.strip() for line in lines[at:] if is_ours(line)][:40]))
    return found


def is_ours(line):
    """Not a frame of a library."""
    return not line.lstrip().startswith("#") or not ("/usr/" in line or ".." in line.split("/lib/")[0] and "/lib/" in line)


def place(lines):
    """The first two frames of a report, by which two reports of one defect are known."""
    frames = [line.split(" in ", 1)[-1] for line in lines if line.startswith("#")]
    return " <- ".join(frame.split("(")[0] for frame in frames[:2])
