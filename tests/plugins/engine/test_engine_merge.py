"""Merge in an execution: it waits for all of its branches, runs once, and its items keep where they come from."""

from __future__ import annotations

from typing import Any

import pytest
from engine_lab import Lab, doc, ended, request

from jackfield.api.nodes import NodeRun
from jackfield.api.workflows import Document, Outputs
from jackfield_nodes.comparing.node import CompareNode
from jackfield_nodes.merging.node import MergeNode


async def named(run: NodeRun) -> Outputs:
    """Two items that tell the node they come from."""
    return [[{"json": {"id": number, run.node.name: number}, "pairedItem": {"item": 0}} for number in (1, 2)]]


async def nothing(run: NodeRun) -> Outputs:
    return [[]]


@pytest.fixture
def merging(lab: Lab) -> Lab:
    lab.kind("named", named)
    lab.kind("nothing", nothing)
    context = lab.context()
    for node in (MergeNode(context), CompareNode(context)):
        lab.kind(node.kind, node.execute, model=node.parameters(node.versions[-1]), count=node.outputs(None))  # type: ignore[arg-type]
    return lab


def branches(kinds: list[str], merge: dict[str, Any], after: str = "resolve", kind: str = "merge") -> Document:
    """Start leads to one branch per kind, each to its own input of M; the longer a branch's name, the later it runs."""
    names = [chr(ord("A") + place) for place in range(len(kinds))]
    document: Any = doc(("Start", "webhook"))
    parts: list[tuple[str, str, dict[str, Any]]] = [
        *((name, one, {}) for name, one in zip(names, kinds, strict=True)),
        ("M", kind, merge),
        ("After", after, {"a": "={{ $('A').item.json.A }}", "input": "={{ $json }}"}),
    ]
    for place, (name, one, parameters) in enumerate(parts):
        document["nodes"].append(
            {
                "id": name,
                "name": name,
                "type": f"n8n-nodes-base.{one}",
                "typeVersion": 3.2 if one == "merge" else 1,
                "position": [place, place],
                "parameters": parameters,
            }
        )

    def wire(name: str, index: int = 0) -> dict[str, Any]:
        return {"node": name, "type": "main", "index": index}

    document["connections"] = {
        "Start": {"main": [[wire(name) for name in names]]},
        **{name: {"main": [[wire("M", index)]]} for index, name in enumerate(names)},
        "M": {"main": [[wire("After")]]},
    }
    return document  # type: ignore[no-any-return]


async def ran(lab: Lab, document: Document) -> Any:
    return await ended(lab.engine().submit(request(lab.parse(document), durability="finish")))


@pytest.mark.parametrize("count", [2, 3])
async def test_it_waits_for_all_branches_and_runs_once(merging: Lab, count: int) -> None:
    merge = {"mode": "combine", "combineBy": "combineByPosition", "numberInputs": count}
    outcome = await ran(merging, branches(["named"] * count, merge, after="pass"))
    names = ["A", "B", "C"][:count]
    assert merging.ran == [*names, "M", "After"]
    assert [item["json"] for item in outcome.items] == [
        {"id": number, **dict.fromkeys(names, number)} for number in (1, 2)
    ]


@pytest.mark.parametrize("count", [2, 3])
async def test_appended_items_come_in_the_order_of_the_inputs(merging: Lab, count: int) -> None:
    outcome = await ran(merging, branches(["named"] * count, {"numberInputs": count}, after="pass"))
    assert merging.ran.count("M") == 1
    assert [list(item["json"])[1] for item in outcome.items] == [name for name in "ABC"[:count] for _ in range(2)]


@pytest.mark.parametrize("count", [2, 3])
async def test_a_branch_that_brings_nothing_does_not_block(merging: Lab, count: int) -> None:
    kinds = ["named", "nothing", "named"][:count]
    outcome = await ran(merging, branches(kinds, {"numberInputs": count}, after="pass"))
    assert merging.ran[-2:] == ["M", "After"]
    assert merging.ran.count("M") == 1
    assert [list(item["json"])[1] for item in outcome.items] == [name for name in "AC"[: count - 1] for _ in range(2)]


async def test_choose_branch_does_not_go_on_without_all_branches(merging: Lab) -> None:
    await ran(merging, branches(["named", "nothing"], {"mode": "chooseBranch"}, after="pass"))
    assert merging.ran == ["A", "B", "M"]


async def test_what_follows_finds_the_items_that_were_joined(merging: Lab) -> None:
    merge = {"mode": "combine", "fieldsToMatchString": "id"}
    outcome = await ran(merging, branches(["named", "named"], merge))
    assert outcome.status == "success"
    assert [item["json"] for item in outcome.items] == [
        {"a": number, "input": {"id": number, "A": number, "B": number}} for number in (1, 2)
    ]


async def test_compare_datasets_waits_too(merging: Lab) -> None:
    compare = {"mergeByFields": {"values": [{"field1": "id", "field2": "id"}]}}
    document = branches(["named", "named"], compare, after="pass", kind="compareDatasets")
    document["connections"]["M"]["main"] = [[], [], *document["connections"]["M"]["main"]]  # type: ignore[call-overload,index]
    outcome = await ran(merging, document)
    assert merging.ran == ["A", "B", "M", "After"]
    assert outcome.items[1]["json"] == {
        "keys": {"id": 2},
        "same": {"id": 2},
        "different": {"A": {"inputA": 2, "inputB": None}, "B": {"inputA": None, "inputB": 2}},
    }
