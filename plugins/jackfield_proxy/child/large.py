"""Large requests are read, measured and translated by another process: with one of 20 MB that takes seconds, and a
thread would not help, as the interpreter and its JSON parser let nobody else in meanwhile.
"""

from __future__ import annotations

import asyncio
import copyreg
import os
import re
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from jackfield.api.dialects.model import DialectError, DialectName, ModelRequest, UpstreamModel
from jackfield.api.records import record
from jackfield_proxy.child import upstreams
from jackfield_proxy.child.call import Call, headers_of
from jackfield_proxy.child.log import say
from jackfield_proxy.child.rawmodel import with_model
from jackfield_proxy.routing.facts import Facts

LARGE = 256 * 1024
"""Bytes of a body from which on another process reads it; a smaller one is read in a few milliseconds."""
PROCESSES = 2
"""At the same time; each is started when it is needed."""
IDLE = 60.0
"""Seconds without a large request after which they end."""
if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

NICE = 5
_CALL_IDS = re.compile(rb'"(?:id|tool_use_id|call_id|tool_call_id)"\s*:\s*"([^"\\]{1,200})"').finditer
ResultT = TypeVar("ResultT")


@record
class Read:
    """What a body says, without the body. ids: what may be those of tool calls; asked: see `Call`."""

    model: str
    stream: bool
    session: str
    conversation: str
    mixed: bool
    facts: Facts
    ids: frozenset[str]


class Helpers:
    """Processes that work on large bodies."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._ending: asyncio.TimerHandle | None = None
        self._busy = 0

    async def run(self, work: Callable[..., ResultT], *given: object) -> ResultT:
        """Raises what the work raises, and `DialectError` 500 when its process dies. Where none can be had it is done
        here."""
        self._busy += 1
        pool = self._pool
        try:
            pool = self._processes()
            return await asyncio.get_running_loop().run_in_executor(pool, work, *given)
        except BrokenExecutor:
            say("a process for large requests has died")
            if self._pool is pool:  # others may have another one by now
                self.close()
            raise DialectError(500, "The process that reads large requests has died; try again.") from None
        except OSError as exc:
            say(f"there is no process for large requests: {exc.strerror}")
            self.close()
            return work(*given)
        finally:
            self._busy -= 1
            self._end_later()

    def close(self) -> None:
        """What they work on is given up."""
        if self._ending is not None:
            self._ending.cancel()
        if self._pool is None:
            return
        import multiprocessing

        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = None
        for one in multiprocessing.active_children():
            one.kill()

    def _processes(self) -> ProcessPoolExecutor:
        if self._pool is None:
            import multiprocessing
            from concurrent.futures import ProcessPoolExecutor

            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(PROCESSES, context, _begin)
        return self._pool

    def _end_later(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
        self._ending = asyncio.get_running_loop().call_later(IDLE, self._end)

    def _end(self) -> None:
        if not self._busy:
            self.close()


class LargeCall(Call):
    """As `Call`, without the body's value: what needs it is done elsewhere."""

    def __init__(
        self,
        face: DialectName,
        body: bytes,
        pairs: upstreams.Pairs,
        query: str,
        *,
        counts: bool,
        read: Read,
        helpers: Helpers,
    ) -> None:
        self.face, self.body, self.pairs, self.query, self.counts = face, body, pairs, query, counts
        self.model, self.stream = read.model, read.stream
        self.headers = headers_of(pairs)
        self._read, self._helpers = read, helpers
        self._asked: ModelRequest | None = None

    @property
    def asked(self) -> ModelRequest:
        return self._asked or ModelRequest(self.face, self.model, stream=self.stream)

    @property
    def mixed(self) -> bool:
        return self._read.mixed

    @property
    def session(self) -> str:
        return self._read.session

    @property
    def conversation(self) -> str:
        return self._read.conversation

    async def facts(self) -> Facts:
        return self._read.facts

    async def renamed(self, model: str) -> bytes:
        return await self._helpers.run(with_model, self.body, model)

    async def translated(self, dialect: DialectName, wanted: UpstreamModel) -> bytes:
        body, self._asked = await self._helpers.run(_translated, self.face, self.body, dialect, wanted)
        return body

    async def counted(self, model: str) -> bytes:
        return await self._helpers.run(_counted, self.face, self.body, model, self.counts)

    def known(self, signatures: Mapping[str, str]) -> Mapping[str, str]:
        return {one: signatures[one] for one in self._read.ids if one in signatures}


async def call_of(
    face: DialectName, body: bytes, pairs: upstreams.Pairs, query: str, helpers: Helpers, *, counts: bool
) -> Call:
    """Raises `DialectError` 400 for a body that is no JSON object with a model."""
    if len(body) < LARGE:
        return Call(face, body, pairs, query, counts=counts)
    read = await helpers.run(_read, face, body, pairs)
    return LargeCall(face, body, pairs, query, counts=counts, read=read, helpers=helpers)


# ----------------------------------------------------------------------------------------------- in the other process


def _read(face: DialectName, body: bytes, pairs: upstreams.Pairs) -> Read:
    call = Call(face, body, pairs, "")
    ids = frozenset(found[1].decode("utf-8", "replace") for found in _CALL_IDS(body))
    return Read(call.model, call.stream, call.session, call.conversation, call.mixed, call.facts_now(), ids)


def _translated(
    face: DialectName, body: bytes, dialect: DialectName, wanted: UpstreamModel
) -> tuple[bytes, ModelRequest]:
    call = Call(face, body, [], "")
    return call.translated_now(dialect, wanted), call.asked


def _counted(face: DialectName, body: bytes, model: str, counts: bool) -> bytes:
    return Call(face, body, [], "", counts=counts).counted_now(model)


def _begin() -> None:
    """They give way to the proxy itself, and one that is killed must not leave them behind."""
    import multiprocessing

    os.nice(NICE)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:  # Any: multiprocessing's own class of a parent, which has no public name
    parent.join()
    os._exit(0)


def _revived(*given: Any) -> DialectError:  # Any: the fields of an error
    *fields, code, param, overflow, retry_after = given
    return DialectError(*fields, code=code, param=param, overflow=overflow, retry_after=retry_after)


def _packed(error: DialectError) -> tuple[Callable[..., DialectError], tuple[object, ...]]:
    told = (error.status, error.message, error.kind, error.code, error.param, error.overflow, error.retry_after)
    return _revived, told


copyreg.pickle(DialectError, _packed)
