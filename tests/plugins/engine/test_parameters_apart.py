"""Parameters that items share, with values of their own where expressions stand."""

from __future__ import annotations

from typing import Any

from engine_lab import Lab, doc, ended, request
from pydantic import model_validator

from jackfield.api.engine import Outcome
from jackfield.api.nodes import NodeParameters, NodeRun
from jackfield.api.nodes.leaves import Apart, filled
from jackfield.api.workflows import Outputs

VALIDATED: list[object] = []


class Shared(NodeParameters):
    takes_leaves = True

    text: object = None
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
