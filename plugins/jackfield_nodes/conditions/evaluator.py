"""The means with which a node run tests its items: JavaScript answers the questions first, in one call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeRun
from jackfield.api.nodes.leaves import Apart
from jackfield.api.nodes.running import each
from jackfield.api.nodes.unresolved import is_resolved
from jackfield_nodes.conditions.exact import Side, make_exact, make_leaves_exact
from jackfield_nodes.conditions.item_tests import TestSurroundings
from jackfield_nodes.conditions.questions import Answers, Question
from jackfield_nodes.conditions.regexes import Regexes
from jackfield_nodes.values.zones import zone_of


class ConditionParameters(Protocol):
    """Parameters with conditions."""

    def asks_anything(self) -> bool:
        """Whether `asks` may tell anything."""

    def nulls(self, written: Mapping[str, Json]) -> Iterator[Side]:
        """The compared values that are null. written: the parameters as the document has them."""

    def asks(
        self, json: dict[str, Json], item: int, around: TestSurroundings, values: Sequence[object] = ()
    ) -> Iterator[Question]:
        """The questions to answer before the item's conditions are evaluated. values: of the leaves."""


class ConditionEvaluator:
    """Makes the surroundings in which conditions are evaluated."""

    def __init__(self, context: PluginContext) -> None:
        self._regexes = Regexes(context)

    async def surroundings(self, run: NodeRun, given: Sequence[Apart[Any]]) -> TestSurroundings:
        """given: per item, parameters that are `ConditionParameters`; nulls among them and their values become exact.
        Raises `NodeError`."""
        around = TestSurroundings(zone_of(run), {}, run.log.warning)
        distinct: dict[int, ConditionParameters] = {
            id(one.parameters): one.parameters for one in given if is_resolved(one[0])
        }
        written = run.node.parameters
        shared = next((one for one in given if one.values), None)
        if shared is not None:
            await make_leaves_exact(run, shared.parameters.nulls(written), given)
        elif len({id(one.parameters) for one in given}) == len(given):  # literal ones are one object for all items
            rows = [one.parameters.nulls(written) if is_resolved(one.parameters) else () for one in given]
            await make_exact(run, rows)
        if not any(parameters.asks_anything() for parameters in distinct.values()):
            return around
        return around._replace(answers=await self._answers(run, given, around))

    async def _answers(self, run: NodeRun, given: Sequence[Apart[Any]], around: TestSurroundings) -> Answers:
        asked: dict[Question, None] = {}
        async for index, item in each(run.items):
            parameters, values = given[index]
            if is_resolved(parameters):
                asked.update(dict.fromkeys(parameters.asks(item["json"], index, around, values)))
        return await self._regexes.answers(asked, run.execution.timezone)
