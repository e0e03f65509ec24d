"""CPU time of one execution in engine, run loop and expressions, without the store and without HTTP.

    python bench/runloop.py [--executions 5000] [--profile]

The store answers at once and keeps nothing. `accept` is a call that is answered at once (acceptance, then the run);
`finish` is one whose caller waits for the end (one write). The payload is a JSON object of about 7 KB.

Then how many no-op nodes a second one core runs through, and how many items of 7 KB a Set node makes a second, with
five assignments: three property paths and two expressions, which Python evaluates, or which cross to a worker process.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import gc
import pstats
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness import environment, publish, table, verdict

from jackfield.api.engine import Durability, ExecutionRequest
from jackfield.api.scripts import ScriptEngine
from jackfield.api.workflows import Items, Workflow
from jackfield.testing import documents
from jackfield.testing.context import FakeCatalog, FakeContext
from jackfield_engine.engine import EmbeddedEngine, build
from jackfield_expressions.service import ExpressionsService
from jackfield_javascript.engine import JavaScriptEngine
from jackfield_javascript.settings import JavaScriptSettings
from jackfield_nodes.catalogue import node_types
from jackfield_webhooks.node import WebhookNode
from jackfield_workers.pool import SharedWorkerPool
from jackfield_workflows.documents.parsing import parse

SIDE_BY_SIDE = 32


class NoStore:
    """Takes every write at once."""

    def __getattr__(self, name: str) -> Any:
        return self._write

    def _write(self, *_: object) -> asyncio.Future[None]:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        future.set_result(None)
        return future


class Quiet:
    """Nobody listens."""

    heard = ()

    def wanted(self, topic: str) -> bool:
        return False


def an_engine(scripts: Mapping[str, ScriptEngine] | None = None) -> EmbeddedEngine:
    context = FakeContext(Path(tempfile.gettempdir()))
    context.events = Quiet()  # type: ignore[assignment]
    context.ports.update(
        Store=NoStore(),
        NodeCatalog=FakeCatalog(*node_types(context), WebhookNode(context)),
        jackfield_script_engines=dict(scripts or {}),
        Expressions=ExpressionsService(context),
    )
    return build(context)


def workflows() -> dict[str, Workflow]:
    hook = documents.webhook("bench")
    first = documents.set_fields("Set", action="={{ $json.body.action }}", title="=Issue: {{ $json.body.issue.title }}")
    branch = documents.if_equal("If", "={{ $json.action }}", "opened")
    last = documents.set_fields(
        "Last", text="={{ $json.title }}", who="={{ $('Webhook').item.json.body.sender.login }}"
    )
    wires = documents.wires(("Webhook", "Set"), ("Set", "If"), ("If", "Last"))
    made = {
        "Webhook -> Set": documents.chain("two", hook, first),
        "Webhook -> Set -> IF -> Set": documents.workflow("four", [hook, first, branch, last], wires),
    }
    identifier = "00000000-0000-7000-8000-00000000000{}"
    return {
        name: parse(document, id=identifier.format(place), version=1, active=True)
        for place, (name, document) in enumerate(made.items())
    }


def items() -> Items:
    filler: Any = [{"id": index, "name": f"label {index}", "color": "ededed"} for index in range(110)]
    body: Any = {"action": "opened", "issue": {"title": "It breaks", "labels": filler}, "sender": {"login": "octocat"}}
    return [{"json": {"headers": {}, "params": {}, "query": {}, "body": body, "httpMethod": "POST"}}]


async def run(workflow: Workflow, durability: Durability, count: int) -> None:
    engine = an_engine()
    given = items()

    async def caller(executions: int) -> None:
        for _ in range(executions):
            request = ExecutionRequest(workflow, "webhook", "Webhook", given, durability=durability, hidden=())
            execution = engine.submit(request)
            outcome = await execution.finished
            assert outcome.status == "success", outcome

    await asyncio.gather(*(caller(count // SIDE_BY_SIDE) for _ in range(SIDE_BY_SIDE)))


def measure(workflow: Workflow, durability: Durability, count: int) -> float:
    """Microseconds of CPU per execution: the best of three."""
    asyncio.run(run(workflow, durability, 320))
    best = float("inf")
    for _ in range(3):
        gc.collect()
        begun = time.process_time()
        asyncio.run(run(workflow, durability, count))
        best = min(best, (time.process_time() - begun) / count)
    return best * 1e6


NODES = 200
ITEMS = 1000
PATHS = {
    "action": "={{ $json.body.action }}",
    "title": "={{ $json.body.issue.title }}",
    "who": "=by {{ $json.body.sender.login }}",
}
SIMPLE = {
    "kind": "={{ $json.body.action === 'opened' ? 'new' : 'old' }}",
    "loud": "={{ $json.body.issue.title.toUpperCase() + '!' }}",
}
SCRIPTED = {
    "kind": "={{ (() => $json.body.action === 'opened' ? 'new' : 'old')() }}",
    "loud": "={{ $json.body.issue.title.replace(/[a-z]/g, (x) => x.toUpperCase()) }}",
}


def parsed(document: Any) -> Workflow:
    return parse(document, id="00000000-0000-7000-8000-000000000009", version=1, active=True)


def chain_of_no_ops() -> Workflow:
    nodes = [documents.node(f"N{place}", "noOp") for place in range(NODES)]
    return parsed(documents.chain("no-ops", documents.webhook("bench"), *nodes))


def set_node(**assignments: str) -> Workflow:
    return parsed(documents.chain("set", documents.webhook("bench"), documents.set_fields("Set", **assignments)))


async def rate(
    workflow: Workflow, given: Items, units: int, scripts: Mapping[str, ScriptEngine] | None = None
) -> float:
    """Units a second: the best of five executions."""
    engine = an_engine(scripts)
    best = float("inf")
    for _ in range(6):
        begun = time.perf_counter()
        outcome = await engine.submit(
            ExecutionRequest(workflow, "webhook", "Webhook", given, durability="finish")
        ).finished
        assert outcome.status == "success", outcome
        best = min(best, time.perf_counter() - begun)
    return units / best


GOALS = {
    "no-op nodes": 10_000,
    "items, Set with 5 expressions in Python": 15_000,
    "items, Set with 3 in Python, 2 in a worker": 15_000,
}


async def rates() -> dict[str, float]:
    settings = JavaScriptSettings(expression_workers=1, expression_timeout=30)
    scripts = {"javaScript": JavaScriptEngine(settings, SharedWorkerPool())}
    many = items() * ITEMS
    try:
        return {
            "no-op nodes": await rate(chain_of_no_ops(), items(), NODES),
            "items, Set with 5 expressions in Python": await rate(set_node(**PATHS, **SIMPLE), many, ITEMS, scripts),
            "items, Set with 3 in Python, 2 in a worker": await rate(
                set_node(**PATHS, **SCRIPTED), many, ITEMS, scripts
            ),
        }
    finally:
        await scripts["javaScript"].close()


CLAIMED = 15_000
"""Simple workflows a second, in process: m9m's documentation."""


