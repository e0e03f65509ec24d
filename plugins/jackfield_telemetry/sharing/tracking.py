"""Which days of a ledger have changed: noted by the database itself, whoever writes, from the first sharing on. A
ledger that is never shared has nothing of this.

A day's version is a time in milliseconds where that is greater than the one before. So a ledger that is begun anew is
ahead of the versions that its predecessor has told.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from jackfield_telemetry.ledger.schema import SLOT_MS

DAY_MS = 86_400_000
DAY_SLOTS = DAY_MS // SLOT_MS
_NOW = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"


def _mark(days: str) -> str:
    """Two statements. days: a SELECT with one column `day`. Nothing here may meet a conflict: within a trigger, how the
    statement outside of it treats one would count."""
    return f"""UPDATE days SET changed = max({_NOW}, changed + 1) WHERE day IN ({days});
        INSERT INTO days SELECT m.day, {_NOW} FROM ({days}) AS m
        WHERE NOT EXISTS (SELECT 1 FROM days AS d WHERE d.day = m.day)"""  # noqa: S608 - of constants


_EVERY = f"SELECT DISTINCT slot / {DAY_SLOTS} AS day FROM slots UNION SELECT DISTINCT ended / {DAY_MS} FROM lines"  # noqa: S608 - of constants
_OF_SESSION = f"SELECT DISTINCT slot / {DAY_SLOTS} AS day FROM slots WHERE session = new.id"  # noqa: S608 - of constants
_SLOT, _RUN, _NO_RUN = (
    f"SELECT {day} AS day" for day in (f"new.slot / {DAY_SLOTS}", f"new.ended / {DAY_MS}", f"old.ended / {DAY_MS}")
)
_TRACKING = (
    "CREATE TABLE days (day INTEGER PRIMARY KEY, changed INTEGER NOT NULL)",
    *(
        f"CREATE TRIGGER {name} AFTER {event} BEGIN {_mark(days)}; END"
        for name, event, days in (
            ("day_of_new_slot", "INSERT ON slots", _SLOT),
            ("day_of_slot", "UPDATE ON slots", _SLOT),
            ("day_of_run", "INSERT ON lines", _RUN),
            ("day_of_gone_run", "DELETE ON lines", _NO_RUN),
            (
                "days_of_session",
                "UPDATE OF project ON sessions WHEN new.project <> old.project",
                _OF_SESSION,
            ),
        )
    ),
)


def track(connection: sqlite3.Connection) -> None:
    """From now on changes are noted; all that is there counts as changed the first time. Inside a transaction."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'days'").fetchone() is None:
        for statement in _TRACKING:
            connection.execute(statement)
        for statement in _mark(_EVERY).split(";"):
            connection.execute(statement)


def versions(connection: sqlite3.Connection, first: int) -> dict[int, int]:
    """Day -> version, of this day and later ones."""
    return dict(connection.execute("SELECT day, changed FROM days WHERE day >= ?", (first,)))


def pass_over(connection: sqlite3.Connection, told: Mapping[int, int]) -> None:
    """Go beyond versions that the ledger before has reported, where this ledger does not know them: it was begun anew.

    It reports days that it does not have as empty ones. Inside a transaction.
    """
    known = versions(connection, min(told, default=0))
    behind = [(day, version + 1) for day, version in told.items() if known.get(day, -1) < version]
    connection.executemany("INSERT OR REPLACE INTO days VALUES (?, ?)", behind)
