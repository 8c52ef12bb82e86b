"""Requests for app.py and its like, and what a caller of HTTP/1.1 or HTTP/2 does to get its response."""

import asyncio
import ssl

from frames import REFUSED_STREAM, Link
from wire import Wire

REFUSED = REFUSED_STREAM

OPEN_LIMIT = 30  # seconds until a connection is there; a busy machine takes some


class Request:
    def __init__(self, what, number, ident, body=b"", is_chunked=False):
        self.what, self.number, self.ident, self.body, self.is_chunked = what, number, ident, body, is_chunked
        self.method = "POST" if body else "GET"
        self.path = f"/{what}/{number}/{ident}"
        self.app = None  # the process that has opened the tunnel

    def expected(self):
        """The body of the right response."""
        if self.what == "big":
            line = (self.ident + ".").encode()
            return (line * (self.number // len(line) + 1))[:self.number]
        if self.what == "echo":
            return self.body
        if self.what in ("trailers", "end"):
            return self.ident.encode()
        return f"{self.ident} {len(self.body)}".encode()


class Answer:
    def __init__(self):
        self.status, self.fields, self.body, self.trailers = 0, {}, b"", {}
        self.is_complete = self.must_close = False
        self.reset = None  # code of a reset stream

    def wrong(self, request):
        """What differs from the right response, or None."""
        if self.status != 200:
            reason = self.fields.get("x-bellows-reason", "")
            return f"status {self.status} {reason}" if self.status else f"no response (reset: {self.reset})"
        if not self.is_complete:
            return f"cut after {len(self.body)} bytes (reset: {self.reset})"
        if self.body != request.expected():
            return f"MIXED UP: {self.body[:60]!r}"
        if request.what == "trailers" and self.trailers.get("x-sum") != request.ident:
            return f"MIXED UP: trailers {self.trailers}"
        return None


def secure(is_http2):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"] if is_http2 else ["http/1.1"])
    return context


CONTEXTS = {is_http2: secure(is_http2) for is_http2 in (False, True)}


def client_hello(is_http2):
    """The first bytes of a TLS handshake."""
    sent = ssl.MemoryBIO()
    begun = CONTEXTS[is_http2].wrap_bio(ssl.MemoryBIO(), sent)
    try:
        begun.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return sent.read()


async def connect(stand, is_http2, plan=None):
    tls = {"ssl": CONTEXTS[is_http2], "ssl_handshake_timeout": OPEN_LIMIT} if stand.is_tls else {}
    reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", stand.port, **tls), OPEN_LIMIT)
    return Wire(reader, writer, plan)


async def connect_http2(stand, plan=None):
    link = Link(await connect(stand, True, plan), is_client=True)
    link.wire.on_goaway = lambda: link.goaway(0)
    await link.start()
    return link


def head_of(stand, request):
    fields = [f"{request.method} {request.path} HTTP/1.1", f"Host: {stand.host}", "TE: trailers", "Connection: TE"]
    if request.what == "tunnel":
        fields[2:] = ["Connection: upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
    if request.body:
        fields.append("Transfer-Encoding: chunked" if request.is_chunked else f"Content-Length: {len(request.body)}")
    return "\r\n".join([*fields, "", ""]).encode()


def pieces_of(body):
    return [body[at:at + 7000] for at in range(0, len(body), 7000)]


async def send_http1(wire, stand, request):
    wire.enter("head")
    await wire.send(head_of(stand, request))
    if request.body:
        wire.enter("body")
        for piece in pieces_of(request.body):
            await wire.send(b"%x\r\n%b\r\n" % (len(piece), piece) if request.is_chunked else piece)
        if request.is_chunked:
            await wire.send(b"0\r\n\r\n")
    if wire.state in ("head", "body"):
        wire.enter("waiting")


async def receive_http1(wire, request):
    answer = Answer()
    while answer.status < 200 and answer.status != 101:
        lines = (await wire.until(b"\r\n\r\n")).decode().split("\r\n")
        answer.status = int(lines[0].split()[1])
        answer.fields = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:] if line)}
    answer.must_close = "close" in answer.fields.get("connection", "").lower()
    if answer.status == 101:
        return answer
    wire.enter("streaming")
    if answer.fields.get("transfer-encoding") == "chunked":
        while size := int(await wire.until(b"\r\n"), 16):
            add(wire, answer, request, (await wire.exactly(size + 2))[:-2])
        while (line := await wire.until(b"\r\n")) != b"\r\n":
            name, value = line.decode().split(":", 1)
            answer.trailers[name.lower()] = value.strip()
        answer.is_complete = True
        return answer
    left = int(answer.fields.get("content-length", -1))
    while left and (piece := await wire.some(left if left > 0 else 65536)):
        add(wire, answer, request, piece)
        left -= len(piece) if left > 0 else 0
    answer.is_complete = left == 0
    answer.must_close |= left != 0
    return answer


