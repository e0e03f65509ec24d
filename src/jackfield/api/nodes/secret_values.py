"""Secrets among the parameters of nodes: where they are, and what is shown in their place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from ..caller_secrets import is_credential
from ..jsontext import Json
from .parameters import ANY, IF_NAMED, ROWS_BY
from .types import NodeType

MASK = "***"
"""Shown in place of a secret."""
ABSENT = object()
"""Stands for a value that is not there, which is something else than null."""
SecretPath: TypeAlias = tuple[str, ...]
"""Keys from the parameters to a secret. `*` stands for every element, and `*?name` for every row whose `name` is that
of a credential. `?` stands for a text of JSON that gives a credential."""
_SCHEME = r"(?:basic|bearer|bot|digest|token|apikey)"
_REFERENCE = re.compile(rf"=\s*(?:{_SCHEME}\s+)?(?:\{{\{{[^{{}}]*\}}\}}\s*)+", re.IGNORECASE)
_EXPRESSIONS = re.compile(r"\{\{([^{}]*)\}\}")
_NAMES = re.compile(
    r"""\$\(\s*(['"])[^'"]*\1\s*\)|(?<=[\w$)\].])\[\s*(['"])[^'"]*\2\s*\]|\$item\(["']?\d{1,3}["']?\)"""
)
"""Names of nodes and fields, and numbers of items."""
_WORDS = re.compile(rf"""(['"])\s?(?:{_SCHEME}\s|:|base64|hex|utf-?8)?\s?\1""", re.IGNORECASE)
"""Texts that are no secret whoever writes them."""
_LITERAL = re.compile(
    r"""['"`/\\]|(?<![\w$])(?:\d[\w.]{2}|\.\d{2})|(?:\d[^\w"'$]{1,3}\d{0,2}){3}"""
    r"|(?<![\w$.])(?!(?:Buffer|JSON|String|btoa|encodeURIComponent|null|undefined|true|false)\b)[^\W\d]"
)
"""The parts of an expression that may be a secret: texts, patterns, long numbers, rows of short ones, and words that
nobody knows."""
_MEMBER = re.compile(r"""(["'])(?P<name>[^"'\\]{1,100})\1\s*:\s*(?P<value>\{\{.*?\}\}|"(?:[^"\\]|\\.)*"|[^\s,}]+)""")
_HARMLESS = re.compile(r"tokens$|(?:max|min|next|page|continuation|sync)-?token|token-?(?:type|count|limit|url)")
_ROWS_OF_STRANGERS = f"{ROWS_BY}name"
_LIKE_SECRETS = re.compile(r"secret|passw|passphrase|(api|private|access)[_-]?key|token$|headervalue$", re.IGNORECASE)


def paths_by_name(parameters: Json) -> tuple[SecretPath, ...]:
    """The paths of all that has a name such as `password` or `apiKey`, for a node type that nobody can ask."""
    return tuple(dict.fromkeys(_like_secrets(parameters, ())))


def _like_secrets(value: Json, path: SecretPath) -> Iterator[SecretPath]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, str) and _gives_credential(inner):
                yield (*path, key, IF_NAMED)
            elif _LIKE_SECRETS.search(key) and not isinstance(inner, dict | list):
                yield (*path, key)
            else:
                yield from _like_secrets(inner, (*path, key))
    elif isinstance(value, list):
        if rows_of(value, _ROWS_OF_STRANGERS):
            yield (*path, _ROWS_OF_STRANGERS, "value")
        for inner in value:
            yield from _like_secrets(inner, (*path, ANY))


def paths_of(node_type: NodeType | None, version: float | None, parameters: Json) -> tuple[SecretPath, ...]:
    """The paths that the node's type marks as secret in this version; `paths_by_name` where it cannot be asked.

    Raises the errors of a type that cannot give its parameters.
    """
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
    """Whether this is an expression that only says where the secret is, such as `={{ $json.key }}` and
    `=Bearer {{ $json.key }}`."""
    if not isinstance(value, str) or not _REFERENCE.fullmatch(value):
        return False
    plain = (_WORDS.sub("", _NAMES.sub("$", found)) for found in _EXPRESSIONS.findall(value))
    return all("$" in found and not _LITERAL.search(found) for found in plain)


