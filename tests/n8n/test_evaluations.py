"""The nodes Evaluation Trigger and Evaluation beside n8n's own, run in n8n's own context: the same items, the same
columns and cells of a data table, and the same refusals."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.errors import InvalidInput
from jackfield.api.nodes import NodeError
from jackfield.api.records import replace
from jackfield.api.workflows import Node, Wire, Workflow, WorkflowSettings
from jackfield.testing.context import FakeContext
from jackfield.testing.node_runs import FakeNodeRun
from jackfield_evaluations.nodes.by_hand import EvaluationStart
from jackfield_evaluations.nodes.evaluation import EvaluationNode
from jackfield_evaluations.nodes.kinds import EVALUATION, TRIGGER

from . import installing

SCRIPT = Path(__file__).with_name("evaluations.js")
SECONDS = 60
ROW = {"id": 7, "question": "q", "row_number": 0, "row_id": 7, "_rowsLeft": 2}
LOCATOR = {"__rl": True, "mode": "id", "value": "t"}


@dataclass(frozen=True)
class EvaluationCase:
    """above: whether an evaluation trigger stands above the node; row: what it gave, None: it has not run; columns,
    rows: of the table."""

    parameters: Mapping[str, Any]
    kind: str = EVALUATION
    version: float = 4.8
    items: tuple[Mapping[str, Any], ...] = ({"json": {"a": 1}},)
    above: bool = True
    row: Mapping[str, Any] | None = field(default_factory=lambda: ROW)
    columns: tuple[str, ...] = ("question",)
    rows: tuple[Mapping[str, Any], ...] = ()


def metric(name: str, *items: Mapping[str, Any], version: float = 4.8, **parameters: Any) -> EvaluationCase:
    given = tuple({"json": each} for each in items) or ({"json": {}},)
    return EvaluationCase({"operation": "setMetrics", "metric": name, **parameters}, version=version, items=given)


def similar(one: Any, other: Any) -> EvaluationCase:
    return metric("stringSimilarity", expectedAnswer=one, actualAnswer=other)


def custom(*rows: tuple[str, Any], version: float = 4.8) -> EvaluationCase:
    assignments = [
        {"id": str(index), "name": name, "value": value, "type": "number"} for index, (name, value) in enumerate(rows)
    ]
    return metric("customMetrics", version=version, metrics={"assignments": assignments})


def tools(expected: str, steps: Any) -> EvaluationCase:
    return metric("toolsUsed", expectedTools=expected, intermediateSteps=steps)


def written(version: float = 4.8, **values: Any) -> EvaluationCase:
    rows = [{"outputName": name, "outputValue": value} for name, value in values.items()]
    given = {"operation": "setOutputs", "source": "dataTable", "dataTableId": LOCATOR, "outputs": {"values": rows}}
    return EvaluationCase(given, version=version)


CHECK = {"operation": "checkIfEvaluating"}
STEPS = [{"action": {"tool": "Get_Events"}}, {"action": {"tool": "send-mail"}}, {"action": {}}, {}]
ROWS = ({"id": 3, "question": "a"}, {"id": 4, "question": "b"}, {"id": 9, "question": "c"})
CASES: Mapping[str, EvaluationCase] = {
    "similar": similar("kitten", "sitting"),
    "similar: the same": similar(" same ", "same"),
    "similar: nothing": similar("abc", "xyz"),
    "similar: pairs of units": similar("a😀b", "a😃bc"),
    "similar: numbers": similar(12, 123),
    "similar: one is missing": similar("", "a"),
    "similar: the other is missing": similar("a", "  "),
    "similar: a name": metric(
        "stringSimilarity", expectedAnswer="ab", actualAnswer="b", options={"metricName": "closeness"}
    ),
    "categorization": metric("categorization", {}, {}, expectedAnswer="x", actualAnswer=" x"),
    "categorization: another": metric("categorization", expectedAnswer="x", actualAnswer="X"),
    "custom": custom(("one", 1), ("half", "0.5"), ("exponent", " 1e2 ")),
    "custom in 4.6": custom(("one", 1), version=4.6),
    "custom: nothing is zero": custom(("empty", "")),
    "custom: no number": custom(("one", "many")),
    "custom: no name": custom(("", 1)),
    "custom: twice": custom(("one", 1), ("one", 2)),
    "tools": tools("Get Events, send-mail", STEPS),
    "tools: half": tools("Get Events,, Search ", STEPS),
    "tools: none expected": tools(" , ", STEPS),
    "tools: no steps": tools("a", "text"),
    "check: evaluating": EvaluationCase(CHECK, items=({"json": {"a": 1}}, {"json": {"a": 2}})),
    "check: not executed": EvaluationCase(CHECK, row=None),
    "check: no trigger": EvaluationCase(CHECK, above=False, row=None),
    "outputs": written(answer="yes", score=2, fine=True, parts={"a": [1]}),
    "outputs: a known column": written(question="changed"),
    "outputs in 4.7": written(4.7, answer="yes"),
    "outputs: not executed": EvaluationCase(written(answer="yes").parameters, row=None),
    "outputs: none": written(),
    "inputs": EvaluationCase({"operation": "setInputs", "inputs": {"values": [{"inputName": "q", "inputValue": "x"}]}}),
    "inputs: none": EvaluationCase({"operation": "setInputs"}),
}
FIRST: Mapping[str, EvaluationCase] = {
    "first row": EvaluationCase({"source": "dataTable", "dataTableId": LOCATOR}, TRIGGER, 4.7, rows=ROWS),
    "first of two": EvaluationCase(
        {"source": "dataTable", "dataTableId": LOCATOR, "limitRows": True, "maxRows": 2}, TRIGGER, 4.7, rows=ROWS
    ),
    "filtered": EvaluationCase(
        {
            "source": "dataTable",
            "dataTableId": LOCATOR,
            "filterRows": True,
            "matchType": "allConditions",
            "filters": {"conditions": [{"keyName": "id", "condition": "eq", "keyValue": 4}]},
        },
        TRIGGER,
        4.6,
        rows=ROWS,
    ),
    "no row": EvaluationCase({"source": "dataTable", "dataTableId": LOCATOR}, TRIGGER, 4.7),
}


@pytest.fixture(scope="module")
def theirs() -> Mapping[str, Any]:
    """Label -> what n8n's node did."""
    asked = {label: asdict(case) for label, case in {**CASES, **FIRST}.items()}
    try:
        command, place = [installing.node(), str(SCRIPT)], installing.directory()
    except installing.NotThere as exc:
        pytest.skip(str(exc))
    given = json.dumps(list(asked.values())).encode()
    done = subprocess.run(command, cwd=place, input=given, capture_output=True, timeout=SECONDS, check=True)
    return dict(zip(asked, json.loads(done.stdout.splitlines()[-1]), strict=True))


