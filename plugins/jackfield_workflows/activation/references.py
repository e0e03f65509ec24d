"""Credentials and workflows that a document names and that are not there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import TOOL_FORM, NodeCatalog, NodeCredential
from jackfield.api.projects import ProjectAccess, Reach, RunReach, present_reach, reaching, whole_store
from jackfield.api.triggers import node_path
from jackfield.api.workflows import Node, Problem, Workflow
from jackfield_workflows.documents.values import reference

SUB_WORKFLOWS = frozenset({"executeWorkflow", "langchain.toolWorkflow", "langchain.retrieverWorkflow"})


def runs_workflow(kind: str) -> bool:
    """Whether nodes of this kind run another workflow, also in their form as tools."""
    return kind in SUB_WORKFLOWS or kind.removesuffix(TOOL_FORM) in SUB_WORKFLOWS


def reachable(workflow: Workflow, starts: Collection[str]) -> set[str]:
    """The names of these nodes, of all to which wires lead from them, and of those that serve them."""
    found: set[str] = set()
    open_names = list(starts)
    while open_names:
        name = open_names.pop()
        if name in found:
            continue
        found.add(name)
        open_names += [wire.node for targets in workflow.wires.get(name, ()) for wire in targets]
        open_names += [part.node for part in workflow.attached.get(name, ())]
    return found


class References:
    """Looks up what a workflow names, each thing once."""

    def __init__(self, context: PluginContext, workflow: Workflow) -> None:
        self._context = context
        self._workflow = workflow
        self._credentials: dict[str, str | None] = {}
        self._workflows: dict[str, bool] = {}

    async def problems(self, reached: Collection[str]) -> AsyncIterator[Problem]:
        """reached: names of nodes that a live workflow runs; with the others it is only a warning.
        Raises `StoreUnavailable`."""
        catalog = self._context.port(NodeCatalog)
        for node in self._workflow.nodes.values():
            if node.disabled:
                continue
            where = node_path(self._workflow, node)
            severity = "activation" if node.name in reached else "warning"
            async for place, message in self._of_node(node, catalog):
                yield Problem(f"{where}.{place}", message, severity)  # type: ignore[arg-type]  # one of the two
        named = self._workflow.settings.error_workflow
        if named and not await self._has_workflow(named):
            yield Problem("settings.errorWorkflow", f"There is no workflow {named[:100]} to tell of errors.", "warning")

    async def _of_node(self, node: Node, catalog: NodeCatalog) -> AsyncIterator[tuple[str, str]]:
        node_type = catalog.find(node.kind)
        for asked in node_type.description.credentials if node_type is not None else ():
            kind = _wanted(asked, node)
            message = await self._credential_problem(node, kind, asked.required) if kind else ""
            if message:
                yield f"credentials.{kind}", message
        if node.kind in SUB_WORKFLOWS:
            named = _named_workflow(node)
            if named and not await self._has_workflow(named):
                message = f"The node {node.name} runs the workflow {named[:100]}, which does not exist; choose another."
                yield "parameters.workflowId", message

    async def _credential_problem(self, node: Node, kind: str, required: bool) -> str:
        ident = node.credential_id(kind)
        if ident is None:
            return f"The node {node.name} needs a credential of the kind {kind}; choose one." if required else ""
        if ident not in self._credentials:
            with reaching(await self._reach()):
                stored = await self._context.store.credential(ident)
            self._credentials[ident] = None if stored is None else stored.kind
        found = self._credentials[ident]
        if found is None:
            return node.missing_credential(kind)
        return "" if found == kind else f"The credential of the node {node.name} is of the kind {found}, not {kind}."

    async def _reach(self) -> Reach | None:
        """That of its executions, as soon as it is saved; before that its author's."""
        present, ident = present_reach(), self._workflow.id
        access = self._context.find_port(ProjectAccess)
        if access is None or not access.in_use or ident is None:
            return present
        saved = await whole_store(self._context.store).workflow_row(ident) is not None
        return RunReach(ident, "") if saved else present

    async def _has_workflow(self, ident: str) -> bool:
        if ident == self._workflow.id:
            return True
        if ident not in self._workflows:
            with reaching(await self._reach()):
                self._workflows[ident] = await self._context.store.workflow_row(ident) is not None
        return self._workflows[ident]


def _wanted(asked: NodeCredential, node: Node) -> str:
    """The kind that the node needs; empty when it needs none, or an expression decides."""
    for name, values in asked.when.items():
        given = _version(node) if name == "@version" else node.parameters.get(name)
        if _is_expression(given) or (given if isinstance(given, str) else "") not in values:
            return ""
    if not asked.parameter:
        return asked.kind
    chosen = node.parameters.get(asked.parameter)
    return chosen if isinstance(chosen, str) and not _is_expression(chosen) else ""


def _version(node: Node) -> str:
    return "" if node.version is None else f"{node.version:g}"


def _named_workflow(node: Node) -> str | None:
    """The id of a saved workflow that the node runs, when it is fixed."""
    if node.parameters.get("source", "database") != "database":
        return None
    named = reference(node.parameters.get("workflowId"))
    return None if named is None or _is_expression(named) else named


def _is_expression(value: Json) -> bool:
    return isinstance(value, str) and value.startswith("=")
