"""Run data in one form, so that what is equal for a workflow is equal here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .cases import Document
from .contents import described

SOME_ERROR = "(an error)"
SAFE = 2**53
"""Up to here JavaScript has every whole number."""


def runs(given: Sequence[Mapping[str, Any]], *, texts: bool, fields: Sequence[str] | None = None) -> list[Document]:
    """Every run of a node: its outputs, and whether it ended in an error. texts, fields: see `NodeCase`."""
    return [_run(each, texts, fields) for each in given]


def _run(given: Mapping[str, Any], texts: bool, fields: Sequence[str] | None) -> Document:
    outputs = [[_item(item, texts, fields) for item in output or ()] for output in given.get("outputs") or ()]
    if given.get("index") == 0:
        outputs = [[{**item, "pairedItem": None} for item in output] for output in outputs]  # nothing came before
    while outputs and not outputs[-1]:
        outputs.pop()
    failed = bool(given.get("error"))
    if fields is not None:
        failed |= any("error" in (item["json"] or {}) for output in outputs for item in output)
    return {"outputs": outputs, "failed": failed}


def _item(given: Mapping[str, Any], texts: bool, fields: Sequence[str] | None) -> Document:
    made: Document = {"json": given.get("json"), "pairedItem": _pairs(given.get("pairedItem"))}
    if fields is not None and isinstance(made["json"], dict):
        made["json"] = {name: value for name, value in made["json"].items() if name in fields}
    if given.get("binary") and fields is None:
        made["binary"] = {name: _file(file) for name, file in given["binary"].items()}
    if not texts and isinstance(made["json"], dict) and isinstance(made["json"].get("error"), str | dict):
        made["json"] = {**made["json"], "error": SOME_ERROR}
    return made


def _pairs(given: object) -> list[list[object]] | None:
    """[item, input] of each pair."""
    if given is None:
        return None
    found: list[list[object]] = []
    for pair in given if isinstance(given, list) else [given]:
        plain = pair if isinstance(pair, dict) else {"item": pair}
        found.append([plain.get("item"), plain.get("input") or 0])
    return found


def _file(given: object) -> object:
    """A program may have put anything in a file's place."""
    return described(given) if isinstance(given, dict) else given


def text(value: object) -> str:
    """Equal texts for equal values. Whole numbers are equal however they are written."""
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=False)


def _plain(value: object) -> object:
    if isinstance(value, float | int) and abs(value) > SAFE:
        return float(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list) else value
