"""What a workflow remembers across its executions."""

from __future__ import annotations

import asyncio
from copy import deepcopy
from types import SimpleNamespace
from typing import Any, cast

import orjson
import pytest
from engine_lab import Lab, doc, ended, passing, request, until
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.context import PluginContext
from jackfield.api.engine import Outcome
from jackfield.api.errors import StoreUnavailable
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, NodeRun, StaticScope
from jackfield.api.scripts import ScriptData, ScriptResult
from jackfield.api.workflows import Outputs, Workflow
from jackfield.testing.store import MemoryStore
from jackfield_engine.engine import EmbeddedEngine
from jackfield_engine.run.state import RunEvent
from jackfield_engine.settings import ExecutionsSettings
from jackfield_engine.shared.static_data import StaticData, copied, merge, take_over
from jackfield_nodes.lists.remove_duplicates import node as remove_duplicates


async def count(run: NodeRun, scope: StaticScope = "global") -> int:
    data = await run.static_data(scope)
    data["count"] = cast("int", data.get("count", 0)) + 1
    return cast("int", data["count"])


async def counting(run: NodeRun) -> Outputs:
    scope = cast("StaticScope", run.node.parameters.get("scope", "global"))
    return [[{"json": {"count": await count(run, scope)}}]]


async def failing(run: NodeRun) -> Outputs:
    await count(run)
    raise NodeError("it cannot be done")


async def filling(run: NodeRun) -> Outputs:
    (await run.static_data("global"))["text"] = run.node.parameters["text"]
    return [run.items]


async def spoiling(run: NodeRun) -> Outputs:
    (await run.static_data("global"))["bad"] = object()  # type: ignore[assignment]  # what a node type may do wrong
    return [run.items]


@pytest.fixture
def counters(lab: Lab) -> Lab:
    for name, act in {"count": counting, "broke": failing, "fill": filling, "spoil": spoiling}.items():
        lab.kind(name, act)
    return lab


async def run(engine: EmbeddedEngine, workflow: Workflow, **more: Any) -> Outcome:
    return await ended(engine.submit(request(workflow, **more)))


async def stored(lab: Lab, workflow: Workflow) -> Any:
    data = await lab.store.static_data(str(workflow.id))
    return None if data is None else orjson.loads(data)


async def test_it_is_there_in_the_next_execution_and_after_a_restart(counters: Lab) -> None:
    workflow = await counters.save(doc(("Start", "webhook"), ("A", "count")))
    engine = counters.engine()
    counts = [(await run(engine, workflow)).items[0]["json"] for _ in range(2)]
    counts.append((await run(counters.engine(), workflow, mode="manual")).items[0]["json"])
    assert counts == [{"count": 1}, {"count": 2}, {"count": 3}]
    assert await stored(counters, workflow) == {"global": {"count": 3}}


async def test_nodes_have_their_own_under_their_names(counters: Lab) -> None:
    own = {"parameters": {"scope": "node"}}
    nodes: Any = [("Start", "webhook"), ("A", "count", dict(own)), ("B", "count", dict(own)), ("C", "count")]
    workflow = await counters.save(doc(*nodes))
    await run(counters.engine(), workflow)
    assert await stored(counters, workflow) == {
        "node:A": {"count": 1},
        "node:B": {"count": 1},
        "global": {"count": 1},
    }


async def test_workflows_do_not_share_it(counters: Lab) -> None:
    engine = counters.engine()
    for _ in range(2):
        outcome = await run(engine, await counters.save(doc(("Start", "webhook"), ("A", "count"))))
        assert outcome.items[0]["json"] == {"count": 1}


async def test_what_is_not_saved_forgets_with_the_execution(counters: Lab) -> None:
    workflow = counters.parse(doc(("Start", "webhook"), ("A", "count"), ("B", "count")))
    engine = counters.engine()
    assert [(await run(engine, workflow)).items[0]["json"] for _ in range(2)] == [{"count": 2}] * 2


