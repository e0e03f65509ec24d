"""`reuse`: what a run to one node takes of an earlier execution."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.auth import Principal
from jackfield.api.context import WorkflowReader
from jackfield.api.history import NodeRecord, OriginalInput, node_records
from jackfield.api.storage.users import Credential, Variable
from jackfield.api.workflows import Items
from jackfield.testing.context import FakeContext
from jackfield.testing.documents import node, set_fields, webhook, wires, workflow
from jackfield_workflows.documents.reader import CachedReader
from jackfield_workflows.history.outside import changed_outside
from jackfield_workflows.history.reuse import reusable

Taken = Callable[..., "list[str] | None"]
ITEMS: Items = [{"json": {"n": 1}}]
CHAIN = workflow(
    "chain",
    [webhook("x"), set_fields("A", n=1), set_fields("B", n=1), set_fields("C", n=1), set_fields("Side", n=1)],
    wires(("Webhook", "A"), ("A", "B"), ("B", "C"), ("A", "Side"), ("Side", "C")),
)


def ran(*names: str, failed: str = "") -> list[NodeRecord]:
    base: NodeRecord = {"node": "", "index": 0, "startedAt": 1, "duration": 1, "status": "success"}
    made: list[NodeRecord] = [{**base, "node": name, "index": index} for index, name in enumerate(("Webhook", *names))]
    for one in made:
        one["status"] = "failed" if one["node"] == failed else "success"
    return made


@pytest.fixture
def taken(tmp_path: Path) -> Taken:
    """Which node runs of the chain's execution a run of `now` takes."""
    reader = CachedReader(FakeContext(tmp_path))

    def names_of(
        now: dict[str, Any],
        until: str = "C",
        *,
        names: tuple[str, ...] = ("A", "B", "Side", "C"),
        then: dict[str, Any] = CHAIN,
        **more: str,
    ) -> list[str] | None:
        began = OriginalInput("Webhook", ITEMS, 0, pin=True, depth=0, until=more.get("ended", ""))
        records = ran(*names, failed=more.get("failed", ""))
        found = reusable(records, began, reader.parse(then), reader.parse(now), until)
        return None if found is None else [one["node"] for one in found]

    return names_of


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    made = copy.deepcopy(CHAIN)
    change(made)
    return made


def test_what_did_not_change_is_taken_but_the_node_to_run_to(taken: Taken) -> None:
    assert taken(CHAIN) == ["A", "B", "Side"]
    assert taken(CHAIN, "B") == ["A"]


def test_a_node_whose_parameters_changed_runs_with_all_behind_it(taken: Taken) -> None:
    assert taken(changed(lambda made: made["nodes"][2]["parameters"].update(x=1))) == ["A", "Side"]
    assert taken(changed(lambda made: made["nodes"][1]["parameters"].update(x=1))) == []


def test_a_node_that_reads_a_changed_one_by_name_runs_with_all_behind_it(taken: Taken) -> None:
    reading = changed(lambda made: made["nodes"][2]["parameters"].update(x="={{ $('Side').first().json.n }}"))
    assert taken(reading, then=reading) == ["A", "B", "Side"]
    aside = copy.deepcopy(reading)
    aside["nodes"][4]["parameters"]["x"] = 1
    assert taken(aside, then=reading) == ["A"]


def test_moving_and_renaming_notes_changes_nothing(taken: Taken) -> None:
    assert taken(changed(lambda made: made["nodes"][1].update(position=[9, 9], notes="n"))) == ["A", "B", "Side"]


def test_a_new_wire_makes_its_target_run(taken: Taken) -> None:
    def rewire(made: dict[str, Any]) -> None:
        made["connections"]["Webhook"]["main"][0].append({"node": "Side", "type": "main", "index": 0})

    assert taken(changed(rewire)) == ["A", "B"]


def test_a_pin_that_is_new_counts_as_a_change(taken: Taken) -> None:
    assert taken(changed(lambda made: made.update(pinData={"B": ITEMS}))) == ["A", "Side"]


def test_a_pin_of_what_the_node_gave_is_no_change(taken: Taken) -> None:
    assert taken(changed(lambda made: made.update(pinData={"Webhook": ITEMS, "A": [{"json": {"n": 2}}]}))) == []
    assert taken(changed(lambda made: made.update(pinData={"Webhook": ITEMS}))) == ["A", "B", "Side"]
    assert taken(changed(lambda made: made.update(pinData={"Webhook": [{"json": {}}]}))) is None


def test_nothing_is_taken_when_the_beginning_changed(taken: Taken) -> None:
    assert taken(changed(lambda made: made["nodes"][0]["parameters"].update(path="other"))) is None
    assert taken(changed(lambda made: made["settings"].update(executionOrder="v1"))) is None


def test_a_failed_node_and_what_follows_the_end_of_a_partial_run_runs(taken: Taken) -> None:
    assert taken(CHAIN, names=("A", "B"), failed="B") == ["A"]
    assert taken(CHAIN, names=("A", "B"), ended="A") == ["A"]


async def test_a_run_reuses_an_execution_of_its_workflow(api: Any) -> None:
    saved = await api.save(CHAIN)
    first = await api.ok("POST", f"/workflows/{saved['id']}/execute", ITEMS)
    path = f"/workflows/{saved['id']}/execute-async?until=C&reuse={first['id']}"
    await api.ok("POST", path, status=202)
    asked = api.engine.requests[-1]
    assert (asked.start, asked.items, asked.until) == ("Webhook", ITEMS, "C")
    assert [record["node"] for record in node_records(asked.given)] == ["Side"]


