"""Scripts that mean harm: none ends the process, none passes its limits.

Each is evaluated in a child process. A child that hangs is killed, one that crashes is replaced; both are failures.
"""

import json
import multiprocessing
import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hostile_child import Outcome, serve
from hostile_scripts import CHOSEN, EXTREMES, NUMBER, candidate, corpus

CASES = Path(os.environ.get("RHAI_CASES", Path(__file__).parents[2].parent / "shared" / "rhai" / "cases.jsonl"))
# Small enough that scripts reach them.
SMALL: dict[str, Any] = {
    "max_operations": 20_000,
    "max_string_size": 100_000,
    "max_array_size": 2_000,
    "max_map_size": 2_000,
    "max_memory": 8_000_000,
    "timeout": 0.25,
}
START_SECONDS = 60.0
KILL_SECONDS = 20.0
MOST_FAILURES = 3
# Scripts that do not compile end soon, so a few are drawn until one does.
DRAWS = 15


class Child:
    """Evaluates scripts in another process, which is replaced when it dies."""

    def __init__(self, settings: dict[str, Any], kill_seconds: float) -> None:
        self._settings, self._kill_seconds = settings, kill_seconds
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, self._settings), daemon=True)
        self._process.start()
        theirs.close()
        self._patience = START_SECONDS

    def ask(self, operation: str, script: str) -> Outcome:
        self._connection.send((operation, script))
        try:
            if self._connection.poll(self._patience):
                answer: Outcome = self._connection.recv()
                self._patience = self._kill_seconds
                return answer
            wrong = f"hung for {self._patience} s"
        except (EOFError, OSError):
            self._process.join(START_SECONDS)
            wrong = f"crashed: {self._process.exitcode}"
        self.close()
        self._start()
        return Outcome("died", wrong)

    def close(self) -> None:
        self._connection.close()
        self._process.kill()
        self._process.join()


@contextmanager
def child(settings: dict[str, Any], kill_seconds: float = KILL_SECONDS) -> Iterator[Child]:
    started = Child(settings, kill_seconds)
    try:
        yield started
    finally:
        started.close()


def draw(evaluator: Child, rng: random.Random, scripts: list[str]) -> tuple[str, Outcome]:
    """A script that compiles, if one comes up soon, and what the last compilation came to."""
    for _ in range(DRAWS):
        script = candidate(rng, scripts)
        compiled = evaluator.ask("compile", script)
        if compiled.wrong or compiled.kind != "ErrorParsing":
            break
    return script, compiled


def run_many(count: int, seconds: float) -> None:
    """Fails at the third script that does what it may not, and after `seconds` at the latest."""
    seed, scripts = os.environ.get("RHAI_SEED", "0"), corpus(CASES)
    failures: list[tuple[str, str | None]] = []
    kinds: Counter[str] = Counter()
    slowest, memory, started = Outcome(""), 0, time.monotonic()
    with child(SMALL) as evaluator:
        for number in range(count):
            script, ended = draw(evaluator, random.Random(f"{seed} {number}"), scripts)
            if not ended.wrong:
                ended = evaluator.ask("eval", script)
            kinds[ended.kind] += 1
            slowest, memory = max(slowest, ended, key=lambda outcome: outcome.seconds), max(memory, ended.memory_mb)
            if ended.wrong:
                failures.append((script, ended.wrong))
            if len(failures) >= MOST_FAILURES or time.monotonic() - started > seconds:
                break
    report = {"scripts": kinds.total(), "seconds": round(time.monotonic() - started), "memory_mb": memory}
    print(json.dumps(report | {"slowest_s": round(slowest.seconds, 2), "seed": seed, "kinds": dict(kinds)}))
    assert not failures
    assert kinds.total() == count, f"only {kinds.total()} scripts in {seconds} s"
    assert kinds["value"] > count / 10, "most scripts should get far enough to do harm"


def test_hostile_scripts() -> None:
    run_many(300, seconds=120)


@pytest.mark.hostile
def test_ten_thousand_hostile_scripts() -> None:
    run_many(10_000, seconds=3000)


@pytest.mark.parametrize("settings", [{}, {"max_operations": 0, "max_call_levels": 512, "max_expr_depth": 256}])
def test_chosen_scripts(settings: dict[str, int], capfd: pytest.CaptureFixture[str]) -> None:
    with child({**settings, "timeout": 1.0}) as evaluator:
        wrong = [(script, ended.wrong) for script in CHOSEN if (ended := evaluator.ask("eval", script)).wrong]
    assert not wrong
    assert capfd.readouterr() == ("", "")


def test_extreme_numbers(capfd: pytest.CaptureFixture[str]) -> None:
    with child({}) as evaluator:
        outcomes = {text: evaluator.ask("eval", f"let x = {NUMBER}; {text}") for text in EXTREMES}
    assert not {text: ended for text, ended in outcomes.items() if ended.wrong or ended.kind == "ErrorParsing"}
    assert capfd.readouterr() == ("", "")


def test_a_child_that_crashes_is_a_failure() -> None:
    with child({"nonsense": 1}) as evaluator:
        assert evaluator.ask("eval", "1").wrong == "crashed: 1"


def test_a_child_that_hangs_is_killed() -> None:
    with child({"max_operations": 0, "timeout": 60.0}, kill_seconds=0.2) as evaluator:
        assert evaluator.ask("eval", "1").kind == "value"
        assert evaluator.ask("eval", "loop {}").wrong == "hung for 0.2 s"
        assert evaluator.ask("eval", "1").kind == "value"