async def test_executions_side_by_side_lose_no_change(counters: Lab) -> None:
    """A slow store lets all of them begin before the first has stored anything."""
    gate = asyncio.Event()

    async def holding(run: NodeRun) -> Outputs:
        await count(run)
        await gate.wait()
        return [[{"json": {"count": await count(run)}}]]

    counters.kind("hold", holding)
    workflow = await counters.save(doc(("Start", "webhook"), ("A", "hold")))
    engine = counters.engine()
    executions = [engine.submit(request(workflow)) for _ in range(5)]
    await until(lambda: len(counters.ran) == 5)
    gate.set()
    for execution in executions:
        await ended(execution)
    assert await stored(counters, workflow) == {"global": {"count": 10}}


class Scripts:
    """Scripts whose sources say what they do with the copy that they get, when the gate opens. seen: the copies."""

    language = "javaScript"

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.seen: list[Any] = []

    async def run(self, source: str, data: ScriptData, *, each: bool, timeout: float) -> ScriptResult:
        made = deepcopy(cast("Any", data.static))
        self.seen.append(deepcopy(made))
        await self.gate.wait()
        exec(source, {"memory": made})
        return ScriptResult([], static=made)


async def side_by_side(counters: Lab, workflow: Workflow, *sources: str) -> Scripts:
    """Run scripts that get their copies before the first of them ends."""
    scripts = counters.scripts["javaScript"] = Scripts()

    async def scripted(run: NodeRun) -> Outputs:
        source = str(run.items[0]["json"]["source"])
        await run.run_script("javaScript", f"{source} # $getWorkflowStaticData", each=False)
        return [run.items]

    counters.kind("script", scripted)
    engine = counters.engine()
    executions = [engine.submit(request(workflow, items=[{"json": {"source": source}}])) for source in sources]
    await until(lambda: len(scripts.seen) == len(sources))
    scripts.gate.set()
    for execution in executions:
        assert (await ended(execution)).status == "success"
    return scripts


async def test_scripts_side_by_side_keep_each_others_keys(counters: Lab) -> None:
    workflow = await counters.save(doc(("Start", "webhook"), ("A", "script")))
    await counters.store.set_static_data(
        str(workflow.id), orjson.dumps({"global": {"old": 1, "gone": 1, "one": 1}, "node:A": {"own": [1]}}), None
    )
    await side_by_side(
        counters,
        workflow,
        "memory['global']['first'] = 1; memory['global']['one'] = True",
        "memory['global']['second'] = {'n': 2}; memory['node']['own'].append(2)",
        "del memory['global']['gone']; memory['node']['mine'] = None",
        "pass",
    )
    assert await stored(counters, workflow) == {
        "global": {"old": 1, "one": True, "first": 1, "second": {"n": 2}},
        "node:A": {"own": [1, 2], "mine": None},
    }
    assert (await stored(counters, workflow))["global"]["one"] is True


async def test_of_two_scripts_that_change_one_key_the_later_wins(counters: Lab) -> None:
    workflow = await counters.save(doc(("Start", "webhook"), ("A", "script")))
    scripts = await side_by_side(
        counters, workflow, "memory['global'].update(key={'a': 1})", "memory['global'].update(key={'b': 1})"
    )
    assert scripts.seen == [{"global": {}, "node": {}}] * 2
    assert await stored(counters, workflow) == {"global": {"key": {"b": 1}}}


async def test_a_script_keeps_its_copy_while_others_change_the_data(counters: Lab) -> None:
    """What the copy was is what its changes are told from."""
    section: dict[str, Json] = {"list": [1]}
    copy = copied(section)
    cast("list[int]", section["list"]).append(2)
    merge(section, copy, {"list": [1], "more": 1})
    assert section == {"list": [1, 2], "more": 1}


JSON_OBJECTS = st.dictionaries(
    st.sampled_from("abcd"), st.sampled_from([None, False, 0, 1, True, "", [1], [True], {"k": 1}]), max_size=4
)


