"""The model in a request's JSON: one reading of it for everybody, and another one in its place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from jackfield.api.dialects import fields

_TOKEN = re.compile(rb'"(?:[^"\\]+|\\.)*"|[{}\[\]:,]', re.DOTALL)
_KEY = b'"model"'
_OPEN = re.compile(rb"\s*\{\s*").match
_NAME = re.compile(rb'("(?:[^"\\]+|\\.)*")\s*:\s*', re.DOTALL).match
_AFTER = re.compile(rb"\s*([,}])\s*").match
_DECODER = msgspec.json.Decoder(dict[str, msgspec.Raw])
_READ = frozenset({
    "best_of", "conversation", "input_file_id", "max_completion_tokens", "max_output_tokens", "max_tokens", "model",
    "n", "previous_response_id", "store", "stream",
})  # fmt: skip
"""Names that decide who may ask, what it costs and where it goes."""


def require_one_reading(body: bytes) -> None:
    """Of repeated names some parsers take the first and others the last, and some look at no case.

    So the proxy might permit something else than the provider reads. body: a JSON object; any other body passes. Raises
    `DialectError` 400.
    """
    values = _values_in(body)
    if values is not None and _is_plain(body, values):
        return
    seen: set[str] = set()
    for name in _outer_names(body, values):
        plain = name.casefold()
        if plain in seen:
            raise fields.invalid(plain, "stands in the request more than once; send it once, in lower case")
        if plain in _READ and name != plain:
            raise fields.invalid(plain, f"is written {name!r} here; send it in lower case")
        seen.add(plain)


def with_model(body: bytes, model: str) -> bytes:
    """body: a JSON object that has been parsed before, with `model` a string. Of repeated keys all are replaced, as
    parsers differ in which one counts."""
    parts, done = [], 0
    for start, end in _members(body) or _spans(body):
        parts += [body[done:start], json.dumps(model, ensure_ascii=False).encode()]
        done = end
    return b"".join([*parts, body[done:]])


def model_in(body: bytes) -> str:
    """The name of the model in a body; empty: it names none, or is no JSON object."""
    try:
        value = _DECODER.decode(body).get("model")
        found = None if value is None or not bytes(value).startswith(b'"') else json.loads(bytes(value))
    except (ValueError, msgspec.MsgspecError, RecursionError):
        return ""
    return found if isinstance(found, str) else ""


def _values_in(body: bytes) -> dict[str, msgspec.Raw] | None:
    """Of the outermost object, without a look into them: a body of megabytes would hold up every other request. None:
    the JSON is not strict."""
    try:
        return _DECODER.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _is_plain(body: bytes, values: Mapping[str, msgspec.Raw]) -> bool:
    """Whether it is written without spaces, as most clients do, and has each name of the outermost object once, in
    lower case. Then names and values add up to its length, which anything else makes longer.
    """
    names = "".join(values)
    length = len(names.encode()) + sum(map(len, map(bytes, values.values()))) + 4 * len(values) + 1
    return length == len(body) and names == names.casefold()


def _outer_names(body: bytes, values: dict[str, msgspec.Raw] | None) -> Sequence[str]:
    """In the outermost object, as often as they stand there. values: see `_walked`."""
    walked = _walked(body, values)
    if walked is not None:
        return [name for name, _, _ in walked]
    outermost: list[str] = []

    def found(pairs: list[tuple[str, object]]) -> None:  # of the outermost object last
        outermost[:] = [name for name, _ in pairs]

    try:
        json.loads(body.decode("utf-8", "surrogatepass"), object_pairs_hook=found)
    except (ValueError, RecursionError):
        return ()
    return outermost


def _members(body: bytes) -> list[tuple[int, int]]:
    """Where the value of the outermost object's `model` is. Empty: names are repeated, or the JSON is not strict."""
    return [(start, end) for name, start, end in _walked(body, _values_in(body)) or () if name == "model"]


def _walked(body: bytes, values: dict[str, msgspec.Raw] | None) -> list[tuple[str, int, int]] | None:
    """Names of the outermost object and where their values are. values: of `_values_in`, which are used up. None: names
    are repeated, or the JSON is not strict."""
    if values is None:
        return None
    found: list[tuple[str, int, int]] = []
    after = _OPEN(body)
    while after is not None and (name := _NAME(body, after.end())) is not None:
        key = json.loads(name[1])
        value = bytes(values.pop(key, b""))
        if not value or not body.startswith(value, name.end()):
            return None
        end = name.end() + len(value)
        found.append((key, name.end(), end))
        after = _AFTER(body, end)
    return None if values else found


def _spans(body: bytes) -> Iterator[tuple[int, int]]:
    """The same for any body, token by token."""
    depth, key, expected = 0, b"", True
    for token in _TOKEN.finditer(body):
        text = token.group()
        if text in b"{[":
            depth += 1
        elif text in b"}]":
            depth -= 1
        elif depth != 1:
            continue
        elif text == b",":
            expected = True
        elif text == b":":
            expected = False
        elif expected:
            key = text
        elif _is_model(key):
            yield token.span()


def _is_model(key: bytes) -> bool:
    return key == _KEY or (b"\\u" in key and json.loads(key) == "model")
