"""Long lists of items beside n8n's own engine: wall time and memory of the same workflow, in turn and in one run.

    python bench/items.py [--items 10000 100000] [--rounds 3] [--only Set] [--write]

Each workflow is a trigger, which gets the items, and the node (or a chain of them). A call of either side is one
`POST /workflows/run` that answers when the execution is over. The daemon has stored all of it by then; n8n's engine
runs here without server, editor and database (`tests/n8n/engines.py`). Times are those that each side tells of its
execution, the daemon's with the JSON of all results; whole calls and the processor time of all processes stand beside
them. Memory is the peak beyond what each side holds at rest: VmHWM of /proc, with that of the processes below it. The
least of all rounds counts on both sides.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import harness
import httpx
import orjson

sys.path.insert(0, str(harness.ROOT))

from tests.n8n import engines

from jackfield.testing.documents import Part, chain, node, set_fields, wires, workflow

Document = Mapping[str, Any]
GOAL, CHAIN_GOAL, MEMORY_GOAL = 1.0, 4.0, 0.5
"""Times as fast as n8n, a node and a whole chain; share of its memory."""
TRIGGER = node("Start", "executeWorkflowTrigger", version=1)
JAVASCRIPT = (
    "return $input.all().map((item) => ({ json: { ...item.json, total: item.json.price * item.json.count } }));"
)
PYTHON = """
return [{"json": {**item["json"], "total": item["json"]["price"] * item["json"]["count"]}} for item in _input.all()]
"""


class Case(NamedTuple):
    """ours, theirs: the document of each side; goal: times as fast as n8n."""

    name: str
    ours: Document
    theirs: Document
    goal: float = GOAL


class Run(NamedTuple):
    """One execution. call, engine: milliseconds of the whole call, and of the execution as the side tells; processor:
    milliseconds of the side's processes; mb: peak of memory beyond what was there at rest."""

    call: float
    engine: float
    processor: float
    mb: float


def n8n_of(document: Part) -> Document:
    """The same with n8n's names of node types."""
    text = orjson.dumps(document).replace(b'"jackfield.', b'"n8n-nodes-base.')
    return dict(orjson.loads(text))


def conditions(kind: str) -> Part:
    options = {"caseSensitive": True, "leftValue": "", "typeValidation": "strict", "version": 2}
    rows = [
        {
            "id": "a",
            "leftValue": "={{ $json.price }}",
            "rightValue": 40,
            "operator": {"type": "number", "operation": "gt"},
        },
        {
            "id": "b",
            "leftValue": "={{ $json.city }}",
            "rightValue": "city 7",
            "operator": {"type": "string", "operation": "notEquals"},
        },
    ]
    given = {"conditions": {"options": options, "conditions": rows, "combinator": "and"}, "options": {}}
    return node(kind.capitalize(), kind, given, version=2.2)


def fields(name: str = "Set") -> Part:
    made = set_fields(
        name,
        label="={{ $json.name }} of {{ $json.city }}",
        cost="={{ $json.price * $json.count }}",
        loud="={{ $json.name.toUpperCase() }}",
        kind="fixed",
    )
    made["parameters"]["includeOtherFields"] = True  # type: ignore[index,call-overload]  # an object
    return made


def sort() -> Part:
    return node("Sort", "sort", {"sortFieldsUi": {"sortField": [{"fieldName": "name"}]}}, version=1)


def aggregate() -> Part:
    return node("Aggregate", "aggregate", {"aggregate": "aggregateAllItemData"}, version=1)


def split() -> Part:
    return node("Split Out", "splitOut", {"fieldToSplitOut": "data"}, version=1)


def code(language: str) -> Part:
    given = {"javaScript": {"jsCode": JAVASCRIPT}, "python": {"language": "python", "pythonCode": PYTHON}}[language]
    return node("Code", "code", given, version=2)


def merge() -> Part:
    given = {"mode": "combine", "combineBy": "combineByFields", "fieldsToMatchString": "id", "options": {}}
    return node("Merge", "merge", given, version=3)


def merged(name: str, left: Part, right: Part) -> Part:
    edges = wires(("Start", str(left["name"])), ("Start", str(right["name"])))
    for place, part in enumerate((left, right)):
        edges[str(part["name"])] = {"main": [[{"node": "Merge", "type": "main", "index": place}]]}
    return workflow(name, [TRIGGER, left, right, merge()], edges)


def both(name: str, document: Part, goal: float = GOAL) -> Case:
    return Case(name, document, n8n_of(document), goal)


def straight(name: str, *nodes: Part, goal: float = GOAL) -> Case:
    return both(name, chain(name, TRIGGER, *nodes), goal)


def cases() -> Sequence[Case]:
    javascript = straight("Code (JavaScript)", code("javaScript"))
    chained = [fields(), conditions("if"), code("javaScript"), sort()]
    no_op = [node(name, "noOp", version=1) for name in ("Left", "Right")]
    return [
        straight("no-op", no_op[0]),
        javascript,
        Case("Code (Python), n8n: JavaScript", chain("python", TRIGGER, code("python")), javascript.theirs),
        straight("Set", fields()),
        straight("IF", conditions("if")),
        straight("Filter", conditions("filter")),
        both("Merge by a field", merged("merge", *no_op)),
        straight("Sort", sort()),
        straight("Aggregate", aggregate()),
        straight("Aggregate, Split Out", aggregate(), split()),
        straight("chain: Set, IF, Code, Sort", *chained, goal=CHAIN_GOAL),
        straight(
            "chain: Set, Filter, Sort, Aggregate, Split Out",
            fields(),
            conditions("filter"),
            sort(),
            aggregate(),
            split(),
            goal=CHAIN_GOAL,
        ),
    ]


