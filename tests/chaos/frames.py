"""One end of an HTTP/2 connection, in frames, so that it can do what a library would refuse: answer a cancelled stream, say.
Frames and HPACK are those of Debian's python3-h2."""

import asyncio
import struct

import hpack
from hyperframe.frame import (ContinuationFrame, DataFrame, Frame, GoAwayFrame, HeadersFrame, PingFrame, RstStreamFrame,
                              SettingsFrame, WindowUpdateFrame)

from wire import CLOSED, Left

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
PIECE = 16384
CANCEL, INTERNAL_ERROR, REFUSED_STREAM = 8, 2, 7


RUNNING = set()  # tasks that read connections: the loop alone does not keep them

class Stream:
    """A client's has its number from when its head is sent: numbers rise on the wire.
    Events: ("head", fields), ("data", bytes), ("end", None), ("reset", code), ("closed", None)."""

    def __init__(self, link, number):
        self.link, self.number, self.window = link, number, link.initial_window
        self.events = asyncio.Queue()
        self.has_ended = self.is_cut = self.is_reset = False  # the last: by this side

    def push(self, what, value=None):
        if self.has_ended and what in ("head", "data"):
            self.link.problem = f"stream {self.number}: {what} after its end"
        self.has_ended |= what == "end"
        self.is_cut |= what in ("reset", "closed")
        self.events.put_nowait((what, value))
        self.link.wake()


