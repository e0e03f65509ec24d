"""Combine by matching fields: a hash join of two inputs.

An item that lacks one of the fields matches nothing. Merged items come first, in the order of the first input, then
those without a partner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from jackfield.api.nodes import NodeError
from jackfield.api.nodes.items import LONG, new_item, passed_on
from jackfield.api.shared_keys import ComingObjects
from jackfield.api.workflows import Item, Items
from jackfield_nodes.merging.conflicts import MergeSource, Resolution, alone, merged
from jackfield_nodes.merging.parameters import CombineParameters, FieldPair, JoinMode, MergeOptions
from jackfield_nodes.values.fields import read_field
from jackfield_nodes.values.matching import all_values_of, lookup_of, values_of


class Matches(NamedTuple):
    """hits: per item of the first input its partners in the second."""

    hits: list[Sequence[int]]
    total: int
    matched: frozenset[int]
    """Items of the second input that are somebody's partner."""


def joined_strictly(inputs: Sequence[Items], given: CombineParameters, limit: int) -> Items:
    """The same as `joined` for version 2.0, where a field that no item has is an error: it may be misspelt."""
    first, second = inputs[:2]
    fields = given.pairs()
    check_fields(first, [row.field1 for row in fields], given.options, "first")
    check_fields(second, [row.field2 for row in fields], given.options, "second")
    return joined(inputs, given, limit)


def joined(inputs: Sequence[Items], given: CombineParameters, limit: int) -> Items:
    """The items that go out. limit: the most that may be. Raises `NodeError`."""
    first, second = inputs[:2]
    fields = given.pairs()
    if not (first and second):
        return list(_only_input(first, second, given))
    matches = match(first, second, fields, given.options, first_only=given.first_only())
    if matches.total > limit:
        raise NodeError(
            f"The inputs have {matches.total} matching pairs, more than {limit} items; match by more fields, or raise "
            "the setting nodes.merge.max_items."
        )
    return list(_outgoing(first, second, matches, given))


def _only_input(first: Items, second: Items, given: CombineParameters) -> Iterator[Item]:
    """The items that go out when an input is empty: those of the other as they are, where the mode keeps such items."""
    from_first = {"keepNonMatches": given.output_data_from != "input2", "keepEverything": True, "enrichInput1": True}
    from_second = {"keepNonMatches": given.output_data_from != "input1", "keepEverything": True, "enrichInput2": True}
    for source, (items, modes) in enumerate(((first, from_first), (second, from_second))):
        if modes.get(given.join_mode):
            yield from (passed_on(item, index, source) for index, item in enumerate(items))


def check_fields(items: Items, names: Iterable[str], options: MergeOptions, which: str) -> None:
    """Whether each field is in at least one of the items. Raises `NodeError`."""
    dots = not options.disable_dot_notation
    for name in names:
        if not any(read_field(item["json"], name, dots=dots)[0] for item in items):
            raise NodeError(f"The field '{name}' to match by is in no item of the {which} input.")


def match(
    first: Items,
    second: Items,
    fields: Sequence[FieldPair],
    options: MergeOptions,
    *,
    first_only: bool,
    zero: bool = False,
) -> Matches:
    """Which items belong together. first_only: only the first of several partners does; zero: whether null is fuzzily
    like 0."""
    dots = not options.disable_dot_notation
    left = values_of(first, [row.field1 for row in fields], dots=dots)
    right = all_values_of(second, [row.field2 for row in fields], dots=dots)
    lookup = lookup_of(right, fuzzy=options.fuzzy_compare, zero=zero)
    hits = [() if values is None else lookup.find(values) for values in left]
    if first_only:
        hits = [rows[:1] for rows in hits]
    distinct = {id(rows): rows for rows in hits}.values()  # many items share one list of partners
    return Matches(hits, sum(map(len, hits)), frozenset(index for rows in distinct for index in rows))


def _outgoing(first: Items, second: Items, matches: Matches, given: CombineParameters) -> Iterator[Item]:
    mode, source = given.join_mode, given.output_data_from
    if mode == "keepNonMatches":
        yield from _strangers(first, second, matches, source)
    elif mode == "keepMatches" and source == "input1":
        yield from (passed_on(first[index], index) for index, rows in enumerate(matches.hits) if rows)
    elif mode == "keepMatches" and source == "input2":
        yield from (passed_on(second[index], index, 1) for index in sorted(matches.matched))
    else:
        yield from _enriched(first, second, matches, mode, given)


def _strangers(first: Items, second: Items, matches: Matches, source: str) -> Iterator[Item]:
    """Those without a partner; when they come from both inputs, `_source` tells from which."""
    marked = source == "both"
    if source != "input2":
        yield from (_marked(passed_on(first[index], index), 0, marked) for index in _lonely(matches))
    if source != "input1":
        yield from (
            _marked(passed_on(item, index, 1), 1, marked)
            for index, item in enumerate(second)
            if index not in matches.matched
        )


def _marked(item: Item, source: int, marked: bool) -> Item:
    return {**item, "json": {**item["json"], "_source": f"input{source + 1}"}} if marked else item


def _lonely(matches: Matches) -> Iterator[int]:
    return (index for index, rows in enumerate(matches.hits) if not rows)


def _enriched(
    first: Items, second: Items, matches: Matches, mode: JoinMode, given: CombineParameters
) -> Iterator[Item]:
    how = Resolution.of(given.conflict(), default=0 if mode == "enrichInput2" else 1)
    lost, coming = given.loses_matches(), ComingObjects() if matches.total > LONG else None
    for index, rows in enumerate(matches.hits):
        if lost:
            yield from (new_item({}, []) for _ in rows)
            continue
        for row in rows:
            left, right = MergeSource(first[index], index, 0), MergeSource(second[row], row, 1)
            made = merged((right, left) if how.preferred == 0 and not how.suffix else (left, right), how)
            if coming is not None:
                made["json"] = coming.of(made["json"])
            yield made
    if mode in {"keepEverything", "enrichInput1"}:
        yield from (alone(MergeSource(first[index], index, 0), how) for index in _lonely(matches))
    if mode in {"keepEverything", "enrichInput2"}:
        yield from (
            alone(MergeSource(item, index, 1), how) for index, item in enumerate(second) if index not in matches.matched
        )
