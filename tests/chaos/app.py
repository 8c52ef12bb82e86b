"""An app that does what the path says: app.py h1|h2 NAME. Listens at $PORT, after START_DELAY milliseconds; appends
"METHOD ID" of what it runs to the file $NOTES. Speaks HTTP/1.1 or HTTP/2 in the clear (h2c), nothing else.

  /fast/0/ID        ID and the length of the request's body
  /slow/MS/ID       the same after MS, to callers that have left, too
  /big/N/ID         N bytes, in pieces
  /echo/0/ID        the request's body, as it comes
  /trailers/MS/ID   ID, then after MS the trailer x-sum
  /hints/MS/ID      103 (Early Hints), then after MS as fast
  /tunnel/N/ID      WebSocket: echoes bytes; N > 0: cuts the connection after N of them. x-app: its process id
  /before/0/ID      reads the request and cuts the connection
  /head/N/ID        cuts the connection after N bytes of the response
  /body/N/ID        the same in a body
  /end/N/ID         the same after the last byte of a body
  /upload/N/ID      cuts the connection after N bytes of the request's body
  /reset/N/ID       resets the stream: 0 before the response, 1 in its body, 2 before its trailers
  /goaway/N/ID      GOAWAY, and answers; 1: this stream is not run, if it is the last (HTTP/1.1: Connection: close)
  /nonsense/0/ID    bytes that are not HTTP
"""

import asyncio
import os
import signal
import sys

from frames import CANCEL, INTERNAL_ERROR, REFUSED_STREAM, Link
from wire import CLOSED, Left, Wire

