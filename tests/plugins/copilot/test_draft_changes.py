"""What differs between a draft, its base and the workflow, and documents with some of that."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jackfield.api.errors import Conflict, InvalidInput
from jackfield_copilot.changes.choosing import Merged, chosen_of, merged, settled
from jackfield_copilot.changes.listing import MOST_BESIDE, changes_of, compared, shown_changes

Document = dict[str, Any]


def node(name: str, ident: str = "", **parameters: Any) -> Document:
    return {"id": ident or name.lower(), "name": name, "type": "t", "position": [0, 0], "parameters": parameters}


def wires(*pairs: tuple[str, str]) -> Document:
    made: Document = {}
    for source, target in pairs:
        outputs = made.setdefault(source, {"main": [[]]})["main"]
        outputs[0].append({"node": target, "type": "main", "index": 0})
    return made


def document(*nodes: Document, at: Document | None = None, **more: Any) -> Document:
    return {"name": "W", "nodes": list(nodes), "connections": at or {}, **more}


def accepted(base: Document, draft: Document, current: Document, *chosen: str, overwrite: bool = False) -> Merged:
    three = compared(base, draft, current)
    changes = changes_of(three)
    return merged(current, three.draft, three, changes, chosen_of(changes, chosen or None, overwrite=overwrite))


def rejected(base: Document, draft: Document, current: Document, *chosen: str) -> Merged:
    three = compared(base, draft, current)
    changes = changes_of(three)
    return merged(draft, three.current, three, changes, chosen_of(changes, chosen or None, overwrite=True))


BASE = document(node("A"), node("C"), at=wires(("A", "C")), settings={"timezone": "UTC"})
BETWEEN = document(
    node("A"), node("B"), node("C", x=1), at=wires(("A", "B"), ("B", "C")), settings={"timezone": "Europe/Berlin"}
)
"""B stands between A and C, which is another one."""


def test_each_node_wire_and_setting_is_one_change() -> None:
    found = {one["id"]: one for one in shown_changes(compared(BASE, BETWEEN, BASE))}
    assert {name: one["how"] for name, one in found.items()} == {
        "node:b": "added",
        "node:c": "changed",
        "wire:main:a:0>b:0": "added",
        "wire:main:b:0>c:0": "added",
        "wire:main:a:0>c:0": "removed",
        "setting:settings.timezone": "changed",
    }
    assert found["node:c"]["parts"] == [{"path": "parameters.x", "before": None, "after": 1}]
    assert found["wire:main:a:0>b:0"]["needs"] == ["node:b"]
    assert found["wire:main:a:0>c:0"]["label"] == "A[0] -> C[0]"
    assert set(found["node:b"]["wires"]) == {"wire:main:a:0>b:0", "wire:main:b:0>c:0", "wire:main:a:0>c:0"}
    assert not any(one["conflict"] for one in found.values())


def test_a_node_brings_its_wires_and_those_that_they_replace() -> None:
    made = accepted(BASE, BETWEEN, BASE, "node:b")
    assert made.document["connections"] == wires(("A", "B"), ("B", "C"))
    assert made.document["nodes"][1]["parameters"] == {}, "C was not accepted"
    assert set(made.accepted) == {"node:b", "wire:main:a:0>b:0", "wire:main:b:0>c:0", "wire:main:a:0>c:0"}


def test_a_wire_stays_until_what_replaces_it_is_there() -> None:
    made = accepted(BASE, BETWEEN, BASE, "node:c")
    assert made.document["connections"] == wires(("A", "C"))
    assert made.accepted == ["node:c"]


def test_all_changes_make_the_draft() -> None:
    made = accepted(BASE, BETWEEN, BASE)
    assert made.document["connections"] == BETWEEN["connections"]
    assert sorted(one["name"] for one in made.document["nodes"]) == ["A", "B", "C"]
    assert changes_of(compared(BASE, BETWEEN, made.document)).ids == []


def test_a_removed_node_takes_its_wires_and_leaves_the_bypass() -> None:
    base = document(node("A"), node("B"), node("C"), at=wires(("A", "B"), ("B", "C")))
    draft = document(node("A"), node("C"), at=wires(("A", "C")))
    made = accepted(base, draft, base, "node:b")
    assert [one["name"] for one in made.document["nodes"]] == ["A", "C"]
    assert made.document["connections"] == wires(("A", "C"))


def test_a_wire_alone_needs_its_node() -> None:
    with pytest.raises(InvalidInput) as told:
        accepted(BASE, BETWEEN, BASE, "wire:main:a:0>b:0")
    assert "node:b" in str(told.value.details)


def test_a_renamed_node_keeps_its_wires_and_is_renamed_in_expressions() -> None:
    base = document(node("A"), node("C", v="={{ $('A').item.json.x }}"), at=wires(("A", "C")))
    draft = document(node("Start", "a"), node("C", v="={{ $('Start').item.json.x }}"), at=wires(("Start", "C")))
    changes = changes_of(compared(base, draft, base))
    assert {name: one.how for name, one in changes.nodes.items()} == {"node:a": "renamed", "node:c": "changed"}
    assert not changes.wires
    made = accepted(base, draft, base, "node:a")
    assert made.document["connections"] == wires(("Start", "C"))
    assert made.document["nodes"][1]["parameters"] == {"v": "={{ $('Start').item.json.x }}"}


def test_names_that_change_hands_are_followed_and_what_is_taken_over_stays_as_it_is() -> None:
    refers = "={{ $('A').item.json.x + $('B').item.json.x }}"
    base = document(node("A"), node("B"), node("Other", x=refers))
    swapped = document(node("B", "a"), node("A", "b"), node("Other", x=refers))
    made = accepted(base, swapped, base, "node:a", "node:b").document["nodes"]
    assert made[2]["parameters"]["x"] == "={{ $('B').item.json.x + $('A').item.json.x }}"  # type: ignore[index, call-overload]  # JSON
    again = document(node("Former", "a"), node("A", "new"), node("B"), node("Other", x=refers, y=1))
    made = accepted(base, again, base).document["nodes"]
    assert next(one for one in made if one["name"] == "Other")["parameters"]["x"] == refers  # type: ignore[index, union-attr, call-overload]  # JSON


def test_many_wires_take_no_long_time() -> None:
    hub, count = node("Hub"), 3000
    before = document(hub, *(node(f"O{i}") for i in range(count)), at=wires(*(("Hub", f"O{i}") for i in range(count))))
    after = document(hub, *(node(f"N{i}") for i in range(count)), at=wires(*(("Hub", f"N{i}") for i in range(count))))
    begun = time.process_time()
    shown = shown_changes(compared(before, after, before))
    made = accepted(before, after, before)
    assert time.process_time() - begun < 5, "each wire is looked at a few times, not with each other wire"
    assert made.document["nodes"] == after["nodes"]
    assert sum(len(one["wires"]) for one in shown if one["kind"] == "node") <= 2 * count * (MOST_BESIDE + 1)


def test_what_somebody_has_changed_meanwhile_is_a_conflict() -> None:
    current = document(node("A"), node("C", x=2), at=wires(("A", "C")), settings={"timezone": "UTC"})
    with pytest.raises(Conflict) as told:
        accepted(BASE, BETWEEN, current)
    assert list(told.value.details or {}) == ["node:c"]
    others = accepted(BASE, BETWEEN, current, "node:b", "setting:settings.timezone")
    assert others.document["settings"] == {"timezone": "Europe/Berlin"}
    assert others.document["nodes"][1]["parameters"] == {"x": 2}
    forced = accepted(BASE, BETWEEN, current, "node:c", overwrite=True)
    assert forced.document["nodes"][1]["parameters"] == {"x": 1}


def test_what_others_have_done_besides_stays() -> None:
    current = document(node("A"), node("C"), node("D"), at=wires(("A", "C"), ("C", "D")), settings={"timezone": "UTC"})
    made = accepted(BASE, BETWEEN, current)
    assert sorted(one["name"] for one in made.document["nodes"]) == ["A", "B", "C", "D"]
    assert made.document["connections"] == wires(("C", "D"), ("A", "B"), ("B", "C"))


def test_rejecting_puts_the_workflow_into_the_draft() -> None:
    made = rejected(BASE, BETWEEN, BASE, "node:b")
    assert [one["name"] for one in made.document["nodes"]] == ["A", "C"]
    assert made.document["connections"] == wires(("A", "C"))
    assert changes_of(compared(BASE, made.document, BASE)).ids == ["node:c", "setting:settings.timezone"]
    whole = rejected(BASE, BETWEEN, BASE)
    assert changes_of(compared(BASE, whole.document, BASE)).ids == []


def test_two_nodes_of_one_name_are_refused() -> None:
    current = document(*BASE["nodes"], node("B", "other"), at=wires(("A", "C")), settings={"timezone": "UTC"})
    with pytest.raises(InvalidInput, match="name B"):
        accepted(BASE, BETWEEN, current, "node:b")


def test_an_unknown_change_is_named() -> None:
    with pytest.raises(InvalidInput) as told:
        accepted(BASE, BETWEEN, BASE, "node:zzz")
    assert "node:zzz" in str(told.value.details)


def test_pinned_data_belongs_to_its_node() -> None:
    draft = {**BASE, "pinData": {"A": [{"json": {"x": 1}}]}}
    (change,) = shown_changes(compared(BASE, draft, BASE))
    assert (change["id"], change["parts"][0]["path"]) == ("node:a", "pinData")  # type: ignore[index,call-overload]  # JSON
    assert accepted(BASE, draft, BASE).document["pinData"] == draft["pinData"]


def test_what_saving_has_made_of_a_node_is_no_change() -> None:
    draft = document(node("A", secret="plain"), node("B"), at=wires(("A", "B")))
    saved = document(node("A", secret="***"))
    after = settled(draft, saved, {"node:a"})
    assert after["nodes"][0]["parameters"] == {"secret": "***"}  # type: ignore[index,call-overload]  # JSON
    assert after["connections"] == draft["connections"]


NAMES = "ABCDE"
_pairs = st.sets(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=8)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    names = sorted(draw(st.sets(st.sampled_from(NAMES), max_size=5)))
    pairs = [pair for pair in sorted(draw(_pairs)) if set(pair) <= set(names)]
    nodes = [node(name, x=draw(st.integers(0, 2))) for name in names]
    return document(*nodes, at=wires(*pairs), settings={"timezone": draw(st.sampled_from(["UTC", "X"]))})


@settings(max_examples=150, deadline=None)
@given(documents(), documents(), documents(), st.data())
def test_no_choice_leaves_a_wire_without_its_nodes(
    base: Document, draft: Document, current: Document, data: st.DataObject
) -> None:
    changes = changes_of(compared(base, draft, current))
    nodes = data.draw(st.sets(st.sampled_from(sorted(changes.nodes)))) if changes.nodes else set()
    if not nodes:
        return
    made = accepted(base, draft, current, *sorted(nodes), overwrite=True)
    names = {one["name"] for one in made.document["nodes"]}
    connections: Document = made.document["connections"]  # type: ignore[assignment]  # JSON
    ends = {(source, one["node"]) for source, kinds in connections.items() for one in kinds["main"][0]}
    assert all(set(pair) <= names for pair in ends)
    for name in nodes:
        key = name.removeprefix("node:").upper()
        wanted = next((one for one in draft["nodes"] if one["name"] == key), None)
        assert next((one for one in made.document["nodes"] if one["name"] == key), None) == wanted


@settings(max_examples=100, deadline=None)
@given(documents(), documents())
def test_all_of_a_draft_is_the_draft(base: Document, draft: Document) -> None:
    made = accepted(base, draft, base, overwrite=True).document if changes_of(compared(base, draft, base)).ids else base
    assert changes_of(compared(base, draft, made)).ids == []
    assert changes_of(compared(draft, made, draft)).ids == []
