"""Chaos: callers that leave, apps that leave, kills and drains, beside callers whose requests must be answered.

  python3 -B tests/chaos/chaos.py --bin build/dev/bin [--seconds 120] [--seed N] [--only TEXT] [--keep FOLDER]

First the reproduction of a crash of November 2026: callers of HTTP/1.1 that leave before a late app of HTTP/2 answers. Then, for
`--seconds`, everything at once. Stands: a queue-proxy alone, `bellows up` in the clear and with TLS (activator and queue-proxies),
each before an app of HTTP/1.1 and one of HTTP/2 that do what they are told (app.py), Node's http2 and Python's http.server. To each
come callers of HTTP/1.1 and HTTP/2, which leave in every state: connecting, at a random byte of the head or body, queued, waiting,
as the answer comes, streaming, before trailers, in a tunnel, while the replica starts. Stands are calm for 5 s, when only callers
leave, then rough for 3 s: apps end connections at random bytes, apps and queue-proxies get
SIGKILL or SIGTERM. An honest request may fail only while such an end lasts; a drain behind an activator is no such end. It ends
tunnels of its replica alone, because their app is told to end.

--bin DIR     the programs; DIR is what BELLOWS_BIN is to the other tests. Built with sanitizers they report more; run them like this:
              cmake -S . -B build/sanitize -G Ninja -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1" \\
                    -DCMAKE_CXX_COMPILER=clang++ -DBELLOWS_SANITIZE=address && ninja -C build/sanitize bellows queue-proxy
--seed N      which actions come, in which order (when they come depends on the machine); printed at the start
--only TEXT   only stands whose name contains TEXT, such as "queue-proxy h2" or "TLS"; names are in the table
--keep DIR    leaves logs and reports of sanitizers there

Fails (exit code 1) if a program ended by itself, a sanitizer reported anything, an honest request failed without a reason, hung, or
got what belongs to another, a POST ran twice, a program does not answer at one of its ports at the end, keeps descriptors or memory,
or is not ended by SIGTERM; and if in 60 s or more a state of a pairing was never reached. Exit code 2: the arguments are wrong, or
nothing could be started. Every line that begins with "wrong:" is a finding.
"""

import argparse
import asyncio
import collections
import glob
import logging
import os
import random
import sys
import tempfile
import time

try:
    import hpack  # noqa: F401: Debian's python3-h2
except ImportError:
    if sys.executable == "/usr/bin/python3":
        sys.exit("chaos.py: hpack and hyperframe are not there; want Debian's python3-h2 (tools/setup --tests installs it)")
    os.execv("/usr/bin/python3", ["/usr/bin/python3", "-B", *sys.argv])

import stands  # noqa: E402
from callers import Honest, Impatient, Table  # noqa: E402
from stands import ABLE, ALONE, DRAIN, ENDS, LEAVES, TIME_LIMIT, SHARED, STARTING, Bellows, OneHop  # noqa: E402
from wire import CLOSED, Left  # noqa: E402

WHOLE = 60  # seconds from which on every state of every pairing has to be reached
GRACE = 1.0  # seconds around a disturbance in which its effects are seen
MAX_GROWTH = {False: 48 * 1024, True: 160 * 1024}  # KB of resident memory; a sanitizer keeps freed memory


