"""Windows of use. Each begins with the hour of an answer and is that many hours long, the next begins with the first
answer after it. Every answer is in exactly one.

A window consists of whole slots, so that the ledger's sums suffice: no answer needs to be looked at.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from jackfield.api.records import record
from jackfield_telemetry.ledger.schema import SLOT_MS
from jackfield_telemetry.reports.queries import UsageFilter

HOUR_MS = 3_600_000
_LAST_MS = 253_402_300_799_999
"""The end of the year 9999, which a damaged log may have, and the last that can be written."""
_USED = """
SELECT slot, min(first), max(last) FROM (
  SELECT s.slot AS slot, s.first AS first, s.last AS last FROM slots AS s WHERE s.count > 0{answers}
  UNION ALL SELECT l.ended / {size}, l.ended, l.ended FROM lines AS l
  WHERE l.counted = 0 AND (l.input + l.output + l.written + l.read > 0 OR l.cost_total > 0){runs}
) GROUP BY slot ORDER BY slot
"""
IN_PROJECT = "(project = :project OR substr(project, -length(:project) - 1) = '/' || :project)"
"""SQL: a project is its directory's path, or the last parts of it."""


@record
class BlockWindow:
    """start, end: whole hours of UTC, the end is not in it; first, last: of its answers. All Unix ms."""

    start: int
    end: int
    first: int
    last: int


def windows(connection: sqlite3.Connection, where: UsageFilter, project: str, hours: int) -> list[BlockWindow]:
    """By time. `where.span` does not count: where a window begins depends on what was before."""
    found: list[BlockWindow] = []
    for slot, first, last in _used(connection, where, project):
        moment = slot * SLOT_MS
        if found and moment < found[-1].end:
            open_ = found[-1]
            found[-1] = BlockWindow(open_.start, open_.end, open_.first, max(last, open_.last))
        else:
            start = moment // HOUR_MS * HOUR_MS
            found.append(BlockWindow(start, min(start + hours * HOUR_MS, _LAST_MS), first, last))
    return found


def belongs(project: str, asked: str) -> bool:
    """As `IN_PROJECT`."""
    return project == asked or project.endswith(f"/{asked}")


def _used(connection: sqlite3.Connection, where: UsageFilter, project: str) -> Iterator[tuple[int, int, int]]:
    """(slot, first, last) of each slot that something was used in, by time."""
    values = {name: getattr(where, name) for name in ("agent", "provider", "profile", "model") if getattr(where, name)}
    same = "".join(f" AND {name} = :{name}" for name in values)
    answers = f" AND s.dim IN (SELECT id FROM dims WHERE 1{same})" if same else ""  # noqa: S608 - of constants
    runs = same
    if project:
        values["project"] = project
        answers += f" AND s.session IN (SELECT id FROM sessions WHERE {IN_PROJECT})"  # noqa: S608 - of constants
        runs = " AND 0"
    yield from connection.execute(_USED.format(answers=answers, runs=runs, size=SLOT_MS), values)
