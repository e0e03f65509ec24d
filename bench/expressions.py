"""What expressions cost: time of one segment, by shape and by where it is evaluated, and of a Set node over many items.

    python bench/expressions.py [--items 1000] [--write]

The payload is a JSON object of about 7 KB per item. `single` is one item, asked and awaited alone, the wall clock per
segment; `amortised` is one evaluation of a node over all items. Python evaluates property paths and the constructs that
are common (docs/decisions.md, 'Expressions') in the daemon; the rest crosses to a worker process. Workers run on the
other core where there is one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from types import MappingProxyType

from harness import environment, payload, publish, table, verdict

from jackfield.api.expressions import projected_item
from jackfield.api.scripts import ScriptData
from jackfield.api.workflows import Item, Items
from jackfield_expressions.parameters import compile_parameters
from jackfield_expressions.scope import ItemScope
from jackfield_javascript.engine import JavaScriptEngine
from jackfield_javascript.settings import JavaScriptSettings
from jackfield_workers.pool import SharedWorkerPool

PATHS = ("$json.sender.login", "$json.repository.owner.login", "$json['sender']['id']")
SIMPLE = (
    "$json.action || 'none'",
    "$json.sender.login.toUpperCase()",
    "$json.sender.id > 5 ? `user ${$json.sender.login}` : ''",
    "$json.repository?.full_name.split('/')[0]",
    "$json.sender.login.replace(/o/g, '0')",
    "$json.repository.full_name.match(/(\\w+)$/)?.[1]",
    "[$json.sender.login].map((name) => name.length)[0]",
    "new Date('2026-01-01').getTime() + $json.sender.id",
    "{ login: $json.sender.login, seen: true }",
)
WHOLE = ("JSON.stringify($json)", "JSON.stringify($json, null, 2)")
DATES = (
    "$now.toISO()",
    "$now.plus({ days: 1 }).toISODate()",
    "$today.minus(7, 'days').format('yyyy-MM-dd')",
)
SCRIPTED = (
    "$json.sender.login.codePointAt(0)",
    "Object.keys($json).length",
    "Object.entries($json.sender).map(([key, value]) => `${key}: ${value}`).join()",
    "{ ...$json.sender, seen: true }",
    "DateTime.fromISO('2026-03-01').toFormat('dd LLL yyyy')",
    "$now.setZone('Europe/Berlin').startOf('week').toISO()",
    "(({ login, ...rest }) => login)($json.sender)",
    "new Date($json.sender.id).toLocaleDateString('en-US')",
    "$now.diff($today, 'hours').hours",
    "$json.removeField('sender').toJsonString().length",
)
"""What is left to a worker."""


class Nothing:
    """An execution that has nothing around the node."""

    run_index = 0
    timezone = "UTC"
    execution = workflow = variables = environment = MappingProxyType[str, str]({})

    def now_ms(self) -> int:
        return 1_790_000_000_123


def items(count: int) -> Items:
    body = json.loads(payload())
    body.setdefault("sender", {"login": "octo", "id": 7})
    return [{"json": {**body, "n": place}} for place in range(count)]


def in_python(source: str, given: Items) -> float:
    """Microseconds per segment, over the items."""
    parameters = compile_parameters({"p": f"={{{{ {source} }}}}"})
    assert not parameters.sources, source
    get = parameters.leaves[0].get
    scope = ItemScope(given, Nothing())  # type: ignore[arg-type]  # no other node is read
    begun = time.perf_counter()
    for index in range(len(given)):
        scope.move(index)
        get(scope)
    return (time.perf_counter() - begun) / len(given) * 1e6


async def in_a_worker(engine: JavaScriptEngine, source: str, given: Items) -> float:
    """Microseconds per segment: the reduction to what is read, both crossings, the evaluation."""
    parameters = compile_parameters({"p": f"={{{{ {source} }}}}"})
    assert parameters.sources, source
    begun = time.perf_counter()
    fields, whole = parameters.reads.item, parameters.reads.whole_items
    sent: list[Item] = given if whole else [projected_item(item, fields) for item in given]
    await engine.evaluate(parameters.sources, ScriptData(input=sent, now_ms=1), range(len(given)))
    return (time.perf_counter() - begun) / len(given) * 1e6


async def best(measure: Callable[[], Awaitable[float]], times: int) -> float:
    found = [await measure() for _ in range(times)]
    return min(found)


async def middle(measure: Callable[[], Awaitable[float]], times: int) -> float:
    found = sorted([await measure() for _ in range(times)])
    return found[times // 2]


def _shown(source: str) -> str:
    """A source as a cell of a Markdown table."""
    return f"`` {source} ``".replace("|", "\\|")


async def rows(count: int) -> list[list[str]]:
    many, one = items(count), items(1)
    made: list[list[str]] = []
    for source in (*PATHS, *SIMPLE, *DATES, *WHOLE):
        alone = sorted(in_python(source, one) for _ in range(400))[200]
        shared = min(in_python(source, many) for _ in range(5))
        most = 3 if source in PATHS else 40
        verdicts = f"{most} us: {verdict(alone <= most)} / {verdict(shared <= most)}"
        made.append([_shown(source), "Python", f"{alone:.2f}", f"{shared:.2f}", verdicts])
    engine = JavaScriptEngine(JavaScriptSettings(expression_workers=1, expression_timeout=60), SharedWorkerPool())
    try:
        for source in SCRIPTED:
            await in_a_worker(engine, source, one)

            async def single(source: str = source) -> float:
                return await in_a_worker(engine, source, one)

            async def amortised(source: str = source) -> float:
                return await in_a_worker(engine, source, many)

            alone, shared = await middle(single, 400), await best(amortised, 5)
            verdicts = f"40 us: {verdict(alone <= 40)} / {verdict(shared <= 40)}"
            made.append([_shown(source), "worker", f"{alone:.0f}", f"{shared:.1f}", verdicts])
    finally:
        await engine.close()
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description="What expressions cost.")
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    options = parser.parse_args()
    size = len(payload())
    found = asyncio.run(rows(options.items))
    header = ["Segment", "In", "single, us", f"of {options.items} items, us each", "Goal"]
    head = f"`python bench/expressions.py` — items of {size:,} bytes. {environment('quickjs-ng', 'orjson')}."
    text = f"{head}\n\n{table(header, found)}"
    publish("expressions", text, write=options.write)


if __name__ == "__main__":
    main()
