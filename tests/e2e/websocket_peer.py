"""WebSocket server and client of Debian's python3-websockets, a third-party implementation.

  /usr/bin/python3 websocket_peer.py serve PORT    echoes every message; after SIGTERM it closes with 1000 and ends
  /usr/bin/python3 websocket_peer.py talk URL      sends texts, a large fragmented message and a ping; prints the result
  /usr/bin/python3 websocket_peer.py wait URL      prints "open", and how the connection was closed
"""

import asyncio
import signal
import sys

import websockets

LARGE = bytes(range(256)) * 4096  # 1 MiB


async def echo(peer, _path=None):
    async for message in peer:
        await peer.send(message)


async def serve(port):
    told = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)
    peers = set()

    async def serve_one(peer, _path=None):
        peers.add(peer)
        await echo(peer)
        peers.discard(peer)

    async with websockets.serve(serve_one, "127.0.0.1", port, max_size=None):
        await told.wait()
        await asyncio.gather(*(peer.close(1000, "bye") for peer in list(peers)))


async def talk(url):
    async with websockets.connect(url, max_size=None) as peer:
        for number in range(100):
            await peer.send(f"message {number}")
            assert await peer.recv() == f"message {number}"
        await peer.send(LARGE[at:at + 1000] for at in range(0, len(LARGE), 1000))
        assert await peer.recv() == LARGE
        await asyncio.wait_for(await peer.ping(), 60)
    print(f"100 texts, {len(LARGE)} bytes in pieces and a ping came back; closed with {peer.close_code}")


async def wait(url):
    async with websockets.connect(url) as peer:
        await peer.send("hello")
        assert await peer.recv() == "hello"
        print("open", flush=True)
        await peer.wait_closed()
    print(f"closed with {peer.close_code}", flush=True)


asyncio.run({"serve": lambda port: serve(int(port)), "talk": talk, "wait": wait}[sys.argv[1]](sys.argv[2]))
