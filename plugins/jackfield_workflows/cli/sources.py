"""Where commands read workflows and input from: files, directories, standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from jackfield.api import jsontext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield.api.workflows import Document, Item, Items
from jackfield_workflows.starts import read_items

STDIN = "-"
LARGEST = 64 * 1024 * 1024
"""Bytes of one file."""


@record
class WorkflowFile:
    """One file. documents: what is in it, a list's elements one by one; problem: why it cannot be read."""

    name: str
    documents: Sequence[Json] = ()
    problem: str = ""


def read_sources(paths: Sequence[str]) -> Iterator[WorkflowFile]:
    """Every file in the order given; of a directory all `*.json` below it, by path."""
    for path in paths:
        if path != STDIN and Path(path).is_dir():
            files = sorted(found for found in Path(path).rglob("*.json") if found.is_file())
            if not files:
                yield WorkflowFile(path, problem="The directory has no *.json file.")
            yield from (_read(str(file)) for file in files)
        else:
            yield _read(path)


def read_one(path: str) -> Document:
    """The one workflow of a file. Raises `InvalidInput`."""
    found = _read(path)
    if found.problem:
        raise InvalidInput(f"{found.name}: {found.problem}")
    if len(found.documents) != 1:
        raise InvalidInput(f"{found.name} holds {len(found.documents)} workflows; give a file with one.")
    document = found.documents[0]
    if not isinstance(document, dict):
        raise InvalidInput(f"{found.name}: A workflow must be an object with nodes and connections.")
    return document


def _read(path: str) -> WorkflowFile:
    name = "standard input" if path == STDIN else path
    try:
        value = jsontext.loads(_text(path))
    except OSError as exc:
        return WorkflowFile(name, problem=f"It cannot be read: {exc.strerror}.")
    except InvalidInput as exc:
        where = "; ".join(map(str, (exc.details or {}).values()))
        return WorkflowFile(name, problem=exc.message.replace("The body", "It") + (f" {where}" if where else ""))
    return WorkflowFile(name, value if isinstance(value, list) else [value])


def _text(path: str) -> bytes:
    """Raises OSError and `InvalidInput`."""
    if path == STDIN:
        data = sys.stdin.buffer.read(LARGEST + 1)
    else:
        with Path(path).open("rb") as file:
            data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise InvalidInput(f"The body has more than {LARGEST >> 20} MiB.")
    return data.removeprefix(b"\xef\xbb\xbf")  # what some editors put in front of UTF-8


def read_input(given: str | None) -> Items | None:
    """Items of `--input`: JSON, `@file`, or `-`.

    An object is one item's json, unless it has the form of an item or of the API's body. The same holds for the
    elements of a list. Raises `InvalidInput`.
    """
    if given is None:
        return None
    if given == STDIN or given.startswith("@"):
        name = given.removeprefix("@")
        try:
            text: bytes | str = _text(name)
        except OSError as exc:
            raise InvalidInput(f"The input {name} cannot be read: {exc.strerror}.") from None
    else:
        text = given
    try:
        value = jsontext.loads(text)
    except InvalidInput as exc:
        where = "; ".join(map(str, (exc.details or {}).values()))
        raise InvalidInput(f"The input is not valid JSON: {where}. Give JSON, @file, or -.") from None
    return _items(value)


def _items(value: Json) -> Items | None:
    if isinstance(value, dict) and value.keys() == {"inputData"}:
        return read_items(value)
    rows = value if isinstance(value, list) else [value]
    for row in rows:
        if not isinstance(row, dict):
            raise InvalidInput("The input must be an object, or a list of objects: one per item.")
    return read_items([_item(row) for row in rows])  # type: ignore[arg-type,misc]  # objects, see above


def _item(row: dict[str, Json]) -> Item | dict[str, Json]:
    return row if isinstance(row.get("json"), dict) else {"json": row}