def add(wire, answer, request, piece):
    answer.body += piece
    if request.what in ("trailers", "end") and len(answer.body) == len(request.ident):
        wire.enter("trailers")


async def ask_http1(wire, stand, request):
    """Sends and receives at the same time: an app may respond before it has read."""
    sending = asyncio.create_task(send_http1(wire, stand, request))
    try:
        answer = await receive_http1(wire, request)
        if answer.status == 200 and answer.is_complete:
            await sending
        return answer
    finally:
        answer_early = not sending.done()
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        if answer_early:
            wire.close()


async def send_http2(link, stand, stream, request):
    fields = [(":method", request.method), (":scheme", "https" if stand.is_tls else "http"), (":authority", stand.host),
              (":path", request.path)]
    if request.what == "tunnel":
        fields = [(":method", "CONNECT"), (":protocol", "websocket"), *fields[1:], ("sec-websocket-version", "13")]
    fields.append(("te", "trailers"))
    if request.body and not request.is_chunked:
        fields.append(("content-length", str(len(request.body))))
    link.wire.enter("head")
    await link.send_head(stream, fields, is_end=not request.body and request.what != "tunnel")
    if request.body:
        link.wire.enter("body")
        pieces = pieces_of(request.body)
        for piece in pieces:
            await link.send_data(stream, piece, is_end=piece is pieces[-1])
    if link.wire.state in ("head", "body"):
        link.wire.enter("waiting")


async def receive_http2(link, stream, request):
    answer = Answer()
    while True:
        what, value = await stream.events.get()
        if what == "head":
            fields = dict(value)
            if ":status" not in fields:
                answer.trailers = fields
            elif fields[":status"] >= "200":
                answer.status, answer.fields = int(fields[":status"]), fields
                if request.what == "tunnel" and answer.status == 200:
                    return answer
                link.wire.enter("streaming")
        elif what == "data":
            add(link.wire, answer, request, value)
        elif what == "end":
            answer.is_complete = True
            return answer
        else:
            answer.reset = value if what == "reset" else what
            return answer


async def ask_http2(link, stand, request):
    stream = link.open()
    sending = asyncio.create_task(send_http2(link, stand, stream, request))
    link.wire.on_reset = lambda: leave_stream(link, stream)
    try:
        answer = await receive_http2(link, stream, request)
        if answer.status == 200 and answer.is_complete:
            await sending
        return answer
    finally:
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        link.forget(stream)


def leave_stream(link, stream):
    """Cancels the stream; its connection goes on."""
    if not stream.is_cut and not link.task.done():
        link.reset(stream)
    stream.push("reset", "left")


async def talk_http1(wire, messages):
    """In a tunnel: what does not come back, or None. The app echoes."""
    wire.enter("tunnel")
    for message in messages:
        await wire.send(message)
        if await wire.exactly(len(message)) != message:
            return "MIXED UP: a tunnel"
    return None


async def talk_http2(link, stream, messages):
    link.wire.enter("tunnel")
    for message in messages:
        await link.send_data(stream, message)
        back = b""
        while len(back) < len(message):
            what, value = await stream.events.get()
            if what != "data":
                return f"cut in a tunnel: {what} {value}"
            link.wire.took(len(value))
            back += value
        if back != message:
            return "MIXED UP: a tunnel"
    return None


async def tunnel_http1(wire, stand, request, messages):
    await send_http1(wire, stand, request)
    answer = await receive_http1(wire, request)
    if answer.status != 101:
        return f"status {answer.status} {answer.fields.get('x-bellows-reason', '')}"
    request.app = int(answer.fields.get("x-app", 0))
    return await talk_http1(wire, messages)


async def tunnel_http2(link, stand, request, messages):
    stream = link.open()
    link.wire.on_reset = lambda: leave_stream(link, stream)
    try:
        await send_http2(link, stand, stream, request)
        answer = await receive_http2(link, stream, request)
        if answer.status != 200:
            return f"status {answer.status} {answer.fields.get('x-bellows-reason', '')} (reset: {answer.reset})"
        request.app = int(answer.fields.get("x-app", 0))
        said = await talk_http2(link, stream, messages)
        if said is None:
            await link.send_data(stream, b"", is_end=True)
        return said
    finally:
        link.forget(stream)
