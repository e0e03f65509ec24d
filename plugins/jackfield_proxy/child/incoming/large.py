"""Another process reads, measures and translates large requests.

With one of 20 MB that takes seconds. A thread would not help, as the interpreter and its JSON parser let nobody else in
meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from jackfield.api.dialects.model import DialectName, ModelRequest, UpstreamModel
from jackfield.api.records import record
from jackfield_proxy.child.incoming import addressing
from jackfield_proxy.child.incoming.client_request import NOT_NAMED, AllowedOutput, ClientRequest, headers_of
from jackfield_proxy.child.incoming.helpers import HelperProcesses, ResultT
from jackfield_proxy.child.incoming.raw_model import with_model
from jackfield_proxy.client_routes import NamedInPath
from jackfield_proxy.routing.request_attributes import RequestAttributes

LARGE = 256 * 1024
"""Bytes of a body from which on another process reads it; a smaller one is read in a few milliseconds."""
_CALL_IDS = re.compile(rb'"(?:id|tool_use_id|call_id|tool_call_id)"\s*:\s*"([^"\\]{1,200})"').finditer


@record
class BodySummary:
    """The facts about a body, without the body. ids: those that may be of tool calls; asked: see `ClientRequest`."""

    model: str
    stream: bool
    session: str
    conversation: str
    mixed: bool
    attributes: RequestAttributes
    ids: frozenset[str]
    output: AllowedOutput
    keeps: bool


class LargeClientRequest(ClientRequest):
    """As `ClientRequest`, without the body's value: what needs it is done elsewhere."""

    def __init__(
        self,
        dialect: DialectName,
        body: bytes,
        pairs: addressing.Pairs,
        query: str,
        *,
        counts: bool,
        read: BodySummary,
        named: NamedInPath,
        helpers: HelperProcesses,
    ) -> None:
        self.dialect, self.body, self.pairs, self.query, self.counts = dialect, body, pairs, query, counts
        self.spends = not counts
        self.model, self.stream, self.named = read.model, read.stream, named
        self.headers = headers_of(pairs)
        self._read, self._helpers = read, helpers
        self._asked: ModelRequest | None = None

    @property
    def asked(self) -> ModelRequest:
        return self._asked or ModelRequest(self.dialect, self.model, stream=self.stream)

    @property
    def output(self) -> AllowedOutput:
        return self._read.output

    async def references(self) -> Sequence[str]:
        return await self._helpers.run(_references, self.dialect, self.body, self.named)

    @property
    def keeps(self) -> bool:
        return self._read.keeps

    @property
    def mixed(self) -> bool:
        return self._read.mixed

    @property
    def session(self) -> str:
        return self._read.session

    @property
    def conversation(self) -> str:
        return self._read.conversation

    async def attributes(self) -> RequestAttributes:
        return self._read.attributes

    async def renamed(self, model: str) -> bytes:
        return self.body if self.named.model else await self._helpers.run(with_model, self.body, model)

    async def translated(self, dialect: DialectName, wanted: UpstreamModel) -> bytes:
        body, self._asked = await self._helpers.run(_translated, self.dialect, self.body, self.named, dialect, wanted)
        return body

    async def counted(self, dialect: DialectName, model: str) -> bytes:
        return await self._helpers.run(_counted, self.dialect, self.body, self.named, dialect, model, self.counts)

    def known(self, signatures: Mapping[str, str]) -> Mapping[str, str]:
        return {one: signatures[one] for one in self._read.ids if one in signatures}


async def read(helpers: HelperProcesses, work: Callable[..., ResultT], body: bytes, *given: object) -> ResultT:
    """`work(body, *given)`: by another process where the body is large. Raises what the work raises."""
    return work(body, *given) if len(body) < LARGE else await helpers.run(work, body, *given)


async def request_of(
    dialect: DialectName,
    body: bytes,
    pairs: addressing.Pairs,
    query: str,
    helpers: HelperProcesses,
    *,
    counts: bool,
    named: NamedInPath = NOT_NAMED,
) -> ClientRequest:
    """Raises `DialectError` 400 for a body that is no JSON object with a model."""
    if len(body) < LARGE:
        return ClientRequest(dialect, body, pairs, query, counts=counts, named=named)
    read = await helpers.run(_read, dialect, body, pairs, named)
    return LargeClientRequest(dialect, body, pairs, query, counts=counts, read=read, named=named, helpers=helpers)


# ----------------------------------------------------------------------------------------------- in the other process


def _read(dialect: DialectName, body: bytes, pairs: addressing.Pairs, named: NamedInPath) -> BodySummary:
    call = ClientRequest(dialect, body, pairs, "", named=named)
    ids = frozenset(found[1].decode("utf-8", "replace") for found in _CALL_IDS(body))
    attributes = call.attributes_now()
    return BodySummary(
        call.model,
        call.stream,
        call.session,
        call.conversation,
        call.mixed,
        attributes,
        ids,
        call.output,
        call.keeps,
    )


def _translated(
    dialect: DialectName, body: bytes, named: NamedInPath, spoken: DialectName, wanted: UpstreamModel
) -> tuple[bytes, ModelRequest]:
    call = ClientRequest(dialect, body, [], "", named=named)
    return call.translated_now(spoken, wanted), call.asked


def _references(dialect: DialectName, body: bytes, named: NamedInPath) -> Sequence[str]:
    return ClientRequest(dialect, body, [], "", named=named).references_now()


def _counted(
    dialect: DialectName, body: bytes, named: NamedInPath, spoken: DialectName, model: str, counts: bool
) -> bytes:
    return ClientRequest(dialect, body, [], "", counts=counts, named=named).counted_now(spoken, model)
