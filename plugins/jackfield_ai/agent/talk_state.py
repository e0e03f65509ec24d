"""The form in which conversations of an agent wait for people: as JSON beside the execution.

The beginning of a conversation is not in it: the instructions, what the memory has, the prompt and its pictures are
made again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import cast

from jackfield.api.ai import Message, ToolCall
from jackfield.api.jsontext import Json
from jackfield.api.records import state
from jackfield.api.workflows import Items


@state
class TalkState:
    """A conversation that waits.

    `messages`: after its beginning; the last is the model's, with calls. `answers`: what these calls have given, in
    their order; None: nothing yet. `steps`: the tools called before. `rounds`: requests to the model so far. `mends`:
    how often the model may still correct its answer.
    """

    messages: list[Message] = field(default_factory=list)
    answers: list[str | None] = field(default_factory=list)
    steps: list[tuple[ToolCall, str]] = field(default_factory=list)
    rounds: int = 0
    mends: int = 0


@state
class WaitingTalks:
    """The knowledge of an agent's run that waits. `made`: the items of the input items that it is done with. `talks`:
    those of the others. `asked`: whose question is open. `questions`: how many were sent."""

    made: dict[int, Items] = field(default_factory=dict)
    talks: dict[int, TalkState] = field(default_factory=dict)
    asked: int = 0
    questions: int = 0

    def written(self) -> dict[str, Json]:
        made: dict[str, Json] = {str(index): list[Json](items) for index, items in self.made.items()}  # type: ignore[arg-type]  # items are JSON
        talks: dict[str, Json] = {str(index): _written_talk(talk) for index, talk in self.talks.items()}
        return {"made": made, "talks": talks, "asked": self.asked, "questions": self.questions}

    @classmethod
    def read(cls, kept: Mapping[str, Json]) -> WaitingTalks:
        """kept: what `written` gave."""
        made = cast("Mapping[str, Items]", kept["made"])
        talks = cast("Mapping[str, Mapping[str, Json]]", kept["talks"])
        return cls(
            {int(index): items for index, items in made.items()},
            {int(index): _read_talk(talk) for index, talk in talks.items()},
            cast("int", kept["asked"]),
            cast("int", kept["questions"]),
        )


def _written_talk(talk: TalkState) -> Json:
    return {
        "messages": [_written(one) for one in talk.messages],
        "answers": [*talk.answers],
        "steps": [[_written_call(call), result] for call, result in talk.steps],
        "rounds": talk.rounds,
        "mends": talk.mends,
    }


def _read_talk(kept: Mapping[str, Json]) -> TalkState:
    messages = cast("Sequence[Mapping[str, Json]]", kept["messages"])
    steps = cast("Sequence[tuple[Mapping[str, Json], str]]", kept["steps"])
    return TalkState(
        [_read(one) for one in messages],
        [*cast("Sequence[str | None]", kept["answers"])],
        [(_read_call(call), result) for call, result in steps],
        cast("int", kept["rounds"]),
        cast("int", kept["mends"]),
    )


def _written(message: Message) -> Json:
    return {
        "role": message.role,
        "text": message.text,
        "calls": [_written_call(call) for call in message.calls],
        "callId": message.call_id,
        "name": message.name,
        "own": message.own,
    }


def _read(kept: Mapping[str, Json]) -> Message:
    calls = cast("Sequence[Mapping[str, Json]]", kept["calls"])
    return Message(
        kept["role"],  # type: ignore[arg-type]  # one of the roles was written
        str(kept["text"]),
        calls=[_read_call(call) for call in calls],
        call_id=str(kept["callId"]),
        name=str(kept["name"]),
        own=kept["own"],
    )


def _written_call(call: ToolCall) -> Json:
    return {"id": call.id, "name": call.name, "arguments": dict(call.arguments), "problem": call.problem}


def _read_call(kept: Mapping[str, Json]) -> ToolCall:
    arguments = cast("Mapping[str, Json]", kept["arguments"])
    return ToolCall(str(kept["id"]), str(kept["name"]), arguments, str(kept["problem"]))
