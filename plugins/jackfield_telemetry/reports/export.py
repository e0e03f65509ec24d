"""Usage as rows, streamed: one for each day, agent, profile, provider, model, session and project."""

from __future__ import annotations

import csv
import io
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from jackfield.api import jsontext
from jackfield.api.clock import iso
from jackfield.api.errors import Conflict, JackfieldError
from jackfield.api.records import record
from jackfield_telemetry.reports.queries import Key, Slice

log = logging.getLogger("jackfield.telemetry")
BY: tuple[Key, ...] = ("date", "agent", "profile", "provider", "model", "session", "project", "source")
COLUMNS = (
    *BY,
    "answers",
    "first_used",
    "last_used",
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "input_cost",
    "output_cost",
    "cache_creation_cost",
    "cache_read_cost",
    "total_cost",
    "priced",
    "as_of",
)
"""as_of: of what stands for a host that does not answer: until when it is complete."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
CHUNK = 500


@record
class ExportForm:
    """How an export begins and ends.

    `opened`: the end of the text before the first row. `row`: the end of a row, and how the text between it and the
    next one goes on. `quotes`: how many of these bytes begin or end a text. `between`: two rows. `end`: the text behind
    the last one, where it is whole. `cut`: how that begins where it is not. `broken`: makes that. `parts`: the whole of
    these rows."""

    opened: bytes
    row: tuple[bytes, bytes]
    quotes: Callable[[bytes], int]
    between: bytes
    end: bytes
    cut: bytes
    broken: Callable[[JackfieldError], bytes]
    parts: Callable[[Iterator[Sequence[object]]], Iterator[bytes]]


def csv_parts(rows: Iterator[Sequence[object]]) -> Iterator[bytes]:
    """A text that a spreadsheet would run as a formula gets an apostrophe in front. Nothing comes before the first rows
    have been read: until then the answer's status can tell that they cannot be."""
    before = ",".join(COLUMNS).encode() + b"\r\n"
    while part := list(islice(rows, CHUNK)):
        text = io.StringIO()
        csv.writer(text).writerows([_harmless(value) for value in row] for row in part)
        yield before + text.getvalue().encode()
        before = b""
    if before:
        yield before


def json_parts(rows: Iterator[Sequence[object]]) -> Iterator[bytes]:
    """In the envelope of all answers, `data` is the list of rows. Whether it is whole is known at the end; nothing
    comes before the first rows, as of `csv_parts`."""
    opening = before = b'{"data":['
    while part := list(islice(rows, CHUNK)):
        objects = b",".join(jsontext.dumps(dict(zip(COLUMNS, row, strict=True))) for row in part)
        yield before + objects
        before = b","
    yield (opening if before is opening else b"") + b'],"success":true}'


def csv_broken(error: JackfieldError) -> bytes:
    """The end of rows of which some are missing: a comment, which no row looks like."""
    return f"# The export is not whole: {' '.join(error.message.split())}\r\n".encode()


def json_broken(error: JackfieldError) -> bytes:
    """The same of JSON: members of the envelope."""
    members = {"success": False, "error": error.message, "code": error.code}
    return b"]," + jsontext.dumps(members)[1:]


def _csv_quotes(text: bytes) -> int:
    """One within a text is written twice, which comes to the same."""
    return text.count(b'"')


def _json_quotes(text: bytes) -> int:
    plain = text.replace(b"\\\\", b"")
    return plain.count(b'"') - plain.count(b'\\"')


FORMS: Mapping[str, ExportForm] = {
    "csv": ExportForm(
        b"\r\n", (b"\r\n", b""), _csv_quotes, b"", b"", b"# The export is not whole: ", csv_broken, csv_parts
    ),
    "json": ExportForm(
        b'{"data":[',
        (b"}", b",{"),
        _json_quotes,
        b",",
        b'],"success":true}',
        b'],"success":false,',
        json_broken,
        json_parts,
    ),
}


def told_if_broken(parts: Iterator[bytes], broken: Callable[[JackfieldError], bytes]) -> Iterator[bytes]:
    """Parts that end as `broken` says when there are no more of them.

    An error before the first part is raised: the answer's status can still tell it.
    """
    begun = False
    try:
        for part in parts:
            begun = True
            yield part
    except JackfieldError as exc:
        if not begun:
            raise
        log.error("An export of usage has broken off: %s", exc.message)
        yield broken(exc)


def limited(rows: Iterator[Sequence[object]], limit: int) -> Iterator[Sequence[object]]:
    """No more of them than that: sums over an export that is cut off without a word would be wrong. Raises
    `Conflict`."""
    yield from islice(rows, limit)
    if next(rows, None) is not None:
        raise Conflict(
            f"There are more than {limit} rows; ask for a shorter period, or raise telemetry.export_limit.",
            code="EXPORT_LIMIT",
        )


def row_of(one: Slice, as_of: str | None = None) -> Sequence[object]:
    tokens, cost = one.tokens, one.cost
    counts = (tokens.input, tokens.output, tokens.cache_creation, tokens.cache_read)
    costs = (cost.input, cost.output, cost.cache_creation, cost.cache_read, cost.total)
    used = (one.count, iso(one.first), iso(one.last))
    return (*one.keys, *used, *counts, *costs, one.unpriced is None, as_of)


def _harmless(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
