"""The providers' ids of answers: what a log names so is the same as what a proxy has served under this name."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from jackfield_telemetry.ledger.batches import REQUEST_MASK, Response

EARLIER, LATER = 3_600_000, 60_000
"""Milliseconds by which a proxy may begin to serve an answer before, or after, the time in its agent's log."""
NAMES_DIFFER = (
    "coalesce((SELECT n.id FROM named AS n WHERE n.key = i.key)"
    " <> (SELECT r.id FROM responses AS r WHERE r.key = e.key), 0)"
)
"""Of `incoming AS i` and `entries AS e`: both are named, and not the same."""
_SAME = """
  incoming AS i CROSS JOIN named AS n ON n.key = i.key CROSS JOIN responses AS r ON r.id = n.id
  CROSS JOIN entries AS e ON e.key = r.key CROSS JOIN dims AS new ON new.id = i.dim CROSS JOIN dims AS old
  ON old.id = e.dim AND old.agent = new.agent
"""
_LEAVE = f"""
DELETE FROM incoming WHERE key IN (
  SELECT i.key FROM {_SAME} WHERE old.source = 'proxy' AND new.source <> 'proxy'
  AND e.time BETWEEN i.time - {EARLIER} AND i.time + {LATER})
"""  # noqa: S608 - of constants
_GIVE_WAY = f"""
INSERT OR IGNORE INTO gone SELECT e.key FROM {_SAME} WHERE old.source <> 'proxy' AND new.source = 'proxy'
  AND e.time BETWEEN i.time - {LATER} AND i.time + {EARLIER}
"""  # noqa: S608 - of constants
_SEEN = f"SELECT n.key & ~{REQUEST_MASK} FROM named AS n CROSS JOIN responses AS r ON r.id = n.id"  # noqa: S608 - of constants
_KEEP = "INSERT OR REPLACE INTO responses SELECT n.key, n.id FROM named AS n CROSS JOIN entries AS e ON e.key = n.key"


def load(connection: sqlite3.Connection, given: Sequence[Response]) -> None:
    """Of the batch that is merged next."""
    connection.execute("DELETE FROM named")
    if given:
        connection.executemany("INSERT OR REPLACE INTO named VALUES (?, ?)", given)


def keep(connection: sqlite3.Connection) -> None:
    """Of those that are stored now."""
    connection.execute(_KEEP)


def forget(connection: sqlite3.Connection) -> None:
    """Of what has given way."""
    connection.execute("DELETE FROM responses WHERE key IN (SELECT key FROM gone)")


def seen(connection: sqlite3.Connection) -> list[int]:
    """The first key that each answer's rows can have, of answers that are stored by this name, of whichever agent."""
    return [key for (key,) in connection.execute(_SEEN)]


def leave_served(connection: sqlite3.Connection) -> None:
    """Take out of `incoming` what a proxy has served by the same name."""
    connection.execute(_LEAVE)


def give_way(connection: sqlite3.Connection) -> int:
    """Put into `gone` what was read from a log and comes now from its proxy. Answers with their number."""
    return connection.execute(_GIVE_WAY).rowcount
