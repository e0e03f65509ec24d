"""A model's answer that comes as a stream: its text is handed on piece by piece, and the whole is put together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

from jackfield.api import dialects
from jackfield.api.dialects.model import BlockStart, Delta, DialectError, DialectName, Event, ModelResponse, TextBlock
from jackfield.api.dialects.whole import Collector
from jackfield.api.http_client import HttpReply
from jackfield.api.nodes import NodeError
from jackfield.api.workflows import BinaryData


class SpokenAnswer:
    """`BodyKeeper` of one request. said: gets the pieces; most: bytes that the answer may have."""

    def __init__(self, dialect: DialectName, said: Callable[[str], Awaitable[None]], most: int) -> None:
        self._left = most
        self._reader = dialects.of(dialect).reader()
        self._said = said
        self._failed: DialectError | None = None
        self._collector = Collector()
        self._texts: set[int] = set()

    def wants(self, head: HttpReply) -> bool:
        return True

    async def keep(self, head: HttpReply, chunks: AsyncIterator[bytes]) -> BinaryData:
        """The kept part is in `response`; the file is empty. Raises `NodeError` for an answer that is too long."""
        async for chunk in chunks:
            self._left -= len(chunk)
            if self._left < 0:
                raise NodeError("The model's answer is longer than ai.max_answer_bytes allows.")
            await self._take(self._reader.feed(chunk))
        await self._take(self._reader.close())
        return {"data": "", "mimeType": head.header("content-type")}

    def response(self) -> ModelResponse:
        """Raises the `DialectError` of an answer that broke off."""
        if self._failed is not None:
            raise self._failed
        return self._collector.response()

    async def _take(self, events: list[Event]) -> None:
        for event in events:
            try:
                self._collector.add(event)
            except DialectError as exc:
                self._failed = exc
            if isinstance(event, BlockStart) and isinstance(event.block, TextBlock) and not event.block.refusal:
                self._texts.add(event.index)
            elif isinstance(event, Delta) and event.index in self._texts:
                await self._said(event.text)
