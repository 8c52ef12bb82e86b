"""Callers: honest ones, whose requests must be answered, and those that leave."""

import asyncio
import collections
import time

import exchanges
from exchanges import Request
from stands import ABLE, ALONE, LEAVES, SHARED, STARTING
from wire import CLOSED, Left, Plan

LIMIT = 60  # seconds: an honest request that takes longer hangs
FAILED = (*CLOSED, Left)

class Table:
    """How often each state was reached, by pairing."""

    def __init__(self):
        self.count = collections.Counter()

    def add(self, row, state):
        self.count[row, state] += 1


def honest_request(rng, what, ident, app):
    if what in ("post", "echo"):
        body = rng.randbytes(rng.choice([1, 100, 20_000, 150_000]))
        is_chunked = rng.random() < 0.5 and app != "http.server"  # it reads no chunks
        return Request("fast" if what == "post" else "echo", 0, ident, body, is_chunked)
    if what == "big":
        return Request("big", rng.choice([1, 5000, 70_001, 200_000]), ident)
    if what == "tunnel":
        return Request("tunnel", 0, ident)
    return Request(what, rng.randrange(100) if what != "fast" else 0, ident)


class Honest:
    """Sends one request after the other. kind: h1 (keep-alive), h1 once (a connection each), or h2."""

    def __init__(self, chaos, stand, kind, rng):
        self.chaos, self.stand, self.kind, self.rng = chaos, stand, kind, rng
        self.kept = None
        self.latest = None
        self.count = 0

    async def run(self):
        while not self.chaos.is_over:
            self.count += 1
            what = self.rng.choice(ABLE[self.stand.app])
            ident = f"{self.stand.ident}-{self.kind.replace(' ', '')}-{self.count}"
            begin = time.monotonic()
            try:
                told = await asyncio.wait_for(self.once(what, ident), LIMIT)
            except FAILED as error:
                told = f"HANGS: no end in {LIMIT} s" if time.monotonic() - begin > LIMIT - 1 else repr(error)
            self.stand.note(self.kind, what, ident, told, begin, time.monotonic(), self.latest.app)
            if told is not None:
                self.drop()
            await asyncio.sleep(0.2 if told else self.rng.uniform(0, 0.1))
        self.drop()

    def drop(self):
        if self.kept is not None:
            (self.kept.wire if self.kind == "h2" else self.kept).close()
        self.kept = None

    async def once(self, what, ident):
        request = self.latest = honest_request(self.rng, what, ident, self.stand.app)
        return await (self.once_http2 if self.kind == "h2" else self.once_http1)(request)

    def messages(self):
        return [self.rng.randbytes(self.rng.randrange(1, 3000)) for _ in range(4)]

    async def once_http1(self, request):
        was_kept = self.kept is not None
        wire = self.kept or await exchanges.connect(self.stand, False)
        self.kept = None
        if request.what == "tunnel":
            try:
                return await exchanges.tunnel_http1(wire, self.stand, request, self.messages())
            finally:
                wire.close()
        try:
            answer = await exchanges.ask_http1(wire, self.stand, request)
        except FAILED as error:
            wire.close()
            if was_kept and wire.state in ("head", "body", "waiting") and request.method == "GET":
                return await self.once_http1(request)  # the connection was closed meanwhile
            raise ConnectionResetError(f"{error!r} in {wire.state}" + " of a kept connection" * was_kept) from None
        if self.kind == "h1" and answer.is_complete and not answer.must_close:
            self.kept = wire
        else:
            wire.close()
        return answer.wrong(request)

    async def once_http2(self, request):
        if self.kept is None or not self.kept.is_usable():
            self.drop()
            self.kept = await exchanges.connect_http2(self.stand)
        link = self.kept
        beside = [asyncio.create_task(self.cancelled(link)) for _ in range(self.rng.randrange(3))]
        try:
            if request.what == "tunnel":
                return await exchanges.tunnel_http2(link, self.stand, request, self.messages())
            answer = await exchanges.ask_http2(link, self.stand, request)
            if answer.reset == exchanges.REFUSED and link.goaway_last is not None:
                self.drop()
                return await self.once_http2(request)  # above the last stream of a GOAWAY: it was not run
            return answer.wrong(request) or (link.problem and f"MALFORMED: {link.problem}")
        finally:
            await asyncio.gather(*beside, return_exceptions=True)

    async def cancelled(self, link):
        """A stream beside, which is cancelled."""
        self.count += 1
        stream = link.open()
        request = Request("slow", self.rng.randrange(60), f"{self.stand.ident}-x{self.count}")
        await exchanges.send_http2(link, self.stand, stream, request)
        await asyncio.sleep(self.rng.uniform(0, 0.06))
        exchanges.leave_stream(link, stream)
        link.forget(stream)


