"""Long lists of items beside n8n's own engine: wall time and memory of the same workflow, in turn and in one run.

    python bench/items.py [--items 10000 100000] [--rounds 3] [--seconds 120] [--only Set] [--write]

Each workflow is a trigger, which gets the items, and the node (or a chain of them). A call of either side is one
`POST /workflows/run` that answers when the execution is over. n8n's engine runs here without server, editor and
database (`tests/n8n/engines.py`).

Both sides begin anew for each row, and run the workflow with a few items first, so that neither code that is loaded nor
what earlier rows left counts. The last node's items must be equal, else the bench ends.

Times are those that each side tells of its execution, with the JSON of all results: the daemon writes it within its
execution, n8n's server behind it. For n8n it is the time until the engine begins to answer with all results, which it
writes whole before. The daemon has stored all of it when its call ends; n8n here never does.

Memory is the peak beyond what each side holds at rest: VmHWM of /proc, with that of the processes below it, of those
that end within the call, too (every 5 ms; what such a process shares with its parent counts twice). The peak in all
stands beside it. The least of all rounds counts on both sides.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Self

import harness
import httpx
import orjson

sys.path.insert(0, str(harness.ROOT))

from tests.n8n import engines

from jackfield.api.jsontext import Json
from jackfield.testing.documents import Part, chain, node, set_fields, wires, workflow

Document = Mapping[str, Any]
Items = Sequence[Mapping[str, Any]]
GOAL, CHAIN_GOAL, MEMORY_GOAL = 1.0, 4.0, 0.5
"""Times as fast as n8n, a node and a whole chain; share of its memory."""
WARM = 100
"""Items of the run before those that count."""
LONG_MS = 20_000
"""One call of n8n's that takes so long is enough."""
LOOKS = 0.005
"""Seconds between two looks at the memory of a side's processes."""
JSON = {"Content-Type": "application/json"}
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
    """One execution. call, engine: milliseconds of the whole call, and of the execution with the JSON of its results;
    nodes: the execution as the side tells of it; processor: milliseconds of the side's processes; mb, peak: most memory
    beyond what was there at rest, and in all."""

    call: float
    engine: float
    nodes: float
    processor: float
    mb: float
    peak: float


def n8n_of(document: Part) -> Document:
    """The same with n8n's names of node types."""
    text = orjson.dumps(document).replace(b'"jackfield.', b'"n8n-nodes-base.')
    return dict(orjson.loads(text))


