"""A node type of a package: its description is data, its code runs in the package's process."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar, cast

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun, NodeUnavailable
from jackfield.api.nodes.forms import NodeField
from jackfield.api.nodes.items import error_item, goes_on
from jackfield.api.nodes.lists import (
    CredentialAccess,
    ListCredentialMissing,
    ListQuestion,
    ListRow,
    LoadedPage,
)
from jackfield.api.workflows import Node
from jackfield_community_nodes.library import Library
from jackfield_community_nodes.nodes.completing import ParameterCompletion, secret_paths
from jackfield_community_nodes.nodes.forms import OPTIONS, SEARCH, fields_of
from jackfield_community_nodes.nodes.results import outputs_of
from jackfield_community_nodes.nodes.serving import PackageRequests, RunServing
from jackfield_community_nodes.packages import InstalledPackage, NodeText, VersionDescription, root_of
from jackfield_community_nodes.processes.pools import PackageFailed, PackageProcesses


class PackageParameters(NodeParameters):
    """Of one version; subclasses say which."""

    completion: ClassVar[ParameterCompletion]
    secrets: ClassVar[Sequence[str]]

    @classmethod
    def completed(cls, parameters: Mapping[str, Json]) -> Mapping[str, Json]:
        return cls.completion.completed(parameters)

    @classmethod
    def secret_paths(cls) -> Collection[str]:
        return cls.secrets

    @classmethod
    def obstacles(cls, parameters: Mapping[str, Json]) -> Mapping[str, str]:
        return cls.completion.empty(parameters)


class CommunityNode:
    """All versions of one node of a package."""

    effect = True

    def __init__(
        self, context: PluginContext, package: str, kind: str, text: NodeText, description: NodeDescription
    ) -> None:
        self._context = context
        self._package = package
        self._text = text
        self.kind = kind
        self.versions: Sequence[float] = sorted({version for one in text.types for version in one.versions})
        self.description = description
        self._forms: dict[float, list[NodeField]] = {}
        self._models: dict[float, type[PackageParameters]] = {}

    def _version(self, version: float | None) -> float:
        if version is not None:
            return version
        return max(self.versions) if self._text.default is None else self._text.default

    def described(self, version: float) -> VersionDescription:
        """The newest, for a version that there is not."""
        return next((one for one in self._text.types if version in one.versions), self._text.types[-1])

    def form(self, version: float | None) -> Sequence[NodeField]:
        wanted = self._version(version)
        if wanted not in self._forms:
            self._forms[wanted] = fields_of(self.described(wanted).description.get("properties"))
        return self._forms[wanted]

    def parameters(self, version: float | None) -> type[NodeParameters]:
        wanted = self._version(version)
        if wanted not in self._models:
            fields = self.form(wanted)
            members: dict[str, object] = {
                "__module__": __name__,
                "__doc__": PackageParameters.__doc__,
                "completion": ParameterCompletion(fields, wanted),
                "secrets": secret_paths(fields),
                "__annotations__": {},
            }
            name = f"{self.kind.rpartition('.')[2]}Parameters"
            self._models[wanted] = cast("type[PackageParameters]", type(name, (PackageParameters,), members))
        return self._models[wanted]

    def outputs(self, node: Node) -> int:
        given = self.described(self._version(node.version)).description.get("outputs")
        return max(1, len(given)) if isinstance(given, list) else 1

    async def execute(self, run: NodeRun) -> NodeResult:
        """Items whose parameters cannot be had fail before the package sees them."""
        if self.description.missing:
            raise NodeUnavailable(self.description.missing)
        package = self._installed()
        resolved = await run.resolve()
        indexes, rows, failed = _usable(run, resolved)
        kinds = self._kinds(run.node.version)
        serving = RunServing(self._context, run, kinds, indexes)
        statics = {scope: await run.static_data(scope) for scope in ("global", "node")} if package.static else {}
        message = self._message("execute", package, run.node.version) | {
            "node": self._shown(run.node, kinds),
            "items": [
                serving.shown([run.items[index] for index in indexes]),
                *(serving.shown(items) for items in run.inputs[1:]),
            ],
            "parameters": rows,
            "static": {scope: dict(memory) for scope, memory in statics.items()},
            "continueOnFail": goes_on(run),
            "attached": [kind for kind in self._parts(run.node.version) if run.attached(kind)],
            "execution": {"id": run.execution.id, "mode": run.execution.mode, "timezone": run.execution.timezone},
            "workflow": {"id": run.execution.workflow.id, "name": run.execution.workflow.name, "active": True},
        }
        try:
            answer = await self._ask(package, message, serving)
        except PackageFailed as exc:
            raise _error(exc, indexes, serving.masked) from None
        for scope, memory in statics.items():
            _replace(memory, _member(answer.get("static"), scope))
        outputs = await outputs_of(answer.get("outputs"), serving, indexes)
        if failed:
            outputs = outputs or [[]]
            outputs[0] += [error_item(error, index) for index, error in failed.items()]
        return outputs

    async def listed(self, question: ListQuestion, access: CredentialAccess) -> LoadedPage | None:
        """As `ListingNode.listed`. Raises `NodeError`."""
        search, method = question.name.startswith(SEARCH), question.name.partition(".")[2]
        version = self._version(question.version)
        known = self.described(version).work.get("searches" if search else "lists")
        if not isinstance(known, list) or method not in known or not question.name.startswith((SEARCH, OPTIONS)):
            return None
        kinds = self._kinds(version)
        if question.credential and question.credential not in kinds:
            raise ListCredentialMissing(kinds)
        package = self._installed()
        values = self.parameters(version).completed(question.values)
        node = {"name": "", "type": self.kind, "typeVersion": version, "parameters": values, "credentials": {}}
        message = self._message("list", package, version) | {
            "node": node, "values": values, "name": method, "search": search, "filter": question.search,
            "token": question.cursor,
        }  # fmt: skip
        requests = PackageRequests(self._context, access, kinds)
        try:
            answer = await self._ask(package, message, requests.serve)
        except PackageFailed as exc:
            raise NodeError(requests.masked(exc.failure.message)) from None
        given = answer.get("rows")
        rows = [_row(one) for one in (given if isinstance(given, list) else ()) if isinstance(one, dict)]
        token = answer.get("token")
        searched = rows if search else [row for row in rows if question.search.lower() in row.label.lower()]
        return LoadedPage(searched[: question.limit], str(token) if token else "")

    def _installed(self) -> InstalledPackage:
        package = self._context.port(Library).packages().get(self._package)
        if package is None:
            raise NodeUnavailable(
                f"The package {self._package} was removed; add it again: jackfield community-nodes add {self._package}"
            )
        return package

    def _kinds(self, version: float | None) -> Sequence[str]:
        """Kinds of credentials that this version's description lists."""
        given = self.described(self._version(version)).description.get("credentials")
        rows = given if isinstance(given, list) else []
        return [str(one["name"]) for one in rows if isinstance(one, dict) and "name" in one]

    def _parts(self, version: float | None) -> Sequence[str]:
        """Kinds of wires that lead parts to it."""
        given = self.described(self._version(version)).description.get("inputs")
        named = [one.get("type") if isinstance(one, dict) else one for one in given] if isinstance(given, list) else []
        return [str(kind) for kind in named if str(kind).startswith("ai_")]

    def _message(self, what: str, package: InstalledPackage, version: float | None) -> dict[str, Any]:
        return {
            "kind": what,
            "file": self._text.file,
            "credentialFiles": {one.kind: one.file for one in package.credentials},
            "signed": [one.kind for one in package.credentials if one.signed],
        }

    def _shown(self, node: Node, kinds: Sequence[str]) -> dict[str, Any]:
        version = self._version(node.version)
        return {
            "id": node.id,
            "name": node.name,
            "type": node.type,
            "typeVersion": version,
            "position": [0, 0],
            "parameters": dict(self.parameters(version).completed(node.parameters)),
            "credentials": {kind: {"id": None, "name": ""} for kind in kinds if kind in node.credentials},
            "onError": node.on_error,
        }

    async def _ask(self, package: InstalledPackage, message: dict[str, Any], serve: Any) -> dict[str, Any]:
        """Any: JSON that the package made, and either form of serving."""
        answer = await self._context.port(PackageProcesses).ask(
            root_of(self._context, package), package.name, message, serve
        )
        if not isinstance(answer, dict):
            raise NodeError("The process of the package gave no answer that fits.")
        return answer


