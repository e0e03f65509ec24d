"""Dot notation: `a.b[0]["c d"]` names a place in nested data. Containers on the way to a changed place are copied, so
that data which other items share is never changed."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Any, TypeAlias

from jackfield.api.jsontext import Json
from jackfield_nodes.values.conversions import UnfitValue

Key: TypeAlias = "str | int"

MAX_INDEX = 9_999
"""The largest list index that may be written, so that a path cannot fill the memory."""

_PART = re.compile(
    r"""[^.\[\]]+|\[(?:(-?\d+(?:\.\d+)?)|(["'])((?:(?!\2)[^\\]|\\.)*?)\2)\]|(?=(?:\.|\[\])(?:\.|\[\]|$))"""
)
_INDEX = re.compile(r"0|[1-9]\d{0,8}", re.ASCII)


is_path = re.compile(r"""\.|\[(?:[^\[\]]*|(["'])(?:(?!\1)[^\\]|\\.)*?\1)\]""").search
"""Finds something when the name says more than one plain key."""


@lru_cache(maxsize=1024)
def parse_path(name: str) -> tuple[Key, ...]:
    """The keys of a path; digits alone may be a list index."""
    if not is_path(name):
        return (_key(name),)
    keys: list[Key] = [""] if name.startswith(".") else []
    for match in _PART.finditer(name):
        index, _, quoted = match.groups()
        keys.append(re.sub(r"\\(\\)?", r"\1", quoted) if quoted is not None else _key(index or match[0]))
    return tuple(keys) or (name,)


def _key(text: str) -> Key:
    return int(text) if _INDEX.fullmatch(text) else text


def get_path(data: dict[str, Json], name: str) -> tuple[bool, Json]:
    """(found, value). A key that is spelled like the whole path comes first."""
    if name in data:
        return True, data[name]
    found: Any = data  # what lies at a path is known only at run time
    for key in parse_path(name):
        if isinstance(found, dict) and str(key) in found:
            found = found[str(key)]
        elif isinstance(found, list) and isinstance(key, int) and key < len(found):
            found = found[key]
        else:
            return False, None
    return True, found


def _child(container: dict[str, Json] | list[Json], key: Key, follower: Key) -> dict[str, Json] | list[Json]:
    """A fresh copy of what stands at the key, or a new container that fits the key after it."""
    present: Json = None
    if isinstance(container, dict):
        present = container.get(str(key))
    elif isinstance(key, int) and key < len(container):
        present = container[key]
    if isinstance(present, dict):
        return dict(present)
    if isinstance(present, list):
        return list(present)
    return [] if isinstance(follower, int) else {}


def _put(container: dict[str, Json] | list[Json], key: Key, value: Json) -> None:
    if isinstance(container, dict):
        container[str(key)] = value
        return
    if not isinstance(key, int):
        raise UnfitValue(f"a list has no field '{key}'")
    if key > MAX_INDEX:
        raise UnfitValue(f"a list index may be at most {MAX_INDEX}")
    container.extend([None] * (key + 1 - len(container)))
    container[key] = value


def set_path(data: dict[str, Json], name: str, value: Json) -> None:
    """Write into `data`, which must be the caller's own; nested containers are copied. Raises ValueError."""
    if name in data:
        data[name] = value
        return
    keys = parse_path(name)
    container: dict[str, Json] | list[Json] = data
    for key, follower in pairwise(keys):
        child = _child(container, key, follower)
        _put(container, key, child)
        container = child
    _put(container, keys[-1], value)


def remove_path(data: dict[str, Json], name: str) -> None:
    """Delete from `data`, which must be the caller's own; nothing happens when the path leads nowhere."""
    if name in data:
        del data[name]
        return
    if not get_path(data, name)[0]:
        return
    keys = parse_path(name)
    container: dict[str, Json] | list[Json] = data
    for key, follower in pairwise(keys):
        child = _child(container, key, follower)
        _put(container, key, child)
        container = child
    if isinstance(container, dict):
        del container[str(keys[-1])]
    elif isinstance(keys[-1], int):
        container[keys[-1]] = None