def conditions(kind: str) -> Part:
    options: Json = {"caseSensitive": True, "leftValue": "", "typeValidation": "strict", "version": 2}
    rows: list[Json] = [
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
    given: dict[str, Json] = {
        "conditions": {"options": options, "conditions": rows, "combinator": "and"},
        "options": {},
    }
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
    written: dict[str, dict[str, Json]] = {
        "javaScript": {"jsCode": JAVASCRIPT},
        "python": {"language": "python", "pythonCode": PYTHON},
    }
    given = written[language]
    return node("Code", "code", given, version=2)


def merge() -> Part:
    given: dict[str, Json] = {
        "mode": "combine",
        "combineBy": "combineByFields",
        "fieldsToMatchString": "id",
        "options": {},
    }
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


def process_mb(pid: int, line: str) -> float:
    """line: VmRSS for now, VmHWM for the peak. 0 for a process that has ended."""
    with contextlib.suppress(OSError):
        found = Path(f"/proc/{pid}/status").read_text().splitlines()
        return next((int(row.split()[1]) for row in found if row.startswith(line)), 0) / 1024
    return 0


def memory_mb(pid: int, line: str) -> float:
    """Of a process and those below it, as `process_mb`."""
    return sum(process_mb(one, line) for one in tree(pid))


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


class Peaks:
    """The most memory that each process of a side had, within a `with` block."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._found: dict[int, float] = {}
        self._over = threading.Event()
        self._watching = threading.Thread(target=self._watch)

    def __enter__(self) -> Self:
        forget_peaks(self._pid)
        self._watching.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._watching.join()
        self._look()

    @property
    def mb(self) -> float:
        """Of all processes together."""
        return sum(self._found.values())

    def _watch(self) -> None:
        while not self._over.wait(LOOKS):
            self._look()

    def _look(self) -> None:
        for one in tree(self._pid):
            if mb := process_mb(one, "VmHWM"):
                self._found[one] = mb


class TooLong(Exception):
    """A side did not answer within the time of the bench. mb, peak: as in `Run`, until it was given up."""

    def __init__(self, mb: float, peak: float) -> None:
        super().__init__()
        self.mb = mb
        self.peak = peak


class Side:
    """One engine and its process. told: milliseconds of an execution, as the side tells of it; writes_later: whether
    the JSON of its results is not in them; seconds: how long a call may take."""

    def __init__(
        self, engine: engines.Engine, told: Callable[[Document], float], *, writes_later: bool, seconds: float
    ) -> None:
        self._engine = engine
        self._pid = engine.pid
        self._told = told
        self._writes_later = writes_later
        self._rest = 0.0
        self.seconds = seconds
        engine.client.timeout = httpx.Timeout(seconds)

    def warm(self, document: Document, given: bytes) -> None:
        """Load what the workflow needs. What is there afterwards is the memory at rest."""
        self.run(document, given)
        self._rest = memory_mb(self._pid, "VmRSS")

    def run(self, document: Document, given: bytes) -> tuple[Run, Items]:
        """The execution, and the items of its last node. Raises `TooLong`."""
        body = b'{"workflow":' + orjson.dumps(document) + b',"inputData":' + given + b"}"
        peaks = Peaks(self._pid)
        before, begun = processor_ms(self._pid), time.perf_counter()
        try:
            with peaks:
                answer = self._engine.client.post("/workflows/run", content=body, headers=JSON)
                took = (time.perf_counter() - begun) * 1000
                spent = processor_ms(self._pid) - before
        except httpx.ReadTimeout:
            raise TooLong(peaks.mb - self._rest, peaks.mb) from None
        peak = peaks.mb
        if answer.status_code != httpx.codes.OK:
            sys.exit(f"{self._engine.name}: {answer.text[:1000]}")
        found, written = self._results(answer.json()["executionId"])
        if found["status"] != "success":
            sys.exit(f"{self._engine.name}: {str(found.get('error'))[:1000]}")
        nodes = self._told(found)
        run = Run(took, nodes + (written if self._writes_later else 0), nodes, spent, peak - self._rest, peak)
        return run, last_items(found, document)

    def _results(self, ident: str) -> tuple[Document, float]:
        """Of an execution, and milliseconds until the side began to answer with them."""
        begun = time.perf_counter()
        with self._engine.client.stream("GET", f"/executions/{ident}") as answer:
            written = (time.perf_counter() - begun) * 1000
            return orjson.loads(answer.raise_for_status().read()), written


def last_items(found: Document, document: Document) -> Items:
    """The JSON of what the last node of the document gave at its first output that gave something."""
    (run,) = engines.run_data(found)[document["nodes"][-1]["name"]]
    return [item["json"] for item in next(filter(None, run["outputs"]), [])]


def of_n8n(found: Document) -> float:
    """From the first node's beginning to the last one's end."""
    runs = [run for runs in found["data"]["resultData"]["runData"].values() for run in runs]
    return float(max(run["startTime"] + run["executionTime"] for run in runs) - min(run["startTime"] for run in runs))


def of_jackfield(found: Document) -> float:
    """From the beginning to the end, with the JSON of all results; not the store's commit."""
    begun, over = (datetime.fromisoformat(found[name]) for name in ("startedAt", "finishedAt"))
    return (over - begun).total_seconds() * 1000


@contextlib.contextmanager
def begun(name: str, seconds: float) -> Iterator[Side]:
    """A side that has run nothing yet."""
    with tempfile.TemporaryDirectory() as kept:
        if name == "n8n":
            with engines.n8n(Path(kept)) as engine:
                yield Side(engine, of_n8n, writes_later=True, seconds=seconds)
        else:
            with engines.jackfield(Path(kept)) as engine:
                yield Side(engine, of_jackfield, writes_later=False, seconds=seconds)


def least(runs: Sequence[Run]) -> Run:
    return Run(*(min(column) for column in zip(*runs, strict=True)))


def measured(case: Case, count: int, rounds: int, seconds: float) -> tuple[Run, Run | TooLong]:
    """Both sides' least of all rounds; what is known of n8n where it takes longer than the time of the bench."""
    warm, given = orjson.dumps(given_items(WARM)), orjson.dumps(given_items(count))
    ours, theirs = list[Run](), list[Run]()
    with begun("jackfield", seconds) as daemon, begun("n8n", seconds) as n8n:
        daemon.warm(case.ours, warm)
        n8n.warm(case.theirs, warm)
        for place in range(rounds):
            run, items = daemon.run(case.ours, given)
            ours.append(run)
            if place and theirs[0].call > LONG_MS:
                continue
            try:
                run, others = n8n.run(case.theirs, given)
            except TooLong as given_up:
                return least([*ours, *(daemon.run(case.ours, given)[0] for _ in range(rounds - 1))]), given_up
            theirs.append(run)
            if items != others:
                sys.exit(f"{case.name}: the last node gives other items than n8n's")
    return least(ours), least(theirs)


def unfinished_row(case: Case, count: int, ours: Run, theirs: TooLong, seconds: float) -> Sequence[str]:
    """n8n took longer than the time of the bench, and had taken so much memory by then."""
    times, share = seconds * 1000 / max(ours.engine, 1), ours.mb / max(theirs.mb, 1)
    held = harness.verdict(True) if share <= MEMORY_GOAL else "not known"
    return [
        case.name,
        f"{count:,}",
        f"{ours.engine:,.0f} / over {seconds * 1000:,.0f}",
        "",
        f"over **{times:.0f}**",
        "",
        "",
        f"{ours.mb:,.0f} / over {theirs.mb:,.0f}",
        f"under {share:.2f}",
        f"under {ours.peak / theirs.peak:.2f}",
        f"{case.goal:g}: {harness.verdict(times >= case.goal)}, {MEMORY_GOAL:g}: {held}",
    ]


def row(case: Case, count: int, ours: Run, theirs: Run | TooLong, seconds: float) -> Sequence[str]:
    if isinstance(theirs, TooLong):
        return unfinished_row(case, count, ours, theirs, seconds)
    times, share = theirs.engine / max(ours.engine, 1), ours.mb / max(theirs.mb, 1)
    goal = f"{case.goal:g}: {harness.verdict(times >= case.goal)}"
    return [
        case.name,
        f"{count:,}",
        f"{ours.engine:,.0f} / {theirs.engine:,.0f}",
        f"{theirs.nodes:,.0f}",
        f"**{times:.2f}**",
        f"{theirs.call / ours.call:.2f}",
        f"{theirs.processor / max(ours.processor, 1):.2f}",
        f"{ours.mb:,.0f} / {theirs.mb:,.0f}",
        f"{share:.2f}",
        f"{ours.peak / theirs.peak:.2f}",
        f"{goal}, {MEMORY_GOAL:g}: {harness.verdict(share <= MEMORY_GOAL)}",
    ]


HEADER = [
    "workflow", "items", "ms / n8n", "n8n without its JSON", "times as fast", "whole call", "processor time",
    "MB / n8n", "share", "share in all", "goals",
]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=120, help="a call of n8n's that takes longer is given up")
    parser.add_argument("--only", default="", help="workflows whose name has this")
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    options = parser.parse_args()
    rows: list[Sequence[str]] = []
    for count in options.items:
        for case in cases():
            if options.only in case.name:
                found = measured(case, count, options.rounds, options.seconds)
                rows.append(row(case, count, *found, options.seconds))
                print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    command = (
        f"`python bench/items.py --items {' '.join(map(str, options.items))} --rounds {options.rounds}"
        f" --seconds {options.seconds:g}`"
    )
    head = f"{command} — load average {os.getloadavg()[0]:.0f}. {harness.environment('quickjs-ng', 'orjson')}."
    harness.publish("items", f"{head}\n\n{harness.table(HEADER, rows)}", write=options.write)


if __name__ == "__main__":
    main()