class Chaos:
    def __init__(self, args, folder):
        self.args, self.folder, self.rng = args, folder, random.Random(args.seed)
        self.findings, self.known = [], set()
        self.table = Table()
        self.is_over = False
        self.begin = time.monotonic()
        self.options = {name: f"{text}:log_path={folder}/sanitizer" for name, text in stands.OPTIONS.items()}
        self.stands, self.bellows = [], []
        self.impatient = {}

    def program(self, name):
        return os.path.join(self.args.bin, name)

    def found(self, text):
        self.findings.append(text)
        print(f"wrong: {text}", flush=True)

    def has_failed_to_start(self, stand):
        return any(program.has_died() for program in self.programs() if program.name.startswith(stand.hops))

    def programs(self):
        return [program for stand in self.stands if isinstance(stand, OneHop) for program in stand.programs] + \
            [each.program for each in self.bellows]

    def set_up(self):
        wants = lambda name: self.args.only in name  # noqa: E731
        self.stands = [OneHop(self, app) for app in ABLE if wants(f"queue-proxy {app}")]
        for hops, apps, is_tls in (("both hops", list(ABLE), False), ("both hops TLS", ["h1", "h2"], True)):
            apps = [app for app in apps if wants(f"{hops} {app}")]
            if apps:
                self.bellows.append(Bellows(self, hops, apps, is_tls))
                self.stands += self.bellows[-1].services
        if not self.stands:
            raise SystemExit(f'chaos.py: --only: "{self.args.only}": want a part of a name such as "queue-proxy h2"')

    async def start(self):
        for stand in self.stands:
            if isinstance(stand, OneHop):
                stand.start()
        for each in self.bellows:
            each.program.start()
        for stand in self.stands:
            if not await stands.until_ready(stand):
                raise SystemExit(f"chaos.py: {stand.name} did not start: " + "; ".join(
                    program.tail() for program in self.programs() if program.has_died()))

    async def leave_while_it_starts(self, stand):
        impatient = self.impatient[stand]
        await asyncio.gather(*(impatient.leave_start(kind) for kind in ("h1", "h2", "h1", "h2")))

    async def run(self):
        rng = self.rng
        before = self.sizes()
        self.begin = time.monotonic()
        tasks = []
        for stand in self.stands:
            self.impatient[stand] = Impatient(self, stand, random.Random(rng.random()))
            tasks += [Honest(self, stand, kind, random.Random(rng.random())).run() for kind in ("h1", "h1 once", "h2")]
            tasks += [Impatient(self, stand, random.Random(rng.random())).run() for _ in range(2)]
            tasks.append(self.disturb(stand, random.Random(rng.random())))
        tasks = [asyncio.create_task(each) for each in [*tasks, self.watch(), *self.ask_admins()]]
        while time.monotonic() - self.begin < self.args.seconds:
            await asyncio.sleep(min(30, self.args.seconds - (time.monotonic() - self.begin)) + 0.01)
            self.progress()
        self.is_over = True
        done, late = await asyncio.wait(tasks, timeout=3 * TIME_LIMIT)
        for task in done:
            if task.exception():
                raise task.exception()
        for task in late:
            self.found(f"a caller has no end: {task}")
            task.cancel()
        await self.assess_end(before)

    def progress(self):
        counted = collections.Counter()
        for stand in self.stands:
            for (_, is_good), count in stand.results.items():
                counted[is_good] += count
        seconds = time.monotonic() - self.begin
        print(f"{seconds:.0f} s: {counted[True]} honest requests served, {counted[False]} failed, "
              f"{sum(self.table.count.values())} actions, {sum(len(s.disturbances) for s in self.stands)} disturbances, "
              f"{len(self.findings)} findings, load {os.getloadavg()[0]:.1f}", flush=True)

    async def disturb(self, stand, rng):
        """Once in each rough phase."""
        while not self.is_over:
            await asyncio.sleep(0.1)
            if stand.is_calm():
                continue
            await asyncio.sleep(rng.uniform(0, 1.5))
            what = await stand.disturb(rng)
            for row in stand.rows():
                self.table.add(row, what)
            while not stand.is_calm() and not self.is_over:
                await asyncio.sleep(0.1)

    async def watch(self):
        """A program that ended by itself is told at once, and started again."""
        while not self.is_over:
            await asyncio.sleep(0.05)
            self.see_deaths()

    def see_deaths(self):
        for program in self.programs():
            if program.has_died():
                program.deaths += 1
                self.found(f"{program.name} ended by itself, exit code {program.process.returncode}" +
                           ("" if program.deaths > 1 else f"; {program.tail()}"))
                self.show_reports()
                program.start()
                for stand in self.stands:
                    if program.name.startswith(stand.hops):
                        stand.disturbed("death", time.monotonic() - 10, time.monotonic() + 3)

    def show_reports(self):
        """The first report of each place whole."""
        for path, lines in stands.reports(self.folder):
            if path in self.known:
                continue
            place = stands.place(lines)
            self.found(f"report in {path}: " + (f"again {place}" if place in self.known else "\n  ".join(lines)))
            self.known |= {path, place}

    def ask_admins(self):
        return [self.ask_admin(stand.name, stand.admin, stand.proxy) for stand in self.stands if isinstance(stand, OneHop)] + \
            [self.ask_admin(each.hops, each.admin, each.program) for each in self.bellows]

    async def ask_admin(self, name, port, program):
        """The admin port answers all the time. A program that does not is ended, with its stacks, and started again."""
        while not self.is_over:
            await asyncio.sleep(2)
            status, why = await stands.status_and_body(port, "/healthz")
            if status == 0 and "no answer" in str(why):
                self.found(f"{name}: admin port: {why}; its stacks:")
                await program.show_stacks()

    def sizes(self):
        found = {}
        for stand in self.stands:
            found.update(stand.processes())
        found.update({each.program.name: each.program.process.pid for each in self.bellows})
        return {name: (pid, stands.resident(pid), stands.descriptors(pid)) for name, pid in found.items()}

    async def assess_end(self, before):
        self.see_deaths()
        await asyncio.gather(*(self.answers(stand) for stand in self.stands))
        for stand in self.stands:
            self.assess_failures(stand)
            for text in stand.ran_twice():
                self.found(text)
        await self.assess_sizes(before)
        for program in [*(s.proxy for s in self.stands if isinstance(s, OneHop)), *(b.program for b in self.bellows)]:
            took = await program.told_to_end(DRAIN + TIME_LIMIT)
            if took is not None:
                print(f"{program.name}: SIGTERM ended it in {took:.1f} s", flush=True)
        self.assess_crashes_of_replicas()
        self.show_reports()
        self.assess_table()

    async def answers(self, stand):
        """Both ports, each version of HTTP."""
        if not await stands.until_ready(stand):
            return
        for kind in ("h1", "h2"):
            honest = Honest(self, stand, kind, random.Random(0))
            try:
                told = await asyncio.wait_for(honest.once("fast", f"{stand.ident}-last-{kind}"), TIME_LIMIT)
            except (*CLOSED, Left) as error:
                told = repr(error)
            honest.drop()
            if told:
                self.found(f"{stand.name}: at the end a {kind} caller got: {told}")
        status, why = await stands.status_and_body(stand.admin, "/metrics")
        if status != 200:
            self.found(f"{stand.name}: at the end the admin port: {status} {str(why)[:200]}")

    def assess_failures(self, stand):
        """Every failure has a disturbance as its cause; each causes as many as could be on their way."""
        excused = tunnels = 0
        for begin, end, kind, what, ident, told, app in stand.failures:
            is_excused = any(at <= end + GRACE and until + GRACE >= begin for at, until, _ in stand.disturbances)
            is_cut_by_drain = not is_excused and stand.has_drained(end, app)
            excused += is_excused
            tunnels += is_cut_by_drain
            is_wrong = not is_excused and not is_cut_by_drain
            if is_wrong or "MIXED UP" in told or "HANGS" in told or "MALFORMED" in told:
                self.found(f"{stand.name}: {kind} caller, {what} {ident}, at {begin - self.begin:.1f} s, took {end - begin:.1f} s: {told}")
        served = sum(count for (_, is_good), count in stand.results.items() if is_good)
        lasted = sum(end - begin for begin, end, _ in stand.disturbances)
        bound = 4 * len(stand.disturbances) + 20 * lasted
        print(f"{stand.name}: {served} honest requests served, {excused} failed by {len(stand.disturbances)} disturbances "
              f"of {lasted:.0f} s in all, {tunnels} tunnels ended by {len(stand.drains)} drains", flush=True)
        if excused > bound:
            self.found(f"{stand.name}: {excused} failures by {len(stand.disturbances)} disturbances, want at most {bound:.0f}")

    async def assess_sizes(self, before):
        """Connections to apps are kept for a minute at most."""
        end = time.monotonic() + 90

        def too_many():
            return [f"{name}: {now[2]} descriptors, {before[name][2]} before the chaos" for name, now in self.sizes().items()
                    if name in before and now[2] > before[name][2] + 2]
        while too_many() and time.monotonic() < end:
            await asyncio.sleep(1)
        for text in too_many():
            self.found(text)
        is_instrumented = any("sanitize" in part or "asan" in part or "tsan" in part for part in [self.args.bin])
        for name, (_, memory, count) in self.sizes().items():
            was = before.get(name, (0, memory, count))
            print(f"{name}: {was[1] // 1024} MB before, {memory // 1024} MB after; {was[2]} descriptors, {count} after", flush=True)
            if memory > was[1] + MAX_GROWTH[is_instrumented]:
                self.found(f"{name}: resident memory grew from {was[1]} to {memory} KB")

    def assess_crashes_of_replicas(self):
        for each in self.bellows:
            with open(each.program.output, errors="replace") as log:
                for line in log:
                    if "queue-proxy crashed" in line and "signal 9" not in line and "SIGKILL" not in line:
                        self.found(f"{each.hops}: {line.strip()[:300]}")

    def assess_table(self):
        columns = [*LEAVES, STARTING, *ENDS, *ALONE, *SHARED]
        print("\n| pairing | " + " | ".join(columns) + " |\n|" + " --- |" * (len(columns) + 1))
        for row, stand in ((row, stand) for stand in self.stands for row in stand.rows()):
            cells = [str(self.table.count[row, state]) if state in stand.reachable() else "-" for state in columns]
            print(f"| {row} | " + " | ".join(cells) + " |")
            if self.args.seconds >= WHOLE:
                for state in sorted(stand.reachable()):
                    if not self.table.count[row, state]:
                        self.found(f"never tried: {row}: {state}")

    def end_all(self):
        for program in self.programs():
            if program.process is not None and program.process.poll() is None:
                program.end_at_once()