class Impatient:
    """Leaves in one state after the other, and asks apps to leave."""

    def __init__(self, chaos, stand, rng):
        self.chaos, self.stand, self.rng = chaos, stand, rng
        self.count = 0

    async def run(self):
        bags = {}
        while not self.chaos.is_over:
            calm = self.stand.is_calm()
            if not bags.get(calm):
                bags[calm] = self.actions(calm)
                self.rng.shuffle(bags[calm])
            kind, state = bags[calm].pop()
            try:
                await asyncio.wait_for(self.act(kind, state), LIMIT)
            except FAILED as error:
                if isinstance(error, TimeoutError):
                    self.chaos.found(f"{self.stand.name} {kind}: {state}: no end in {LIMIT} s")
                await asyncio.sleep(0.05)

    def actions(self, calm):
        leaves = [state for state, needs in LEAVES.items() if needs is None or needs in ABLE[self.stand.app]]
        if "tunnel" not in ABLE[self.stand.app]:
            faults = []
        elif self.stand.app == "h1":
            faults = ALONE + SHARED
        elif calm:
            faults = ALONE
        else:
            leaves, faults = self.rng.sample(leaves, 3), SHARED
        return [(kind, state) for kind in ("h1", "h2") for state in leaves + faults]

    def ident(self):
        self.count += 1
        return f"{self.stand.ident}-i{self.rng.randrange(1 << 40)}"

    async def act(self, kind, state):
        if state == "queued":
            await self.leave_queue(kind)
        elif state.startswith("app"):
            await self.suffer(kind, state)
        else:
            await self.leave(kind, state)

    def plan(self, state):
        rng, how = self.rng, self.rng.choice(["close", "abort", "half", "goaway", "reset", "reset"])
        if state == "head":
            return Plan("head", sent=rng.randrange(1, 100), how=rng.choice(["close", "abort", "half"]))
        if state == "body" and how not in ("reset", "goaway"):  # a frame that is cut takes its connection with it
            return Plan("body", sent=rng.randrange(1, 60_000), delay=rng.uniform(0, 0.5), how=how)
        if state == "body":
            return Plan("body", delay=rng.uniform(0, 0.05), how=how)
        if state == "streaming":
            return Plan("streaming", received=rng.randrange(1, 150_000), delay=rng.uniform(0.1, 0.5), how=how)
        if state == "answering":
            return Plan("waiting", delay=rng.uniform(0.02, 0.045), how=how)
        return Plan(state, delay=rng.uniform(0, 0.2), how=how)

    def request(self, state):
        rng, ident = self.rng, self.ident()
        what = {"streaming": "big", "trailers": "trailers", "tunnel": "tunnel", "answering": "slow", "waiting": "slow"}.get(state)
        if state == "body":
            what = rng.choice(["fast", "echo"] if "echo" in ABLE[self.stand.app] else ["fast"])
            return Request(what, 0, ident, rng.randbytes(150_000), is_chunked=rng.random() < 0.5 and self.stand.app != "http.server")
        return Request(what or "fast", {"big": 300_000, "trailers": 250, "slow": 30 if state == "answering" else 250}.get(what, 0), ident)

    async def leave(self, kind, state):
        if state == "connect":
            return await self.leave_connect(kind)
        plan, request, wire = self.plan(state), self.request(state), None
        try:
            if kind == "h2":
                link = await exchanges.connect_http2(self.stand, plan)
                wire = link.wire
                link.gives_credit = state != "streaming" or self.rng.random() < 0.7
                await (exchanges.tunnel_http2(link, self.stand, request, [b"x" * 300] * 900) if state == "tunnel" else
                       exchanges.ask_http2(link, self.stand, request))
            else:
                wire = await exchanges.connect(self.stand, False, plan)
                await (exchanges.tunnel_http1(wire, self.stand, request, [b"x" * 300] * 900) if state == "tunnel" else
                       exchanges.ask_http1(wire, self.stand, request))
        except FAILED:
            if wire is None:
                raise
        if wire.gone and wire.state == plan.state:
            self.chaos.table.add(self.stand.row(kind), state)
        if wire.gone and plan.how == "reset" and kind == "h2":
            await self.go_on(link, state)
        wire.close()

    async def go_on(self, link, state):
        """A connection of which one stream was cancelled serves the next."""
        link.give_credit()
        begin = time.monotonic()
        request = Request("fast", 0, self.ident())
        try:
            answer = await asyncio.wait_for(exchanges.ask_http2(link, self.stand, request), LIMIT)
            told = answer.wrong(request)
            if link.goaway_last is not None:
                told = None
        except FAILED as error:
            told = repr(error)
        self.stand.note("h2", f"after a stream cancelled in {state}", request.ident, told, begin, time.monotonic())

    async def leave_connect(self, kind):
        """Without TLS: before the first byte. With it: within or right after the handshake."""
        _, writer = await asyncio.open_connection("127.0.0.1", self.stand.port)
        if self.stand.is_tls:
            hello = exchanges.client_hello(kind == "h2")
            writer.write(hello[:self.rng.randrange(len(hello) + 1)])
        await asyncio.sleep(self.rng.uniform(0, 0.02))
        writer.transport.abort()
        self.chaos.table.add(self.stand.row(kind), "connect")

    async def leave_queue(self, kind):
        """More at once than the app may have; all leave, some of them from the queue."""
        async with self.stand.queue_lock:
            many = self.stand.slots + 3
            requests = [Request("slow", 250, self.ident()) for _ in range(many)]
            if kind == "h2":
                link = await exchanges.connect_http2(self.stand)
                await asyncio.gather(*(self.leave_stream(link, request) for request in requests), return_exceptions=True)
                link.wire.close()
            else:
                await asyncio.gather(*(self.leave_wire(request) for request in requests), return_exceptions=True)
            self.chaos.table.add(self.stand.row(kind), "queued")

    async def leave_stream(self, link, request):
        stream = link.open()
        await exchanges.send_http2(link, self.stand, stream, request)
        await asyncio.sleep(self.rng.uniform(0, 0.2))
        if self.rng.random() < 0.1:
            link.wire.close()
        exchanges.leave_stream(link, stream)
        link.forget(stream)

    async def leave_wire(self, request):
        wire = await exchanges.connect(self.stand, False, Plan("waiting", delay=self.rng.uniform(0, 0.2)))
        try:
            await exchanges.ask_http1(wire, self.stand, request)
        except FAILED:
            pass
        wire.close()

    async def leave_start(self, kind):
        """While no replica is ready."""
        plan = Plan("waiting", delay=self.rng.uniform(0, 0.4), how=self.rng.choice(["close", "abort", "half", "reset"]))
        wire = None
        try:
            if kind == "h2":
                link = await exchanges.connect_http2(self.stand, plan)
                wire = link.wire
                await asyncio.wait_for(exchanges.ask_http2(link, self.stand, Request("fast", 0, self.ident())), LIMIT)
            else:
                wire = await exchanges.connect(self.stand, False, plan)
                await asyncio.wait_for(exchanges.ask_http1(wire, self.stand, Request("fast", 0, self.ident())), LIMIT)
        except FAILED:
            pass
        if wire is not None:
            if wire.gone:
                self.chaos.table.add(self.stand.row(kind), STARTING)
            wire.close()

    async def suffer(self, kind, state):
        """The app leaves; this caller sees an end of some kind, and never a whole response that is wrong."""
        rng, ident = self.rng, self.ident()
        what, number, body = {
            "app: before": ("before", 0, b""), "app: in head": ("head", rng.randrange(1, 40), b""),
            "app: in body": ("body", rng.randrange(1, 90_000), b""), "app: at its end": ("end", rng.randrange(1, 12), b""),
            "app: in upload": ("upload", rng.randrange(1, 90_000), rng.randbytes(100_000)),
            "app: in tunnel": ("tunnel", rng.randrange(1, 900), b""), "app: nonsense": ("nonsense", 0, b""),
            "app resets": ("reset", rng.randrange(3), b""), "app: GOAWAY": ("goaway", rng.randrange(2), b"")}[state]
        request = Request(what, number, ident, body)
        is_shared = state in SHARED and self.stand.app == "h2"
        if is_shared:
            self.stand.disturbed(state)
        answer = await self.see(kind, request)
        if is_shared:
            self.stand.disturbed(state)
        if answer and answer.status == 200 and answer.is_complete and answer.body != request.expected() and what != "nonsense":
            self.chaos.found(f"{self.stand.name} {kind}: {state} {ident}: complete, but {answer.body[:60]!r}")
        self.chaos.table.add(self.stand.row(kind), state)

    async def see(self, kind, request):
        messages = [b"y" * 200] * 10
        if kind == "h2":
            link = await exchanges.connect_http2(self.stand)
            try:
                if request.what == "tunnel":
                    return await exchanges.tunnel_http2(link, self.stand, request, messages) and None
                return await exchanges.ask_http2(link, self.stand, request)
            finally:
                link.wire.close()
        wire = await exchanges.connect(self.stand, False)
        try:
            if request.what == "tunnel":
                return await exchanges.tunnel_http1(wire, self.stand, request, messages) and None
            return await exchanges.ask_http1(wire, self.stand, request)
        except FAILED as error:
            if isinstance(error, TimeoutError):
                raise
            return None
        finally:
            wire.close()
