"""Node types that a workflow may have: for everybody, by the role of whoever stores it, and by its project.

The rule of a workflow is about its own nodes. A workflow that it calls has its own rule, except where a parameter holds
that workflow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Literal

from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import AccessDenied, Conflict, InvalidInput
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import REVIEW_FORM, TOOL_FORM
from jackfield.api.projects import ProjectAccess
from jackfield.api.records import record
from jackfield.api.storage import SHARED
from jackfield.api.triggers import node_path
from jackfield.api.workflows import Node, Problem, Workflow, local_type
from jackfield_workflows.activation.references import runs_workflow
from jackfield_workflows.settings import NodeTypesRule, NodeTypesSettings

_REMEDY = "Use another node type, or ask an administrator to change that setting."


def _none_stays(name: str) -> bool:
    return False


@record
class _Applied:
    """One list of the settings. place: its name."""

    place: str
    exclude: Sequence[str]
    allow: Sequence[str]

    def refuses(self, kind: str) -> str:
        """The setting that refuses it; empty: none does. A type in its form as a tool, or for review, is the
        type."""
        names = {kind, kind.removesuffix(TOOL_FORM), kind.removesuffix(REVIEW_FORM)}
        if _is_one(names, self.exclude):
            return f"{self.place}.exclude"
        return f"{self.place}.allow" if self.allow and not _is_one(names, self.allow) else ""


def _is_one(names: set[str], patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, local_type(pattern)) for pattern in patterns for name in names)


@record
class Exclusion:
    """A node that the workflow may not have. kind: of the node, or of one in the workflow that its parameter holds.
    Empty: nobody can read that workflow before it runs."""

    node: Node
    kind: str
    setting: str

    @property
    def message(self) -> str:
        if not self.kind:
            told = "runs a workflow of an expression or a file, so that nobody can say which node types it has"
        elif self.kind == self.node.kind:
            told = f"has the type {self.node.type}"
        else:
            told = f"runs a workflow with a node of the type {self.kind}"
        return f"The node {self.node.name} {told}, and the setting {self.setting} excludes it. {_REMEDY}"


class NodeRules:
    """Compares the nodes of a workflow with `[node_types]`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(NodeTypesSettings)
        self.in_use = self._settings.in_use

    async def check(self, workflow: Workflow, caller: Principal, stays: Callable[[str], bool] = _none_stays) -> None:
        """stays: whether the node of a name is the stored one, which may stay until the workflow goes live. Raises
        `AccessDenied`, `StoreUnavailable`."""
        _refuse_first(await self.exclusions(workflow, caller, stays))

    async def problems(self, workflow: Workflow, caller: Principal | None = None) -> Sequence[Problem]:
        """The same of a workflow that is imported or looked at. caller: None: whoever it is, so that rules of roles are
        left out. Then each problem keeps the workflow from being live."""
        severity: Literal["error", "activation"] = "error" if caller is not None else "activation"
        return [
            Problem(f"{node_path(workflow, found.node)}.type", found.message, severity)
            for found in await self.exclusions(workflow, caller)
        ]

    async def exclusions(
        self, workflow: Workflow, caller: Principal | None, stays: Callable[[str], bool] = _none_stays
    ) -> Sequence[Exclusion]:
        """Raises `StoreUnavailable`."""
        if not self.in_use:
            return ()
        refused = _refusing(await self._applied(caller, workflow.id))
        return _excluded([node for node in workflow.nodes.values() if not stays(node.name)], refused)

    async def place_of_run(self, workflow_id: str | None) -> frozenset[str]:
        """Id and name of the project that an execution belongs to; empty where no rule names a project. Raises
        `StoreUnavailable`."""
        if not any(rule.project for rule in self._settings.rules):
            return frozenset()
        access = self._context.find_port(ProjectAccess)
        if access is None or workflow_id is None:
            return await self._project(None)
        return await self._names(await access.project_of("workflow", workflow_id))

    def exclusions_in(self, workflow: Workflow, place: frozenset[str]) -> Sequence[Exclusion]:
        """Those in a project, as `place_of_run` tells it, whoever starts it. A workflow of an expression or a file is
        looked at when it runs."""
        found = _excluded(workflow.nodes.values(), _refusing(self._in_place(None, place)))
        return [each for each in found if each.kind]

    async def check_move(self, workflow: Workflow, project_id: str, caller: Principal) -> None:
        """Into this project, by its own rules. A node from before a rule for every project moves along. Raises
        `AccessDenied`, `StoreUnavailable`."""
        place = await self._names(project_id)
        refused = _refusing([applied for rule, applied in self._rules(caller, place) if rule.project])
        _refuse_first(_excluded(workflow.nodes.values(), refused))

    async def check_rename(self, project_id: str) -> None:
        """A rule that names a project by its name would not find it any more. Raises `Conflict`."""
        for number, rule in enumerate(self._settings.rules):
            if rule.project and rule.project != project_id and rule.project in await self._names(project_id):
                raise Conflict(
                    f"The setting node_types.rules[{number}] names this project by its name. An administrator puts the "
                    f"id {project_id} there, and then the name can change."
                )

    async def left_out(self, caller: Principal) -> Callable[[str], bool]:
        """Whether the catalogue of node types leaves this kind out for a new workflow of the caller."""
        if not self.in_use:
            return lambda kind: False
        refused = _refusing(await self._applied(caller, None))
        return lambda kind: bool(refused(kind))

    async def _applied(self, caller: Principal | None, workflow_id: str | None) -> Sequence[_Applied]:
        has_projects = any(rule.project for rule in self._settings.rules)
        return self._in_place(caller, await self._project(workflow_id) if has_projects else frozenset())

    def _in_place(self, caller: Principal | None, place: frozenset[str]) -> Sequence[_Applied]:
        everybody = _Applied("node_types", self._settings.exclude, self._settings.allow)
        return [everybody, *(applied for _, applied in self._rules(caller, place))]

    def _rules(self, caller: Principal | None, place: frozenset[str]) -> Iterator[tuple[NodeTypesRule, _Applied]]:
        """Those that apply to the caller in this project."""
        for number, rule in enumerate(self._settings.rules):
            if rule.role and (caller is None or rule.role != caller.role):
                continue
            if rule.project and rule.project not in place:
                continue
            yield rule, _Applied(f"node_types.rules[{number}]", rule.exclude, rule.allow)

    async def _project(self, workflow_id: str | None) -> frozenset[str]:
        """Id and name of the project of a workflow, or of the one in which its caller makes new ones."""
        access = self._context.find_port(ProjectAccess)
        if access is None:
            return frozenset({SHARED})
        known = workflow_id is not None and await self._context.store.workflow_row(workflow_id) is not None
        if known and workflow_id is not None:
            return await self._names(await access.project_of("workflow", workflow_id))
        rights = await access.rights()
        return await self._names(rights.target if rights is not None and rights.target else SHARED)

    async def _names(self, project_id: str) -> frozenset[str]:
        access = self._context.find_port(ProjectAccess)
        project = None if access is None else await access.project(project_id)
        return frozenset({project_id} if project is None else {project_id, project.name})


