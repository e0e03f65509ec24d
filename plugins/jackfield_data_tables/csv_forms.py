"""How a CSV file is written: its encoding and what stands between its cells, as they are named or recognised."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Mapping, Sequence
from typing import Literal

from jackfield.api.records import record

Encoding = Literal["utf-8", "utf-16", "latin-1", "windows-1252"]
Delimiter = Literal["comma", "semicolon", "tab", "pipe"]
SIGNS: Mapping[Delimiter, str] = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
SAMPLE_SIZE = 64 * 1024
"""Bytes from the beginning of a file by which its form is recognised."""
_ROWS = 20
_MOST_UTF_16 = 0.2
"""The share of zero bytes from which a text without a mark is UTF-16: every second byte of an English one."""


@record
class CsvForm:
    encoding: Encoding
    delimiter: Delimiter

    @property
    def sign(self) -> str:
        return SIGNS[self.delimiter]


def marked(sample: bytes) -> Encoding | None:
    """The encoding that the byte order mark of a file names; None: it has none."""
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    return "utf-8" if sample.startswith(codecs.BOM_UTF8) else None


def recognised_encoding(sample: bytes) -> Encoding:
    """By the mark, then by what the bytes can be. Bytes that are no UTF-8 are taken for Windows' encoding, which has
    every printable character of Latin-1 in the same place."""
    mark = marked(sample)
    if mark is not None:
        return mark
    if sample.count(0) > _MOST_UTF_16 * max(len(sample), 1):
        return "utf-16"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return "windows-1252"
    return "utf-8"


def recognised_delimiter(sample: bytes, encoding: Encoding) -> Delimiter:
    """The character that gives the first lines the same number of cells, and as many as possible; else a comma."""
    text = codecs.getincrementaldecoder(codec(encoding, sample))("replace").decode(sample)
    return max(SIGNS, key=lambda each: _fit(text, SIGNS[each]))


def codec(encoding: Encoding, sample: bytes) -> str:
    """Python's name. sample: the beginning of the file."""
    if encoding == "utf-16" and marked(sample) is None:
        return "utf-16-be" if sample[:1] == b"\0" else "utf-16-le"
    return "utf-8-sig" if encoding == "utf-8" else encoding


def _fit(text: str, sign: str) -> tuple[float, int]:
    """The share of lines with as many cells as the first, and how many these are; nothing for a single one."""
    lines: list[Sequence[str]] = []
    try:
        for line in csv.reader(text.splitlines(keepends=True), delimiter=sign):
            if line:
                lines.append(line)
            if len(lines) > _ROWS:
                break
    except csv.Error:
        return (0, 0)
    whole = lines[:-1] if len(lines) > 2 else lines  # the sample may end within a line
    if not whole or len(whole[0]) == 1:
        return (0, 0)
    return (sum(len(line) == len(whole[0]) for line in whole) / len(whole), len(whole[0]))
