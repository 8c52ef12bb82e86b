"""WebSocket server and client of Debian's python3-websockets, a third-party implementation.

  /usr/bin/python3 websocket_peer.py serve PORT    echoes every message
  /usr/bin/python3 websocket_peer.py talk URL      sends texts, a large fragmented message and a ping; prints the result
"""

import asyncio
import sys

import websockets

LARGE = bytes(range(256)) * 4096  # 1 MiB


async def echo(peer, _path=None):
    async for message in peer:
        await peer.send(message)


async def serve(port):
    async with websockets.serve(echo, "127.0.0.1", port, max_size=None):
        await asyncio.Future()


async def talk(url):
    async with websockets.connect(url, max_size=None) as peer:
        for number in range(100):
            await peer.send(f"message {number}")
            assert await peer.recv() == f"message {number}"
        await peer.send(LARGE[at:at + 1000] for at in range(0, len(LARGE), 1000))
        assert await peer.recv() == LARGE
        await asyncio.wait_for(await peer.ping(), 60)
    print(f"100 texts, {len(LARGE)} bytes in pieces and a ping came back; closed with {peer.close_code}")


asyncio.run(serve(int(sys.argv[2])) if sys.argv[1] == "serve" else talk(sys.argv[2]))