def _refusing(applied: Sequence[_Applied]) -> Callable[[str], str]:
    return lambda kind: next((setting for one in applied if (setting := one.refuses(kind))), "")


def _excluded(nodes: Iterable[Node], refused: Callable[[str], str]) -> Sequence[Exclusion]:
    return [Exclusion(node, kind, setting) for node in nodes for kind, setting in _of_node(node, refused)]


def _refuse_first(exclusions: Sequence[Exclusion]) -> None:
    """Raises `AccessDenied` that names the first."""
    for found in exclusions:
        details = {"node": found.node.name, "type": found.node.type, "setting": found.setting}
        raise AccessDenied(found.message, details=details)


def _of_node(node: Node, refused: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Kind and setting of what is excluded, of the node itself first."""
    try:
        for kind in (node.kind, *_inner_kinds(node.kind, node.parameters)):
            setting = refused(kind) if kind else "node_types"
            if setting:
                yield kind, setting
                return
    except RecursionError:
        yield "", "node_types"


def _inner_kinds(kind: str, parameters: Mapping[str, Json]) -> Iterator[str]:
    """Of the nodes of a workflow that a parameter holds. Empty: an expression or a file has them."""
    source = parameters.get("source", "database")
    if not runs_workflow(kind) or source == "database":
        return
    if source == "parameter":
        yield from _document_kinds(parameters.get("workflowJson"))
    else:
        yield ""


def _document_kinds(document: Json) -> Iterator[str]:
    """Empty in place of every part that an expression makes."""
    if isinstance(document, str) and not document.startswith("="):
        try:
            document = loads(document.encode())
        except (InvalidInput, UnicodeEncodeError):
            return  # the node fails
    nodes = document.get("nodes") if isinstance(document, dict) else document
    if isinstance(nodes, str):
        yield ""
    for raw in nodes if isinstance(nodes, list) else ():
        inner = raw.get("type") if isinstance(raw, dict) else raw
        if not isinstance(inner, str):
            continue
        is_made = inner.startswith("=") or not isinstance(raw, dict)
        yield "" if is_made else local_type(inner)
        more = raw.get("parameters", {}) if isinstance(raw, dict) else {}
        if isinstance(more, dict):
            yield from _inner_kinds(local_type(inner), more)
        elif isinstance(more, str) and runs_workflow(local_type(inner)):
            yield ""
