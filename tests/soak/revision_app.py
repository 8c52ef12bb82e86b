"""An app that says which revision it is: K_REVISION and its first argument. /fast at once, /slow/MS after so long."""

import asyncio
import os
import sys

WHO = f"{os.environ['K_REVISION']} {sys.argv[1]}".encode()
RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(WHO), WHO)


class Visit(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.received = transport, b""

    def data_received(self, data):
        self.received += data
        while b"\r\n\r\n" in self.received:
            head, self.received = self.received.split(b"\r\n\r\n", 1)
            path = head.split(b" ", 2)[1]
            if path.startswith(b"/slow/"):
                asyncio.get_running_loop().call_later(int(path[6:]) / 1000, self.respond)
            else:
                self.respond()

    def respond(self):
        if not self.transport.is_closing():
            self.transport.write(RESPONSE)


async def main():
    server = await asyncio.get_running_loop().create_server(Visit, "127.0.0.1", int(os.environ["PORT"]), backlog=256)
    await server.serve_forever()


asyncio.run(main())