def changed_at(value: Json, old: object, path: SecretPath, change: Callable[[Json, object], Json]) -> Json:
    """The value with `change` applied to what is at this path; itself when nothing changes."""
    if not path:
        return change(value, old)
    name, rest = path[0], path[1:]
    if name == IF_NAMED:
        return change(value, old) if _gives_credential(value) else value
    if name.startswith(ROWS_BY):
        return _changed_rows(value, old, path, change)
    if isinstance(value, dict):
        keys = [key for key in value if name in (ANY, key)]
        new = {key: changed_at(value[key], _inside(old, key), rest, change) for key in keys}
        return value if all(new[key] is value[key] for key in keys) else {**value, **new}
    if isinstance(value, list) and name == ANY:
        made = [changed_at(inner, _inside(old, index), rest, change) for index, inner in enumerate(value)]
        return value if all(one is other for one, other in zip(made, value, strict=True)) else made
    return value


def found_at(value: Json, path: SecretPath, place: SecretPath = ()) -> Iterator[tuple[SecretPath, Json]]:
    """The values at this path, and their places: keys and numbers of elements."""
    if not path or (path[0] == IF_NAMED and _gives_credential(value)):
        yield place, value
        return
    inner: Iterable[tuple[str | int, Json]] = ()
    if path[0].startswith(ROWS_BY):
        inner = ((index, row) for index, row, _ in rows_of(value, path[0]))
    elif isinstance(value, dict):
        inner = ((key, one) for key, one in value.items() if path[0] in (ANY, key))
    elif isinstance(value, list) and path[0] == ANY:
        inner = enumerate(value)
    for key, one in inner:
        yield from found_at(one, path[1:], (*place, str(key)))


def rows_of(value: object, element: str) -> list[tuple[int, dict[str, Json], tuple[str, int]]]:
    """The rows that carry credentials: their places, and what tells each from the others: its name, and how many of
    that name come before it. `element`: such as `*?name`.
    """
    found: list[tuple[int, dict[str, Json], tuple[str, int]]] = []
    seen: dict[str, int] = {}
    for index, row in enumerate(value if isinstance(value, list) else ()):
        name = row.get(element.removeprefix(ROWS_BY)) if isinstance(row, dict) else None
        if isinstance(name, str) and _is_named(name):
            plain = name.strip().lower()
            found.append((index, row, (plain, seen.get(plain, 0))))
            seen[plain] = seen.get(plain, 0) + 1
    return found


def _changed_rows(value: Json, old: object, path: SecretPath, change: Callable[[Json, object], Json]) -> Json:
    """Rows are the same by their names: somebody who sees masks may put others before them."""
    known = {key: row for _, row, key in rows_of(old, path[0])}
    made = list(value) if isinstance(value, list) else []
    for index, row, key in rows_of(value, path[0]):
        made[index] = changed_at(row, known.get(key, ABSENT), path[1:], change)
    same = not isinstance(value, list) or all(one is other for one, other in zip(made, value, strict=True))
    return value if same else made


def _is_named(name: str) -> bool:
    plain = name.replace("_", "-")
    return is_credential(plain) and not _HARMLESS.search(plain.lower())


def _gives_credential(value: Json) -> bool:
    """Whether a text (or an object) of JSON names a credential and holds it, or is the mask of one that did."""
    if isinstance(value, dict):
        return any(_is_named(name) and masked(one, ABSENT) == MASK for name, one in value.items())
    if not isinstance(value, str) or is_reference(value):
        return False
    if value in (MASK, f"={MASK}"):
        return True
    members = ((found["name"], found["value"].strip('"')) for found in _MEMBER.finditer(value))
    return any(_is_named(name) and one not in ("", "null") and not is_reference(f"={one}") for name, one in members)


def _inside(old: object, key: str | int) -> object:
    if isinstance(old, dict):
        return old.get(key, ABSENT)
    if isinstance(old, list) and isinstance(key, int) and key < len(old):
        return old[key]
    return ABSENT
