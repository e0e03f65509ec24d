"""Making again what follows from the log of sessions and the ledger. Blocks; for a thread."""

from __future__ import annotations

import sqlite3
from itertools import count
from pathlib import Path

from jackfield_telemetry.service import UsageService
from jackfield_telemetry.sessions.log import READER


def rebuild(service: UsageService) -> list[str]:
    """Read sessions.jsonl from its beginning and write aggregates.json. One that is damaged, or another's, is moved to
    `aggregates.json.bak` (or `.bak1`, `.bak2` ...) first. The result: what is damaged then. Raises `StoreUnavailable`,
    `ConfigurationError`."""
    service.ledger.write(_forget_lines)
    path = service.ledger.path.with_name("aggregates.json")
    if service.aggregates.problem() is not None and path.is_file():
        path.replace(_free(path))
    service.write_aggregates()
    return service.warnings()


def _free(path: Path) -> Path:
    """A name beside that nothing has."""
    names = (path.with_name(f"{path.name}.bak{number or ''}") for number in count())
    return next(name for name in names if not name.exists())


def _forget_lines(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM lines")
    connection.execute("DELETE FROM damaged")
    connection.execute("DELETE FROM files WHERE reader = ?", (READER,))
