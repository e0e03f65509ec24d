"""Parameters that items share, with values of their own where expressions stand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from time import perf_counter
from typing import Any

import pytest
from engine_lab import Lab, doc, ended, request
from pydantic import model_validator

from jackfield.api.engine import Outcome
from jackfield.api.nodes import NodeParameters, NodeRun
from jackfield.api.nodes.leaves import Apart, filled
from jackfield.api.workflows import Outputs
from jackfield_expressions.evaluator import compiling

FIELDS = ("text", "other", "rows")
VALIDATED: list[object] = []


class Shared(NodeParameters):
    takes_leaves = True

    text: object = None
    other: object = None
    rows: Sequence[object] = ()
    count: int = 0

    @model_validator(mode="before")
    @classmethod
    def _note(cls, raw: object) -> object:
        VALIDATED.append(raw)
        return raw


class Single(Shared):
    takes_leaves = False


async def apart(run: NodeRun) -> Outputs:
    given: list[Apart[Any]] = await run.resolve_apart()
    return [[{"json": {"text": filled(one.parameters.text, one.values)}} for one in given]]  # type: ignore[dict-item]


async def run(lab: Lab, model: type[NodeParameters], parameters: dict[str, Any]) -> Outcome:
    lab.kind("apart", apart, model=model)
    workflow = lab.parse(doc(("Start", "webhook"), ("Apart", "apart", {"parameters": parameters})))
    VALIDATED.clear()
    given = [{"json": {"n": n, "bad": n == 1}} for n in range(4)]
    return await ended(lab.engine().submit(request(workflow, items=given)))


class Chosen(Shared):
    """Becomes one that does not take leaves."""

    @model_validator(mode="wrap")
    @classmethod
    def _choose(cls, raw: object, handler: Callable[[object], Shared]) -> Shared:
        return Single.model_validate(raw)


async def of_items(lab: Lab, parameters: dict[str, Any], *, model: type[NodeParameters]) -> list[dict[str, Any]]:
    """The parameters of each item, as the node reads them."""

    async def shown(run: NodeRun) -> Outputs:
        given: list[Apart[Any]] = await run.resolve_apart()
        return [[{"json": {name: filled(getattr(one[0], name), one[1]) for name in FIELDS}} for one in given]]  # type: ignore[misc]

    lab.kind("shown", shown, model=model)
    workflow = lab.parse(doc(("Start", "webhook"), ("Shown", "shown", {"parameters": parameters})))
    outcome = await ended(lab.engine().submit(request(workflow, items=[{"json": {"n": n}} for n in range(3)])))
    return [item["json"] for item in outcome.items]


@pytest.mark.parametrize(
    "parameters",
    [
        {"other": "=no code", "text": "={{ $json.n }}"},
        {"other": "=", "text": "=a{{ $json.n }}"},
        {"text": ["={{ $json.n }}", "=no code", "b"], "other": "={{ $json.n }}"},
        {"text": {"a": {"b": "={{ $json.n }}"}}},
        {"rows": ["={{ $json.n }}", 2]},
        {"rows.0": "={{ $json.n }}", "text": {"a.b": "={{ $json.n }}", "a": {"b": 5}}, "other": "={{ $json.n }}"},
    ],
)
async def test_each_item_reads_what_it_reads_of_parameters_of_its_own(lab: Lab, parameters: dict[str, Any]) -> None:
    alone = await of_items(lab, parameters, model=Single)
    assert len(alone) == 3
    assert await of_items(lab, parameters, model=Shared) == alone


async def test_a_model_that_becomes_another_one_takes_leaves_where_that_one_does(lab: Lab) -> None:
    outcome = await run(lab, Chosen, {"text": "=item {{ $json.n }}"})
    assert [item["json"] for item in outcome.items] == TEXTS
    assert len(VALIDATED) >= 4


TEXTS = [{"text": f"item {n}"} for n in range(4)]


async def test_a_model_that_takes_leaves_is_validated_once(lab: Lab) -> None:
    outcome = await run(lab, Shared, {"text": "=item {{ $json.n }}", "count": 2})
    assert [item["json"] for item in outcome.items] == TEXTS
    assert len(VALIDATED) == 1


async def test_another_model_is_validated_for_each_item(lab: Lab) -> None:
    outcome = await run(lab, Single, {"text": "=item {{ $json.n }}"})
    assert [item["json"] for item in outcome.items] == TEXTS
    assert len(VALIDATED) == 4


async def test_an_expression_where_the_model_takes_no_leaf_is_validated_for_each_item(lab: Lab) -> None:
    outcome = await run(lab, Shared, {"text": "=item {{ $json.n }}", "count": "={{ $json.n }}"})
    assert [item["json"] for item in outcome.items] == TEXTS
    assert len(VALIDATED) >= 4


async def test_an_item_whose_expression_fails_says_so_and_the_others_have_their_values(lab: Lab) -> None:
    parameters = {"text": "={{ $json.bad ? $('Nobody').first().json.n : $json.n }}"}
    outcome = await run(lab, Shared, parameters)
    assert outcome.failure is not None
    assert "The parameter text of item 1 is not valid" in outcome.failure.message


async def test_pauses_of_the_machine_send_nothing_to_javascript(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is none, so that the node would fail."""
    begun, looks = perf_counter(), count()
    monkeypatch.setattr(compiling, "_clock", lambda: begun + max(next(looks) - 10, 0))  # behind the tenth a second each
    lab.kind("apart", apart, model=Shared)
    given = {"parameters": {"text": "={{ 'a'.toUpperCase() + $json.n }}"}}
    workflow = lab.parse(doc(("Start", "webhook"), ("Apart", "apart", given)))
    items = [{"json": {"n": n}} for n in range(200)]
    outcome = await ended(lab.engine().submit(request(workflow, items=items)))
    assert [item["json"]["text"] for item in outcome.items] == [f"A{n}" for n in range(200)]
    assert next(looks) >= 400
