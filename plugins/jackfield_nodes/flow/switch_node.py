"""Switch: sends each item to one of several outputs, or to all that match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import ModelWrapValidatorHandler, model_validator

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun
from jackfield.api.nodes.items import unpaired_error
from jackfield.api.nodes.leaves import Apart
from jackfield.api.nodes.running import routed
from jackfield.api.nodes.unresolved import is_resolved
from jackfield.api.workflows import Item, Node
from jackfield_nodes.conditions.evaluator import ConditionEvaluator
from jackfield_nodes.flow.switch_parameters import (
    DEFAULT_OUTPUTS,
    MAX_OUTPUTS,
    BlockSwitch,
    FlatSwitch,
    LegacySwitch,
    NamedSwitch,
    SwitchParameters,
    form_of,
)


class UnversionedSwitch(BlockSwitch):
    """A document without typeVersion: validates to an instance of whichever form its keys tell."""

    @model_validator(mode="wrap")
    @classmethod
    def _choose(cls, raw: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        form = form_of(raw) if isinstance(raw, dict) else BlockSwitch
        return handler(raw) if form is BlockSwitch else form.model_validate(raw)  # type: ignore[return-value]


def raw_outputs(raw: Mapping[str, Json], form: type[SwitchParameters]) -> int:
    """How many outputs unresolved parameters have; what only an expression could tell counts as its default."""
    if form is LegacySwitch:
        return DEFAULT_OUTPUTS
    if raw.get("mode") == "expression" and form is not FlatSwitch:
        return _number(raw.get("outputsAmount" if form is NamedSwitch else "numberOutputs"))
    rules, options = raw.get("rules"), raw.get("options")
    if form is FlatSwitch:
        return max(_length(rules) + (raw.get("fallbackToLast") is True), 1)
    if form is NamedSwitch:
        return max(_length(_member(rules, "rules")), 1)
    extra = _member(options, "fallbackOutput") == "extra"
    return max((1 if rules is None else _length(_member(rules, "values"))) + extra, 1)


def _member(value: Json, name: str) -> Json:
    return value.get(name) if isinstance(value, dict) else None


def _length(value: Json) -> int:
    return len(value) if isinstance(value, list) else 0


def _number(value: Json) -> int:
    text = value.strip().removeprefix("=") if isinstance(value, str) else value
    try:
        number = DEFAULT_OUTPUTS if text is None else int(text)  # type: ignore[arg-type]  # TypeError is caught
    except (TypeError, ValueError, OverflowError):
        return DEFAULT_OUTPUTS
    return number if 1 <= number <= MAX_OUTPUTS else DEFAULT_OUTPUTS


class SwitchNode:
    """An item that fails goes to output 0 as an error, which is paired with no input item, when the node goes on after
    errors."""

    kind = "switch"
    versions: Sequence[float] = (1, 2, 3, 3.1, 3.2, 3.3, 3.4)
    description = NodeDescription(
        "Switch", "Sends items to one of several outputs.", "flow", outputs=tuple(str(n) for n in range(4))
    )
    effect = False

    def __init__(self, context: PluginContext) -> None:
        self._evaluator = ConditionEvaluator(context)

    def parameters(self, version: float | None) -> type[NodeParameters]:
        if version is None:
            return UnversionedSwitch
        return self._form(version)

    @staticmethod
    def _form(version: float) -> type[SwitchParameters]:
        if version < 2:
            return LegacySwitch
        return NamedSwitch if version < 3 else BlockSwitch

    def outputs(self, node: Node) -> int:
        form = form_of(node.parameters) if node.version is None else self._form(node.version)
        return raw_outputs(node.parameters, form)

    def _count(self, run: NodeRun, parameters: Sequence[SwitchParameters]) -> int:
        """As many outputs as the first item's parameters say. Raises `NodeError` when it has none: as in n8n, there is
        no output for its error then, except where the number is the version's."""
        if parameters and (is_resolved(parameters[0]) or self.parameters(run.node.version) is not LegacySwitch):
            return parameters[0].count()
        return self.outputs(run.node)

    async def execute(self, run: NodeRun) -> NodeResult:
        parameters: list[SwitchParameters] = await run.resolve()
        count = self._count(run, parameters)
        around = await self._evaluator.surroundings(run, [Apart(each, []) for each in parameters])
        items = run.items

        def route(index: int, given: SwitchParameters) -> Sequence[int]:
            return given.targets(items[index]["json"], index, around, count)

        def failed(error: NodeError, index: int) -> tuple[int, Item]:
            if is_resolved(parameters[index]) and not parameters[index].goes_on():
                raise error
            return 0, unpaired_error(error)

        return await routed(run, parameters, count, route, failed)


def node(context: PluginContext) -> SwitchNode:
    return SwitchNode(context)
