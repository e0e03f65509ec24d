"""A model that is asked, with its cost counted and its refusals told."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.ai import (
    ChatModel,
    Completion,
    Message,
    ModelUsage,
    OutputParser,
    ParseProblem,
    StreamingModel,
    ToolSpec,
)
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.records import record
from jackfield_ai.nodes import log_usage


@record
class Said:
    """Sends a model's answers for one item to the caller who waits for the run; one begins and ends per request."""

    run: NodeRun
    item: int

    async def begin(self) -> None:
        await self.run.send_chunk("begin", self.item)

    async def piece(self, text: str) -> None:
        if text:
            await self.run.send_chunk("item", self.item, text)

    async def end(self) -> None:
        await self.run.send_chunk("end", self.item)


class CountedModel:
    """`ChatModel` that remembers what it cost, and asks another model when the first one fails. said: gets what the
    model says as it comes."""

    def __init__(self, model: ChatModel, fallback: ChatModel | None = None, said: Said | None = None) -> None:
        self._model = model
        self._fallback = fallback
        self._said = said
        self.usage = ModelUsage()

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(
        self, messages: Sequence[Message], *, tools: Sequence[ToolSpec] = (), json: bool = False
    ) -> Completion:
        try:
            found = await self._asked(messages, tools, json)
        except NodeError:
            if self._fallback is None:
                raise
            # Another provider cannot read what is this one's own.
            self._model, self._fallback = self._fallback, None
            plain = [Message(m.role, m.text, m.pictures, m.calls, m.call_id, m.name) for m in messages]
            return await self.complete(plain, tools=tools, json=json)
        self.usage = self.usage.plus(found.usage)
        if found.refusal:
            raise NodeError(f"The model {self.name} declined: {found.refusal}")
        return found

    async def _asked(self, messages: Sequence[Message], tools: Sequence[ToolSpec], json: bool) -> Completion:
        said = self._said
        if said is None:
            return await self._model.complete(messages, tools=tools, json=json)
        await said.begin()
        if isinstance(self._model, StreamingModel):
            found = await self._model.stream(messages, said.piece, tools=tools, json=json)
        else:
            found = await self._model.complete(messages, tools=tools, json=json)
            await said.piece(found.message.text)
        await said.end()
        return found

    def log(self, run: NodeRun) -> None:
        if self.usage.input or self.usage.output:
            log_usage(run, self.name, self.usage.input, self.usage.output)


async def asked_for(model: ChatModel, messages: Sequence[Message], parser: OutputParser) -> Json:
    """The model's answer as the parser wants it. Raises `NodeError`."""
    answer = await model.complete(messages, json=_object(parser))
    return await parsed(parser, answer.message.text)


def _object(parser: OutputParser) -> bool:
    """Whether the answer is a JSON object, which is all that the providers' JSON modes know."""
    return parser.schema is not None and parser.schema.get("type") == "object"


async def parsed(parser: OutputParser, text: str) -> Json:
    """Raises `NodeError`."""
    try:
        return await parser.parse(text)
    except ParseProblem as exc:
        raise NodeError(f"The model's answer does not have the required format. {exc.message}") from None
