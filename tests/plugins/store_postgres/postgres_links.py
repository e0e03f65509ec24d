"""A link between a store and its server that a test can cut."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Self

from jackfield.testing.daemon import HOST

COMMIT = b"COMMIT\x00"


class Link:
    """A proxy of TCP. cut_at: asked with each piece that a client sends; when it says so, the piece still reaches the
    server, its answer reaches nobody, and the connection is gone."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.cut_at: Callable[[bytes], bool] = lambda _: False
        self.swallow_at: Callable[[bytes], bool] = lambda _: False
        """The same, but the piece does not reach the server either."""
        self.stall_at: Callable[[bytes], bool] = lambda _: False
        """Nothing more of this connection reaches the server; it stays open."""
        self.cuts = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, HOST, 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        self.cut_all()

    @property
    def port(self) -> int:
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    def cut_all(self) -> None:
        """Every connection is gone now."""
        for task in self._tasks:
            task.cancel()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            away_reader, away = await asyncio.open_connection(HOST, self._port)
            back = asyncio.create_task(_copy(away_reader, writer))
            try:
                await self._forward(reader, away, back)
            finally:
                back.cancel()
                away.close()
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _forward(
        self, reader: asyncio.StreamReader, away: asyncio.StreamWriter, back: asyncio.Task[None]
    ) -> None:
        while piece := await reader.read(65536):
            if self.stall_at(piece):
                while await reader.read(65536):
                    """It is lost."""
                return
            if self.swallow_at(piece):
                self.cuts += 1
                return
            cut = self.cut_at(piece)
            if cut:
                back.cancel()
            away.write(piece)
            await away.drain()
            if cut:
                self.cuts += 1
                return


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()
