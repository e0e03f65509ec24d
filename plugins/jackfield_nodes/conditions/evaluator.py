"""What a node run needs to test its items: questions to JavaScript are answered first, all at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeRun
from jackfield.api.nodes.running import each
from jackfield.api.nodes.unresolved import is_resolved
from jackfield_nodes.conditions.exact import Side, make_exact
from jackfield_nodes.conditions.item_tests import TestSurroundings
from jackfield_nodes.conditions.questions import Answers, Question
from jackfield_nodes.conditions.regexes import Regexes
from jackfield_nodes.values.zones import zone_of


class Asking(Protocol):
    """Parameters with conditions."""

    def asks_anything(self) -> bool:
        """Whether `asks` may tell anything."""

    def nulls(self, written: Mapping[str, Json]) -> Iterator[Side]:
        """The compared values that are null. written: the parameters as the document has them."""

    def asks(self, json: dict[str, Json], item: int, around: TestSurroundings) -> Iterator[Question]:
        """What to answer before the item's conditions are evaluated."""


class ConditionEvaluator:
    """Makes the surroundings in which conditions are evaluated."""

    def __init__(self, context: PluginContext) -> None:
        self._regexes = Regexes(context)

    async def surroundings(self, run: NodeRun, parameters: Sequence[Asking]) -> TestSurroundings:
        """parameters: per item; their nulls become exact. Raises `NodeError`."""
        around = TestSurroundings(zone_of(run), {}, run.log.warning)
        distinct = {id(given): given for given in parameters}  # literal parameters are one object for all items
        if len(distinct) == len(parameters):
            written = run.node.parameters
            await make_exact(run, [given.nulls(written) if is_resolved(given) else () for given in parameters])
        if not any(given.asks_anything() for given in distinct.values() if is_resolved(given)):
            return around
        return around._replace(answers=await self._answers(run, parameters, around))

    async def _answers(self, run: NodeRun, parameters: Sequence[Asking], around: TestSurroundings) -> Answers:
        asked: dict[Question, None] = {}
        async for index, item in each(run.items):
            if is_resolved(parameters[index]):
                asked.update(dict.fromkeys(parameters[index].asks(item["json"], index, around)))
        return await self._regexes.answers(asked, run.execution.timezone)
