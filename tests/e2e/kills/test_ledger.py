"""The harness's checker sees each violation that is planted, and none where there is none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ...chaos.ledger import Effect, Execution, judge

STEPS = ("first", "second")
CRASHED = "It was resumed 25 times in a row, and each time the daemon ended unexpectedly after a node had begun"


class World:
    """Calls `c0`, `c1` ... that went well."""

    def __init__(self, calls: int = 3) -> None:
        self.answered = {f"c{number}": [f"e{number}"] for number in range(calls)}
        self.executions = [Execution(f"e{number}", f"c{number}", "success") for number in range(calls)]
        self.effects = [
            Effect(step, f"c{number}", f"e{number}", 10.0 * number + place)
            for number in range(calls)
            for place, step in enumerate(STEPS)
        ]

    def found(self, retained: int | None = None) -> dict[str, list[str]]:
        return judge(self.answered, self.executions, self.effects, STEPS, retained).violations()

    def ends(self, number: int, status: str, error: str = "") -> None:
        self.executions[number] = replace(self.executions[number], marker="", status=status, error=error)


@given(st.integers(0, 20), st.none() | st.integers(0, 20))
def test_what_went_well_is_no_violation(calls: int, retained: int | None) -> None:
    assert World(calls).found(retained) == {}


def test_an_acknowledged_call_without_an_execution_is_lost() -> None:
    world = World()
    del world.executions[1]
    assert world.found() == {"lost": ["c1"]}
    assert world.found(3) == {"lost": ["c1"]}, "retention keeps three, and there are but two"
    assert world.found(2) == {}, "retention may have deleted it"
    del world.effects[3]
    assert world.found(2) == {"lost": ["c1"]}, "it had not ended"


@pytest.mark.parametrize("effect", [2, 3])
def test_a_success_without_its_effects_is_lost(effect: int) -> None:
    world = World()
    del world.effects[effect]
    assert world.found() == {"lost": ["c1"]}


def test_an_answer_that_names_another_calls_execution_is_lost_and_a_second_start() -> None:
    world = World()
    world.answered["c1"] = ["e0"]
    assert world.found() == {"lost": ["c1"], "started_twice": ["c1"]}


def test_two_executions_of_one_call_are_seen_in_the_history() -> None:
    world = World()
    world.executions.append(Execution("e9", "c1", "success"))
    assert world.found() == {"started_twice": ["c1"]}


def test_two_executions_of_one_call_are_seen_by_their_effects() -> None:
    world = World()
    world.effects.append(Effect("first", "c1", "e9", 10.0))
    assert world.found() == {"started_twice": ["c1"]}


def test_two_answers_with_different_executions_are_seen() -> None:
    world = World()
    world.answered["c2"].append("e9")
    assert world.found() == {"started_twice": ["c2"]}


@pytest.mark.parametrize("status", ["queued", "running", "waiting"])
def test_what_is_open_at_the_end_is_stuck(status: str) -> None:
    world = World()
    world.ends(1, status)
    assert world.found() == {"stuck": ["e1"]}


def test_what_was_given_up_without_a_node_is_told_from_what_ran() -> None:
    world = World()
    world.ends(1, "failed", CRASHED)
    found = judge(world.answered, world.executions, world.effects, STEPS)
    assert (found.violations(), found.given_up_running) == ({}, ["e1"])
    world.effects = [effect for effect in world.effects if effect.marker != "c1"]
    assert world.found() == {"given_up": ["e1"]}


def test_another_failure_is_one() -> None:
    world = World()
    world.ends(1, "failed", "The node failed unexpectedly.")
    assert world.found() == {"failed": ["e1"]}


def test_a_node_that_runs_again_behind_its_checkpoint_is_seen() -> None:
    world = World()
    world.effects.append(Effect("first", "c1", "e1", 11.5))
    assert world.found() == {"replayed": ["c1"]}


def test_a_repeated_effect_before_its_checkpoint_is_permitted_and_counted() -> None:
    world = World()
    world.effects.append(Effect("first", "c1", "e1", 10.5))
    found = judge(world.answered, world.executions, world.effects, STEPS)
    assert (found.violations(), found.repeated) == ({}, 1)
