"""The least that a relay on aiohttp does: `bare_relay.py PORT UPSTREAM`. It reads the request, sends it on, and hands
the answer back as it comes."""

from __future__ import annotations

import asyncio
import sys

import aiohttp
from aiohttp import web

PORT, UPSTREAM = int(sys.argv[1]), sys.argv[2]


async def main() -> None:
    session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), auto_decompress=False)

    async def relay(request: web.BaseRequest) -> web.StreamResponse:
        body = await request.read()
        headers = {"Content-Type": "application/json"}
        async with session.post(UPSTREAM + request.path_qs, data=body, headers=headers) as reply:
            response = web.StreamResponse(status=reply.status, headers={"Content-Type": reply.content_type})
            await response.prepare(request)
            async for chunk in reply.content.iter_any():
                await response.write(chunk)
            await response.write_eof()
            return response

    server = web.Server(relay, access_log=None)
    listener = await asyncio.get_running_loop().create_server(server, "127.0.0.1", PORT, backlog=512)
    async with listener:
        await listener.serve_forever()


asyncio.run(main())
