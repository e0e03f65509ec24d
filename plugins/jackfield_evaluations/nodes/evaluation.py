"""Evaluation: writes outputs to the dataset, sets metrics, and tells runs of evaluations from others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.ai import LANGUAGE_MODEL
from jackfield.api.context import PluginContext
from jackfield.api.data_tables import SingleRows
from jackfield.api.errors import JackfieldError
from jackfield.api.json_values import dumps
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeResult, NodeRun, NodeShape
from jackfield.api.nodes.items import new_item, pass_all
from jackfield.api.nodes.running import ModelNode, made_per_item
from jackfield.api.nodes.unresolved import first_resolved
from jackfield.api.workflows import Items, Node, Workflow
from jackfield_evaluations.nodes.by_hand import default_source, table_of
from jackfield_evaluations.nodes.kinds import EVALUATION, TRIGGER
from jackfield_evaluations.nodes.metrics import metrics_of_item
from jackfield_evaluations.nodes.parameters import EvaluationParameters

_MODELLED: Sequence[Json] = (None, "correctness", "helpfulness")
_CUSTOM_UNTIL = 4.6


class EvaluationNode(ModelNode):
    kind = EVALUATION
    versions: Sequence[float] = (4.6, 4.7, 4.8)
    description = NodeDescription(
        "Evaluation",
        "Writes outputs, sets metrics, and tells runs of evaluations from others.",
        "transform",
        accepts=(LANGUAGE_MODEL,),
        help="evaluations#nodes",
        shapes=(
            NodeShape({"operation": ["checkIfEvaluating"]}, outputs=("evaluation", "normal")),
            NodeShape({"operation": ["setMetrics"], "metric": _MODELLED}, accepts=(LANGUAGE_MODEL,)),
            NodeShape(),
        ),
    )
    effect = True
    model = EvaluationParameters

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def outputs(self, node: Node) -> int:
        return 2 if node.parameters.get("operation") == "checkIfEvaluating" else 1

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[EvaluationParameters] = await run.resolve()
        first = first_resolved(resolved)
        if first is None or first.operation == "setMetrics":
            return [await self._metrics(run, resolved)]
        row = await evaluated_row(run)
        if first.operation == "checkIfEvaluating":
            return [pass_all(run.items)[0], []] if row is not None else [[], pass_all(run.items)[0]]
        if row is not None and first.operation == "setOutputs":
            await self._write(run, first, row)
        elif row is not None and not first.inputs.values:
            raise NodeError("No inputs to set")
        return pass_all(run.items)

    async def _metrics(self, run: NodeRun, resolved: Sequence[EvaluationParameters]) -> Items:
        version = run.node.version
        old = version is not None and version <= _CUSTOM_UNTIL

        async def one(index: int, given: EvaluationParameters) -> Items:
            metric = given.metric or ("customMetrics" if old else "correctness")
            return [new_item(await metrics_of_item(run, given, metric, index), index)]

        return await made_per_item(run, resolved, one)

    async def _write(self, run: NodeRun, given: EvaluationParameters, row: Mapping[str, Json]) -> None:
        if not given.outputs.values:
            raise NodeError("No outputs to set")
        row_id = row.get("row_id")
        values = {each.output_name: _cell(each.output_value) for each in given.outputs.values}
        try:
            table_id = table_of(run.node, default_source(run.node, 4.8))
            await self._context.port(SingleRows).write(table_id, row_id if isinstance(row_id, int) else 1, values)
        except JackfieldError as exc:
            raise NodeError(exc.message) from None


async def evaluated_row(run: NodeRun) -> Mapping[str, Json] | None:
    """The item of the evaluation trigger above the node; None: it has not run."""
    trigger = _trigger_above(run.execution.workflow, run.node.name)
    if trigger is None:
        return None
    name = dumps(trigger).decode()
    ran = await run.evaluate({"ran": f"={{{{ $({name}).isExecuted }}}}"}, item=0)
    if ran.get("ran") is not True:
        return None
    found = (await run.evaluate({"row": f"={{{{ $({name}).first().json }}}}"}, item=0)).get("row")
    return found if isinstance(found, dict) else {}


def _trigger_above(workflow: Workflow, name: str) -> str | None:
    """The nearest."""
    level, seen = {name}, {name}
    while level:
        above = [
            source
            for source, outputs in workflow.wires.items()
            if source not in seen and any(wire.node in level for targets in outputs for wire in targets)
        ]
        found = next((each for each in above if workflow.nodes[each].kind == TRIGGER), None)
        if found is not None:
            return found
        seen |= {*above}
        level = set(above)
    return None


def _cell(value: object) -> Json:
    """As n8n writes it into a table."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return dumps(value).decode()


def node(context: PluginContext) -> EvaluationNode:
    return EvaluationNode(context)
