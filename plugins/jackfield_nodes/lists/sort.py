"""Sort: orders items by fields, at random, or by a comparison in JavaScript."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.nodes import Flag, NodeDescription, NodeError, NodeResult, NodeRun, Parameters, needed
from jackfield.api.nodes.items import passed_on
from jackfield.api.nodes.running import ModelNode
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Items
from jackfield_nodes.lists.form import SORT, SORT_FIELD, SORT_OPTIONS
from jackfield_nodes.lists.ordering import SortBy, order
from jackfield_nodes.values.threads import worked


class SortField(Parameters):
    ui_fields: ClassVar[UiFields] = SORT_FIELD

    field_name: str = Field(
        "", description="The field to sort by; a.b means the field b inside a.", json_schema_extra=needed()
    )
    order: Literal["ascending", "descending"] = "ascending"


class SortFields(Parameters):
    sort_field: list[SortField] = Field(default_factory=list)


class SortOptions(Parameters):
    ui_fields: ClassVar[UiFields] = SORT_OPTIONS

    disable_dot_notation: Flag = Field(False, description="Whether a.b is the name of one field.")


class Sort(Parameters):
    ui_fields: ClassVar[UiFields] = SORT

    type: Literal["simple", "random", "code"] = Field("simple", description="By fields, at random, or by code.")
    sort_fields_ui: SortFields = Field(default_factory=SortFields)
    code: str = Field("", description="The body of a JavaScript function of a and b: below 0 when a comes first.")
    options: SortOptions = Field(default_factory=SortOptions)

    def fields(self) -> list[SortBy]:
        """The fields to sort by. Raises `NodeError`."""
        rows = self.sort_fields_ui.sort_field
        if not rows:
            raise NodeError("The parameter sortFieldsUi.sortField is empty; add a field to sort by.")
        return [SortBy(row.field_name, row.order == "descending") for row in rows]


def shuffled(count: int) -> list[int]:
    """The indexes in a random order."""
    indexes = list(range(count))
    random.shuffle(indexes)
    return indexes


_SHORT_SORT = """
const sorted = (rows) => {
  if (rows.length > 63 || rows.length < 2) return rows.sort(by);
  const falls = by(rows[1], rows[0]) < 0;
  let end = 2;
  while (end < rows.length && (by(rows[end], rows[end - 1]) < 0) === falls) end += 1;
  const made = falls ? rows.slice(0, end).reverse() : rows.slice(0, end);
  for (const row of rows.slice(end)) {
    let [low, high] = [0, made.length];
    while (low < high) {
      const middle = low + ((high - low) >> 1);
      if (by(row, made[middle]) < 0) high = middle;
      else low = middle + 1;
    }
    made.splice(low, 0, row);
  }
  return made;
};
"""
"""Compares as V8 does: a comparison that contradicts itself gives V8's order."""


def script(code: str) -> str:
    """The comparison as a program that tells the new order. Its first line is the comparison's first, so that messages
    name the right line."""
    return (
        f"const compare = (a, b) => {{ {code}\n}};\n"
        "const rows = $input.all().map((item, index) => ({ item, index }));\n"
        "const by = (left, right) => compare(left.item, right.item);\n"
        f"{_SHORT_SORT}"
        "return { order: sorted(rows).map((row) => row.index) };"
    )


def told_order(value: object, count: int) -> list[int]:
    """The order that the program returned. Raises `NodeError` unless it is an order of that many items."""
    found = value.get("order") if isinstance(value, dict) else None
    if not isinstance(found, list) or sorted(place for place in found if isinstance(place, int)) != list(range(count)):
        raise NodeError("The parameter code gave no order; it must return a number for any two items a and b.")
    return found


def _in_order(items: Items, places: Sequence[int]) -> Items:
    return [passed_on(items[place], place) for place in places]


class SortNode(ModelNode):
    """Items that are equal stay in their order."""

    kind = "sort"
    versions: Sequence[float] = (1,)
    description = NodeDescription("Sort", "Changes the order of items.", "transform")
    model = Sort

    async def execute(self, run: NodeRun) -> NodeResult:
        if not run.items:
            return [[]]
        given: Sort = await run.resolve_first()
        places = await self._order(run, given)
        return [await worked(len(places), _in_order, run.items, places)]

    async def _order(self, run: NodeRun, given: Sort) -> list[int]:
        if given.type == "code":
            return await self._by_code(run, given.code)
        count = len(run.items)
        if given.type == "random":
            return await worked(count, shuffled, count)
        rows = [item["json"] for item in run.items]
        return await worked(count, order, rows, given.fields(), dots=not given.options.disable_dot_notation)

    @staticmethod
    async def _by_code(run: NodeRun, code: str) -> list[int]:
        if not re.search(r"\breturn\b", code):
            raise NodeError("The parameter code returns nothing; it must return a number for any two items a and b.")
        result = await run.run_script("javaScript", script(code), each=False)
        return told_order(result.value, len(run.items))


def node(context: PluginContext) -> SortNode:
    return SortNode()
