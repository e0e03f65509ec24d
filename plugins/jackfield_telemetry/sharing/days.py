"""A day of a ledger as bytes, and back into a ledger in memory, which every report reads like the one on the disk.

It has the sums of quarters of an hour, and the runs. Single answers are not told.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from contextlib import closing

import msgspec

from jackfield.api.storage.ledgers import MOST_DAY_BYTES
from jackfield_telemetry.ledger.schema import SLOT_MS, TABLES
from jackfield_telemetry.reports.periods import TimeSpan
from jackfield_telemetry.sharing.tracking import DAY_MS, DAY_SLOTS

FORM = 1
_MOST_OPENED = 64 * MOST_DAY_BYTES
"""Bytes of a day that is unpacked."""
_EVER = 2**62
Cells = list[int | float | str | None]
_SLOT = "slot, dim, session, step, logged, count, input, output, written, read, hours, cost, first, last"
_RUN = (
    "position, started, ended, runtime, profile, agent, provider, model, name, counted, input, output, written, read, "
    "cost_input, cost_output, cost_written, cost_read, cost_total"
)


_PUT_RUN = f"""INSERT INTO lines ({_RUN}) VALUES (
    CASE WHEN EXISTS (SELECT 1 FROM lines WHERE position = ?1) THEN NULL ELSE ?1 END,
    {", ".join(f"?{number}" for number in range(2, _RUN.count(",") + 2))})"""  # noqa: S608 - constants
"""Days that a host reported at several moments may give one place to several runs, where the log was written anew
between.
"""


class DamagedDay(Exception):
    """A day that cannot be read."""


class SharedDay(msgspec.Struct, array_like=True):
    """dims: agent, provider, profile, model, tier, source; sessions: agent, name, project. Rows name them by their
    places here. form: of this; readers know no later one."""

    form: int
    dims: list[tuple[str, str, str, str, str, str]]
    sessions: list[tuple[str, str, str]]
    slots: list[Cells]
    runs: list[Cells]


_decode = msgspec.json.Decoder(SharedDay).decode


def packed(connection: sqlite3.Connection, day: int) -> bytes:
    """Compressed. Blocks."""
    dims, sessions = _Places(), _Places()
    first, last = day * DAY_SLOTS, (day + 1) * DAY_SLOTS
    run = connection.execute
    slots = run(f"SELECT {_SLOT} FROM slots WHERE slot >= ? AND slot < ? AND count > 0", (first, last))  # noqa: S608 - a constant
    kept = [[slot, dims.of(dim), sessions.of(session), *more] for slot, dim, session, *more in slots]
    runs = run(f"SELECT {_RUN} FROM lines WHERE ended >= ? AND ended < ?", (day * DAY_MS, (day + 1) * DAY_MS))  # noqa: S608 - a constant
    made = SharedDay(
        FORM,
        dims.rows(connection, "SELECT agent, provider, profile, model, tier, source FROM dims WHERE id = ?"),  # type: ignore[arg-type]  # texts
        sessions.rows(connection, "SELECT agent, name, project FROM sessions WHERE id = ?"),  # type: ignore[arg-type]  # texts
        kept,
        [list(row) for row in runs],
    )
    return zlib.compress(msgspec.json.encode(made), 6)


def opened(days: Iterable[bytes]) -> sqlite3.Connection:
    """A ledger in memory that has these days. Raises `DamagedDay`. Blocks."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        connection.executescript(TABLES)
        add(connection, days)
    except BaseException:
        connection.close()
        raise
    return connection


def add(connection: sqlite3.Connection, days: Iterable[bytes]) -> None:
    """Further days. Raises `DamagedDay`. Blocks."""
    for data in days:
        day = _unpacked(data)
        connection.execute("BEGIN")
        try:
            _put(connection, day)
        except (sqlite3.Error, IndexError, TypeError, ValueError) as exc:
            raise DamagedDay(str(exc)) from None
        connection.execute("COMMIT")


def used(connection: sqlite3.Connection, span: TimeSpan) -> bool:
    """Whether it has anything of that time; days are those of UTC, and the span may begin and end within one."""
    first, last = span.start or 0, _EVER if span.end is None else span.end
    slots = connection.execute(
        "SELECT 1 FROM slots WHERE slot >= ? AND slot < ? LIMIT 1", (first // SLOT_MS, last // SLOT_MS)
    )
    runs = connection.execute("SELECT 1 FROM lines WHERE ended >= ? AND ended < ? LIMIT 1", (first, last))
    return slots.fetchone() is not None or runs.fetchone() is not None


def _unpacked(data: bytes) -> SharedDay:
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(data, _MOST_OPENED)
        if not unpacking.eof:
            raise DamagedDay("it does not end")
        day = _decode(text)
    except (zlib.error, msgspec.MsgspecError, UnicodeDecodeError) as exc:
        raise DamagedDay(str(exc)) from None
    if day.form != FORM:
        raise DamagedDay("a newer version has written it")
    return day


def _put(connection: sqlite3.Connection, day: SharedDay) -> None:
    dims = [_dim(connection, names) for names in day.dims]
    sessions = [_session(connection, names) for names in day.sessions]

    def placed(rows: Iterable[Cells]) -> Iterable[Sequence[object]]:
        return ((row[0], dims[int(row[1] or 0)], sessions[int(row[2] or 0)], *row[3:]) for row in rows)

    connection.executemany(f"INSERT INTO slots ({_SLOT}) VALUES ({_marks(_SLOT)})", placed(day.slots))  # noqa: S608 - constants
    connection.executemany(_PUT_RUN, day.runs)


def _dim(connection: sqlite3.Connection, names: Sequence[str]) -> int:
    columns = "agent, provider, profile, model, tier, source"
    connection.execute(f"INSERT OR IGNORE INTO dims ({columns}) VALUES (?, ?, ?, ?, ?, ?)", names)  # noqa: S608 - a constant
    same = " AND ".join(f"{name} = ?" for name in columns.split(", "))
    return int(connection.execute(f"SELECT id FROM dims WHERE {same}", names).fetchone()[0])  # noqa: S608 - of constants


def _session(connection: sqlite3.Connection, names: Sequence[str]) -> int:
    """A host may have reported days before the project was known."""
    connection.execute(
        """INSERT INTO sessions (agent, name, project) VALUES (?, ?, ?)
        ON CONFLICT (agent, name) DO UPDATE SET project = excluded.project WHERE project = ''""",
        names,
    )
    found = connection.execute("SELECT id FROM sessions WHERE agent = ? AND name = ?", names[:2])
    return int(found.fetchone()[0])


def _marks(columns: str) -> str:
    return ", ".join("?" * (columns.count(",") + 1))


class _Places:
    """Numbers of rows that are referred to, by their places in a list."""

    def __init__(self) -> None:
        self._places: dict[int, int] = {}

    def of(self, number: int) -> int:
        return self._places.setdefault(number, len(self._places))

    def rows(self, connection: sqlite3.Connection, query: str) -> list[tuple[str, ...]]:
        found: list[tuple[str, ...]] = []
        for number in self._places:
            with closing(connection.execute(query, (number,))) as rows:
                found.append(tuple(rows.fetchone()))
        return found
