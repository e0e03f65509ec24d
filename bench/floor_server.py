"""The floors: the least that a server can do with a webhook call.

bare: parse the JSON, answer JSON. durable: the same after one row of SQLite (WAL, FULL) is committed; one writer thread
commits everything that waits at once. The row is as wide as the daemon's are together: a call's columns with its
headers and body, and those of an execution with what its nodes gave, each content once. The event loop is the daemon's:
uvloop where it is installed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import queue
import sqlite3
import threading
import time
import uuid
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

import orjson

Scope = MutableMapping[str, Any]
App = Callable[[Scope, Callable[[], Awaitable[Scope]], Callable[[Scope], Awaitable[None]]], Awaitable[None]]
Row = tuple[str | int | bytes | None, ...]
TABLE = """
CREATE TABLE call (
  id TEXT PRIMARY KEY, webhook TEXT, time INTEGER, method TEXT, query TEXT, headers BLOB, body BLOB, truncated INTEGER,
  status TEXT, response_status INTEGER, response_body TEXT, duration INTEGER, execution TEXT, workflow TEXT,
  version INTEGER, mode TEXT, created INTEGER, started INTEGER, finished INTEGER, owner TEXT, steps BLOB
) WITHOUT ROWID
"""
WEBHOOK, WORKFLOW, OWNER = (str(uuid.uuid4()) for _ in range(3))
NODE_RUN = {"index": 0, "startedAt": 0, "duration": 0, "status": "success", "inputOutput": 0}


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
        db.execute(TABLE)
        while True:
            batch = [self._queue.get()]
            while not self._queue.empty():
                batch.append(self._queue.get())
            db.execute("BEGIN")
            db.executemany(f"INSERT INTO call VALUES ({', '.join('?' * 21)})", [row for row, _ in batch])
            db.execute("COMMIT")
            self._loop.call_soon_threadsafe(_resolve, [future for _, future in batch])


def row_of(scope: Scope, body: bytes) -> Row:
    """A call with its execution."""
    now = time.time_ns() // 1_000_000
    headers = orjson.dumps({name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]})
    steps = orjson.dumps([{"node": "Webhook", **NODE_RUN}, {"node": "Set", **NODE_RUN, "outputs": [[{"json": {}}]]}])
    ident = str(uuid.uuid4())
    call = (ident, WEBHOOK, now, scope["method"], "", headers, body, 0, "success", 200, '{"message":"received"}', 1)
    return (*call, str(uuid.uuid4()), WORKFLOW, 1, "webhook", now, now, now, OWNER, steps)


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
            await writer.add(row_of(scope, body))
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
    with asyncio.Runner(loop_factory=fastest_loop()) as runner:
        runner.run(serve(app, config))  # type: ignore[arg-type]


def serve_uvicorn(app: App, port: int) -> None:
    import uvicorn

    config = uvicorn.Config(
        app, host="127.0.0.1", port=port, http="httptools", loop="none", access_log=False, log_level="warning"
    )
    with asyncio.Runner(loop_factory=fastest_loop()) as runner:
        runner.run(uvicorn.Server(config).serve())


def serve_granian(app: App, port: int) -> None:
    """Two processes, as it has it: the first only keeps the other."""
    from granian import Granian
    from granian.constants import Interfaces, Loops

    loop = Loops.auto if fastest_loop() is None else Loops.uvloop
    server = Granian("floor", address="127.0.0.1", port=port, interface=Interfaces.ASGI, loop=loop, log_enabled=False)
    server.serve(target_loader=lambda: app, wrap_loader=False)


SERVERS = {"hypercorn": serve_hypercorn, "uvicorn": serve_uvicorn, "granian": serve_granian}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", choices=SERVERS, default="hypercorn")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--database", type=Path)
    options = parser.parse_args()
    SERVERS[options.server](floor(options.database), options.port)


if __name__ == "__main__":
    main()