class Rows:
    """`SingleRows` over the case's rows, which tells what is written."""

    def __init__(self, case: EvaluationCase) -> None:
        self.case = case
        self.columns: list[list[Any]] = []
        self.written: list[list[Any]] = []

    async def first(self, table_id: str, conditions: Any, *, any_of: bool) -> Any:
        assert table_id == "t"
        fit = [row for row in self.case.rows if all(row[name] == value for name, _, value in conditions)]
        return (fit[0] if fit else None), len(fit)

    async def write(self, table_id: str, row_id: int, values: Mapping[str, Any]) -> None:
        kinds = {bool: "boolean", int: "number", float: "number"}
        new = [[name, kinds.get(type(value), "string")] for name, value in values.items()]
        self.columns += [each for each in new if each[0] not in self.case.columns]
        self.written.append([row_id, dict(values)])


def context_of(rows: Rows, directory: Path) -> FakeContext:
    return FakeContext(directory, ports={"SingleRows": rows})


def workflow_of(case: EvaluationCase) -> Workflow:
    def made(name: str, kind: str) -> Node:
        return Node(name, name, f"n8n-nodes-base.{kind}", kind, case.version, {})

    nodes = {"Trigger": made("Trigger", TRIGGER), "Between": made("Between", "noOp"), EVALUATION: made("e", EVALUATION)}
    wires = {"Trigger": ((Wire("Between", 0),),), "Between": ((Wire(EVALUATION, 0),),)} if case.above else {}
    return Workflow("w", "W", 1, True, nodes, wires, WorkflowSettings(), {}, {})


@pytest.mark.parametrize("label", CASES)
async def test_the_node_does_what_n8ns_does(label: str, theirs: Mapping[str, Any], tmp_path: Path) -> None:
    case, expected = CASES[label], theirs[label]
    rows = Rows(case)
    run = FakeNodeRun(
        EvaluationNode(context_of(rows, tmp_path)),
        case.parameters,
        [dict(item) for item in case.items],  # type: ignore[misc]
        version=case.version,
        late=lambda templates, _: {"ran": case.row is not None, "row": dict(case.row or {})},
    )
    run.execution = replace(run.execution, workflow=workflow_of(case))
    if "error" in expected:
        with pytest.raises(NodeError) as caught:
            await run.outcome()
        assert caught.value.message == expected["error"]
        return
    outcome = await run.outcome()
    assert outcome.json() == expected["outputs"]
    assert (rows.columns, rows.written) == (expected["columns"], expected["written"])


@pytest.mark.parametrize("label", FIRST)
async def test_a_run_by_hand_begins_with_n8ns_first_row(label: str, theirs: Mapping[str, Any], tmp_path: Path) -> None:
    case, expected = FIRST[label], theirs[label]
    start = EvaluationStart(context_of(Rows(case), tmp_path))
    node = Node("t", "Trigger", f"n8n-nodes-base.{TRIGGER}", TRIGGER, case.version, case.parameters)
    if "error" in expected:
        with pytest.raises(InvalidInput, match=expected["error"]):
            await start.by_hand(workflow_of(case), node, "e")
        return
    items = await start.by_hand(workflow_of(case), node, "e")
    assert [[item["json"] for item in items or []]] == expected["outputs"]
