"""Merge version 1: always two inputs, the second one gives to the first.

Keys are compared as text, for version 1 always did so. Of several items of the second input with the same key the last
one counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from jackfield.api.javascript import to_boolean, to_string
from jackfield.api.jsontext import Json
from jackfield.api.nodes.items import all_pairs, new_item, passed_on
from jackfield.api.workflows import Item, Items
from jackfield_nodes.merging.append import appended
from jackfield_nodes.merging.conflicts import MergeSource, Resolution, alone, merged
from jackfield_nodes.merging.every_pair import every_pair
from jackfield_nodes.merging.legacy_parameters import LegacyMerge
from jackfield_nodes.values.paths import get_path

SHALLOW = Resolution(deep=False)


def combined(inputs: Sequence[Items], given: LegacyMerge) -> Items:
    """The items that go out. Raises `NodeError`."""
    first, second = inputs[:2]
    match given.mode:
        case "append":
            return appended((first, second))
        case "passThrough":
            source = 1 if given.output == "input2" else 0
            return [passed_on(item, index, source) for index, item in enumerate((first, second)[source])]
        case "wait":
            return [new_item({}, all_pairs((first,)))]
        case "multiplex":
            return every_pair(first, second, SHALLOW)
        case "mergeByIndex":
            return list(_by_index(first, second, given.join))
        case _:
            return list(_by_key(first, second, given))


def _by_index(first: Items, second: Items, join: str) -> Iterator[Item]:
    for index, (left, right) in enumerate(zip_longest(first, second)):
        if left is not None and right is not None:
            yield merged((MergeSource(left, index, 0), MergeSource(right, index, 1)), SHALLOW)
        elif left is not None and join != "inner":
            yield alone(MergeSource(left, index, 0), SHALLOW)
        elif right is not None and join == "outer":
            yield alone(MergeSource(right, index, 1), SHALLOW)


def _by_key(first: Items, second: Items, given: LegacyMerge) -> Iterator[Item]:
    named = given.property_name1 and given.property_name2
    known: dict[str, Item] = {}
    for item in second if named else ():
        _, value = get_path(item["json"], given.property_name2)
        if to_boolean(value):
            known[to_string(value)] = item
    if not named and given.mode == "keepKeyMatches":
        return
    for index, item in enumerate(first):
        there, value = get_path(item["json"], given.property_name1) if named else (True, None)
        comparable = there and not isinstance(value, bool | list | dict)
        partner = None if not comparable or value is None else known.get(to_string(value))
        if given.mode == "mergeByKey":
            if comparable:
                yield _completed(passed_on(item, index), partner, given)
        elif (partner is not None) is (given.mode == "keepKeyMatches"):
            yield passed_on(item, index)


def _completed(item: Item, partner: Item | None, given: LegacyMerge) -> Item:
    if partner is None:
        return item
    json = dict(item["json"])
    for name, value in partner["json"].items():
        if name != given.property_name2 and _replaces(json, name, given.overwrite):
            json[name] = value
    made: Item = {**item, "json": json}
    return made


def _replaces(json: dict[str, Json], name: str, overwrite: str) -> bool:
    if overwrite == "always" or name not in json:
        return True
    return overwrite == "blank" and json[name] in (None, "")
