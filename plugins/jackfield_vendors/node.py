"""A node type that a description makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from jackfield.api.aws_endpoints import endpoint_of
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import (
    NodeCredential,
    NodeDescription,
    NodeError,
    NodeParameters,
    NodeResult,
    NodeRun,
    NodeShape,
)
from jackfield.api.nodes.forms import NodeField
from jackfield.api.nodes.items import accepted, error_item
from jackfield.api.nodes.lists import CredentialAccess, ListCredentialMissing, ListQuestion, LoadedPage
from jackfield.api.nodes.running import FAILURES, made_per_group
from jackfield.api.nodes.unresolved import first_resolved
from jackfield.api.questions import Question, as_json
from jackfield.api.workflows import Items, Node
from jackfield_vendors.batches import grouped, shared
from jackfield_vendors.dates import iso_time
from jackfield_vendors.described.description import DescribedNode, DescribedOperation
from jackfield_vendors.described.file import Description
from jackfield_vendors.forms.vendor_forms import VendorForms
from jackfield_vendors.operations import (
    CompiledList,
    CompiledOperation,
    CompiledRequest,
    compile_list,
    compile_operation,
)
from jackfield_vendors.parameters import OperationForm, OperationParameters, chooser, missing
from jackfield_vendors.questions import AskedQuestion, question_of
from jackfield_vendors.requests.calls import answer_of, call_of
from jackfield_vendors.requests.downloads import downloaded
from jackfield_vendors.requests.exchange import ServiceExchange, authorized
from jackfield_vendors.requests.lists import ListReader, known_values
from jackfield_vendors.requests.paging import collected
from jackfield_vendors.requests.sending import ServiceSender, ServiceSteps, with_special
from jackfield_vendors.results import items_of
from jackfield_vendors.templates import Missing, Template, TemplateScope, compiled, value_of


class VendorNode:
    """One service's node, all versions. Items are sent one after another."""

    effect = True

    def __init__(
        self,
        context: PluginContext,
        text: DescribedNode,
        operations: Sequence[CompiledOperation],
        values: Mapping[str, Template],
        forms: VendorForms,
        lists: Mapping[str, CompiledList],
    ) -> None:
        self.context = context
        self._forms = forms
        self.text = text
        self._operations = operations
        self.values = values
        self.base = compiled(text.base_url)
        self.kind = text.kind
        self.versions: Sequence[float] = text.versions
        self.description = _described(text, operations)
        self._models: dict[float, type[NodeParameters]] = {}
        self._lists = lists

    @classmethod
    def made(cls, context: PluginContext, description: Description, shapes: Path | None = None) -> Self | None:
        """None for a description without a node; without operations it has one that does nothing.
         shapes: see `VendorForms`. Raises ValueError with the key that does
        not fit."""
        text = description.node
        if text is None:
            return None
        values = {}
        for name, template in description.values.items():
            try:
                values[name] = compiled(template)
            except ValueError as exc:
                raise ValueError(f"values.{name}: {exc}") from None
        operations = []
        described = description.operations or [DescribedOperation(title=text.title)]
        for index, operation in enumerate(described):
            for name in (operation.operation, *operation.also):
                one = operation.model_copy(update={"operation": name})
                try:
                    operations.append(compile_operation(one, text.parameters, values))
                except ValueError as exc:
                    raise ValueError(f"operations[{index}].{exc}") from None
        lists = {}
        for name, listed in description.lists.items():
            try:
                lists[name] = compile_list(listed, values)
            except ValueError as exc:
                raise ValueError(f"lists.{name}.{exc}") from None
        forms = VendorForms(text, description, operations, shapes)
        return cls(context, text, operations, values, forms, lists)

    def parameters(self, version: float | None) -> type[NodeParameters]:
        wanted = max(self.versions) if version is None else version
        if wanted not in self._models:
            fitting = [one for one in self._operations if _fits(one, wanted)]
            forms = [OperationForm(one, self.text.parameters) for one in fitting]
            name = f"{self.text.kind}Parameters"
            self._models[wanted] = chooser(
                name,
                forms,
                self.text.resources.get(f"{wanted:g}", self.text.resource),
                self.text.first_operations(wanted),
            )
        return self._models[wanted]

    def form(self, version: float | None) -> Sequence[NodeField]:
        return self._forms.of(max(self.versions) if version is None else version)

    async def listed(self, question: ListQuestion, access: CredentialAccess) -> LoadedPage | None:
        """As `ListingNode.listed`. Raises `NodeError`."""
        found = self._lists.get(question.name)
        if found is None:
            return None
        exchange = await authorized(self.context, access, self._list_credential(question.credential))
        given = known_values(question.values)
        scope = self.scope(given, exchange, question.version, {})
        scope = with_special(scope, "$search", question.search)
        return await ListReader(found, ServiceSteps(self.text, self.base, exchange)).page(question, scope)

    def _list_credential(self, chosen: str) -> str:
        """Raises `ListCredentialMissing` for a credential that is none of the node's."""
        kinds = [one.kind for one in self.description.credentials]
        if not kinds or chosen in kinds:
            return chosen if kinds else ""
        raise ListCredentialMissing(kinds)

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[OperationParameters] = await run.resolve()
        exchanges: dict[str, ServiceExchange] = {}
        first = first_resolved(resolved[:1])
        if first is not None and (asked := question_of(self.context, run, first)) is not None:
            return await self._asked(run, resolved, asked, exchanges)

        async def one(group: Sequence[int]) -> Items:
            return shared(await self._one(run, resolved, group, exchanges), group)

        return [await made_per_group(run, grouped(resolved), one)]

    async def _asked(
        self,
        run: NodeRun,
        resolved: Sequence[OperationParameters],
        asked: AskedQuestion,
        exchanges: dict[str, ServiceExchange],
    ) -> NodeResult:
        """One message for all items."""
        try:
            await self._one(run, resolved, [0], exchanges, asked.question)
        except FAILURES as exc:
            return [[error_item(accepted(run, exc, 0), 0)]]
        return asked.wait

    async def _one(
        self,
        run: NodeRun,
        resolved: Sequence[OperationParameters],
        group: Sequence[int],
        exchanges: dict[str, ServiceExchange],
        question: Question | None = None,
    ) -> Items:
        index, parameters = group[0], resolved[group[0]]
        operation, given = parameters.compiled, parameters.given()
        if operation.described.unavailable:
            raise NodeError(f"{self.text.title} cannot do this here: {operation.described.unavailable}")
        self._check(operation, given)
        own = operation.described.auth
        kind = self.credential_kind(given, run.node) if own is None else own
        if kind not in exchanges:
            exchanges[kind] = await authorized(self.context, run, kind)
        exchange = exchanges[kind]
        scope = self.scope(given, exchange, run.node.version, run.items[index]["json"])
        scope = with_special(scope, "$timezone", run.execution.timezone)
        scope = with_special(scope, "$now", iso_time(self.context.clock.now_ms()))
        scope = with_special(scope, "$parameters", dict(given))
        if question is not None:
            scope = with_special(scope, "$question", as_json(question))
        if operation.described.together is not None:
            scope = with_special(scope, "$items", [run.items[one]["json"] for one in group])
            scope = with_special(scope, "$all", [resolved[one].given() for one in group])
        sender = ServiceSender(run, self.text, self.base, exchange, index)
        return await sender.closing(self._made(sender, operation, scope), operation.lastly, scope)

    async def _made(self, sender: ServiceSender, operation: CompiledOperation, scope: TemplateScope) -> Items:
        run, index = sender.run, sender.index
        if operation.before:
            scope = with_special(scope, "$before", await sender.ask(operation.before, scope))
        scope = await sender.stepped(operation.steps, scope)
        item = run.items[index]
        if operation.value is not None:
            value = await operation.value.made(scope)
            return await items_of(run, operation, scope, [] if isinstance(value, Missing) else value, item, index)
        if operation.then:
            first = await sender.ask(operation.request, scope)
            scope = with_special(scope, "$response", first)
            return await self._result(sender, operation, operation.then, scope)
        if (paging := operation.described.paging) is not None:
            call = call_of(self.text, self.base, operation.request, scope)
            path = operation.described.response.path
            rows = await collected(sender.exchange, self.text, paging, path, call, scope.parameters)
            return await items_of(run, operation, scope, rows, item, index)
        return await self._result(sender, operation, operation.request, scope)

    async def _result(
        self, sender: ServiceSender, operation: CompiledOperation, request: CompiledRequest, scope: TemplateScope
    ) -> Items:
        """Items of the answer to the operation's last request."""
        run, index = sender.run, sender.index
        if operation.described.response.format == "file":
            return [await downloaded(sender, operation, request, scope)]
        value = answer_of(await sender.send(request, scope), self.text.errors, self.text.title)
        return await items_of(run, operation, scope, value, run.items[index], index)

    def _check(self, operation: CompiledOperation, given: Mapping[str, Json]) -> None:
        for name in missing(operation.described.parameters, given):
            raise NodeError(f"The parameter {name} is empty; fill it in.")

    def credential_kind(self, given: Mapping[str, Json], node: Node) -> str:
        """Of the node's credential; empty: it wants none."""
        auth = self.text.auth
        if auth is None:
            return ""
        if (of_version := auth.versions.get(f"{node.version:g}" if node.version is not None else "")) is not None:
            return of_version
        chosen = given.get(auth.parameter) if auth.parameter else None
        if chosen is None and auth.default not in node.credentials:
            return next((kind for kind in auth.choices.values() if kind in node.credentials), auth.default)
        return auth.choices.get(str(chosen), auth.default)

    def scope(
        self, given: Mapping[str, Json], exchange: ServiceExchange, version: float | None, item: Json
    ) -> TemplateScope:
        """The scope that templates see. item: the input item."""
        modes = {name: value.get("mode") for name, value in given.items() if isinstance(value, dict)}
        number = f"{max(self.versions) if version is None else version:g}"
        scope = TemplateScope(
            given, {"$credential": dict(exchange.values), "$json": item, "$mode": modes, "$version": number}
        )
        if self.text.aws:
            scope = with_special(scope, "$endpoint", self._endpoint(exchange.values))
        for name, template in self.values.items():
            value = value_of(template, scope)
            if not isinstance(value, Missing):
                scope = with_special(scope, f"@{name}", value)
        return scope

    def _endpoint(self, values: Mapping[str, str]) -> str:
        """Raises `NodeError`."""
        try:
            return endpoint_of(self.text.aws, values)
        except ValueError as exc:
            raise NodeError(str(exc)) from None


