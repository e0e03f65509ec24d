"""Merging generated keys into a person's document: ours are set, those we set before and no longer want go, every
other stays. A key is the path of a single value; lists are single values.

The same code works on plain dictionaries (JSON) and on tomlkit's documents, which keep comments and order.

Merging is by leaf key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from dataclasses import field
from typing import Any, TypeAlias

from jackfield.api.records import record

KeyPath: TypeAlias = tuple[str, ...]
Tree: TypeAlias = MutableMapping[str, Any]  # what JSON and TOML hold, tomlkit's items among it


class MergeConflict(Exception):
    """A key that is to be written is a value where the document has a table, or the other way round."""

    def __init__(self, path: KeyPath, found: str, wanted: str) -> None:
        super().__init__(f"the key {dotted(path)} is {found} and is to be {wanted}")


@record
class Owned:
    """The values that we have written into a document.

    `leaves`: path -> digest of the value. `made`: tables that were not there.
    """

    leaves: Mapping[KeyPath, str] = field(default_factory=dict)
    made: frozenset[KeyPath] = frozenset()


@record
class MergedFile:
    """owned: from now on. taken: whether a value of somebody else was replaced."""

    owned: Owned
    taken: bool


def dotted(path: KeyPath) -> str:
    return ".".join(path)


def plain(value: Any) -> Any:
    """Without tomlkit's trivia. Any: a value of a document."""
    return value.unwrap() if hasattr(value, "unwrap") else value


def digest(value: Any) -> str:
    """Equal for equal values of one type; the value cannot be read from it. Any: a value of a document."""
    text = json.dumps(plain(value), sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def leaves(tree: Mapping[str, Any], above: KeyPath = ()) -> Iterator[tuple[KeyPath, Any]]:
    """Every single value with its path; an empty table counts as one."""
    for name, value in tree.items():
        path = (*above, name)
        if isinstance(value, Mapping) and value:
            yield from leaves(value, path)
        else:
            yield path, value


def merge(document: Tree, generated: Mapping[str, Any], owned: Owned, table: Callable[[], Tree]) -> MergedFile:
    """Change the document in place. table: makes an empty table of its kind. Raises `MergeConflict`; then the document
    may be half changed."""
    wanted = dict(leaves(generated))
    values = {path: value for path, value in wanted.items() if not isinstance(value, Mapping)}
    kept = _without_stale(document, owned, values)
    made = set(owned.made)
    _clear_for(document, values, made)
    result: dict[KeyPath, str] = {}
    taken = False
    for path, value in wanted.items():
        parent = _tables(document, path[:-1] if path in values else path, made, table)
        if path in values:
            found = _set(parent, path, value, kept.get(path))
            taken = taken or found == "taken"
            if found != "theirs":
                result[path] = digest(value)
    needed = {path[:length] for path in wanted for length in range(1, len(path))} | (wanted.keys() - values.keys())
    return MergedFile(Owned(result, frozenset(_pruned(document, made, needed))), taken)


def _without_stale(document: Tree, owned: Owned, values: Mapping[KeyPath, Any]) -> Mapping[KeyPath, str]:
    """Remove what we set before and no longer want; what has been changed since stays, as somebody else's."""
    for path in owned.leaves.keys() - values.keys():
        parent = _at(document, path[:-1])
        if parent is not None and path[-1] in parent and digest(parent[path[-1]]) == owned.leaves[path]:
            del parent[path[-1]]
    return owned.leaves


def _at(document: Tree, path: KeyPath) -> Tree | None:
    here: Any = document
    for part in path:
        if not isinstance(here, MutableMapping) or part not in here:
            return None
        here = here[part]
    return here if isinstance(here, MutableMapping) else None


def _tables(document: Tree, path: KeyPath, made: set[KeyPath], table: Callable[[], Tree]) -> Tree:
    """The table at the path; those that are missing are made."""
    here: Any = document
    for length, part in enumerate(path, 1):
        if part not in here:
            here[part] = table()
            made.add(path[:length])
        here = here[part]
        if not isinstance(here, MutableMapping):
            raise MergeConflict(path[:length], "a single value", "a table")
    return here  # type: ignore[no-any-return]  # checked in every turn


def _set(parent: Tree, path: KeyPath, value: Any, before: str | None) -> str:
    """Returns `ours`, `theirs` (it was there, with the same value) or `taken`."""
    name = path[-1]
    if name not in parent:
        parent[name] = value
        return "ours"
    present = parent[name]
    if isinstance(present, MutableMapping):
        raise MergeConflict(path, "a table", "a single value")
    if digest(present) == digest(value):
        return "theirs" if before is None else "ours"
    parent[name] = value
    return "taken" if before is None else "ours"


def _clear_for(document: Tree, values: Mapping[KeyPath, Any], made: set[KeyPath]) -> None:
    """Where a single value is to be, empty tables of ours give way."""
    inside = {path for path in made if any(path[:length] in values for length in range(1, len(path) + 1))}
    made -= inside
    made |= set(_pruned(document, inside, set()))


def _pruned(document: Tree, made: set[KeyPath], needed: set[KeyPath]) -> Iterator[KeyPath]:
    """Remove the tables that we made, are empty and no longer wanted, from below; yields those that stay."""
    for path in sorted(made, key=len, reverse=True):
        parent, here = _at(document, path[:-1]), _at(document, path)
        if parent is None or here is None:
            continue
        if len(here) == 0 and path not in needed:
            del parent[path[-1]]
        else:
            yield path
