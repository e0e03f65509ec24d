"""Documents of files, by the files' own types. Sources: n8n's N8nBinaryLoader and N8nPdfLoader, LangChain.js'
JSONLoader, CSVLoader and TextLoader, RFC 6901."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import cast

from jackfield.api.ai import Document
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeError
from jackfield.api.object_references import load
from jackfield.api.records import record
from jackfield_ai.retrieval.item_texts import numbered, texts_of, whole

_PDF = "jackfield_ai.retrieval.pdf:pages_of"
"""By object reference: few documents are PDFs, and `pypdf` is large."""
_JSON, _CSV, _PDF_TYPE = "application/json", "text/csv", "application/pdf"
_TEXTUAL = (_JSON, "application/xml", "application/csv", "application/x-ndjson", "application/yaml")
_DEPTH = 200
_SHOWN = 20
"""Columns that a message names."""


@record
class FileReading:
    """How files become documents. `pointers`: JSON pointers, separated by commas; empty: all texts. `split_pages`: a
    document for each page of a PDF. `column`: of a CSV file, the one that is read; empty: all of them. `separator`: of
    a CSV file, one character."""

    pointers: str = ""
    split_pages: bool = False
    column: str = ""
    separator: str = ","


def documents_of_file(content: bytes, media_type: str, reading: FileReading) -> list[Document]:
    """A document for each text of JSON, each row of CSV, and each page of a PDF that is split; any other file is one.
    Raises `NodeError`."""
    kind = _kind(media_type)
    if _is_pdf(content, kind):
        pages = _pages(content)
        return _split(pages, media_type) if reading.split_pages else [whole("\n\n".join(pages), media_type)]
    text = text_of_file(content, media_type)
    if kind == _CSV:
        return numbered(list(_rows(text, reading)), media_type)
    if kind != _JSON:
        return [whole(text, media_type)]
    try:
        return pointed(loads(text), reading.pointers)
    except InvalidInput:
        raise NodeError("The file's type is JSON, but it is not valid JSON.") from None


def text_of_file(content: bytes, media_type: str) -> str:
    """The text of a file. Raises `NodeError` for a type without one."""
    kind = _kind(media_type)
    if _is_pdf(content, kind):
        return "\n\n".join(_pages(content))
    if kind.startswith("text/") or kind in _TEXTUAL or kind.endswith(("+json", "+xml")):
        return content.decode("utf-8-sig", "replace")
    raise NodeError(f"The file's type {kind or 'is unknown and'} cannot be read as text; extract its text before.")


def _kind(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


def _is_pdf(content: bytes, kind: str) -> bool:
    return kind == _PDF_TYPE or content[:5] == b"%PDF-"


def _pages(content: bytes) -> Sequence[str]:
    return cast("Callable[[bytes], Sequence[str]]", load(_PDF))(content)


def _split(pages: Sequence[str], media_type: str) -> list[Document]:
    """Pages without a text are none."""
    pdf: dict[str, Json] = {"totalPages": len(pages)}
    return [
        Document(text, {**whole(text, media_type).metadata, "pdf": pdf, "loc": {"pageNumber": number}})
        for number, text in enumerate(pages, 1)
        if text.strip()
    ]


def _rows(text: str, reading: FileReading) -> Iterator[str]:
    """A text for each row below the first, which names the columns. Raises `NodeError`."""
    reader = csv.reader(io.StringIO(text.strip(), newline=""), delimiter=reading.separator[:1] or ",")
    try:
        names = next(reader, [])
        if reading.column and reading.column not in names:
            shown = ", ".join(names[:_SHOWN])
            raise NodeError(f"The CSV file has no column {reading.column[:100]} (column); it has {shown}.")
        for row in reader:
            cells = dict(zip(names, chain(row, [""] * (len(names) - len(row))), strict=False))
            yield (
                cells[reading.column]
                if reading.column
                else "\n".join(f"{name.strip()}: {cell.strip()}" for name, cell in cells.items())
            )
    except csv.Error as exc:
        raise NodeError(f"The CSV file cannot be read at line {reader.line_num}: {exc}.") from None


def pointed(value: Json, pointers: str) -> list[Document]:
    """A document for each text below what one of the pointers leads to, at the highest level that has any, and beside
    it. Without pointers: for each text, once; n8n asks LangChain.js for the pointer "", which gives some of them
    again."""
    paths = [path for one in pointers.split(",") if (path := one.strip())]
    if not paths:
        return texts_of(value)
    return numbered(list(_pointed(value, [_steps(path) for path in paths], found=False, depth=0)))


def _pointed(value: Json, paths: Sequence[Sequence[str]], *, found: bool, depth: int) -> Iterator[str]:
    if not isinstance(value, dict | list) or depth > _DEPTH:
        return
    targets = [target for path in paths if (target := _at(value, path))]
    for target in targets:
        yield from (document.text for document in texts_of(target))
    if not targets and found:
        return
    for inner in value.values() if isinstance(value, dict) else value:
        if not any(inner is target for target in targets):
            yield from _pointed(inner, paths, found=found or bool(targets), depth=depth + 1)


def _steps(path: str) -> list[str]:
    """Raises `NodeError` for what is no JSON pointer."""
    if not path.startswith("/"):
        raise NodeError(f"The pointer {path[:100]!r} is none; a JSON pointer begins with /, such as /text.")
    return [step.replace("~1", "/").replace("~0", "~") for step in path[1:].split("/")]


def _at(value: Json, path: Sequence[str]) -> Json:
    for step in path:
        if isinstance(value, list):
            value = value[int(step)] if step.isdecimal() and int(step) < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value