class Link:
    def __init__(self, wire, is_client, on_stream=None):
        self.wire, self.is_client, self.on_stream = wire, is_client, on_stream
        self.encoder, self.decoder = hpack.Encoder(), hpack.Decoder()
        self.streams, self.next, self.highest = {}, 1, 0
        self.window, self.initial_window = 65535, 65535
        self.changed = asyncio.Event()
        self.gives_credit, self.owed = True, 0
        self.goaway_last = None  # received
        self.refuses_above = None  # sent
        self.problem = None
        self.head_of = None  # stream and bytes of a head that continues
        self.task = None

    def wake(self):
        self.changed.set()
        self.changed = asyncio.Event()

    async def start(self):
        settings = SettingsFrame(0)
        if self.is_client:
            self.wire.enter("head")
            self.wire.put(PREFACE + settings.serialize())
        else:
            settings.settings = {SettingsFrame.ENABLE_CONNECT_PROTOCOL: 1, SettingsFrame.MAX_CONCURRENT_STREAMS: 100}
            self.wire.put(settings.serialize())
        await self.wire.flush()
        self.task = asyncio.create_task(self.run())
        RUNNING.add(self.task)
        self.task.add_done_callback(RUNNING.discard)

    async def run(self):
        try:
            if not self.is_client and await self.wire.exactly(len(PREFACE)) != PREFACE:
                return
            while True:
                frame, length = Frame.parse_frame_header(memoryview(await self.wire.exactly(9)))
                frame.parse_body(memoryview(await self.wire.exactly(length) if length else b""))
                self.take(frame)
                await self.wire.flush()
        except (*CLOSED, Left):
            pass
        except Exception as error:  # noqa: BLE001: what cannot be read is the peer's fault
            self.problem = repr(error)
        finally:
            self.wire.close()
            for stream in list(self.streams.values()):
                stream.push("closed")

    def take(self, frame):
        stream = self.streams.get(frame.stream_id)
        if isinstance(frame, SettingsFrame) and "ACK" not in frame.flags:
            self.take_settings(frame.settings)
        elif isinstance(frame, PingFrame) and "ACK" not in frame.flags:
            self.put(PingFrame(0, opaque_data=frame.opaque_data, flags=["ACK"]))
        elif isinstance(frame, (HeadersFrame, ContinuationFrame)):
            self.take_head(frame)
        elif isinstance(frame, DataFrame):
            self.take_data(frame, stream)
        elif isinstance(frame, WindowUpdateFrame):
            if frame.stream_id == 0:
                self.window += frame.window_increment
            elif stream:
                stream.window += frame.window_increment
            self.wake()
        elif isinstance(frame, RstStreamFrame) and stream:
            stream.push("reset", frame.error_code)
        elif isinstance(frame, GoAwayFrame):
            self.goaway_last = frame.last_stream_id
            for number, each in self.streams.items():
                if self.is_client and number > frame.last_stream_id:
                    each.push("reset", REFUSED_STREAM)

    def take_settings(self, settings):
        if SettingsFrame.INITIAL_WINDOW_SIZE in settings:
            for stream in self.streams.values():
                stream.window += settings[SettingsFrame.INITIAL_WINDOW_SIZE] - self.initial_window
            self.initial_window = settings[SettingsFrame.INITIAL_WINDOW_SIZE]
        if SettingsFrame.HEADER_TABLE_SIZE in settings:
            self.encoder.header_table_size = min(4096, settings[SettingsFrame.HEADER_TABLE_SIZE])
        self.put(SettingsFrame(0, flags=["ACK"]))
        self.wake()

    def take_head(self, frame):
        if isinstance(frame, HeadersFrame):
            self.head_of = [frame.stream_id, b"", "END_STREAM" in frame.flags]
        self.head_of[1] += frame.data
        if "END_HEADERS" not in frame.flags:
            return
        number, data, is_end = self.head_of
        fields = self.decoder.decode(data)
        is_new = number not in self.streams and not self.is_client and number > self.highest
        if is_new and self.refuses_above is not None:
            return
        if is_new:
            self.highest = number
            self.streams[number] = Stream(self, number)
        stream = self.streams.get(number)
        if stream is None:
            return
        stream.push("head", fields)
        if is_end:
            stream.push("end")
        if is_new:
            self.on_stream(stream)

    def take_data(self, frame, stream):
        self.owed += frame.flow_controlled_length
        if self.owed and self.gives_credit:
            self.put(WindowUpdateFrame(0, window_increment=self.owed))
            self.owed = 0
            if frame.flow_controlled_length and stream and not stream.is_cut and "END_STREAM" not in frame.flags:
                self.put(WindowUpdateFrame(frame.stream_id, window_increment=frame.flow_controlled_length))
        if stream:
            if frame.data:
                stream.push("data", frame.data)
            if "END_STREAM" in frame.flags:
                stream.push("end")

    def put(self, frame):
        self.wire.put(frame.serialize())

    def give_credit(self):
        """For all that was received, from now on."""
        self.gives_credit = True
        if self.owed and not self.task.done():
            self.put(WindowUpdateFrame(0, window_increment=self.owed))
            self.owed = 0

    def open(self):
        return Stream(self, None)

    def put_head(self, stream, fields, is_end=False):
        if stream.number is None:
            stream.number, stream.window = self.next, self.initial_window
            self.streams[stream.number] = stream
            self.next += 2
            if self.task.done():
                stream.push("closed")
        self.put(HeadersFrame(stream.number, self.encoder.encode(fields), flags=["END_HEADERS"] + ["END_STREAM"] * is_end))

    async def send_head(self, stream, fields, is_end=False):
        self.put_head(stream, fields, is_end)
        await self.wire.flush()

    async def send_data(self, stream, data, is_end=False):
        """As much at once as the windows allow. An app that is late sends to a cancelled stream too, as windows are known."""
        while not stream.is_reset:
            room = min(self.window, stream.window, PIECE)
            if (not data and is_end) or room > 0:
                piece, data = data[:max(room, 0)], data[max(room, 0):]
                self.window -= len(piece)
                stream.window -= len(piece)
                self.put(DataFrame(stream.number, piece, flags=["END_STREAM"] if is_end and not data else []))
                await self.wire.flush()
                if not data:
                    return
            elif stream.is_cut or self.task.done():
                raise ConnectionResetError("the stream was cancelled")
            else:
                await self.changed.wait()
        raise ConnectionResetError("the stream was reset here")

    def reset(self, stream, code=CANCEL):
        if stream.number is not None:
            stream.is_reset = True
            self.put(RstStreamFrame(stream.number, error_code=code))

    def goaway(self, last):
        if not self.is_client:
            self.refuses_above = last
        self.put(GoAwayFrame(0, last_stream_id=last))

    def nonsense(self):
        """A DATA frame of stream 0: a connection error (RFC 9113 6.1)."""
        self.wire.put(struct.pack(">I", 5)[1:] + b"\0\0" + struct.pack(">I", 0) + b"wrong")

    def forget(self, stream):
        self.streams.pop(stream.number, None)
        if self.refuses_above is not None and not self.streams:
            self.wire.finish()

    def is_usable(self):
        return not self.task.done() and self.goaway_last is None and not self.wire.gone
