"""The output of `n8n export:entities`: a zip of one file per table, whose lines are sealed pieces of its rows."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

from jackfield.api.errors import InvalidInput
from jackfield_migration.bundle import Bundle
from jackfield_migration.reading.cipher import DataKey, N8nCipher
from jackfield_migration.reading.data_tables import COLUMNS, ROWS, TABLES
from jackfield_migration.reading.tables import Row, data_keys, read_tables

ENTITIES: Mapping[str, str] = {
    "workflow_entity": "workflowentity",
    "workflow_history": "workflowhistory",
    "credentials_entity": "credentialsentity",
    "variables": "variables",
    "tag_entity": "tagentity",
    "workflows_tags": "workflowtagmapping",
    "folder": "folder",
    "project": "project",
    "shared_workflow": "sharedworkflow",
    TABLES: "datatable",
    COLUMNS: "datatablecolumn",
    "deployment_key": "deploymentkey",
    "user": "user",
}
"""Table -> the name of its files. Rows of a data table stand in files with the name of their table."""
_MAGIC = b"PK\x03\x04"
_PART = re.compile(rf"(?:.*/)?([a-z]+|{ROWS}[A-Za-z0-9-]+)(?:\.([0-9]+))?\.jsonl")
_NO_KEY = (
    "An export of entities is encrypted. Give the key of the n8n that wrote it, and in a second line the one of "
    "--keyFile, if it was written with one."
)


def is_archive(path: Path, origin: str) -> bool:
    """Whether it is a zip file, or was to be one by its name or its first bytes: half a file has lost its directory."""
    if zipfile.is_zipfile(path) or origin.lower().endswith(".zip"):
        return True
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def read_archive(
    file: Path | IO[bytes], origin: str, bundle: Bundle, cipher: N8nCipher | None, limit: int
) -> list[DataKey]:
    """Add what the archive holds. limit: bytes of one file in it. Raises `InvalidInput`."""
    try:
        with zipfile.ZipFile(file) as archive:
            files = _files(archive)
            if "workflowentity" not in files:
                raise InvalidInput(
                    "It is a zip file, but not of `n8n export:entities`: it has no workflowentity.jsonl."
                )
            if cipher is None:
                raise InvalidInput(_NO_KEY)
            tables = _Tables(archive, files, cipher, limit)
            read_tables(tables.rows, origin, bundle, tables.count)
            return list(data_keys(tables.rows))
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as exc:
        raise InvalidInput(f"It is no whole zip file: {exc}. Export again, or copy the file once more.") from None


def _files(archive: zipfile.ZipFile) -> Mapping[str, list[str]]:
    """Entity -> its files in order."""
    found: dict[str, list[tuple[int, str]]] = {}
    for name in archive.namelist():
        if part := _PART.fullmatch(name):
            found.setdefault(part[1], []).append((int(part[2] or 1), name))
    return {entity: [name for _, name in sorted(parts)] for entity, parts in found.items()}


class _Tables:
    def __init__(self, archive: zipfile.ZipFile, files: Mapping[str, list[str]], cipher: N8nCipher, limit: int) -> None:
        self._archive = archive
        self._files = files
        self._cipher = cipher
        self._limit = limit
        self._has_rows = any(name.startswith(ROWS) for name in files)

    def rows(self, table: str) -> Iterator[Row]:
        """Raises `InvalidInput`."""
        for name in self._files.get(ENTITIES.get(table, table), ()):
            with self._archive.open(name) as file:
                data = file.read(self._limit + 1)
            if len(data) > self._limit:
                raise InvalidInput(f"Its file {name} has more than {self._limit} bytes (migration.document_limit).")
            for piece in data.decode("utf-8", "replace").split():
                yield from self._opened(piece, name)

    def count(self, table: str) -> int:
        if table == COLUMNS and not self._has_rows:
            return 0  # tables without rows would be taken for whole; --includeDataTableRows=false leaves them out
        return sum(1 for _ in self.rows(table))

    def _opened(self, piece: str, name: str) -> Iterator[Row]:
        for row in self._cipher.lines(piece):
            if not isinstance(row, dict):
                raise InvalidInput(f"Its file {name} has a line that is no object.")
            yield row
