"""A model in turn with its tools, until it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from jackfield.api.ai import ChatModel, Completion, Message, OutputParser, ParseProblem, ToolCall, ToolSpec
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.records import state
from jackfield_ai.agent.talk_state import TalkState
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
    waited: TalkState | None = None,
) -> AgentOutcome | TalkState:
    """The outcome, or the state in which the conversation waits for people.

    messages: its beginning. rounds: most requests to the model. waited: it goes on here. Raises `NodeError` when it has
    no answer by then.
    """
    talk = _Talk(messages, tools, settings, parser, waited or TalkState(mends=_MENDS))
    if waited is not None and not talk.turn_over():
        return talk.state
    while talk.state.rounds < rounds:
        talk.state.rounds += 1
        answer = await model.complete(talk.messages, tools=talk.specs())
        if await talk.over(answer):
            return talk.outcome
        if talk.waits:
            return talk.state
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
    """The messages so far. beginning: before the model said something."""

    def __init__(
        self,
        beginning: Sequence[Message],
        tools: Toolbox,
        settings: AiSettings,
        parser: OutputParser | None,
        state: TalkState,
    ) -> None:
        self.outcome = AgentOutcome()
        self.state = state
        self._beginning = beginning
        self._tools = tools
        self._settings = settings
        self._parser = parser
        self._wrapped = parser is not None and _is_wrapped(parser)

    @property
    def messages(self) -> Sequence[Message]:
        return [*self._beginning, *self.state.messages]

    @property
    def waits(self) -> bool:
        """Whether calls of the model have no answer yet."""
        return None in self.state.answers

    def specs(self) -> Sequence[ToolSpec]:
        final = self._final()
        return [*self._tools.specs, final] if final is not None else self._tools.specs

    async def over(self, answer: Completion) -> bool:
        """Take the model's answer; whether it was the last."""
        message = answer.message
        self.state.messages.append(message)
        if not message.calls:
            return await self._answered(answer)
        last = next((call for call in message.calls if call.name == FINAL and self._final() is not None), None)
        if last is not None and self._settled(last):
            return True
        self.state.answers = await self._answers(message.calls, last)
        self.turn_over()
        return False

    async def _answers(self, calls: Sequence[ToolCall], last: ToolCall | None) -> list[str | None]:
        """What the calls have given; None for those that wait for a person. last: gives the final answer, but not as it
        should be."""
        within([call for call in calls if call is not last], self._settings)
        now = [call for call in calls if call is not last and self._tools.reviewed(call) is None]
        given = {id(call): one.text for call, one in zip(now, await self._tools.answer(now), strict=True)}
        if last is not None:
            given[id(last)] = self._refused(last)
        return [given.get(id(call)) for call in calls]

    def turn_over(self) -> bool:
        """Tell the model what its calls have given, if all have; whether they have."""
        state = self.state
        if self.waits:
            return False
        calls = state.messages[-1].calls
        for call, text in zip(calls, state.answers, strict=True):
            told = text or ""
            state.messages.append(Message("tool", told, call_id=call.id, name=call.name))
            if call.name != FINAL or self._final() is None:
                state.steps.append((call, told))
        state.answers = []
        self.outcome.steps = state.steps
        return True

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

    def _refused(self, call: ToolCall) -> str:
        try:
            self._value_of(call)
        except ParseProblem as exc:
            return f"Error: {exc.message}"
        raise AssertionError("what fits is not refused")

    async def _answered(self, answer: Completion) -> bool:
        text = answer.message.text
        if self._parser is None:
            self.outcome.value = text
            return True
        try:
            self.outcome.value = await self._parser.parse(text)
        except ParseProblem as exc:
            if not self.state.mends:
                raise NodeError(f"The model's answer does not have the required format. {exc.message}") from None
            self.state.mends -= 1
            self.state.messages.append(Message("user", f"{exc.message}\n\n{self._parser.instructions}"))
            return False
        return True


def _is_wrapped(parser: OutputParser) -> bool:
    """Arguments of a tool are an object; what is none goes into one."""
    return parser.schema is not None and parser.schema.get("type") != "object" and "properties" not in parser.schema
