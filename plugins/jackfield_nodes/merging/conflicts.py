"""One item of several, and which of them prevails where they have the same field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from jackfield.api.jsontext import Json
from jackfield.api.nodes.items import new_item, own_pair
from jackfield.api.workflows import BinaryData, Item, PairedItem
from jackfield_nodes.merging.parameters import FieldConflict


class MergeSource(NamedTuple):
    """An item with its index in the input `source`."""

    item: Item
    place: int
    source: int


class Resolution(NamedTuple):
    """How conflicts end. preferred: the input that prevails; None: the last one."""

    suffix: bool = False
    deep: bool = True
    keep_filled: bool = False
    preferred: int | None = None

    @classmethod
    def of(cls, conflict: FieldConflict, *, default: int | None = None) -> Resolution:
        """default: the input that prevails when the parameters name none."""
        named = conflict.preferred()
        last = conflict.resolve_clash == "preferLast"
        return cls(
            conflict.resolve_clash == "addSuffix",
            conflict.merge_mode == "deepMerge",
            conflict.override_empty,
            default if named is None and not last else named,
        )


def _blended(old: Json, new: Json, keep_filled: bool) -> Json:
    """Both values in one; where they cannot be, the new one. Shares what stays as it is."""
    if isinstance(old, dict) and isinstance(new, dict):
        made = dict(old)
        _blend(made, new, deep=True, keep_filled=keep_filled)
        return made
    if isinstance(old, list) and isinstance(new, list):
        both = [_chosen(one, other, keep_filled) for one, other in zip(old, new, strict=False)]
        return both + old[len(both) :] + new[len(both) :]
    return new


def _chosen(old: Json, new: Json, keep_filled: bool) -> Json:
    return old if keep_filled and (new is None or new == "") else _blended(old, new, keep_filled)


def _blend(target: dict[str, Json], source: dict[str, Json], *, deep: bool, keep_filled: bool) -> None:
    for name, value in source.items():
        if name not in target:
            target[name] = value
        elif not (keep_filled and (value is None or value == "")):
            target[name] = _blended(target[name], value, keep_filled) if deep else value


def suffixed(json: dict[str, Json], source: int) -> dict[str, Json]:
    """Every field with the number of its input: name_1."""
    return {f"{name}_{source + 1}": value for name, value in json.items()}


def merged(parts: Sequence[MergeSource], how: Resolution) -> Item:
    """One item of all parts; they are in the order of their inputs."""
    ranked = sorted(parts, key=lambda part: part.source == how.preferred)
    json: dict[str, Json] = {}
    for part in parts if how.suffix else ranked:
        given = suffixed(part.item["json"], part.source) if how.suffix else part.item["json"]
        _blend(json, given, deep=how.deep, keep_filled=how.keep_filled)
    references: list[PairedItem] = [own_pair(part.item, part.place, part.source) for part in parts]
    made = new_item(json, references)
    if binary := _files(ranked):
        made["binary"] = binary
    return made


def _files(ranked: Sequence[MergeSource]) -> dict[str, BinaryData]:
    found: dict[str, BinaryData] = {}
    for part in ranked:
        found.update(part.item.get("binary") or {})
    return found


def alone(part: MergeSource, how: Resolution) -> Item:
    """An item that found no partner."""
    made = new_item(part.item["json"], own_pair(part.item, part.place, part.source))
    if how.suffix:
        made["json"] = suffixed(made["json"], part.source)
    if part.item.get("binary"):
        made["binary"] = part.item["binary"]
    return made
