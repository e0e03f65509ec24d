"""Processor time of one request of the nodes' HTTP client, beside that of the library underneath it.

    python bench/http_client.py [--requests 2000] [--rounds 5]

The server is a process of its own on loopback; it answers 4 KB of JSON at once, over connections that stay open. The
floor is aiohttp without anything around it. The client is what nodes send through: its checks, limits and decoding;
the node is HTTP Request with 100 items at a time, its parameters and its JSON included.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path

import aiohttp
from harness import environment, publish, table

from jackfield.api.http_client import HttpBody, HttpCall
from jackfield.api.nodes import NodeType
from jackfield.testing.context import FakeContext, made
from jackfield.testing.node_runs import FakeNodeRun, items
from jackfield_nodes.catalogue import node_types
from jackfield_nodes.http.client import GuardedClient
from jackfield_nodes.http.settings import HttpSettings

Send = Callable[[str, int], Awaitable[None]]
ANSWER = json.dumps({"rows": [{"id": number, "name": "a name"} for number in range(110)]}).encode()
BODY = json.dumps({"text": "x" * 4000}).encode()
ITEMS = 100


class Answers(asyncio.Protocol):
    """Requests have no end but their length; each is answered at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._received = bytearray()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(ANSWER)}\r\n\r\n"
        self._answer = head.encode() + ANSWER

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            head = bytes(self._received[:end]).lower()
            _, named, length = head.partition(b"content-length:")
            whole = end + 4 + (int(length.split(b"\r\n")[0]) if named else 0)
            if len(self._received) < whole:
                return
            del self._received[:whole]
            self._transport.write(self._answer)  # type: ignore[attr-defined]  # of a TCP connection


class KeepingContext(FakeContext):
    """Keeps its background tasks, which close the pools."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.tasks: list[asyncio.Task[None]] = []

    def spawn(self, name: str, coroutine: Coroutine[object, object, None]) -> asyncio.Task[None]:
        self.tasks.append(super().spawn(name, coroutine))
        return self.tasks[-1]


async def serve() -> None:
    server = await asyncio.get_running_loop().create_server(Answers, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def floor(session: aiohttp.ClientSession, method: str, body: bytes | None) -> Send:
    async def send(url: str, count: int) -> None:
        for _ in range(count):
            async with session.request(method, url, data=body) as answer:
                await answer.read()

    return send


def client(sender: GuardedClient, method: str, body: bytes | None) -> Send:
    call_body = None if body is None else HttpBody(body, "application/json")

    async def send(url: str, count: int) -> None:
        for _ in range(count):
            await sender.send(HttpCall(method, url, body=call_body))

    return send


def node(type_: NodeType) -> Send:
    async def send(url: str, count: int) -> None:
        for _ in range(count // ITEMS):
            await type_.execute(FakeNodeRun(type_, {"url": url}, items(*({} for _ in range(ITEMS))), version=4.2))

    return send


async def measured(url: str, requests: int, rounds: int) -> dict[str, float]:
    """Least microseconds of a request, of so many rounds that take turns."""
    context = KeepingContext(Path(tempfile.mkdtemp()), tables=[HttpSettings(allowed_networks=["127.0.0.0/8"])])
    sender = GuardedClient(context)
    context.ports["HttpClient"] = sender
    request = next(one for one in made(node_types(context)) if one.kind == "httpRequest")
    async with aiohttp.ClientSession() as session:
        ways = {
            "aiohttp alone, GET": floor(session, "GET", None),
            "the client, GET": client(sender, "GET", None),
            "aiohttp alone, POST of 4 KB": floor(session, "POST", BODY),
            "the client, POST of 4 KB": client(sender, "POST", BODY),
            "the node, GET of each item": node(request),
        }
        least: dict[str, float] = {}
        for _ in range(rounds + 1):  # the first warms up
            for name, send in ways.items():
                begun = time.process_time()
                await send(url, requests)
                spent = (time.process_time() - begun) / requests * 1e6
                least[name] = min(spent, least.get(name, spent))
    for task in context.tasks:
        task.cancel()
    await asyncio.gather(*context.tasks, return_exceptions=True)
    return least


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="put the figures into docs/benchmarks.md")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve())
        return
    with subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            url = f"http://127.0.0.1:{int(server.stdout.readline())}/"
            found = asyncio.run(measured(url, options.requests, options.rounds))
        finally:
            server.terminate()
    bare = {"GET": found["aiohttp alone, GET"], "POST": found["aiohttp alone, POST of 4 KB"]}
    rows = [
        [name, f"{spent:,.0f}", f"{spent / bare['POST' if 'POST' in name else 'GET']:.1f}"]
        for name, spent in found.items()
    ]
    head = f"`python bench/http_client.py` — {len(ANSWER):,} bytes of JSON from loopback. {environment('aiohttp')}."
    publish("http_client", f"{head}\n\n{table(['', 'us a request', 'x aiohttp'], rows)}", write=options.write)


if __name__ == "__main__":
    main()
