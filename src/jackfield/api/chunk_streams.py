"""An answer in chunks: what nodes send while they run, for a caller who reads as fast or as slowly as it likes.

A slow caller makes the nodes wait, so that no more than a few pieces are in memory. One who goes away, or reads nothing
for too long, ends the answer and not the execution.
"""

from __future__ import annotations

import asyncio

from .engine import Execution, Failure
from .errors import ExecutionFailed, JackfieldError
from .streaming import Chunk
from .workflows import Workflow

KEEPALIVE = b'{"type":"keepalive"}\n'
"""n8n sends it while nodes are silent."""
HEADERS = (("content-type", "application/json; charset=utf-8"), ("cache-control", "no-cache"))
"""Of such an answer, as n8n sends them."""


def error_chunk(execution: Execution, workflow: Workflow, now: int) -> Chunk | None:
    """How the stream of an ended execution ends; None: it was a success. It says no more than other answers say to a
    caller. now: Unix ms."""
    failure, error = None, execution.finished.exception()
    if error is None:
        outcome = execution.finished.result()
        if outcome.status == "success":
            return None
        failure = outcome.failure
    message = error.message if isinstance(error, JackfieldError) else ExecutionFailed().message
    at = failure or Failure("")
    node = workflow.nodes.get(at.node or "")
    return Chunk("error", message, node.id if node else "", node.name if node else "", at.item or 0, at.run, now)


class ChunkBuffer:
    """`ChunkStream`. most: bytes that wait for the caller; a larger piece waits alone."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: list[bytes] = []
        self._held = 0
        self._sending = 0
        """Bytes of the piece that the caller gets now; they are held until it has them."""
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._over = False
        self.gone = False
        """Whether nobody reads any more."""

    async def put(self, chunk: Chunk) -> None:
        line = chunk.line()
        while self._held and self._held + len(line) > self._most and not self._done():
            self._room.clear()
            await self._room.wait()
        if not self._done():
            self._append(line)

    def end(self, error: Chunk | None) -> None:
        """Nothing follows but this."""
        if error is not None and not self.gone:
            self._append(error.line())
        self._over = True
        self._wake()

    def leave(self) -> None:
        """The caller is not there any more."""
        self.gone = True
        self._waiting.clear()
        self._held = self._sending = 0
        self._wake()

    async def next(self, seconds: float) -> bytes:
        """All that waits, one or more lines; a sign of life when nothing comes for so long; nothing at the end. The
        caller has what it gave before."""
        self._held -= self._sending
        self._sending = 0
        self._room.set()
        while not self._waiting:
            if self._done():
                return b""
            self._news.clear()
            try:
                async with asyncio.timeout(seconds):
                    await self._news.wait()
            except TimeoutError:
                return KEEPALIVE
        piece = b"".join(self._waiting)
        self._waiting.clear()
        self._sending = len(piece)
        return piece

    def _append(self, line: bytes) -> None:
        self._waiting.append(line)
        self._held += len(line)
        self._news.set()

    def _done(self) -> bool:
        return self._over or self.gone

    def _wake(self) -> None:
        self._news.set()
        self._room.set()
