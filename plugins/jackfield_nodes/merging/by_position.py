"""Combine by position: the first items of all inputs make one, then the second ones, and so on."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.nodes.items import origins_of, pair, passed_on, repaired
from jackfield.api.workflows import Item, Items, PairedItem
from jackfield_nodes.merging.conflicts import MergeSource, Resolution, alone, merged


def by_position(inputs: Sequence[Items], how: Resolution, *, unpaired: bool) -> Items:
    """inputs: at least one. unpaired: whether items without a partner go out too."""
    lengths = [len(items) for items in inputs]
    count = max(lengths) if unpaired else min(lengths)
    return [merged(_at(inputs, index), how) for index in range(count)]


def by_position_of_two(inputs: Sequence[Items], how: Resolution, *, unpaired: bool) -> Items:
    """The same in version 2, where an empty input leaves the other one as it is."""
    first, second = inputs[:2]
    if not (first and second):
        return [*(passed_on(one, place) for place, one in enumerate(first)),
                *(passed_on(one, place, 1) for place, one in enumerate(second))]  # fmt: skip
    swapped = how.preferred == 0 and not how.suffix
    rows = (_at(inputs, index) for index in range((max if unpaired else min)(len(first), len(second))))
    return [alone(row[0], how) if len(row) == 1 else merged(row[::-1] if swapped else row, how) for row in rows]


def with_preferred_again(items: Items, inputs: Sequence[Items], how: Resolution) -> Items:
    """In version 3 the item of the input that prevails is put in once more, under its own names and with its pair."""
    source = len(inputs) - 1 if how.preferred is None else how.preferred
    again = inputs[source] if source < len(inputs) else []
    return [_again(item, again[place], pair(place, source), how) if place < len(again) else item
            for place, item in enumerate(items)]  # fmt: skip


def _again(item: Item, given: Item, origin: PairedItem, how: Resolution) -> Item:
    json = {**item["json"], **given["json"]} if how.suffix else item["json"]
    made: Item = {**item, "json": json}
    return repaired(made, [*origins_of(item), origin])


def _at(inputs: Sequence[Items], index: int) -> list[MergeSource]:
    return [MergeSource(items[index], index, source) for source, items in enumerate(inputs) if index < len(items)]
