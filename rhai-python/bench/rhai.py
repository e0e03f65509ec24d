"""What an evaluation costs, in microseconds, beside what a call of a Python function costs in the same run.

Each figure is the best of several rounds: other work on the machine only ever adds to it.
"""

import argparse
import json
import math
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

# This file has the name of the package that it measures.
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != Path(__file__).resolve().parent]
import rhai  # noqa: E402

# Microseconds; a ratio for the threads, milliseconds for the deadline.
GOALS = {
    "compile and eval": 5.0,
    "eval of a compiled script": 2.0,
    "callback": 3.0,
    "two threads to one": 1.5,
    "lateness of a deadline, worst, ms": 50.0,
}
CALLBACKS = 1000
LOOP_SECONDS = 0.5


def best(action: Callable[[], object], times: int, rounds: int) -> float:
    """Microseconds for one call of `action`."""
    durations = []
    for _ in range(rounds):
        started = time.perf_counter()
        for _ in range(times):
            action()
        durations.append(time.perf_counter() - started)
    return min(durations) / times * 1e6


def add(x: int) -> int:
    return x + 1


def measure_calls(rounds: int) -> dict[str, float]:
    engine = rhai.Engine()
    engine.register_fn("add", add)
    text = "let x = 40; x + 2"
    ast, condition = engine.compile(text), engine.compile_expression("size > 3 && kind == `a`")
    called = engine.compile(f"for i in 0..{CALLBACKS} {{ add(i) }}")
    idle = engine.compile(f"for i in 0..{CALLBACKS} {{ i }}")
    scope = {"size": 4, "kind": "a"}
    return {
        "floor: call of a Python function": best(lambda: add(1), 50_000, rounds),
        "compile": best(lambda: engine.compile(text), 10_000, rounds),
        "compile and eval": best(lambda: engine.eval(text), 10_000, rounds),
        "eval of a compiled script": best(lambda: engine.eval(ast), 20_000, rounds),
        "eval of a compiled condition with two variables": best(lambda: engine.eval(condition, scope), 20_000, rounds),
        "callback": (best(lambda: engine.eval(called), 10, rounds) - best(lambda: engine.eval(idle), 10, rounds))
        / CALLBACKS,
    }


def work(engine: rhai.Engine, ast: rhai.AST) -> None:
    engine.eval(ast, timeout=math.inf)


def timed_threads(count: int, turns: int) -> float:
    engine = rhai.Engine(max_operations=0)
    ast = engine.compile(f"let x = 0; while x < {turns} {{ x += 1 }}")
    threads = [threading.Thread(target=work, args=(engine, ast)) for _ in range(count)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - started


def measure_threads(rounds: int) -> dict[str, float]:
    turns = int(100_000 * LOOP_SECONDS / min(timed_threads(1, 100_000) for _ in range(3)))
    # Side by side, so that both see the same neighbours.
    ratios = []
    for _ in range(rounds):
        one, two = timed_threads(1, turns), timed_threads(2, turns)
        ratios.append(two / one)
    return {"two threads to one": min(ratios)}


def measure_deadline(rounds: int) -> dict[str, float]:
    engine = rhai.Engine(max_operations=0)
    late = []
    for _ in range(rounds):
        started = time.perf_counter()
        try:
            engine.eval("loop {}", timeout=0.1)
        except rhai.RhaiTimeout:
            late.append((time.perf_counter() - started - 0.1) * 1e3)
    return {"lateness of a deadline, ms": min(late), "lateness of a deadline, worst, ms": max(late)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each measurement")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--check", action="store_true", help="exit 1 if a goal is missed")
    options = parser.parse_args()
    figures = measure_calls(options.rounds) | measure_threads(options.rounds) | measure_deadline(options.rounds)
    if options.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            goal = f"  (goal: under {GOALS[name]})" if name in GOALS else ""
            print(f"{value:10.3f}  {name}{goal}")
    missed = [name for name, goal in GOALS.items() if figures[name] > goal]
    if options.check and missed:
        raise SystemExit("missed: " + ", ".join(missed))


if __name__ == "__main__":
    main()
