"""Execute Workflow: runs another saved workflow and goes on with what its last node gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun
from jackfield.api.workflows import Item, Items, Node, PairedItem
from jackfield_nodes.items import error_item, goes_on, pass_all
from jackfield_nodes.parameters import Parameters


class Locator(Parameters):
    """A chosen workflow."""

    value: str | None = None
    mode: str = "list"


class InputColumn(Parameters):
    id: str = ""
    removed: bool = False


class Mapper(Parameters):
    """The fields that the other workflow gets."""

    mapping_mode: str = "defineBelow"
    value: dict[str, object] | None = None
    schema_: list[InputColumn] = Field(default_factory=list, alias="schema")


class Options(Parameters):
    wait_for_sub_workflow: bool = Field(True, description="Without it, the node's own items go on.")


class ExecuteWorkflow(Parameters):
    source: Literal["database", "parameter", "localFile", "url"] = Field("database", description="database only.")
    workflow_id: Locator | str | None = Field(None, description="The saved workflow's id.")
    workflow_inputs: Mapper = Field(default_factory=Mapper)
    mode: Literal["once", "each"] = Field("once", description="One run with all items, or one run per item.")
    options: Options = Field(default_factory=Options)


def target(parameters: ExecuteWorkflow) -> str:
    """The id of the workflow to run. Raises `NodeError`."""
    if parameters.source != "database":
        raise NodeError(f"The source {parameters.source} is not available yet; save the workflow and use database.")
    chosen = parameters.workflow_id
    workflow_id = chosen.value if isinstance(chosen, Locator) else chosen
    if not workflow_id:
        raise NodeError("The parameter workflowId is empty; choose the workflow to run.")
    return workflow_id


def handed_over(parameters: ExecuteWorkflow, item: Item, index: int) -> Item:
    """What the other workflow gets for an item: the mapped fields, or the item as it is when none are mapped."""
    mapper = parameters.workflow_inputs
    wanted = [column.id for column in mapper.schema_ if not column.removed]
    values = mapper.value or {}
    if not wanted and not values:
        json: dict[str, Json] = item["json"]
    else:
        json = {name: values.get(name) for name in wanted or values}  # type: ignore[misc]  # resolved JSON
    made: Item = {"json": json, "pairedItem": {"item": index}}
    if "binary" in item:
        made["binary"] = item["binary"]
    return made


def paired(made: Items, sources: Sequence[int]) -> Items:
    """The other workflow's items, each paired with the input item it stands for, or with all of them."""
    every: list[PairedItem] = [{"item": source} for source in sources]
    output: Items = []
    for index, item in enumerate(made):
        pairing = every[index] if len(made) == len(sources) else every[0] if len(every) == 1 else every
        output.append({**item, "pairedItem": pairing})
    return output


class ExecuteWorkflowNode:
    """The other run is an execution of its own (mode sub), one level deeper."""

    kind = "executeWorkflow"
    versions: Sequence[float] = (1, 1.1, 1.2, 1.3)
    description = NodeDescription("Execute Workflow", "Runs another saved workflow.", "flow")
    effect = True

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return ExecuteWorkflow

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[ExecuteWorkflow] = await run.resolve()
        if not resolved:
            return [[]]
        if resolved[0].mode == "each":
            made = await self._each(run, resolved)
        else:
            items = [handed_over(p, item, i) for i, (p, item) in enumerate(zip(resolved, run.items, strict=True))]
            made = paired(await run.run_workflow(target(resolved[0]), items), range(len(items)))
        return [made] if resolved[0].options.wait_for_sub_workflow else pass_all(run.items)

    async def _each(self, run: NodeRun, resolved: list[ExecuteWorkflow]) -> Items:
        made: Items = []
        for index, (parameters, item) in enumerate(zip(resolved, run.items, strict=True)):
            try:
                found = await run.run_workflow(target(parameters), [handed_over(parameters, item, 0)])
                made += paired(found, [index])
            except NodeError as exc:
                if not goes_on(run):
                    exc.item = index
                    raise
                made.append(error_item(exc, index))
        return made


def node(context: PluginContext) -> ExecuteWorkflowNode:
    return ExecuteWorkflowNode()
