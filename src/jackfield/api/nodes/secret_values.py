"""Secrets among the parameters of nodes: where they are, and what is shown in their place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from ..jsontext import Json
from .parameters import ANY
from .types import NodeType

MASK = "***"
"""Shown in place of a secret."""
ABSENT = object()
"""Stands for a value that is not there, which is something else than null."""
SecretPath: TypeAlias = tuple[str, ...]
"""Keys from the parameters to a secret; `*` stands for every element."""
_NAMES = re.compile(r"""\$\(\s*(['"])[^'"]*\1\s*\)|\[\s*(['"])[^'"]*\2\s*\]""")
_REFERENCE = re.compile(r"""=\s*\{\{\s*\$[^'"`{}]*\}\}\s*""")
_LIKE_SECRETS = re.compile(r"secret|passw|passphrase|(api|private|access)[_-]?key|token$|headervalue$", re.IGNORECASE)


def paths_by_name(parameters: Json) -> tuple[SecretPath, ...]:
    """The paths of all that has a name such as `password` or `apiKey`, for a node type that nobody can ask."""
    return tuple(dict.fromkeys(_like_secrets(parameters, ())))


def _like_secrets(value: Json, path: SecretPath) -> Iterator[SecretPath]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if _LIKE_SECRETS.search(key) and not isinstance(inner, dict | list):
                yield (*path, key)
            else:
                yield from _like_secrets(inner, (*path, key))
    elif isinstance(value, list):
        for inner in value:
            yield from _like_secrets(inner, (*path, ANY))


def paths_of(node_type: NodeType | None, version: float | None, parameters: Json) -> tuple[SecretPath, ...]:
    """What the node's type marks as secret in this version; `paths_by_name` where it cannot be asked. Raises whatever a
    type raises that cannot give its parameters."""
    if node_type is None:
        return paths_by_name(parameters)
    return tuple(tuple(path.split(".")) for path in node_type.parameters(version).secret_paths())


def shown_parameters(parameters: Mapping[str, Json], paths: Iterable[SecretPath]) -> dict[str, Json]:
    """The parameters with `MASK` in place of each secret that stands in them."""
    shown: Json = dict(parameters)
    for path in paths:
        shown = changed_at(shown, ABSENT, path, masked)
    return shown if isinstance(shown, dict) else {}


def masked(value: Json, old: object) -> Json:
    empty = value is None or value == "" or isinstance(value, bool)
    return value if empty or is_reference(value) else MASK


def is_reference(value: Json) -> bool:
    """Whether this is an expression that only says where the secret is, such as `={{ $json.key }}`."""
    return isinstance(value, str) and _REFERENCE.fullmatch(_NAMES.sub("$", value)) is not None


def changed_at(value: Json, old: object, path: SecretPath, change: Callable[[Json, object], Json]) -> Json:
    """The value with `change` applied to what is at this path; itself when nothing changes."""
    if not path:
        return change(value, old)
    name, rest = path[0], path[1:]
    if isinstance(value, dict):
        keys = [key for key in value if name in (ANY, key)]
        new = {key: changed_at(value[key], _inside(old, key), rest, change) for key in keys}
        return value if all(new[key] is value[key] for key in keys) else {**value, **new}
    if isinstance(value, list) and name == ANY:
        made = [changed_at(inner, _inside(old, index), rest, change) for index, inner in enumerate(value)]
        return value if all(one is other for one, other in zip(made, value, strict=True)) else made
    return value


def _inside(old: object, key: str | int) -> object:
    if isinstance(old, dict):
        return old.get(key, ABSENT)
    if isinstance(old, list) and isinstance(key, int) and key < len(old):
        return old[key]
    return ABSENT
