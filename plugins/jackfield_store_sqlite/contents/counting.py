"""Counts of ended executions: every transaction that ends or deletes some changes them with them. Triggers keep the
sums of spans that are over."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

from jackfield.api.execution_counts import SPAN_BITS
from jackfield_store_sqlite.rows import Value, encodable

_MOST_OPEN = 10_000
_ADD = "ON CONFLICT DO UPDATE SET number = number + excluded.number"
_GROUP = f"e.created_at >> {SPAN_BITS}, coalesce(e.workflow_id, ''), e.mode"
COUNT = f"INSERT INTO execution_counts VALUES (?, ?, ?, ?, ?) {_ADD}"  # noqa: S608 - our own words
_COUNT_ENDS = f"""INSERT INTO execution_counts SELECT {_GROUP}, w.value ->> 1, count(*)
    FROM json_each(?) w JOIN executions e ON e.id = w.value ->> 0 WHERE e.finished_at IS NULL
    GROUP BY 1, 2, 3, 4 {_ADD}"""  # noqa: S608 - our own words
_COUNT_GONE = f"""INSERT INTO execution_counts SELECT {_GROUP}, e.status, -count(*)
    FROM json_each(?) w JOIN executions e ON e.id = w.value ->> 0 AND e.data = w.value ->> 1
    WHERE e.finished_at IS NOT NULL GROUP BY 1, 2, 3, 4 {_ADD}"""  # noqa: S608 - our own words
COUNT_ALL = f"""INSERT INTO execution_counts SELECT {_GROUP}, e.status, count(*) FROM executions e
    WHERE e.finished_at IS NOT NULL GROUP BY 1, 2, 3, 4"""  # noqa: S608 - our own words

_PRESENT = "FROM execution_counts WHERE span >= (SELECT until FROM counted_spans)"
BY_WORKFLOW = f"""(SELECT workflow_id, mode, status, number FROM workflow_counts
    UNION ALL SELECT workflow_id, mode, status, number {_PRESENT})"""  # noqa: S608 - our own words
BY_SPAN = f"""(SELECT span, mode, status, number FROM span_counts
    UNION ALL SELECT span, mode, status, number {_PRESENT})"""  # noqa: S608 - our own words
_REACHED = "SELECT until FROM counted_spans"
_OVER = "FROM execution_counts WHERE span >= (SELECT until FROM counted_spans) AND span < ? GROUP BY 1, 2, 3"
_ADD_UP = (
    f"INSERT INTO workflow_counts SELECT workflow_id, mode, status, sum(number) {_OVER} {_ADD}",
    f"INSERT INTO span_counts SELECT span, mode, status, sum(number) {_OVER} {_ADD}",
    "UPDATE counted_spans SET until = ?",
)


class OpenExecutions:
    """Those that were added lately and are open still, with what tells them apart when they are counted. Belongs to the
    writer's thread. One that is here by mistake is found when its row cannot be changed."""

    def __init__(self) -> None:
        self._kinds: dict[str, tuple[Value, ...]] = {}

    def add(self, execution_id: str, kind: tuple[Value, ...]) -> None:
        """kind: span, workflow, mode."""
        if len(self._kinds) >= _MOST_OPEN:
            self._kinds.clear()
        self._kinds[execution_id] = kind

    def take(self, execution_id: str) -> tuple[Value, ...] | None:
        """None for one that is not known here."""
        return self._kinds.pop(execution_id, None)


def ended_executions(connection: sqlite3.Connection) -> int:
    """How many there are."""
    return int(connection.execute(f"SELECT sum(number) FROM {BY_WORKFLOW}").fetchone()[0] or 0)  # noqa: S608 - ours


def add_up(connection: sqlite3.Connection, span: int) -> None:
    """The spans before this one into the sums, as far as they are not in them."""
    if connection.execute(_REACHED).fetchone()[0] < span:
        for sql in _ADD_UP:
            connection.execute(sql, (span,))


def count_ends(connection: sqlite3.Connection, ends: Iterable[tuple[str, Value]]) -> None:
    """Before those of these executions that are open end, each with a status."""
    wanted = json.dumps([(encodable(ident), status) for ident, status in ends])
    connection.execute(_COUNT_ENDS, (wanted,))


def count_gone(connection: sqlite3.Connection, executions: Sequence[tuple[str, int]]) -> None:
    """Before these are deleted, each by its id and data key; open ones stay."""
    connection.execute(_COUNT_GONE, (json.dumps(executions),))
