"""The time of expressions is that of the processor: a machine that is busy with other things sends nothing to
JavaScript."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from scopes import FakeSurroundings, scope_of

from jackfield.api.javascript import NotExact
from jackfield.api.jsontext import Json
from jackfield_expressions import scope as scopes
from jackfield_expressions.evaluator import callbacks, chains, compiling
from jackfield_expressions.evaluator.callbacks import Value
from jackfield_expressions.evaluator.compiling import compile_expression
from jackfield_expressions.scope import SECONDS, SECONDS_EACH, ItemScope

ITEMS: list[dict[str, Json]] = [{"s": "a", "long": "a" * 2000, "few": [1, 2, 3], "n": n} for n in range(40)]
SOURCES = ("$json.n + 1", "$json.s.toUpperCase()", "$json.few.map(x => x + 1)[0]", "`${$json.long}!`")
PAUSE = 2 * SECONDS


class Machine:
    """Two clocks that move by a step each time the first is read. processor: the share of it that the thread has."""

    def __init__(self, processor: float) -> None:
        self.step = 0.0
        self.now = 0.0
        self._processor = processor

    def clock(self) -> float:
        self.now += self.step
        return self.now

    def used(self) -> float:
        return self.now * self._processor


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Machine:
    """Its share is the parameter of the test."""
    made = Machine(request.param)
    for module in (compiling, chains, callbacks):
        monkeypatch.setattr(module, "_clock", made.clock)
    monkeypatch.setattr(scopes, "_processor", made.used)
    return made


def compiled(source: str) -> Value:
    made = compile_expression(source)
    assert made is not None, source
    return made


def second_of(machine: Machine, step: float) -> ItemScope:
    """A scope at the second of many items, from which on each look at the clock is a step later."""
    scope = scope_of(*ITEMS)
    scope.move(1)
    machine.step = step
    return scope


@pytest.mark.parametrize("machine", [0.0], indirect=True)
@pytest.mark.parametrize("source", SOURCES)
def test_a_thread_that_does_not_get_the_processor_spends_nothing(machine: Machine, source: str) -> None:
    get = compiled(source)
    scope = second_of(machine, PAUSE)
    for index in range(1, len(ITEMS)):
        scope.move(index)
        get(scope)
    assert scope.left == SECONDS


@pytest.mark.parametrize("machine", [0.01], indirect=True)
def test_of_a_pause_only_the_processors_part_counts(machine: Machine) -> None:
    scope = second_of(machine, PAUSE)
    compiled("$json.n + 1")(scope)
    assert scope.left == pytest.approx(SECONDS - PAUSE / 100)


@pytest.mark.parametrize("machine", [1.0], indirect=True)
@pytest.mark.parametrize("source", SOURCES[1:])
def test_one_that_has_the_processor_ends_in_time(machine: Machine, source: str) -> None:
    get = compiled(source)
    with pytest.raises(NotExact):
        get(second_of(machine, PAUSE))


@pytest.mark.parametrize("machine", [1.0], indirect=True)
def test_functions_are_stopped_within(machine: Machine) -> None:
    scope = second_of(machine, SECONDS / 2)
    with pytest.raises(NotExact):
        compiled("$json.few.map(x => x + 1)")(scope)


@pytest.mark.parametrize("machine", [1.0], indirect=True)
def test_many_that_have_the_processor_share_its_time(machine: Machine) -> None:
    get = compiled("$json.n + 1")
    scope = second_of(machine, SECONDS / 10)
    for index in range(1, 10):
        scope.move(index)
        get(scope)
    with pytest.raises(NotExact):
        [get(scope) for _ in range(4)]
    left = scope.left
    scope.move(11)
    assert scope.left == pytest.approx(left + SECONDS_EACH)


@pytest.mark.parametrize("machine", [1.0], indirect=True)
def test_time_between_expressions_is_not_theirs(machine: Machine) -> None:
    get = compiled("$json.n + 1")
    scope = second_of(machine, 0)
    for index in range(1, len(ITEMS)):
        machine.now += 10  # others have the event loop
        scope.move(index)
        machine.step = SECONDS_EACH / 2
        get(scope)
        machine.step = 0
    assert scope.left >= SECONDS - SECONDS_EACH


class Slow(FakeSurroundings):
    """Its clock lets the thread wait."""

    def now_ms(self) -> int:
        time.sleep(PAUSE)
        return super().now_ms()


def test_a_thread_that_waits_within_an_expression() -> None:
    scope = scope_of(*ITEMS, around=Slow(), index=1)
    assert compiled("$now.toISO().length")(scope) == 24
    assert scope.left > SECONDS / 2
    assert compiled("$json.s.toUpperCase()")(scope) == "A"
