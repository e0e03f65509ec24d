"""Replace the model in a request's JSON and leave every other byte as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_TOKEN = re.compile(rb'"(?:[^"\\]+|\\.)*"|[{}\[\]:,]', re.DOTALL)
_KEY = b'"model"'


def with_model(body: bytes, model: str) -> bytes:
    """body: a JSON object that has been parsed before, with `model` a string. Of repeated keys all are replaced, as
    parsers differ in which one counts."""
    parts, done = [], 0
    for start, end in _spans(body):
        parts += [body[done:start], json.dumps(model, ensure_ascii=False).encode()]
        done = end
    return b"".join([*parts, body[done:]])


def _spans(body: bytes) -> Iterator[tuple[int, int]]:
    """Where the values of the outermost object's `model` are."""
    only = body.count(_KEY) == 1
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
            if only and key == _KEY:
                return


def _is_model(key: bytes) -> bool:
    return key == _KEY or (b"\\u" in key and json.loads(key) == "model")