def whole(executions: int) -> Iterator[tuple[str, float]]:
    """Executions a second of one core."""
    for name, workflow in workflows().items():
        yield f"executions, {name}, answered at once", 1e6 / measure(workflow, "accept", executions)
        yield f"executions, {name}, waited for", 1e6 / measure(workflow, "finish", executions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--executions", type=int, default=5000)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--write", action="store_true", help="put the rates into docs/benchmarks.md")
    options = parser.parse_args()
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 10, 1)  # as the daemon has it
    rows = [[name, f"{found:,.0f}", verdict(found >= GOALS[name])] for name, found in asyncio.run(rates()).items()]
    rows += [
        [name, f"{found:,.0f}", f"{found / CLAIMED:.2f} of {CLAIMED:,}"] for name, found in whole(options.executions)
    ]
    head = f"`python bench/runloop.py` — one execution, no store, no HTTP. {environment('quickjs-ng', 'orjson')}."
    goals = (
        f"Goals: {', '.join(f'{goal:,}' for goal in GOALS.values())}. The last rows are whole executions in this "
        f"process, by CPU time; m9m, in Go, claims {CLAIMED:,} simple ones a second."
    )
    publish("runloop", f"{head}\n\n{table(['', 'a second', ''], rows)}\n\n{goals}", write=options.write)
    if options.profile:
        profile = cProfile.Profile()
        profile.runcall(lambda: asyncio.run(run(workflows()["Webhook -> Set"], "accept", options.executions)))
        pstats.Stats(profile).sort_stats("tottime").print_stats(40)


if __name__ == "__main__":
    main()