def _described(text: DescribedNode, operations: Sequence[CompiledOperation]) -> NodeDescription:
    missing = _missing(operations)
    used = _credentials(text)
    if text.trigger:
        outputs, shapes = _outputs(text)
        return NodeDescription(
            text.title,
            text.summary,
            "trigger",
            inputs=0,
            outputs=outputs,
            trigger=True,
            credentials=used,
            missing=missing,
            shapes=shapes,
        )
    return NodeDescription(text.title, text.summary, "network", credentials=used, missing=missing)


def _outputs(text: DescribedNode) -> tuple[Sequence[str], Sequence[NodeShape]]:
    """Of the newest version whose names are known, and of each such version."""
    named = {version: names for version, names in (text.outputs.versions if text.outputs else {}).items() if names}
    if not named:
        return ("main",), ()
    return list(named.values())[-1], [NodeShape({"@version": [one]}, 0, names) for one, names in named.items()]


def _credentials(text: DescribedNode) -> list[NodeCredential]:
    """The kind that counts without a choice comes first."""
    auth = text.auth
    if auth is None:
        return []
    if auth.versions:
        kinds = {"": auth.default, **{f"{one:g}": auth.versions.get(f"{one:g}", auth.default) for one in text.versions}}
        return [
            NodeCredential(kind, when={"@version": [name for name, used in kinds.items() if used == kind]})
            for kind in dict.fromkeys(kinds.values())
        ]
    if auth.parameter is None:
        return [NodeCredential(auth.default)]
    values: dict[str, list[str]] = {auth.default: [""]}
    for value, kind in auth.choices.items():
        values.setdefault(kind, []).append(value)
    return [NodeCredential(kind, when={auth.parameter: chosen}) for kind, chosen in values.items()]


def _missing(operations: Sequence[CompiledOperation]) -> str:
    """Why no operation runs; empty when one does."""
    reasons = [one.described.unavailable for one in operations]
    return reasons[0] if reasons and all(reasons) else ""


def _fits(operation: CompiledOperation, version: float) -> bool:
    low, high = operation.described.min_version, operation.described.max_version
    return (low is None or version >= low) and (high is None or version <= high)
