"""Whether two items are the same, and what goes out when they differ."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from jackfield.api.javascript import UNDEFINED, to_boolean
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_nodes.comparing.parameters import CompareParameters
from jackfield_nodes.merging.parameters import FieldPair
from jackfield_nodes.values.fields import read_field
from jackfield_nodes.values.matching import alike, same_value
from jackfield_nodes.values.names import names_of, without
from jackfield_nodes.values.paths import get_path, remove_path, set_path

Object = dict[str, Json]


class DatasetComparison:
    """Compares items that were matched by `fields`. Raises `NodeError` for skipped fields that cannot be."""

    def __init__(self, given: CompareParameters, fields: list[FieldPair]) -> None:
        self._given = given
        self._fields = fields
        self._skipped = names_of(given.options.skip_fields)
        self._test: Callable[[object, object], bool] = partial(alike, zero=given.zero) if given.fuzzy else same_value
        dotted = [name for name in self._skipped if "." in name]
        if dotted and not given.dots:
            raise NodeError(f"The parameter skipFields has the path '{dotted[0]}', and dot notation is off.")

    def same(self, left: Object, right: Object) -> bool:
        """Whether two items differ in nothing that counts; fuzzily only the fields of the first count."""
        ours, theirs = (without(json, self._skipped, dots=self._given.dots) for json in (left, right))
        if not self._given.fuzzy:
            return same_value(ours, theirs)
        return all(self._test(value, theirs.get(name, UNDEFINED)) for name, value in ours.items())

    def mixed(self, left: Object, right: Object) -> Object:
        """One item with some fields of the other."""
        dots = self._given.dots
        base, other = (left, right) if self._given.prefer_when_mix == "input1" else (right, left)
        made = dict(base)
        for name in names_of(self._given.except_when_mix):
            there, value = read_field(other, name, dots=dots)
            if there or dots:
                made[name] = value  # also a path is the name of a field here
            else:
                made.pop(name, None)
        return made

    def both(self, left: Object, right: Object) -> Object:
        """The fields that are the same, and both versions of those that differ."""
        given = self._given
        every = dict.fromkeys((*left, *right))
        shared = every if given.fuzzy and given.compares_missing else [name for name in left if name in right]
        same = [name for name in shared if self._test(left.get(name, UNDEFINED), right.get(name, UNDEFINED))]
        different: Object = {}
        skipped: Object = {}
        for name in every:
            if name not in same:
                self._tell(name, left.get(name), right.get(name), different, skipped)
        made: Object = {
            "keys": {row.field1: left[row.field1] for row in self._fields if row.field1 in left},
            "same": {name: left[name] for name in same if name in left},
            "different": different,
        }
        return {**made, "skipped": skipped} if skipped else made

    def _tell(self, name: str, ours: Json, theirs: Json, different: Object, skipped: Object) -> None:
        if name in self._skipped:
            skipped[name] = self._versions(ours, theirs)
            return
        below = [path for path in self._skipped if path.startswith(name) and "." in path]
        if below and self._given.skips_paths:
            ours, theirs, skipped[name] = self._apart(name, below, ours, theirs)
        different[name] = self._versions(ours, theirs)

    def _apart(self, name: str, below: list[str], ours: Json, theirs: Json) -> tuple[Json, Json, Json]:
        """Both values without the skipped paths inside, and these."""
        parts: list[Object] = []
        left_over: list[Json] = []
        for value in (ours, theirs):
            if not isinstance(value, dict):
                raise NodeError(f"The field '{name}' is no object, and skipFields has paths inside of it.")
            part: Object = {}
            kept = dict(value)
            for path in below:
                inner = path.removeprefix(f"{name}.")
                there, found = get_path(value, inner)
                if there:
                    set_path(part, inner, found)
                    remove_path(kept, inner)
            left_over.append(kept)
            parts.append(part)
        return left_over[0], left_over[1], self._versions(parts[0], parts[1])

    def _versions(self, ours: Json, theirs: Json) -> Object:
        values = (ours, theirs) if self._given.keeps_empty else (_or_null(ours), _or_null(theirs))
        return dict(zip(self._given.names, values, strict=True))


def _or_null(value: Json) -> Json:
    return value if to_boolean(value) else None
