"""JSON out of what a model wrote around it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from jackfield.api.ai import ParseProblem
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, loads

_FENCE = re.compile(r"```[ \t]*(?:[\w+-]+[ \t]*)?\r?\n(.*?)```", re.DOTALL)
_MAX_STARTS = 50
"""Places in a text where JSON may begin that are tried."""


def json_in(text: str) -> Json:
    """The JSON of the text: all of it, else its first fenced block that is JSON, else the first object or list in it.
    Raises `ParseProblem`."""
    reason = "there is no JSON in it"
    for candidate in _candidates(text):
        try:
            return loads(candidate)
        except InvalidInput as exc:
            reason = str((exc.details or {}).get("body", exc.message))
    found = _embedded(text)
    if found is None:
        raise ParseProblem(f"The text is not the JSON that was asked for: {reason}.")
    return found


def _candidates(text: str) -> Iterator[str]:
    stripped = text.strip()
    if stripped:
        yield stripped
    for match in _FENCE.finditer(text):
        yield match.group(1).strip()


def _embedded(text: str) -> dict[str, Json] | list[Json] | None:
    decoder = json.JSONDecoder(parse_constant=_refuse)
    starts = 0
    position = 0
    while starts < _MAX_STARTS and (match := re.compile(r"[{\[]").search(text, position)):
        starts += 1
        try:
            _, end = decoder.raw_decode(text, match.start())
            found = loads(text[match.start() : end])
        except (ValueError, RecursionError, InvalidInput):
            position = match.end()
            continue
        if isinstance(found, dict | list):
            return found
        position = end
    return None


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