@given(before=JSON_OBJECTS, now=JSON_OBJECTS, made=JSON_OBJECTS)
def test_a_merge_takes_what_was_changed_and_leaves_the_rest(
    before: dict[str, Json], now: dict[str, Json], made: dict[str, Json]
) -> None:
    section = dict(now)
    merge(section, before, made)
    for key in "abcd":
        changed = [repr(one[key]) if key in one else None for one in (before, made)]
        expected = now if changed[0] == changed[1] else made
        assert (key in section) == (key in expected)
        assert repr(section.get(key)) == repr(expected.get(key))


async def test_what_is_no_json_is_refused_before_the_script_runs(counters: Lab) -> None:
    with pytest.raises(NodeError, match="nested too deeply or is not JSON"):
        copied({"bad": cast("Json", object())})


async def test_a_node_that_fails_leaves_what_it_wrote(counters: Lab) -> None:
    workflow = await counters.save(doc(("Start", "webhook"), ("A", "broke")))
    assert (await run(counters.engine(), workflow)).status == "failed"
    assert await stored(counters, workflow) == {"global": {"count": 1}}


async def test_it_is_an_effect_so_that_the_execution_is_stored_before(counters: Lab) -> None:
    """Else a crash would leave a memory of items that no execution has."""
    seen: list[str] = []

    async def looking(run: NodeRun) -> Outputs:
        await run.static_data("global")
        seen.append(await counters.status(run.execution.id))
        return [run.items]

    counters.kind("look", looking)
    workflow = await counters.save(doc(("Start", "webhook"), ("A", "look")))
    await run(counters.engine(), workflow, durability="finish")
    assert seen == ["running"]


async def test_too_much_is_refused_and_changes_nothing(counters: Lab) -> None:
    counters.settings = ExecutionsSettings(max_static_data=1024)
    small, big = ({"parameters": {"text": "x" * size}} for size in (10, 2000))
    await_small = await counters.save(doc(("Start", "webhook"), ("A", "fill", small)), "w1")
    engine = counters.engine()
    await run(engine, await_small)
    too_big = counters.parse(doc(("Start", "webhook"), ("A", "fill", big)), id="w1", version=2)
    outcome = await run(engine, too_big)
    assert outcome.failure is not None
    assert "more than 1024" in outcome.failure.message
    assert "executions.max_static_data" in outcome.failure.message
    assert await stored(counters, await_small) == {"global": {"text": "x" * 10}}


async def test_what_is_not_json_is_refused(counters: Lab) -> None:
    outcome = await run(counters.engine(), await counters.save(doc(("Start", "webhook"), ("A", "spoil"))))
    assert outcome.failure is not None
    assert "not JSON" in outcome.failure.message


