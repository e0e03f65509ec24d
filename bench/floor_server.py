"""The floors: the least that a server can do with a webhook call.

bare: parse the JSON, answer JSON. durable: the same after one row of SQLite (WAL, FULL) is committed; one writer thread
commits everything that waits at once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import queue
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

import orjson

Scope = MutableMapping[str, Any]
App = Callable[[Scope, Callable[[], Awaitable[Scope]], Callable[[Scope], Awaitable[None]]], Awaitable[None]]
Row = tuple[int, bytes]


class Writer:
    """One thread that writes whatever rows wait, in one transaction, and then wakes those who wait."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._queue: queue.SimpleQueue[tuple[Row, asyncio.Future[None]]] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._run, daemon=True).start()

    def add(self, row: Row) -> asyncio.Future[None]:
        future: asyncio.Future[None] = self._loop.create_future()
        self._queue.put((row, future))
        return future

    def _run(self) -> None:
        db = sqlite3.connect(self._path, isolation_level=None)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("CREATE TABLE call (id INTEGER PRIMARY KEY, time INTEGER, body BLOB)")
        while True:
            batch = [self._queue.get()]
            while not self._queue.empty():
                batch.append(self._queue.get())
            db.execute("BEGIN")
            db.executemany("INSERT INTO call (time, body) VALUES (?, ?)", [row for row, _ in batch])
            db.execute("COMMIT")
            self._loop.call_soon_threadsafe(_resolve, [future for _, future in batch])


def _resolve(futures: list[asyncio.Future[None]]) -> None:
    for future in futures:
        if not future.done():
            future.set_result(None)


def floor(database: Path | None) -> App:
    """The ASGI application; with a database, durable."""
    writer: Writer | None = None

    async def app(
        scope: Scope, receive: Callable[[], Awaitable[Scope]], send: Callable[[Scope], Awaitable[None]]
    ) -> None:
        nonlocal writer
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        event = orjson.loads(body or b"null")
        if database is not None:
            writer = writer or Writer(database)
            await writer.add((time.time_ns(), body))
        answer = json.dumps({"message": "received", "keys": len(event or ())}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(answer)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    return app


async def _lifespan(receive: Callable[[], Awaitable[Scope]], send: Callable[[Scope], Awaitable[None]]) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


def fastest_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop where it is installed, as the daemon does."""
    try:
        import uvloop
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory


def serve_hypercorn(app: App, port: int) -> None:
    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    config = Config()
    config.bind = [f"127.0.0.1:{port}"]
    asyncio.run(serve(app, config))  # type: ignore[arg-type]


def serve_uvicorn(app: App, port: int) -> None:
    import uvicorn

    uvicorn.run(app, host="127.0.0.1", port=port, access_log=False, log_level="warning")


SERVERS = {"hypercorn": serve_hypercorn, "uvicorn": serve_uvicorn}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", choices=SERVERS, default="hypercorn")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--database", type=Path)
    options = parser.parse_args()
    SERVERS[options.server](floor(options.database), options.port)


if __name__ == "__main__":
    main()
