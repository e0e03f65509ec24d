"""Many streamed requests through one real process: its memory stays where it was. `tox run -e proxy-soak` sends
100,000."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from proxy_lab import ASKED, TOKEN, Provider_, default_answer, plan, rule, upstream

from jackfield.api.records import replace
from jackfield_proxy.daemon.process import ProxyProcess
from jackfield_proxy.messages import ToChild
from jackfield_proxy.plan import ProxyLimits, Stickiness

REQUESTS = int(os.environ.get("JACKFIELD_TEST_PROXY_REQUESTS", "600"))
AT_ONCE = 32
GROWTH = 0.10
WARM = 0.1
"""Share of the requests after which the memory is looked at first: caches and pools are full then."""
CHUNKS = [
    {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [
        {"index": 0, "delta": {"role": "assistant", "content": "pong " * 20}, "finish_reason": None}]},
    {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [
        {"index": 0, "delta": {}, "finish_reason": "stop"}]},
    {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [],
     "usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}},
]  # fmt: skip
CHAT = b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in CHUNKS) + b"data: [DONE]\n\n"


async def answer(request: web.BaseRequest) -> web.StreamResponse:
    if request.path.endswith("/chat/completions"):
        return web.Response(body=CHAT, headers={"Content-Type": "text/event-stream"})
    return await default_answer(request)


@pytest.fixture
async def north() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        made.answer = answer
        made.remembers = False
        yield made


def resident(pid: int) -> int:
    """KiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmRSS")))


async def test_memory_does_not_grow(north: Provider_) -> None:
    upstreams = {"north": upstream(north), "south": upstream(north, "south", family="openai")}
    rules = (rule("one", "north/m"), rule("two", "south/m"))
    made = plan(upstreams, *rules, strategy="RoundRobin", limits=ProxyLimits(), sticky=Stickiness(60.0))
    process = await ProxyProcess.started()
    seen: dict[str, int] = {"served": 0, "port": 0}
    await process.send(ToChild(plan=replace(made, token=TOKEN)))

    async def listen() -> None:
        async for message in process.messages():
            seen["port"] = message.listening or seen["port"]
            seen["served"] += message.served is not None

    async def quiet(_lines: list[str]) -> None:
        pass

    tasks = [asyncio.create_task(listen()), asyncio.create_task(process.log(quiet))]
    try:
        async with asyncio.timeout(20):
            while not seen["port"]:
                await asyncio.sleep(0.01)
        first = await load(seen["port"], 0, round(REQUESTS * WARM))
        warm = resident(process.pid)
        last = await load(seen["port"], first, REQUESTS - first)
        after = resident(process.pid)
        async with asyncio.timeout(20):
            while seen["served"] < REQUESTS:
                await asyncio.sleep(0.01)
    finally:
        await process.stop(5.0)
        await asyncio.gather(*tasks)
    print(f"{last} streamed requests: {warm} KiB after the first {first}, {after} KiB at the end")
    assert last == REQUESTS
    # A short run says little: pools are still filling.
    assert after <= warm * (1 + GROWTH) + (0 if REQUESTS >= 50_000 else 4096)


async def load(port: int, begin: int, count: int) -> int:
    """Up to which number."""
    numbers = itertools.chain(range(begin, begin + count))
    async with aiohttp.ClientSession(headers={"x-api-key": TOKEN}) as client:

        async def work() -> None:
            for number in numbers:
                body = {**ASKED, "stream": True, "messages": [{"role": "user", "content": f"ping {number}"}]}
                async with client.post(f"http://127.0.0.1:{port}/v1/messages", json=body) as got:
                    assert got.status == 200
                    assert b"message_stop" in await got.read()

        await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    return begin + count