NOTES = os.open(os.environ["NOTES"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)


def pattern(ident, count):
    line = (ident + ".").encode()
    return (line * (count // len(line) + 1))[:count]


class Http1:
    """A request of HTTP/1.1 and its response."""

    def __init__(self, wire, method, path, fields):
        self.wire, self.method, self.path, self.fields = wire, method, path, fields
        self.must_close = self.is_chunked = self.is_read = False

    async def pieces(self):
        if self.is_read:
            return
        self.is_read = True
        if "expect" in self.fields:
            await self.wire.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        if self.fields.get("transfer-encoding") == "chunked":
            while size := int(await self.wire.until(b"\r\n"), 16):
                yield (await self.wire.exactly(size + 2))[:-2]
            while await self.wire.until(b"\r\n") != b"\r\n":
                pass
            return
        left = int(self.fields.get("content-length", 0))
        while left and (piece := await self.wire.some(left)):
            left -= len(piece)
            yield piece
        if left:
            raise ConnectionResetError("the request ended early")

    async def interim(self):
        await self.wire.send(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n")

    async def head(self, length=None):
        self.is_chunked = length is None
        framing = "Transfer-Encoding: chunked\r\nTrailer: x-sum" if self.is_chunked else f"Content-Length: {length}"
        close = "Connection: close\r\n" * self.must_close
        await self.wire.send(f"HTTP/1.1 200 OK\r\n{close}{framing}\r\n\r\n".encode())

    async def data(self, piece):
        await self.wire.send(b"%x\r\n%b\r\n" % (len(piece), piece) if self.is_chunked else piece)

    async def finish(self, trailer=None):
        if self.is_chunked:
            await self.wire.send(b"0\r\n" + (f"x-sum: {trailer}\r\n".encode() if trailer else b"") + b"\r\n")

    async def accept(self):
        await self.wire.send(b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
                             b"x-app: %d\r\n\r\n" % os.getpid())
        self.must_close = True

    async def heard(self):
        while piece := await self.wire.some():
            yield piece

    async def say(self, piece):
        await self.wire.send(piece)

    async def hang_up(self):
        self.must_close = True

    async def reset(self, _):
        self.wire.leave()
        raise Left

    async def goaway(self, _):
        self.must_close = True

    def is_refused(self, _):
        return False

    async def nonsense(self):
        await self.wire.send(b"what is HTTP?\r\n\r\n")
        await self.reset(0)


class Http2:
    """A stream of HTTP/2."""

    def __init__(self, stream, fields):
        self.stream, self.link, self.wire = stream, stream.link, stream.link.wire
        self.method, self.path, self.fields = fields[":method"], fields[":path"], fields
        self.must_close = False

    async def pieces(self):
        while not (self.stream.has_ended and self.stream.events.empty()):
            what, value = await self.stream.events.get()
            if what == "data":
                yield value
            elif what != "head":
                if what != "end":
                    raise ConnectionResetError("the stream was cancelled")
                return

    heard = pieces

    async def interim(self):
        await self.link.send_head(self.stream, [(":status", "103"), ("link", "</a.css>; rel=preload")])

    async def head(self, length=None):
        fields = [(":status", "200")] + ([] if length is None else [("content-length", str(length))])
        await self.link.send_head(self.stream, fields)

    async def data(self, piece):
        await self.link.send_data(self.stream, piece)

    say = data

    async def finish(self, trailer=None):
        if trailer:
            await self.link.send_head(self.stream, [("x-sum", trailer)], is_end=True)
        else:
            await self.link.send_data(self.stream, b"", is_end=True)

    async def accept(self):
        await self.link.send_head(self.stream, [(":status", "200"), ("x-app", str(os.getpid()))])

    async def hang_up(self):
        await self.finish()

    async def reset(self, number):
        self.link.reset(self.stream, (INTERNAL_ERROR, CANCEL, 0)[number % 3])
        raise Left

    async def goaway(self, number):
        if self.is_refused(number):
            self.link.goaway(max(0, self.stream.number - 2))
            self.link.reset(self.stream, REFUSED_STREAM)
            raise Left
        self.link.goaway(self.link.highest)

    def is_refused(self, number):
        """Only the last stream can be: those below it run."""
        return number and self.link.refuses_above is None and self.stream.number == self.link.highest

    async def nonsense(self):
        self.link.nonsense()
        await self.wire.flush()


async def read_all(request):
    return sum([len(piece) async for piece in request.pieces()])


async def answer(request, ident):
    text = f"{ident} {await read_all(request)}".encode()
    await request.head(len(text))
    await request.data(text)
    await request.finish()


async def slow(request, number, ident):
    length = await read_all(request)
    await asyncio.sleep(number / 1000)
    text = f"{ident} {length}".encode()
    await request.head(len(text))
    await request.data(text)
    await request.finish()


async def fast(request, _, ident):
    await answer(request, ident)


async def big(request, number, ident):
    await read_all(request)
    await request.head(number if number % 2 else None)
    text = pattern(ident, number)
    for at in range(0, number, 9000):
        await request.data(text[at:at + 9000])
        await asyncio.sleep(0.001)
    await request.finish()


async def echo(request, _, ident):
    await request.head()
    async for piece in request.pieces():
        await request.data(piece)
    await request.finish(ident)


async def trailers(request, number, ident):
    await read_all(request)
    await request.head()
    await request.data(ident.encode())
    await asyncio.sleep(number / 1000)
    await request.finish(ident)


async def hints(request, number, ident):
    await request.interim()
    await asyncio.sleep(number / 1000)
    await answer(request, ident)


async def tunnel(request, number, _):
    await request.accept()
    count = 0
    async for piece in request.heard():
        before, count = count, count + len(piece)
        if 0 < number <= count:  # not before: if the tunnel ends early, the others on the connection are not to be cut for it
            request.wire.sent_left = max(1, number - before)
        await request.say(piece)
    await request.hang_up()


async def before(request, *_):
    await read_all(request)
    request.wire.leave()
    raise Left


async def head(request, number, ident):
    request.wire.sent_left = number
    await answer(request, ident)


async def body(request, number, ident):
    await read_all(request)
    await request.head(100_000)
    request.wire.sent_left = number
    await request.data(pattern(ident, 100_000))


async def end(request, number, ident):
    await read_all(request)
    await request.head()
    await request.data(ident.encode())
    request.wire.sent_left = number
    await request.finish(ident)


async def upload(request, number, _):
    count = 0
    async for piece in request.pieces():
        count += len(piece)
        if count >= number:
            request.wire.leave()
            raise Left


async def reset(request, number, ident):
    if number:
        await request.head()
        await request.data(pattern(ident, 5000))
    await request.reset(number)


async def goaway(request, number, ident):
    await request.goaway(number)
    await answer(request, ident)


async def nonsense(request, *_):
    await read_all(request)
    await request.nonsense()


RUN = {each.__name__: each for each in (fast, slow, big, echo, trailers, hints, tunnel, before, head, body, end, upload, reset,
                                        goaway, nonsense)}


async def run(request):
    what, number, ident = (request.path.strip("/") + "//").split("/")[:3]
    if what in RUN:
        if what != "goaway" or not request.is_refused(int(number)):
            os.write(NOTES, f"{request.method} {ident}\n".encode())
        await RUN[what](request, int(number or 0), ident)
    else:
        await fast(request, 0, "probe")


async def serve_http1(reader, writer):
    wire = Wire(reader, writer)
    try:
        while True:
            lines = (await wire.until(b"\r\n\r\n")).decode().split("\r\n")
            method, path, version = lines[0].split()
            if version != "HTTP/1.1":
                await wire.send(b"HTTP/1.1 505 HTTP Version Not Supported\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                break
            fields = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:] if line)}
            request = Http1(wire, method, path, fields)
            await run(request)
            async for _ in request.pieces():
                pass
            if request.must_close:
                break
    except (*CLOSED, Left):
        pass
    wire.close()


async def run_stream(stream):
    try:
        _, fields = await stream.events.get()
        await run(Http2(stream, dict(fields)))
    except (*CLOSED, Left):
        pass
    stream.link.forget(stream)


async def serve_http2(reader, writer):
    tasks = set()

    def on_stream(stream):
        task = asyncio.create_task(run_stream(stream))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    link = Link(Wire(reader, writer), is_client=False, on_stream=on_stream)
    try:
        await link.start()
        await link.task
    except (*CLOSED, Left):
        pass
    if link.problem:
        print(f"problem: {link.problem}", file=sys.stderr, flush=True)


async def main():
    told = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)
    await asyncio.sleep(int(os.environ.get("START_DELAY", 0)) / 1000)
    server = await asyncio.start_server({"h1": serve_http1, "h2": serve_http2}[sys.argv[1]], "127.0.0.1",
                                        int(os.environ["PORT"]), backlog=512)
    await told.wait()
    server.close()


if __name__ == "__main__":
    asyncio.run(main())