class Reproduction:
    """queue-proxy before Node's http2, which answers after 300 ms; callers of HTTP/1.1 send a GET and leave at once."""

    def __init__(self, chaos, protocol):
        self.chaos, self.protocol = chaos, protocol

    async def run(self):
        stand = OneHop(self.chaos, "node", self.protocol)
        self.chaos.stands.append(stand)
        try:
            stand.start()
            await stands.until_ready(stand)
            await self.callers(stand, 1, 20)
            await self.callers(stand, 10, 20)
        finally:
            self.chaos.stands.remove(stand)
            for program in stand.programs:
                program.end_at_once()

    async def callers(self, stand, many, times):
        async def leave():
            for _ in range(times):
                _, writer = await asyncio.open_connection("127.0.0.1", stand.port)
                writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                writer.close()
                await asyncio.sleep(0.02)
        done = await asyncio.gather(*(leave() for _ in range(many)), return_exceptions=True)
        name = f"{many} callers of {stand.name} that leave"
        if any(isinstance(each, Exception) for each in done):
            self.chaos.found(f"{name}: {next(each for each in done if isinstance(each, Exception))!r}")
        ports = [(await stands.status_and_body(port, path, limit=10))
                 for port, path in ((stand.port, "/fast/0/x"), (stand.admin, "/healthz"))]
        if [status for status, _ in ports] != [200, 200]:
            self.chaos.found(f"{name}: then its ports answer {ports}")
            if stand.proxy.process.poll() is None:
                await stand.proxy.show_stacks()
        if stand.proxy.has_died() or stand.proxy.process.poll() is not None:
            self.chaos.found(f"{name}: it ended: {stand.proxy.process.returncode}; {stand.proxy.tail()}")
            self.chaos.show_reports()
            stand.proxy.start()
            await stands.until_ready(stand)


