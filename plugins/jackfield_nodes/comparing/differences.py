"""What two items have in common, and what goes out when they differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from jackfield.api.jsontext import Json
from jackfield_nodes.comparing.parameters import CompareParameters
from jackfield_nodes.merging.parameters import FieldPair
from jackfield_nodes.values.fields import read_field
from jackfield_nodes.values.matching import alike, same_value
from jackfield_nodes.values.names import names_of, put, without

Object = dict[str, Json]


class DatasetComparison:
    """Compares items that were matched by `fields`: their other fields, without those that are skipped."""

    def __init__(self, given: CompareParameters, fields: list[FieldPair]) -> None:
        self._given = given
        self._fields = fields
        self._skipped = names_of(given.options.skip_fields)
        self._left_out = [row.field1 for row in fields] + self._skipped
        self._right_out = [row.field2 for row in fields] + self._skipped
        self._test: Callable[[Json, Json], bool] = alike if given.fuzzy else same_value

    def differing(self, left: Object, right: Object) -> Differences:
        """Which fields are the same, and which are not."""
        ours = without(left, self._left_out, dots=self._given.dots)
        theirs = without(right, self._right_out, dots=self._given.dots)
        found = Differences({}, {})
        for name in dict.fromkeys((*ours, *theirs)):
            if self._same(name, ours, theirs):
                found.same[name] = ours.get(name, theirs.get(name))
            else:
                found.different[name] = self._versions(ours.get(name), theirs.get(name))
        return found

    def _same(self, name: str, ours: Object, theirs: Object) -> bool:
        both = name in ours and name in theirs
        return (both or self._given.fuzzy) and self._test(ours.get(name), theirs.get(name))

    def _versions(self, ours: Json, theirs: Json) -> Object:
        return dict(zip(self._given.names, (ours, theirs), strict=True))

    def resolved(self, left: Object, right: Object, found: Differences) -> Object:
        """The json that goes out for two items that differ."""
        match self._given.resolve:
            case "preferInput1":
                return left
            case "preferInput2":
                return right
            case "mix":
                return self._mixed(left, right)
            case "includeBoth":
                return self._both(left, right, found)

    def _mixed(self, left: Object, right: Object) -> Object:
        dots = self._given.dots
        base, other = (left, right) if self._given.prefer_when_mix == "input1" else (right, left)
        exceptions = names_of(self._given.except_when_mix)
        made = without(base, exceptions, dots=dots)
        for name in exceptions:
            there, value = read_field(other, name, dots=dots)
            if there:
                put(made, name, value, dots=dots)
        return made

    def _both(self, left: Object, right: Object, found: Differences) -> Object:
        dots = self._given.dots
        keys: Object = {row.field1: read_field(left, row.field1, dots=dots)[1] for row in self._fields}
        made: Object = {"keys": keys, "same": found.same, "different": found.different}
        if self._skipped:
            made["skipped"] = {
                name: self._versions(read_field(left, name, dots=dots)[1], read_field(right, name, dots=dots)[1])
                for name in self._skipped
            }
        return made


class Differences(NamedTuple):
    """same: fields and their value; different: fields and both values."""

    same: Object
    different: Object
