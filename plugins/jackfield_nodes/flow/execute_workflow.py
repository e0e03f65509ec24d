"""Execute Workflow: runs another workflow (saved, in a file or given here) and goes on with its last node's items."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeCatalog, NodeDescription, NodeError, NodeResult, NodeRun, Parameters, needed
from jackfield.api.nodes.items import pairs, passed_on, repaired
from jackfield.api.nodes.running import ModelNode, made_at_once, made_per_item
from jackfield.api.nodes.scopes import UNREAD, document_scopes
from jackfield.api.nodes.ui import UiFields
from jackfield.api.nodes.unresolved import first_resolved, unresolved_items
from jackfield.api.workflows import Document, Item, Items, Node, Outputs
from jackfield_nodes.files.allowed_root import AllowedRoot
from jackfield_nodes.files.settings import FilesSettings
from jackfield_nodes.flow.form import EXECUTE_WORKFLOW, SUB_WORKFLOW_OPTIONS

MOST_BYTES = 16 * 2**20
"""Of a file that holds a workflow."""


class WorkflowLocator(Parameters, title="Locator"):
    """A chosen workflow."""

    value: str | None = None
    mode: str = "list"


class InputColumn(Parameters):
    id: str = ""
    removed: bool = False


class SubWorkflowInputs(Parameters, title="Mapper"):
    """The fields that the other workflow gets."""

    mapping_mode: str = "defineBelow"
    value: dict[str, object] | None = None
    schema_: list[InputColumn] = Field(default_factory=list, alias="schema")


class SubWorkflowOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = SUB_WORKFLOW_OPTIONS

    wait_for_sub_workflow: bool = Field(True, description="Without it, the node's own items go on.")


class ExecuteWorkflow(Parameters):
    ui_fields: ClassVar[UiFields] = EXECUTE_WORKFLOW

    source: Literal["database", "parameter", "localFile", "url"] = Field(
        "database", description="Where the workflow is: saved, in workflowJson, in a file. url is not available."
    )
    workflow_id: WorkflowLocator | str | None = Field(
        None, description="The saved workflow's id.", json_schema_extra=needed({"source": ["database"]})
    )
    workflow_json: object = Field(None, description="Of source parameter: the workflow's JSON.")
    workflow_path: str = Field(
        "",
        description="Of source localFile: a file below nodes.files.root.",
        json_schema_extra=needed({"source": ["localFile"]}),
    )
    workflow_inputs: SubWorkflowInputs = Field(default_factory=SubWorkflowInputs)
    mode: Literal["once", "each"] = Field("once", description="One run with all items, or one run per item.")
    options: SubWorkflowOptions = Field(default_factory=SubWorkflowOptions)

    @classmethod
    def late(cls, parameters: Mapping[str, Json]) -> Collection[str]:
        """The expressions of a workflow that is given here are that workflow's own."""
        return ("workflowJson",) if isinstance(parameters.get("workflowJson"), dict) else ()


async def target(parameters: ExecuteWorkflow, files: FilesSettings) -> str | Document:
    """The workflow to run. Raises `NodeError`."""
    if parameters.source == "parameter":
        return document_of(parameters.workflow_json, "The parameter workflowJson")
    if parameters.source == "localFile":
        content = await asyncio.to_thread(read_file, parameters.workflow_path, files)
        return document_of(content, f"The file {parameters.workflow_path}")
    if parameters.source == "url":
        raise NodeError("The source url is not available; fetch the workflow with an HTTP Request and use parameter.")
    return saved(parameters)


def document_of(given: object, what: str) -> Document:
    """A workflow's JSON, as text or as an object. Raises `NodeError`."""
    try:
        found = loads(given.encode() if isinstance(given, str) else given) if isinstance(given, str | bytes) else given
    except InvalidInput:
        raise NodeError(f"{what} is not JSON.") from None
    if not isinstance(found, dict) or not isinstance(found.get("nodes"), list):
        raise NodeError(f"{what} is no workflow; it needs a list of nodes.")
    return found


def read_file(path: str, settings: FilesSettings) -> bytes:
    """A whole file below the allowed directory, in a thread. Raises `NodeError`."""
    descriptor = AllowedRoot(settings).open_to_read(path)
    with os.fdopen(descriptor, "rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise NodeError(f"The file {path} is too large for a workflow; at most {MOST_BYTES} bytes are read.")
    return content


def saved(parameters: ExecuteWorkflow) -> str:
    """The id of a saved workflow. Raises `NodeError`."""
    chosen = parameters.workflow_id
    workflow_id = chosen.value if isinstance(chosen, WorkflowLocator) else chosen
    if not workflow_id:
        raise NodeError("The parameter workflowId is empty; choose the workflow to run.")
    return workflow_id


def handed_over(parameters: ExecuteWorkflow, item: Item, index: int) -> Item:
    """The item for the other workflow: the mapped fields, or the item as it is when none are mapped."""
    mapper = parameters.workflow_inputs
    wanted = [column.id for column in mapper.schema_ if not column.removed]
    values = mapper.value or {}
    if not wanted and not values:
        json: dict[str, Json] = item["json"]
    else:
        json = {name: values.get(name) for name in wanted or values}  # type: ignore[misc]  # resolved JSON
    return {**passed_on(item, index), "json": json}


def paired(made: Items, sources: Sequence[int]) -> Items:
    """The other workflow's items, each paired with the input item it stands for, or with all of them."""
    every = pairs(sources)
    output: Items = []
    for index, item in enumerate(made):
        pairing = every[index] if len(made) == len(sources) else every[0] if len(every) == 1 else every
        output.append(repaired(item, pairing))
    return output


class ExecuteWorkflowNode(ModelNode):
    """The other run is its own execution (mode sub), one level deeper."""

    kind = "executeWorkflow"
    versions: Sequence[float] = (1, 1.1, 1.2, 1.3)
    description = NodeDescription("Execute Workflow", "Runs another saved workflow.", "flow")
    effect = True
    model = ExecuteWorkflow

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._files = context.settings(FilesSettings)

    def scopes(self, node: Node) -> Collection[str]:
        """Those of the nodes of a workflow that is not saved, and so was not looked at when it was."""
        source = node.parameters.get("source", "database")
        if source == "database":
            return ()
        document = node.parameters.get("workflowJson")
        return document_scopes(document, self._context.port(NodeCatalog)) if source == "parameter" else UNREAD

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[ExecuteWorkflow] = await run.resolve()
        first = first_resolved(resolved)
        if first is None:
            return [unresolved_items(resolved)]
        if first.mode == "each":

            async def one(index: int, parameters: ExecuteWorkflow) -> Items:
                return await self._once(run, parameters, [handed_over(parameters, run.items[index], 0)], [index])

            return [await made_per_item(run, resolved, one)]

        async def work() -> Outputs:
            items = [handed_over(p, item, i) for i, (p, item) in enumerate(zip(resolved, run.items, strict=True))]
            return [await self._once(run, first, items, range(len(items)))]

        return await made_at_once(run, work, origin=pairs(range(len(resolved))))

    async def _once(self, run: NodeRun, parameters: ExecuteWorkflow, items: Items, sources: Sequence[int]) -> Items:
        """sources: the input items that the items stand for."""
        workflow = await target(parameters, self._files)
        if parameters.options.wait_for_sub_workflow:
            return paired(await run.run_workflow(workflow, items), sources)
        await run.start_workflow(workflow, items)
        return [passed_on(run.items[index], index) for index in sources]


def node(context: PluginContext) -> ExecuteWorkflowNode:
    return ExecuteWorkflowNode(context)
