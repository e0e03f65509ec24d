"""Processor time of expressions beside another checkout, in the same minutes.

    python bench/expressions_against.py /path/to/earlier/checkout [--rounds 3] [--write]

The other checkout has an environment in `.venv`. Both evaluate the segments and the items of this
`bench/expressions.py`, in turn, and the least of all rounds is compared: time of the thread that evaluates where Python
does, of this process and its workers where they do. `single` is one item, `many` one evaluation of a node over 1,000
items, `waited` the time until the value of one item is there, the median of 400, where a worker has to be asked.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

MANY = 1000
PYTHON_TIMES, WORKER_TIMES, SINGLES, WAITS = 12, 8, 100, 400
HERE = Path(__file__).resolve().parents[1]
Found = Mapping[str, tuple[str, float, float, float]]
"""Segment -> where it is evaluated, microseconds alone, of many, and waited; 0 where Python evaluates."""


def processor_us() -> float:
    """Microseconds that this process and those below it have run."""
    total, waiting = 0, [Path("/proc/self")]
    while waiting:
        for thread in [*(waiting.pop() / "task").glob("*")]:
            try:
                total += int((thread / "schedstat").read_text().split()[0])
                waiting += [Path("/proc", child) for child in (thread / "children").read_text().split()]
            except OSError:  # it has ended
                continue
    return total / 1000


class Segments:
    """bench: the module `expressions` of a checkout, of whatever age; so its parts have no types."""

    def __init__(self, bench: Any, item: Mapping[str, Any]) -> None:
        self._bench = bench
        self._scope = getattr(bench, "ItemScope", None) or bench.Scope
        self._many = [{"json": {**item, "n": place}} for place in range(MANY)]
        self._one = self._many[:1]

    async def measure(self, sources: Sequence[str]) -> Found:
        engine = self._engine()
        try:
            return {source: await self._measured(engine, source) for source in sources}
        finally:
            await engine.close()

    def _engine(self) -> Any:
        settings = self._bench.JavaScriptSettings(expression_workers=1, expression_timeout=60)
        pool = getattr(self._bench, "SharedWorkerPool", None)
        return self._bench.JavaScriptEngine(settings, *([] if pool is None else [pool()]))

    async def _measured(self, engine: Any, source: str) -> tuple[str, float, float, float]:
        parameters = self._bench.compile_parameters({"p": f"={{{{ {source} }}}}"})
        if not parameters.sources:
            get = parameters.leaves[0].get
            alone = sorted(self._in_python(get, self._one) for _ in range(6 * SINGLES))[SINGLES // 2]
            return "Python", alone, min(self._in_python(get, self._many) for _ in range(PYTHON_TIMES)), 0
        await self._in_workers(engine, source, self._one, 3)
        alone = min([await self._in_workers(engine, source, self._one, SINGLES) for _ in range(4)])
        many = [await self._in_workers(engine, source, self._many, 1) for _ in range(WORKER_TIMES)]
        waits = sorted([await self._bench.in_a_worker(engine, source, self._one) for _ in range(WAITS)])
        return "worker", alone, min(many), waits[WAITS // 2]

    def _in_python(self, get: Any, given: Any) -> float:
        scope = self._scope(given, self._bench.Nothing())
        while True:
            try:
                begun = time.thread_time()
                for index in range(len(given)):
                    scope.move(index)
                    get(scope)
                return (time.thread_time() - begun) / len(given) * 1e6
            except Exception as exc:  # a busy machine: what takes long goes to a worker
                if type(exc).__name__ not in ("NotExact", "Beyond"):
                    raise

    async def _in_workers(self, engine: Any, source: str, given: Any, times: int) -> float:
        begun = processor_us()
        for _ in range(times):
            await self._bench.in_a_worker(engine, source, given)
        return (processor_us() - begun) / times / len(given)


def measured(checkout: Path, item: Mapping[str, Any], sources: Sequence[str]) -> Found:
    """What a process of the checkout's own environment finds."""
    command = [str(checkout / ".venv" / "bin" / "python"), __file__, str(checkout), "--only"]
    done = subprocess.run(
        command,
        input=json.dumps([item, sources]),
        cwd=checkout,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{checkout}: {done.stderr[-2000:]}")
    return {source: tuple(row) for source, row in json.loads(done.stdout).items()}


def least(before: Found | None, found: Found) -> Found:
    if before is None:
        return found
    return {
        source: (where, *map(min, figures, before[source][1:]))  # type: ignore[misc]  # three of them
        for source, (where, *figures) in found.items()
    }


def rows(before: Found, now: Found) -> list[Sequence[str]]:
    made: list[Sequence[str]] = []
    for source, (where, *figures) in now.items():
        then, *old = before[source]
        place = where if where == then else f"{then}, now {where}"
        shown = f"`` {source} ``".replace("|", "\\|")
        made.append([shown, place, *(cell for pair in zip(old, figures, strict=True) for cell in compared(*pair))])
    return made


def compared(before: float, now: float) -> Sequence[str]:
    """Three cells; empty ones where there is nothing to wait for."""
    if not before or not now:
        return "", "", ""
    return f"{before:.2f}", f"{now:.2f}", f"{now / before - 1:+.0%}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path, help="the other checkout, with its environment in .venv")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--segments", default="", help="those that have this in their text")
    parser.add_argument("--only", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    given = parser.parse_args()
    if given.only:
        sys.path[0] = str(given.checkout / "bench")
        item, sources = json.load(sys.stdin)
        found = asyncio.run(Segments(import_module("expressions"), item).measure(sources))
        json.dump(found, sys.stdout)
        return
    import harness

    bench = import_module("expressions")
    sources = [*bench.PATHS, *bench.SIMPLE, *bench.DATES, *bench.WHOLE, *bench.SCRIPTED]
    sources = [source for source in sources if given.segments in source]
    item = bench.items(1)[0]["json"]
    before: Found | None = None
    now: Found | None = None
    for _ in range(given.rounds):
        before = least(before, measured(given.checkout, item, sources))
        now = least(now, measured(HERE, item, sources))
    if before is None or now is None:
        parser.error("--rounds must be at least 1")
    header = [
        "Segment",
        "In",
        "single before, us",
        "now",
        "",
        "many before, us each",
        "now",
        "",
        "waited before, us",
        "now",
        "",
    ]
    command = f"`python bench/expressions_against.py CHECKOUT --rounds {given.rounds}`"
    text = harness.table(header, rows(before, now))
    harness.publish("expressions against", f"{command} — {harness.environment()}.\n\n{text}", write=given.write)


if __name__ == "__main__":
    main()
