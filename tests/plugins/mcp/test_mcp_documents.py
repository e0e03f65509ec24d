"""Workflow documents of the daemon's MCP tools: changed by operations, and compared."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from jackfield.api.workflow_edits.changing import EditRefused, changed
from jackfield.api.workflow_edits.diffs import difference
from jackfield.api.workflow_edits.operations import Operation
from jackfield.api.workflow_edits.references import renamed
from jackfield.testing.documents import chain, node, set_fields

OPERATIONS: TypeAdapter[list[Operation]] = TypeAdapter(list[Operation])


def document() -> dict[str, Any]:
    made = chain("One", node("Start", "manualTrigger"), set_fields("Set", a="={{ $json.b }}"), node("End", "noOp"))
    made["nodes"][2]["parameters"] = {"text": "={{ $('Set').item.json.a + $node[\"Set\"].json.a + $node.Set.json.a }}"}  # type: ignore[index, call-overload]
    made["pinData"] = {"Set": [{"json": {"a": 1}}]}
    return made


def after(*operations: dict[str, Any]) -> dict[str, Any]:
    before = document()
    kept = copy.deepcopy(before)
    found = changed(before, OPERATIONS.validate_python(list(operations)))
    assert before == kept, "what was given stays as it is"
    return found


def test_a_node_is_added_beside_the_others_and_wired() -> None:
    new = {"name": "More", "type": "n8n-nodes-base.noOp", "typeVersion": 1}
    found = after({"op": "add_node", "node": new}, {"op": "connect", "source": "End", "target": "More", "output": 1})
    made = found["nodes"][-1]
    assert made["name"] == "More"
    assert made["position"] == [220, 0]
    assert made["id"]
    assert found["connections"]["End"]["main"] == [[], [{"node": "More", "type": "main", "index": 0}]]
    told = difference(document(), found)
    assert told["added"] == ["More"]
    assert told["wiresAdded"] == ["End[1] -> More[0] (main)"]


def test_parameters_are_merged_and_null_takes_away() -> None:
    changes = {"parameters": {"options": {"x": 1}, "assignments": None}, "onError": "continueRegularOutput"}
    found = after({"op": "update_node", "name": "Set", "changes": changes})["nodes"][1]
    assert found["parameters"] == {"options": {"x": 1}}
    assert found["onError"] == "continueRegularOutput"


def test_a_removed_node_takes_its_wires_and_data_along() -> None:
    found = after({"op": "remove_node", "name": "Set"})
    assert [one["name"] for one in found["nodes"]] == ["Start", "End"]
    assert found["connections"] == {}
    assert found["pinData"] == {}
    told = difference(document(), found)
    assert told["removed"] == ["Set"]
    assert told["wiresRemoved"] == ["Set[0] -> End[0] (main)", "Start[0] -> Set[0] (main)"]


def test_a_renamed_node_is_found_in_wires_data_and_expressions() -> None:
    found = after({"op": "rename_node", "name": "Set", "to": "It's"})
    assert found["connections"]["Start"]["main"][0][0]["node"] == "It's"
    assert "It's" in found["connections"]
    assert found["pinData"] == {"It's": [{"json": {"a": 1}}]}
    text = found["nodes"][2]["parameters"]["text"]
    assert text == "={{ $('It\\'s').item.json.a + $node[\"It's\"].json.a + $node[\"It's\"].json.a }}"
    told = difference(document(), found)
    assert told["renamed"] == [{"from": "Set", "to": "It's"}]
    assert told["wiresAdded"] == told["wiresRemoved"] == []


def test_wires_settings_names_and_switches() -> None:
    found = after(
        {"op": "disconnect", "source": "Set", "target": "End"},
        {"op": "disable_node", "name": "End"},
        {"op": "set_settings", "settings": {"timezone": "Europe/Berlin"}},
        {"op": "set_name", "name": "Two"},
        {"op": "pin_data", "node": "Start", "items": [{"json": {}}]},
        {"op": "pin_data", "node": "Set", "items": None},
    )
    assert "Set" not in found["connections"]
    assert found["nodes"][2]["disabled"] is True
    assert found["settings"] == {"timezone": "Europe/Berlin"}
    assert found["pinData"] == {"Start": [{"json": {}}]}
    told = difference(document(), found)
    assert [one["key"] for one in told["other"]] == ["name", "settings"]  # type: ignore[union-attr, index, call-overload]
    assert told["pinData"] is True


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ({"op": "update_node", "name": "Sett", "changes": {}}, "There is no node Sett; there are: Start, Set, End"),
        ({"op": "update_node", "name": "Set", "changes": {"name": "B"}}, "Use rename_node"),
        ({"op": "add_node", "node": {"name": "Set", "type": "x"}}, "already"),
        ({"op": "add_node", "node": {"name": "Set"}}, "needs a name and a type"),
        ({"op": "rename_node", "name": "Set", "to": "End"}, "already"),
        ({"op": "connect", "source": "Set", "target": "Nobody"}, "no node Nobody"),
        ({"op": "disconnect", "source": "End", "target": "Set"}, "No wire leads"),
    ],
)
def test_what_does_not_fit_names_the_operation_and_the_remedy(operation: dict[str, Any], words: str) -> None:
    with pytest.raises(EditRefused, match=r"operations\[1\]") as told:
        after({"op": "enable_node", "name": "End"}, operation)
    assert words in told.value.message
    assert "Nothing was changed" in told.value.message


@pytest.mark.parametrize("given", [{"op": "drop_node"}, {"op": "connect", "source": "a"}, {"op": "set_name", "x": 1}])
def test_other_operations_are_none(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        OPERATIONS.validate_python([given])


@given(st.text(min_size=1, max_size=20), st.text(min_size=1, max_size=20), st.text(max_size=40))
def test_a_name_that_no_expression_has_changes_nothing(name: str, to: str, text: str) -> None:
    plain = text.replace("$", "")
    assert renamed({"a": [plain]}, name, to) == {"a": [plain]}


NAMES = st.text(st.characters(blacklist_characters="\\'\"`", blacklist_categories=("Cs",)), min_size=1, max_size=20)


@given(NAMES, NAMES)
def test_a_renamed_reference_is_renamed_back(name: str, to: str) -> None:
    text = f"={{{{ $('{name}').first() + $node[\"{name}\"].json.a }}}}"
    there = renamed(text, name, to)
    assert renamed(there, to, name) == text
    assert f"$('{to}')" in there


@given(st.lists(st.sampled_from(["Start", "Set", "End"]), min_size=2, max_size=2))
def test_a_document_is_not_different_from_itself(ends: list[str]) -> None:
    found = after({"op": "connect", "source": ends[0], "target": ends[1]})
    told = difference(found, copy.deepcopy(found))
    assert not any(told.values())
