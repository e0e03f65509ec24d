"""The beginning of a CSV file, and what its columns may become. It blocks; let a thread do it."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import IO

from jackfield.api.jsontext import Json
from jackfield.api.storage.tables import SYSTEM_COLUMNS
from jackfield_data_tables.csv_forms import (
    SAMPLE_SIZE,
    CsvForm,
    Delimiter,
    Encoding,
    codec,
    marked,
    recognised_delimiter,
    recognised_encoding,
)
from jackfield_data_tables.csv_texts import SAMPLE, CsvFile, types_of
from jackfield_data_tables.service import MOST_COLUMN_NAME
from jackfield_data_tables.values import TableRefusal
from jackfield_data_tables.views import DRY_RUN

ROWS = 20
LONGEST_CELL = 200
"""Characters of a cell that are shown."""
_OTHER = re.compile(r"[^a-zA-Z0-9]+", re.ASCII)
_RESERVED = {each.lower() for each in (*SYSTEM_COLUMNS, DRY_RUN)}


def form_of(file: IO[bytes], encoding: Encoding | None, delimiter: Delimiter | None) -> CsvForm:
    """None: the encoding that the file's mark names, else UTF-8; the delimiter that is recognised."""
    file.seek(0)
    sample = file.read(SAMPLE_SIZE)
    known = encoding or marked(sample) or "utf-8"
    return CsvForm(known, delimiter or recognised_delimiter(sample, known))


def preview(sample: bytes, encoding: Encoding | None, delimiter: Delimiter | None, *, whole: bool) -> dict[str, Json]:
    """The form of a file, named or recognised, its columns, and its first rows. whole: the sample is all the file.
    Else its last line may be cut off. Raises `TableRefusal`."""
    known = encoding or recognised_encoding(sample)
    form = CsvForm(known, delimiter or recognised_delimiter(sample, known))
    text = _decoded(sample, known, whole=whole)
    file = CsvFile(io.BytesIO(text.encode()), CsvForm("utf-8", form.delimiter))
    header, rows = file.header(), list(islice(_rows(file, whole=whole), SAMPLE))
    columns: list[Json] = [
        {"name": name, "suggestedName": suggested, "type": kind}
        for name, suggested, kind in zip(header, suggested_names(header), types_of(len(header), rows), strict=True)
    ]
    shown: list[Json] = [[cell[:LONGEST_CELL] for cell in cells[: len(header)]] for cells in rows[:ROWS]]
    return {"encoding": form.encoding, "delimiter": form.delimiter, "columns": columns, "rows": shown}


def _decoded(sample: bytes, encoding: Encoding, *, whole: bool) -> str:
    """Lines that are whole, as far as there are some."""
    decoder = codecs.getincrementaldecoder(codec(encoding, sample))()
    try:
        text = decoder.decode(sample, final=whole)
    except UnicodeError:
        details = {"encoding": "name the one in which the file is written"}
        raise TableRefusal(f"the CSV file is not in {encoding.upper()}", details=details) from None
    return text if whole else text[: text.rfind("\n") + 1] or text


def _rows(file: CsvFile, *, whole: bool) -> Iterator[Sequence[str]]:
    try:
        yield from (cells for _, cells in file.rows())
    except TableRefusal:
        if whole:
            raise  # else a cell in quotes is cut off


def suggested_names(header: Sequence[str]) -> list[str]:
    """For each column of a file a name that a column may have, each another one."""
    made: list[str] = []
    taken = set(_RESERVED)
    numbers: dict[str, int] = {}  # a file may have a hundred thousand columns of one name
    for place, name in enumerate(header, 1):
        plain = _OTHER.sub("_", name).strip("_").lstrip("0123456789_")[:MOST_COLUMN_NAME] or f"column_{place}"
        tried, number = plain, numbers.get(plain.lower(), 2)
        while tried.lower() in taken:
            ending = f"_{number}"
            tried, number = plain[: MOST_COLUMN_NAME - len(ending)] + ending, number + 1
        numbers[plain.lower()] = number
        taken.add(tried.lower())
        made.append(tried)
    return made
