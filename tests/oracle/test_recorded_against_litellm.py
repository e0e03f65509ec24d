"""Streams of real providers translated by LiteLLM and by us: the same, or different for a reason that is written
down."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

pytest.importorskip("litellm", reason="LiteLLM is there in `tox -e oracle` alone")

from dialect_lab import asked, read, write
from oracle_lab import RECORDED, Bench, Direction, bench, plain
from recorded import Meaning, Recording, events_of, meaning, needs_recordings, recordings
from rules import Case, settled

from jackfield.api.dialects import of

pytestmark = needs_recordings
ASKED: dict[str, Any] = {
    "anthropic": {"model": "m", "max_tokens": 99, "messages": [{"role": "user", "content": "hi"}]},
    "chat": {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream_options": {"include_usage": True}},
    "responses": {"model": "m", "input": "hi"},
}


@pytest.mark.parametrize("direction", RECORDED, ids=lambda direction: direction.name)
async def test_recorded_streams_are_the_same_but_for_explained_differences(direction: Direction) -> None:
    used: Counter[str] = Counter()
    unexplained: list[str] = []
    compared = [one for one in recordings("sse") if one.dialect == direction.provider]
    async with bench() as made:
        for recording in compared:
            case = await _case(made, direction, recording)
            if case.own.failed and case.theirs.failed:  # each in its own words
                continue
            used.update(settled(case))
            if case.own != case.theirs:
                unexplained.append(f"{recording}: {case.own} {case.theirs}")
    print(f"{direction.name}: {len(compared)} streams, {json.dumps(used)}")
    assert unexplained == []


async def _case(made: Bench, direction: Direction, recording: Recording) -> Case:
    data = made.recorded = recording.data
    own = write(of(direction.client).writer(asked(direction.client)), read(of(direction.provider).reader(), [data]))
    found = [meaning(direction.client, events_of(own)), await _theirs(made, direction)]
    if "chat" in (direction.client, direction.provider):  # it has no order of texts, thinking and calls
        for one in found:
            one.blocks = one.joined
    return Case(direction.name, events_of(data), *found)


async def _theirs(made: Bench, direction: Direction) -> Meaning:
    """It tells failures by raising."""
    try:
        answer = await made.theirs(direction, {**ASKED[direction.client], "stream": True})
    except Exception as exc:  # of every kind, as each provider's
        return Meaning(failed=str(exc))
    events = [event for one in answer for event in (events_of(one) if isinstance(one, bytes) else [plain(one)])]
    return meaning(direction.client, events)