@pytest.mark.parametrize("verb", ["static_data", "set_static_data"])
async def test_a_store_that_does_not_answer_fails_the_node(
    counters: Lab, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unavailable(*_: object) -> bytes:
        raise StoreUnavailable

    workflow = await counters.save(doc(("Start", "webhook"), ("A", "count")))
    engine = counters.engine()
    assert isinstance(counters.store, MemoryStore)
    with monkeypatch.context() as broken:
        broken.setattr(counters.store, verb, unavailable)
        outcome = await run(engine, workflow)
    assert outcome.failure is not None
    assert "static data cannot be" in outcome.failure.message
    assert (await run(engine, workflow)).items[0]["json"] == {"count": 1}


async def test_daemons_side_by_side_keep_each_others_keys(counters: Lab) -> None:
    workflow = await counters.save(doc(("Start", "webhook")), "w1")
    await counters.store.set_static_data("w1", b'{"global":{"old":1,"gone":1}}', None)
    first = await StaticData(counters.store, 9999).borrow("w1")
    second = await StaticData(counters.store, 9999).borrow("w1")
    mine, theirs = first.section("global"), second.section("global")
    seen = cast("dict[str, Json]", mine.setdefault("seen", {}))
    mine.update({"mine": 1, "both": "mine"})
    theirs.update({"theirs": 2, "both": "theirs", "seen": {"early": True}})
    del theirs["gone"]
    second.section("node:B")["own"] = 3
    await second.give_back()
    seen["late"] = True
    await first.give_back()
    assert await stored(counters, workflow) == {
        "global": {"old": 1, "mine": 1, "both": "mine", "theirs": 2, "seen": {"early": True, "late": True}},
        "node:B": {"own": 3},
    }


async def test_a_memory_that_others_change_all_the_time_fails_the_node(counters: Lab) -> None:
    workflow = await counters.save(doc(("Start", "webhook"), ("A", "count")))

    async def lost(*_: object) -> bool:
        return False

    counters.store.set_static_data = lost  # type: ignore[method-assign]
    outcome = await run(counters.engine(), workflow)
    assert outcome.failure is not None
    assert "other daemons change it" in outcome.failure.message


KEYS = st.dictionaries(st.sampled_from("abc"), st.sampled_from([0, 1, True, None]))


@given(KEYS, KEYS, KEYS)
def test_what_others_changed_is_taken_over_but_for_what_changed_here(
    old: dict[str, Json], mine: dict[str, Json], theirs: dict[str, Json]
) -> None:
    found = dict(mine)
    take_over(found, old, theirs)
    for key in "abc":
        values = [orjson.dumps([each[key]] if key in each else []) for each in (old, mine, theirs, found)]
        assert values[3] == (values[2] if values[1] == values[0] else values[1])


async def test_an_interrupted_node_gives_it_back(counters: Lab) -> None:
    async def hanging(run: NodeRun) -> Outputs:
        await count(run)
        await asyncio.get_running_loop().create_future()
        return []

    counters.kind("hang", hanging)
    workflow = await counters.save(doc(("Start", "webhook"), ("A", "hang")))
    engine = counters.engine()
    execution = engine.submit(request(workflow))
    await until(lambda: counters.ran == ["A"])
    await engine.cancel(execution.id)
    await ended(execution)
    assert engine.services.static._shared == {}
    assert await stored(counters, workflow) is None


# ------------------------------------------------------------------------------------------------------ deduplication


def deduplicating(lab: Lab) -> Any:
    lab.kinds["removeDuplicates"] = remove_duplicates(cast("PluginContext", SimpleNamespace()))
    parameters = {"operation": "removeItemsSeenInPreviousExecutions", "dedupeValue": "={{ $json.n }}"}
    return doc(
        ("Start", "webhook"), ("A", "removeDuplicates", {"typeVersion": 2, "parameters": parameters}), ("B", "b")
    )


async def test_items_of_earlier_executions_are_removed(counters: Lab) -> None:
    counters.kind("b", passing)
    workflow = await counters.save(deduplicating(counters))
    first, second = [{"json": {"n": 1}}, {"json": {"n": 2}}], [{"json": {"n": 2}}, {"json": {"n": 3}}]
    engine = counters.engine()
    assert [item["json"] for item in (await run(engine, workflow, items=first)).items] == [{"n": 1}, {"n": 2}]
    engine = counters.engine()
    assert [item["json"] for item in (await run(engine, workflow, items=second)).items] == [{"n": 3}]


async def test_a_crash_between_memory_and_checkpoint_loses_no_item(
    counters: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The history knows the items, the store does not know that the node ran: it runs again and hands them on."""
    crashed = False

    async def hanging(run: NodeRun) -> Outputs:
        if not crashed:
            await asyncio.get_running_loop().create_future()
        return [run.items]

    counters.kind("b", hanging)
    workflow = await counters.save(deduplicating(counters))
    engine = counters.engine()
    with monkeypatch.context() as dying:
        lost = asyncio.get_running_loop().create_future()
        dying.setattr(counters.store, "append_steps", lambda *_: lost)
        execution = engine.submit(request(workflow))
        await until(lambda: counters.ran == ["B"])
        assert list(await stored(counters, workflow)) == ["node:A"]
        for active in engine.live.runs.values():
            assert active.task is not None
            active.move(RunEvent.LEAVE)
            await asyncio.wait([active.task])
            break
    crashed = True
    second = counters.engine()
    await second.recover()
    outcome = await second.result(execution.id, 5)
    assert [item["json"] for item in outcome.items] == [{"n": 1}]
    await second.drain(0)
