"""The process's ends of the pipes to the daemon."""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence

from jackfield.api.dialects.model import DialectError
from jackfield.api.gateway import CallerPass, PlannedRequest, StoredObject
from jackfield.api.jsontext import Json
from jackfield.api.records import replace
from jackfield_proxy.child.process.log import say
from jackfield_proxy.messages import (
    LONGEST_LINE,
    ConditionQuestion,
    FromChild,
    PermissionAnswer,
    PermissionQuestion,
    ToChild,
    packed,
    unpacked,
)

MOST_WAITING = 8 * 2**20
"""Bytes that may wait for a daemon that does not read.

A request that was served beyond is not recorded, unless the daemon may hold something for it. Those are as many as were
in flight, as no more questions are sent then.
"""
GATHERED_S = 0.005
"""How long a record waits for others, in seconds, so that they go out together: each packet costs as much as ten
records."""
LONGEST_ID = 1000
"""Characters of an id that the daemon is asked about; there is none as long."""


class Pipe:
    """`received` ends when the daemon has closed its end, or died."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._asked: dict[int, asyncio.Future[bool]] = {}
        self._permissions: dict[int, asyncio.Future[PermissionAnswer]] = {}
        self._held: set[str] = set()
        """Requests that the daemon was asked about, and whose end it has to know."""
        self._lost = 0
        self._records: list[bytes] = []
        """Of requests that have ended, which go out together."""

    async def open(self) -> None:
        """Standard output is for messages alone: whatever else is printed goes to the log."""
        loop = asyncio.get_running_loop()
        self._reader = asyncio.StreamReader(limit=LONGEST_LINE)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(self._reader), sys.stdin)
        out = os.fdopen(os.dup(1), "wb", 0)
        os.dup2(2, 1)
        self._out, _ = await loop.connect_write_pipe(asyncio.Protocol, out)

    async def received(self) -> AsyncGenerator[ToChild, None]:
        while line := await self._reader.readline():
            message = unpacked(line, ToChild)
            if message.script is not None:
                waiting = self._asked.pop(message.script, None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(message.value)
            elif (answer := message.permission) is not None:
                expecting = self._permissions.pop(answer.id, None)
                if expecting is not None and not expecting.done():
                    expecting.set_result(answer)
            else:
                yield message

    def send(self, message: FromChild) -> None:
        served = message.served
        ends = served is not None and served.id in self._held
        if served is not None:
            self._held.discard(served.id)
        if self._out.get_write_buffer_size() > MOST_WAITING:
            if served is None or not ends:
                self._lost += 1
                return
            message = FromChild(served=replace(served, reason="", error=None, missing=()))
        elif self._lost:
            say(f"{self._lost} records were lost, as the daemon did not read them")
            self._lost = 0
        if message.permission is not None and message.permission.planned is not None:
            self._held.add(message.permission.planned.request)
        self._records.append(packed(message))
        if served is None:
            self.flush()
        elif len(self._records) == 1:
            asyncio.get_running_loop().call_later(GATHERED_S, self.flush)

    def flush(self) -> None:
        """Send what waits for more."""
        if self._records:
            self._out.write(b"".join(self._records))
            self._records.clear()

    async def ask(self, path: str, attributes: Mapping[str, Json], timeout: float) -> bool:
        """The answer of a condition script; False when it fails or takes too long."""
        number = next(self._numbers)
        waiting: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._asked[number] = waiting
        self.send(FromChild(question=ConditionQuestion(number, path, attributes)))
        try:
            async with asyncio.timeout(timeout):
                await waiting
                return waiting.result()
        except TimeoutError:
            say(f"the condition script {path} gave no answer within {timeout:g} s")
            return False
        finally:
            self._asked.pop(number, None)

    async def permission(
        self, timeout: float, *, digest: str = "", planned: PlannedRequest | None = None
    ) -> CallerPass:
        """The daemon's word on a key, or on a request that is about to be sent. Raises `DialectError`: it says no, or
        nothing in time."""
        answer = await self._asked_for(PermissionQuestion(next(self._numbers), digest, planned), timeout)
        return answer.caller or CallerPass("")

    async def objects(self, timeout: float, key: str, ids: Sequence[str]) -> Sequence[StoredObject]:
        """Those of these that the key may use; see `KeyGate.objects`. Raises as `permission`."""
        if not ids:
            return ()
        # The name of no object need not be an id: half surrogates are no text to the pipe.
        plain = [one[:LONGEST_ID].encode("utf-8", "replace").decode() for one in ids]
        question = PermissionQuestion(next(self._numbers), key=key, objects=plain)
        return (await self._asked_for(question, timeout)).objects

    async def _asked_for(self, question: PermissionQuestion, timeout: float) -> PermissionAnswer:
        waiting: asyncio.Future[PermissionAnswer] = asyncio.get_running_loop().create_future()
        self._permissions[question.id] = waiting
        self.send(FromChild(permission=question))
        try:
            async with asyncio.timeout(timeout):
                await waiting
        except TimeoutError:
            say(f"the daemon has said nothing of a key or a budget within {timeout:g} s")
            raise DialectError(503, "The proxy cannot ask who may use it now.", "overloaded_error") from None
        finally:
            self._permissions.pop(question.id, None)
        answer = waiting.result()
        if answer.refusal is not None:
            raise answer.refusal.error()
        return answer
