"""The table of an execution's states: it hangs together, and nobody goes past it."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from engine_lab import Lab, doc, ended, request, until
from gate_lab import GATED, Gate

import jackfield_engine
from jackfield_engine.engine import EmbeddedEngine
from jackfield_engine.run.state import TRANSITIONS, Effect, RunEvent, RunState, UnknownEvent, table

MOMENTARY = {RunState.READY, RunState.SUSPENDED}
"""Nothing else happens before the next event."""
OUTSIDE = {RunState.SPILLED, RunState.GONE}
"""The engine knows nothing of them."""


def reached(start: RunState) -> set[RunState]:
    found = {start}
    left = [start]
    while left:
        for transition in TRANSITIONS[left.pop()].values():
            if transition.state not in found:
                found.add(transition.state)
                left.append(transition.state)
    return found


def test_every_state_is_reached_and_leads_out_of_the_memory() -> None:
    assert set(TRANSITIONS) == set(RunState) == reached(RunState.READY)
    for state in RunState:
        assert RunState.GONE in reached(state), state
    assert reached(RunState.GONE) == {RunState.GONE}


def test_every_event_and_every_effect_is_used() -> None:
    used = {event for events in TRANSITIONS.values() for event in events}
    assert used == set(RunEvent)
    done = {effect for events in TRANSITIONS.values() for found in events.values() for effect in found.effects}
    assert done == set(Effect)


def test_the_daemon_can_stop_in_every_state() -> None:
    for state in set(RunState) - MOMENTARY - OUTSIDE:
        assert RunEvent.LEAVE in TRANSITIONS[state], state


@pytest.mark.parametrize("state", sorted(set(RunState) - OUTSIDE))
def test_what_leaves_the_memory_frees_what_it_holds(state: RunState) -> None:
    holds = {
        RunState.ACCEPTING: Effect.WITHDRAW, RunState.QUEUED: Effect.WITHDRAW, RunState.WAITING: Effect.RELEASE,
        RunState.LEAVING: Effect.FREE_SLOT, RunState.REFUSING: Effect.FREE_SLOT,
    }  # fmt: skip
    for found in TRANSITIONS[state].values():
        if found.state is RunState.GONE:
            assert Effect.DROP in found.effects
            assert holds.get(state, Effect.DROP) in found.effects


def test_an_effect_without_a_method_is_told_at_once() -> None:
    effects: Any = {effect: print for effect in Effect if effect is not Effect.LAUNCH}
    with pytest.raises(KeyError):
        table(effects)


async def test_an_unknown_event_is_refused(lab: Lab, caplog: pytest.LogCaptureFixture) -> None:
    gate = Gate(lab)
    for strict in (True, False):
        engine = EmbeddedEngine(lab.context(), strict=strict)
        gate.open.clear()
        execution = engine.submit(request(await lab.save(GATED)))
        await until(lambda: gate.inside == 1)
        run = engine.live.runs[execution.id]
        if strict:
            with pytest.raises(UnknownEvent, match="the event 'due' is unknown in the state 'running'"):
                run.move(RunEvent.DUE)
        else:
            run.move(RunEvent.DUE)
            assert f"execution {execution.id}: the event 'due' is unknown in the state 'running'" in caplog.text
        assert run.state is RunState.RUNNING
        gate.open.set()
        assert (await ended(execution)).status == "success"


async def test_the_states_of_a_plain_run(lab: Lab) -> None:
    seen: list[str] = []
    engine = lab.engine()
    found = engine.hooks.table
    for key, (state, effects) in list(found.items()):
        found[key] = (state, (lambda _, state=state: seen.append(state), *effects))
    await ended(engine.submit(request(await lab.save(doc(("Start", "webhook"), ("A", "effect"))))))
    await until(lambda: not engine.live.runs)
    changes = [state for place, state in enumerate(seen) if seen[place - 1 : place] != [state]]
    assert changes == ["accepting", "ready", "starting", "running", "finishing", "storing", "gone"]


def test_nobody_else_writes_a_state() -> None:
    """Assignments to an attribute `state` in the engine's files: `LiveRun` alone has them, in `move`."""
    found = []
    for path in Path(jackfield_engine.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            targets = node.targets if isinstance(node, ast.Assign) else []
            flat = [one for target in targets for one in (target.elts if isinstance(target, ast.Tuple) else [target])]
            found += [path.name for target in flat if isinstance(target, ast.Attribute) and target.attr == "state"]
    assert found == ["live_run.py", "live_run.py"]  # the first state, and `move`


def test_nobody_outside_writes_to_a_run() -> None:
    names = {"run", "parent", "child", "oldest", "holder"}
    found = []
    for path in Path(jackfield_engine.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            found += [
                f"{path.name}: {target.value.id}.{target.attr}"
                for target in targets
                if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id in names
            ]
    assert found == ["progress.py: run.borrowed"]  # of a node's run, not of an execution