async def try_all(args, folder):
    chaos = Chaos(args, folder)
    try:
        for protocol in ("h2c", "auto"):
            if args.only in f"queue-proxy node {protocol}":
                await Reproduction(chaos, protocol).run()
        print(f"reproduction: {len(chaos.findings)} findings", flush=True)
        chaos.set_up()
        await chaos.start()
        await chaos.run()
    finally:
        chaos.end_all()
    print(f"\n{'FAILED' if chaos.findings else 'PASSED'}: {len(chaos.findings)} findings, seed {args.seed}")
    return 1 if chaos.findings else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.environ.get("BELLOWS_BIN", "build/dev/bin"))
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    for name in ("queue-proxy",) if args.only.startswith("queue-proxy") else ("queue-proxy", "bellows"):
        if not os.access(os.path.join(args.bin, name), os.X_OK):
            parser.error(f"--bin: {args.bin}: has no {name}; want the folder of the built programs, such as build/dev/bin")
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # it warns of sockets that were left
    print(f"seed {args.seed}, {args.seconds:.0f} s, programs of {args.bin}", flush=True)
    with tempfile.TemporaryDirectory(prefix="bellows-chaos-") as temporary:
        folder = args.keep or temporary
        os.makedirs(folder, exist_ok=True)
        for path in glob.glob(os.path.join(folder, "*.notes")) + glob.glob(os.path.join(folder, "sanitizer.*")):
            os.remove(path)
        os.environ["XDG_RUNTIME_DIR"] = folder
        code = asyncio.run(try_all(args, folder))
    sys.exit(code)


if __name__ == "__main__":
    main()
