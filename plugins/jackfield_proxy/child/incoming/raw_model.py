"""Replace the model in a request's JSON and leave every other byte as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import msgspec

_TOKEN = re.compile(rb'"(?:[^"\\]+|\\.)*"|[{}\[\]:,]', re.DOTALL)
_KEY = b'"model"'
_OPEN = re.compile(rb"\s*\{\s*").match
_NAME = re.compile(rb'("(?:[^"\\]+|\\.)*")\s*:\s*', re.DOTALL).match
_AFTER = re.compile(rb"\s*([,}])\s*").match
_DECODER = msgspec.json.Decoder(dict[str, msgspec.Raw])


def with_model(body: bytes, model: str) -> bytes:
    """body: a JSON object that has been parsed before, with `model` a string. Of repeated keys all are replaced, as
    parsers differ in which one counts."""
    parts, done = [], 0
    for start, end in _members(body) or _spans(body):
        parts += [body[done:start], json.dumps(model, ensure_ascii=False).encode()]
        done = end
    return b"".join([*parts, body[done:]])


def model_in(body: bytes) -> str:
    """What a body names as its model; empty: it names none, or is no JSON object."""
    try:
        value = _DECODER.decode(body).get("model")
        found = None if value is None else json.loads(bytes(value))
    except (ValueError, msgspec.MsgspecError, RecursionError):
        return ""
    return found if isinstance(found, str) else ""


def _members(body: bytes) -> list[tuple[int, int]]:
    """Where the value of the outermost object's `model` is, without a look into the other values: a body of megabytes
    would hold up every other request. Empty: keys are repeated, or the JSON is not strict."""
    try:
        values = _DECODER.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return []
    found: list[tuple[int, int]] = []
    after = _OPEN(body)
    while after is not None and (name := _NAME(body, after.end())) is not None:
        key = json.loads(name[1])
        value = bytes(values.pop(key, b""))
        if not value or not body.startswith(value, name.end()):
            return []
        end = name.end() + len(value)
        if key == "model":
            found.append((name.end(), end))
        after = _AFTER(body, end)
    return [] if values else found


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
