"""SQLite stores with short limits, in directories of their own."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from jackfield_store_sqlite.settings import SqliteSettings
from jackfield_store_sqlite.store import SqliteStore

NewStore = Callable[..., SqliteStore]


@pytest.fixture
async def new_store(tmp_path: Path) -> AsyncIterator[NewStore]:
    """Stores of one directory that wait half a second at most; closed afterwards."""
    made: list[SqliteStore] = []

    def make(directory: Path = tmp_path, **settings: object) -> SqliteStore:
        given = {"timeout": 0.5, "busy_timeout": 20, **settings}
        store = SqliteStore(directory, SqliteSettings.model_validate(given), logging.getLogger("jackfield.test"))
        made.append(store)
        return store

    yield make
    for store in made:
        await store.close()


@pytest.fixture
async def store(new_store: NewStore) -> SqliteStore:
    opened = new_store()
    await opened.open()
    return opened


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "jackfield.db"
