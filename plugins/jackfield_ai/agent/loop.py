"""A model in turn with its tools, until it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from jackfield.api.ai import ChatModel, Completion, Message, OutputParser, ParseProblem, ToolCall, ToolSpec
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.records import state
from jackfield_ai.settings import AiSettings
from jackfield_ai.tools.toolbox import Toolbox

FINAL = "format_final_json_response"
"""The tool by which a model gives the final answer, when a parser says what it must be."""
_MENDS = 2
"""How often a model may try again to give an answer that fits."""


@state
class AgentOutcome:
    """The outcome. `value`: the final text, or the value that the parser made. `steps`: the tools called, with their
    results."""

    value: Json = ""
    steps: list[tuple[ToolCall, str]] = field(default_factory=list)


async def converse(
    model: ChatModel,
    messages: Sequence[Message],
    tools: Toolbox,
    settings: AiSettings,
    *,
    rounds: int,
    parser: OutputParser | None = None,
) -> AgentOutcome:
    """rounds: most requests to the model. Raises `NodeError` when it has no answer by then."""
    talk = _Talk(list(messages), tools, settings, parser)
    for _ in range(rounds):
        answer = await model.complete(talk.messages, tools=talk.specs())
        if await talk.over(answer):
            return talk.outcome
    raise NodeError(
        f"The agent had no answer after {rounds} rounds; raise maxIterations in its options, or make its task smaller."
    )


async def continued(
    model: ChatModel, messages: Sequence[Message], tools: Toolbox, settings: AiSettings, *, rounds: int, json: bool
) -> Completion:
    """The same without a parser, and with the model's last answer as it is."""
    talk = list(messages)
    for _ in range(rounds):
        answer = await model.complete(talk, tools=tools.specs, json=json)
        if not answer.message.calls:
            return answer
        talk.append(answer.message)
        talk += await tools.answer(within(answer.message.calls, settings))
    raise NodeError(f"The model had no answer after {rounds} rounds of tool calls; allow it more of them.")


def within(calls: Sequence[ToolCall], settings: AiSettings) -> Sequence[ToolCall]:
    if len(calls) > settings.max_tool_calls:
        raise NodeError(f"The model called {len(calls)} tools at once, more than {settings.max_tool_calls}.")
    return calls


class _Talk:
    """The messages so far."""

    def __init__(
        self, messages: list[Message], tools: Toolbox, settings: AiSettings, parser: OutputParser | None
    ) -> None:
        self.messages = messages
        self.outcome = AgentOutcome()
        self._tools = tools
        self._settings = settings
        self._parser = parser
        self._mends = _MENDS
        self._wrapped = parser is not None and _is_wrapped(parser)

    def specs(self) -> Sequence[ToolSpec]:
        final = self._final()
        return [*self._tools.specs, final] if final is not None else self._tools.specs

    async def over(self, answer: Completion) -> bool:
        """Take the model's answer; whether it was the last."""
        message = answer.message
        self.messages.append(message)
        if not message.calls:
            return await self._answered(answer)
        last = next((call for call in message.calls if call.name == FINAL and self._final() is not None), None)
        if last is not None and self._settled(last):
            return True
        others = [call for call in within(message.calls, self._settings) if call is not last]
        answers = await self._tools.answer(others)
        self.outcome.steps += [(call, one.text) for call, one in zip(others, answers, strict=True)]
        if last is not None:
            answers.append(self._refused(last))
        self.messages += answers
        return False

    def _final(self) -> ToolSpec | None:
        """Offered only beside other tools; without any, a text that fits is what models are best at."""
        if self._parser is None or self._parser.schema is None or not self._tools.specs:
            return None
        schema: dict[str, Json] = dict(self._parser.schema)
        if self._wrapped:
            schema = {"type": "object", "properties": {"output": schema}, "required": ["output"]}
        return ToolSpec(FINAL, "Call this last, with your final answer to the user.", schema)

    def _value_of(self, call: ToolCall) -> Json:
        """Raises `ParseProblem`."""
        if call.problem or self._parser is None:
            raise ParseProblem(call.problem or "There is no format for the answer.")
        value: Json = dict(call.arguments)
        if self._wrapped:
            value = call.arguments.get("output")
        return self._parser.check(value)

    def _settled(self, call: ToolCall) -> bool:
        try:
            self.outcome.value = self._value_of(call)
        except ParseProblem:
            return False
        return True

    def _refused(self, call: ToolCall) -> Message:
        try:
            self._value_of(call)
        except ParseProblem as exc:
            return Message("tool", f"Error: {exc.message}", call_id=call.id, name=call.name)
        raise AssertionError("what fits is not refused")

    async def _answered(self, answer: Completion) -> bool:
        text = answer.message.text
        if self._parser is None:
            self.outcome.value = text
            return True
        try:
            self.outcome.value = await self._parser.parse(text)
        except ParseProblem as exc:
            if not self._mends:
                raise NodeError(f"The model's answer does not have the required format. {exc.message}") from None
            self._mends -= 1
            self.messages.append(Message("user", f"{exc.message}\n\n{self._parser.instructions}"))
            return False
        return True


def _is_wrapped(parser: OutputParser) -> bool:
    """Arguments of a tool are an object; what is none goes into one."""
    return parser.schema is not None and parser.schema.get("type") != "object" and "properties" not in parser.schema
