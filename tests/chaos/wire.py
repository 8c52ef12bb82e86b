"""A connection that can be left: at the n-th byte sent or received, or some time after a state was entered."""

import asyncio
import socket
import struct

CLOSED = (ConnectionError, asyncio.IncompleteReadError, TimeoutError, OSError)


class Left(Exception):
    """This side has left, as it was told to."""


class Plan:
    """When to leave: in `state`, after so many bytes or seconds of it. `how`: close, abort, half (sends its end, then closes); on
    HTTP/2 also reset (of the stream, and the connection goes on) and goaway (before its end)."""

    def __init__(self, state, delay=None, sent=None, received=None, how="close"):
        self.state, self.delay, self.sent, self.received, self.how = state, delay, sent, received, how


def how_of(plan):
    return plan.how if plan else "close"


class Wire:
    def __init__(self, reader, writer, plan=None):
        self.reader, self.writer, self.plan = reader, writer, plan
        self.state = "connect"
        self.sent_left = self.received_left = None
        self.gone = self.is_armed = False  # left as planned; the plan counts
        self.has_finished = False
        self.timer = None
        self.on_reset = self.on_goaway = None
        self.lock = asyncio.Lock()

    def enter(self, state):
        self.state = state
        if self.plan is None or self.plan.state != state or self.is_armed:
            return
        self.is_armed = True
        self.sent_left, self.received_left = self.plan.sent, self.plan.received
        if self.plan.delay is not None:
            self.timer = asyncio.get_running_loop().call_later(self.plan.delay, self.leave)

    def leave(self):
        if self.gone:
            return
        self.gone = True
        self.sent_left = self.received_left = None
        how = how_of(self.plan)
        if how == "reset" and self.on_reset:
            return self.on_reset()
        if how == "goaway" and self.on_goaway:
            self.on_goaway()
            how = "half"
        if how == "abort":
            return self.abort()
        if how == "half":
            self.finish()
            asyncio.get_running_loop().call_later(0.05, self.abort)
            return None
        return self.writer.close()

    def finish(self):
        """Sends its end, and goes on reading: to close with bytes unread would take what was sent from the peer."""
        self.has_finished = True
        if self.writer.can_write_eof() and not self.writer.is_closing():
            self.writer.write_eof()

    def abort(self):
        """Ends the connection with RST."""
        raw = self.writer.get_extra_info("socket")
        if raw is not None and not self.writer.transport.is_closing():
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    def put(self, data):
        """Sends, or as much of it as the plan says."""
        if self.sent_left is not None:
            data = data[:self.sent_left]
            self.sent_left -= len(data)
        if self.has_finished:
            return
        if data:
            self.writer.write(data)
        if self.sent_left == 0:
            self.leave()
            raise Left

    async def flush(self):
        async with self.lock:
            await self.writer.drain()

    async def send(self, data):
        self.put(data)
        await self.flush()

    def took(self, count):
        if self.received_left is not None:
            self.received_left -= count
            if self.received_left <= 0:
                self.received_left = None
                self.leave()
                if how_of(self.plan) != "reset" or not self.on_reset:  # otherwise the connection goes on
                    raise Left

    async def some(self, most=65536):
        """What has come, at most `most` bytes; nothing at the end."""
        data = await self.reader.read(most)
        self.took(len(data))
        return data

    async def exactly(self, count):
        data = await self.reader.readexactly(count)
        self.took(count)
        return data

    async def until(self, mark):
        data = await self.reader.readuntil(mark)
        self.took(len(data))
        return data

    def close(self):
        if self.timer is not None:
            self.timer.cancel()
        self.writer.close()