def given_items(count: int) -> list[Document]:
    """In no order: what an application's list of orders looks like."""
    return [
        {
            "json": {
                "id": place * 7919 % count,
                "name": f"customer {place * 104729 % 99991}",
                "city": f"city {place % 20}",
                "price": place % 100,
                "count": 1 + place % 3,
                "tags": ["a", "b"],
            }
        }
        for place in range(count)
    ]


def tree(pid: int) -> Iterator[int]:
    yield pid
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in listed.read_text().split():
                yield from tree(int(child))


def memory_mb(pid: int, line: str) -> float:
    """line: VmRSS for now, VmHWM for the peak."""
    total = 0
    for one in tree(pid):
        with contextlib.suppress(OSError):
            found = Path(f"/proc/{one}/status").read_text().splitlines()
            total += next((int(row.split()[1]) for row in found if row.startswith(line)), 0)
    return total / 1024


def processor_ms(pid: int) -> float:
    """Of a process, those below it, and those below it that have ended."""
    ticks = 0
    for one in tree(pid):
        with contextlib.suppress(OSError):
            ticks += sum(map(int, Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()[11:15]))
    return ticks * 1000 / os.sysconf("SC_CLK_TCK")


def forget_peaks(pid: int) -> None:
    for one in tree(pid):
        with contextlib.suppress(OSError):
            Path(f"/proc/{one}/clear_refs").write_text("5")


class Side:
    """One engine and its process. told: milliseconds of an execution, as the side tells of it."""

    def __init__(self, engine: engines.Engine, told: Callable[[Document], float]) -> None:
        self._engine = engine
        self._pid = engine.pid
        self._told = told
        self._rest = memory_mb(self._pid, "VmRSS")

    def run(self, document: Document, given: bytes) -> Run:
        body = b'{"workflow":' + orjson.dumps(document) + b',"inputData":' + given + b"}"
        forget_peaks(self._pid)
        before, begun = processor_ms(self._pid), time.perf_counter()
        answer = self._engine.client.post("/workflows/run", content=body, headers={"Content-Type": "application/json"})
        took = (time.perf_counter() - begun) * 1000
        spent, mb = processor_ms(self._pid) - before, memory_mb(self._pid, "VmHWM") - self._rest
        if answer.status_code != httpx.codes.OK:
            sys.exit(f"{self._engine.name}: {answer.text[:1000]}")
        found = self._engine.client.get(f"/executions/{answer.json()['executionId']}").raise_for_status().json()
        if found["status"] != "success":
            sys.exit(f"{self._engine.name}: {str(found.get('error'))[:1000]}")
        return Run(took, self._told(found), spent, mb)


def of_n8n(found: Document) -> float:
    """From the first node's beginning to the last one's end."""
    runs = [run for runs in found["data"]["resultData"]["runData"].values() for run in runs]
    return float(max(run["startTime"] + run["executionTime"] for run in runs) - min(run["startTime"] for run in runs))


def of_jackfield(found: Document) -> float:
    """From the beginning to the end, with the JSON of all results; not the store's commit."""
    begun, over = (datetime.fromisoformat(found[name]) for name in ("startedAt", "finishedAt"))
    return (over - begun).total_seconds() * 1000


def least(runs: Sequence[Run]) -> Run:
    return Run(*(min(column) for column in zip(*runs, strict=True)))  # type: ignore[arg-type]  # as given


def measured(sides: tuple[Side, Side], case: Case, given: bytes, rounds: int) -> tuple[Run, Run]:
    found: tuple[list[Run], list[Run]] = ([], [])
    for _ in range(rounds):
        for side, document, runs in zip(sides, (case.ours, case.theirs), found, strict=True):
            runs.append(side.run(document, given))
    return least(found[0]), least(found[1])


def row(case: Case, count: int, ours: Run, theirs: Run) -> Sequence[str]:
    times, share = theirs.engine / max(ours.engine, 1), ours.mb / max(theirs.mb, 1)
    good = times >= case.goal and share <= MEMORY_GOAL
    return [
        case.name,
        f"{count:,}",
        f"{ours.engine:,.0f} / {theirs.engine:,.0f}",
        f"**{times:.2f}**",
        f"{theirs.call / ours.call:.2f}",
        f"{theirs.processor / max(ours.processor, 1):.2f}",
        f"{ours.mb:,.0f} / {theirs.mb:,.0f}",
        f"{share:.2f}",
        f"{case.goal:g}, {MEMORY_GOAL:g}: {harness.verdict(good)}",
    ]


HEADER = [
    "workflow", "items", "ms / n8n", "times as fast", "whole call", "processor time", "MB / n8n", "share", "goals",
]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="workflows whose name has this")
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    options = parser.parse_args()
    rows: list[Sequence[str]] = []
    with tempfile.TemporaryDirectory() as kept, engines.n8n(Path(kept)) as n8n, engines.jackfield(Path(kept)) as daemon:
        sides = Side(daemon, of_jackfield), Side(n8n, of_n8n)
        for count in options.items:
            given = orjson.dumps(given_items(count))
            for case in cases():
                if options.only in case.name:
                    rows.append(row(case, count, *measured(sides, case, given, options.rounds)))
                    print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    command = f"`python bench/items.py --items {' '.join(map(str, options.items))} --rounds {options.rounds}`"
    head = f"{command} — load average {os.getloadavg()[0]:.0f}. {harness.environment('quickjs-ng', 'orjson')}."
    harness.publish("items", f"{head}\n\n{harness.table(HEADER, rows)}", write=options.write)


if __name__ == "__main__":
    main()
