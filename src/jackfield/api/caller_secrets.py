"""The secrets of callers: the handler of a call has them in memory, and nobody stores them.

A value is hidden wherever it stands in kept JSON, whatever a workflow has copied it to. Short values, and such as might
be JSON outside of texts, are hidden under their own name alone.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TypeAlias

from .jsontext import Json, dumps
from .workflows import Items, Workflow

MASK = "***"
SHORTEST = 12
"""Characters of a value that is hidden wherever it stands."""
LOOKED_AT = 64
"""Items of a start that are searched."""
_MOST = 64
"""Values of one call."""
CREDENTIAL_NAMES = re.compile(r"authorization|cookie|secret|token|password|passwd|api-?key|access-?key")
_PARAMETER = re.compile(r"(?:.*[_-])?(?:auth|code|jwt|key|pass|pin|pwd|sid|sig)")
_MAY_BE_JSON = re.compile(r"[][{},:0-9.eE+ truefalsn-]*")
_HEX = b"0123456789abcdefABCDEF"

_LONGEST_RUN = 1024
"""Backslashes that are counted."""

Hidden: TypeAlias = "tuple[tuple[bytes, bytes], ...]"
"""Text in kept JSON, and what stands there instead."""


@lru_cache(maxsize=4096)
def is_credential(name: str) -> bool:
    """Whether a header of this name proves who calls. Signatures do not: they are good for one request."""
    return CREDENTIAL_NAMES.search(name.lower()) is not None


@lru_cache(maxsize=4096)
def is_secret_parameter(name: str) -> bool:
    """Whether a query parameter of this name carries a secret."""
    lower = name.lower()
    return is_credential(lower.replace("_", "-")) or _PARAMETER.fullmatch(lower) is not None


def hidden_in(items: Items, names: Iterable[str] = (), headers: Collection[str] = ()) -> Hidden:
    """The secrets to hide of the calls that these items describe, under `headers` and `query`.

    `names`: texts that a record needs as they are, such as those of nodes. `headers`: further ones, in lower case, that
    carry a credential.
    """
    found: dict[tuple[str, str], None] = {}
    for item in items[:LOOKED_AT]:
        found |= dict.fromkeys(_credentials(item["json"], headers))
        if len(found) >= _MOST:
            break
    known = tuple(names)
    values = [part for _, value in found for part in _parts(value) if not any(part in name for name in known)]
    exact = {_pair(name, value): _pair(name, MASK) for name, value in found}
    for item in items[:LOOKED_AT] if found else ():
        repeated = ((name, value) for name, value in _secrets(item["json"], headers) if isinstance(value, list))
        exact |= {_pair(name, texts): _pair(name, MASK) for name, texts in repeated}
    parts = {_inside(value): MASK.encode() for value in values if _hidden_anywhere(value)}
    return (*exact.items(), *sorted(parts.items(), key=lambda pair: -len(pair[0])))


def hidden_in_pinned(workflow: Workflow) -> Hidden:
    """The same of calls among a workflow's pinned data."""
    return tuple(pair for items in workflow.pin_data.values() for pair in hidden_in(items, workflow.nodes))


def hide(data: bytes, hidden: Hidden) -> bytes:
    """The JSON without what is hidden; it stays JSON."""
    for old, new in hidden:
        if old not in data:
            continue
        data = data.replace(old, new) if old.startswith(b'"') else _replaced(data, old, new)
    return data


def hide_text(data: bytes, hidden: Hidden) -> bytes:
    """The same of what need not be JSON, such as an answer."""
    for old, new in hidden:
        data = data.replace(old, new)
    return data


PLACES: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("headers", is_credential),
    ("query", is_secret_parameter),
    ("formQueryParameters", is_secret_parameter),
)
"""Of a call among the items, and what tells which of its names carry secrets."""


def _secrets(json: Mapping[str, Json], headers: Collection[str]) -> Iterator[tuple[str, Json]]:
    """Headers and parameters by name; what the call has several times is a list."""
    for place, is_secret in PLACES:
        named = json.get(place)
        if isinstance(named, dict):
            own = headers if place == "headers" else ()
            yield from ((name, value) for name, value in named.items() if is_secret(name) or name in own)


def _credentials(json: Mapping[str, Json], headers: Collection[str]) -> Iterator[tuple[str, str]]:
    for name, value in _secrets(json, headers):
        texts = value if isinstance(value, list) else [value]
        yield from ((name, text) for text in texts if isinstance(text, str) and text not in ("", MASK))


def _parts(value: str) -> list[str]:
    """The value, and what a workflow may take out of it: a token, user and password, a cookie's value."""
    found = [value, value.partition(" ")[2].strip()]
    scheme, _, token = value.partition(" ")
    if scheme.lower() == "basic":
        try:
            pair = base64.b64decode(token, validate=True).decode()
        except ValueError:
            pair = ""
        found += [pair, pair.partition(":")[2]]
    elif "=" in value:
        found += [cookie.partition("=")[2].strip() for cookie in value.split(";", _MOST)]
    return [part for part in found if len(part) >= SHORTEST][:_MOST]


def _hidden_anywhere(value: str) -> bool:
    return _MAY_BE_JSON.fullmatch(value) is None


def _inside(value: str) -> bytes:
    return dumps(value)[1:-1]


def _pair(name: str, value: Json) -> bytes:
    return dumps(name) + b":" + dumps(value)


def _replaced(data: bytes, old: bytes, new: bytes) -> bytes:
    """Not where the first byte is part of an escape, and not what is a whole key: the record's own keys are no
    secrets."""
    made: list[bytes] = []
    begin = place = 0
    while (place := data.find(old, place)) >= 0:
        end = place + len(old)
        is_key = data[place - 1 : place] == b'"' and data[end : end + 2] == b'":'
        if not is_key and not _in_escape(data, place):
            made += (data[begin:place], new)
            begin = end
        place = end
    return b"".join((*made, data[begin:])) if made else data


def _in_escape(data: bytes, place: int) -> bool:
    """Whether what stands there belongs to an escape such as `\\n` or `\\u00e9`."""
    if _escapes(data, place):
        return True
    tails = ((place - 1 - digits, data[place - digits : place]) for digits in range(4) if place > digits)
    return any(data[u : u + 1] == b"u" and not tail.strip(_HEX) and _escapes(data, u) for u, tail in tails)


def _escapes(data: bytes, place: int) -> bool:
    """Whether the byte behind an odd number of backslashes stands there."""
    before = data[max(0, place - _LONGEST_RUN) : place]
    return (len(before) - len(before.rstrip(b"\\"))) % 2 == 1