def _usable(run: NodeRun, resolved: Sequence[Any]) -> tuple[list[int], list[dict[str, Json]], dict[int, NodeError]]:
    """Indexes of the items whose parameters are there, the parameters (one for all when all have the same), and the
    errors of the others. Any: the node's model."""
    indexes: list[int] = []
    rows: list[PackageParameters] = []
    failed: dict[int, NodeError] = {}
    for index in range(len(run.items)):
        try:
            rows.append(resolved[index])
        except NodeError as exc:
            failed[index] = exc
        else:
            indexes.append(index)
    same = bool(rows) and all(row is rows[0] for row in rows)
    return indexes, [dict(row.__pydantic_extra__ or {}) for row in (rows[:1] if same else rows)], failed


def _error(failed: PackageFailed, indexes: Sequence[int], masked: Callable[[str], str]) -> NodeError:
    told = failed.failure
    item = indexes[told.item] if told.item is not None and 0 <= told.item < len(indexes) else None
    return NodeError(masked(told.message), item=item, description=masked(told.description) or None)


def _member(given: object, name: str) -> object:
    return given.get(name) if isinstance(given, dict) else None


def _replace(memory: Any, given: object) -> None:
    """Any: a mutable mapping of JSON."""
    if isinstance(given, dict) and dict(memory) != given:
        memory.clear()
        memory.update(given)


def _row(given: Mapping[str, Any]) -> ListRow:
    """Any: JSON that the package made."""
    value = given.get("value")
    label = str(given.get("name", value))
    return ListRow(
        value if isinstance(value, str | int | float | bool) else str(value), label, str(given.get("url") or "")
    )