@pytest.mark.parametrize("query", ["", "until=C&start=Webhook&"])
async def test_reuse_needs_a_node_to_run_to_and_nothing_else(api: Any, query: str) -> None:
    saved = await api.save(CHAIN)
    first = await api.ok("POST", f"/workflows/{saved['id']}/execute", ITEMS)
    found = await api.refused("POST", f"/workflows/{saved['id']}/execute-async?{query}reuse={first['id']}")
    assert next(iter(found["details"])) in ("until", "reuse")


async def test_data_of_executions_needs_the_right_to_read_them(api: Any) -> None:
    saved = await api.save(CHAIN)
    first = await api.ok("POST", f"/workflows/{saved['id']}/execute", ITEMS)
    api.context.principal = Principal("u", "u", "member", "api_key", frozenset({"workflows:execute"}))
    found = await api.refused("POST", f"/workflows/{saved['id']}/execute?until=C&reuse={first['id']}", status=403)
    assert found["details"] == {"scope": "executions:read"}


async def test_another_workflows_execution_is_refused(api: Any) -> None:
    saved, other = await api.save(CHAIN), await api.save({**CHAIN, "name": "other", "nodes": [node("A", "noOp")]})
    first = await api.ok("POST", f"/workflows/{other['id']}/execute", ITEMS)
    found = await api.refused("POST", f"/workflows/{saved['id']}/execute-async?until=C&reuse={first['id']}")
    assert list(found["details"]) == ["reuse"]


def using(parameters: dict[str, Any], credentials: dict[str, Any]) -> dict[str, Any]:
    """The chain, whose node B has these."""
    made = copy.deepcopy(CHAIN)
    made["nodes"][2]["parameters"].update(parameters)
    made["nodes"][2]["credentials"] = credentials
    return made


async def reused(api: Any, saved: Any, first: Any) -> list[str]:
    await api.ok("POST", f"/workflows/{saved['id']}/execute-async?until=C&reuse={first['id']}", status=202)
    return [record["node"] for record in node_records(api.engine.requests[-1].given)]


@pytest.mark.parametrize(
    "text",
    ["={{ $vars.city }}", "={{ $vars?.['city'] }}", "return [_vars.city]", 'vars["city"]', "={{ Object.keys($vars) }}"],
)
async def test_a_node_whose_variable_has_changed_since_runs_again(api: Any, text: str) -> None:
    context = api.context
    store, clock = context.store, context.clock
    await store.put_variable(Variable("v1", "city", "Ulm", clock.now_ms() - 9, clock.now_ms() - 9))
    await store.put_variable(Variable("v2", "other", "x", clock.now_ms() - 9, clock.now_ms() - 9))
    workflow = context.port(WorkflowReader).parse(using({"x": text}, {}))
    computed = "keys" in text
    assert await changed_outside(context, workflow, clock.now_ms()) == ({"B"} if computed else set())
    await store.put_variable(Variable("v2", "other", "y", 0, clock.now_ms()))
    assert await changed_outside(context, workflow, clock.now_ms()) == ({"B"} if computed else set())
    await store.put_variable(Variable("v1", "city", "Bonn", 0, clock.now_ms()))
    assert await changed_outside(context, workflow, clock.now_ms()) == {"B"}
    await store.delete_variable("v1")
    assert await changed_outside(context, workflow, clock.now_ms() + 9) == {"B"}


async def test_words_that_are_no_variables_change_nothing(api: Any) -> None:
    workflow = api.context.port(WorkflowReader).parse(using({"x": "All vars are here; myvars.a, $json.vars.a"}, {}))
    assert await changed_outside(api.context, workflow, 0) == set()


async def test_a_node_whose_credential_has_changed_since_runs_again(api: Any) -> None:
    store, now = api.context.store, api.context.clock.now_ms()
    await store.put_credential(Credential("c1", "c", "httpBasicAuth", b"", 0, now - 9))
    named = using({}, {"httpBasicAuth": {"id": "c1", "name": "c"}})
    workflow = api.context.port(WorkflowReader).parse(named)
    assert await changed_outside(api.context, workflow, now) == set()
    await store.put_credential(Credential("c1", "c", "httpBasicAuth", b"", 0, now))
    assert await changed_outside(api.context, workflow, now) == {"B"}
    await store.delete_credential("c1")
    assert await changed_outside(api.context, workflow, now + 9) == {"B"}


async def test_a_part_counts_as_its_node(api: Any) -> None:
    made = copy.deepcopy(CHAIN)
    made["nodes"].append(node("Part", "noOp", {"x": "={{ $vars.gone }}"}))
    made["connections"]["Part"] = {"ai_tool": [[{"node": "B", "type": "ai_tool", "index": 0}]]}
    workflow = api.context.port(WorkflowReader).parse(made)
    assert await changed_outside(api.context, workflow, 0) == {"Part", "B"}


def test_what_was_changed_outside_runs_with_all_behind_it_but_the_beginning(tmp_path: Path) -> None:
    chain = CachedReader(FakeContext(tmp_path)).parse(CHAIN)
    began = OriginalInput("Webhook", ITEMS, 0, pin=True, depth=0, until="")
    found = reusable(ran("A", "B", "Side", "C"), began, chain, chain, "C", frozenset({"B", "Webhook"}))
    assert [record["node"] for record in found or []] == ["A", "Side"]


async def test_a_changed_variable_is_a_change_for_the_api(api: Any) -> None:
    store = api.context.store
    await store.put_variable(Variable("v1", "city", "Ulm", 0, -1))
    document = copy.deepcopy(CHAIN)
    document["nodes"][4]["parameters"]["x"] = "={{ $vars.city }}"
    saved = await api.save(document)
    first = await api.ok("POST", f"/workflows/{saved['id']}/execute", ITEMS)
    assert await reused(api, saved, first) == ["Side"]
    await store.put_variable(Variable("v1", "city", "Bonn", 0, 2**50))
    assert await reused(api, saved, first) == []
