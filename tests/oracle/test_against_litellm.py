"""Requests, answers and streams translated by LiteLLM and by us: the same, or different for a reason that is written
down."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("litellm", reason="LiteLLM is there in `tox -e oracle` alone")

from oracle_lab import (
    DIRECTIONS,
    Bench,
    Direction,
    Told,
    bench,
    events_of,
    ours,
    parts_of_request,
    request_of,
    said_of,
    streamed,
    told,
)
from rules import RECORDED, REQUESTS, STREAMS, differences, explained
from scripted import FRESH, Say

from jackfield.api.dialects import of

ANSWERS = 75
"""Of each direction, whole and streamed."""
PAGE = Path(__file__).parents[2] / "docs/proxy-dialects.md"
ASKED: dict[str, Any] = {
    "anthropic": {"model": "m", "max_tokens": 99, "messages": [{"role": "user", "content": "hi"}]},
    "chat": {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream_options": {"include_usage": True}},
    "responses": {"model": "m", "input": "hi"},
}
every_direction = pytest.mark.parametrize("direction", DIRECTIONS, ids=lambda direction: direction.name)


async def compared(direction: Direction) -> tuple[set[str], list[str]]:
    """The rules that were needed, and what no rule explains."""
    used: set[str] = set()
    unexplained: list[str] = []
    async with bench() as made:
        for number in range(direction.count):
            body = request_of(direction, number)
            await made.theirs(direction, body)
            theirs = parts_of_request(direction.provider, made.asked)
            own = parts_of_request(direction.provider, ours(direction, body))
            for field in differences(own, theirs):
                name = explained(field, body, own.get(field), theirs.get(field))
                if name is None:
                    unexplained.append(
                        f"{direction.name} {number} {field}: {own.get(field)} {theirs.get(field)} {body}"
                    )
                else:
                    used.add(name)
    return used, unexplained


async def test_requests_are_the_same_but_for_explained_differences_and_no_explanation_is_stale() -> None:
    assert sum(direction.count for direction in DIRECTIONS) >= 300
    found = [await compared(direction) for direction in DIRECTIONS]
    assert [line for _, lines in found for line in lines] == []
    assert {name for used, _ in found for name in used} == {rule.name for rule in REQUESTS}


@every_direction
async def test_whole_answers_are_the_same(direction: Direction) -> None:
    async with bench() as made:
        for number in range(ANSWERS):
            made.say = said_of(direction, "whole", number)
            body = {name: value for name, value in ASKED[direction.client].items() if name != "stream_options"}
            theirs = told(direction.client, await made.theirs(direction, body))
            answer = of(direction.provider).parse_response(made.provider_bytes(direction, stream=False))
            asked = of(direction.client).parse_request(json.dumps(body).encode())
            own = told(direction.client, json.loads(of(direction.client).build_response(answer, asked)))
            assert own == theirs, made.say


@every_direction
async def test_streams_are_the_same_but_for_interleaved_calls(direction: Direction) -> None:
    different = 0
    async with bench() as made:
        for number in range(ANSWERS):
            made.say = said_of(direction, "stream", number)
            body = {**ASKED[direction.client], "stream": True}
            answer = await made.theirs(direction, body)
            events = [event for one in answer for event in (events_of(one) if isinstance(one, bytes) else [one])]
            theirs, own = streamed(direction.client, events), own_stream(made, direction, body)
            assert own.blocks == truth(made.say)
            counts = {"input": FRESH + made.say.cached, "output": made.say.output, "cached": made.say.cached}
            assert own.usage == counts
            if own == theirs:
                continue
            # The provider's calls come in turns; LiteLLM puts the arguments of one into the other.
            assert (direction.name, len(made.say.calls)) == ("anthropic to chat", 2), (made.say, own, theirs)
            assert (own.stop, own.usage) == (theirs.stop, theirs.usage)
            different += 1
    assert bool(different) == (direction.name == "anthropic to chat")


def own_stream(made: Bench, direction: Direction, body: dict[str, Any]) -> Told:
    reader = of(direction.provider).reader()
    writer = of(direction.client).writer(of(direction.client).parse_request(json.dumps(body).encode()))
    data = made.provider_bytes(direction, stream=True)
    events = [event for start in range(0, len(data), 97) for event in reader.feed(data[start : start + 97])]
    written = [writer.write(event) for event in [*events, *reader.close()]]
    return streamed(direction.client, events_of(b"".join([*written, writer.close()])))


def truth(say: Say) -> list[tuple[str, str, Any]]:
    found: list[tuple[str, str, Any]] = [("thinking", "", say.thinking)] if say.thinking else []
    found += [("text", "", say.text)] if say.text else []
    return [*found, *(("call", f"{name} {call}", given) for call, name, given in say.calls)]


def test_every_rule_has_its_row_in_the_documentation() -> None:
    rows = [line.split("|")[1].strip() for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    assert {rule.name for rule in [*REQUESTS, *RECORDED]} | STREAMS <= set(rows)
