"""Files that a browser sends."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from jackfield_migration.bundle import Bundle
from jackfield_migration.reading.cipher import N8nCipher
from jackfield_migration.reading.files import BundleReader
from jackfield_migration.settings import MigrationSettings

Upload = tuple[str, IO[bytes]]
"""Name as the browser says it, and content."""


async def read_uploads(
    files: Sequence[Upload], keys: Sequence[str], settings: MigrationSettings
) -> tuple[Bundle, N8nCipher | None]:
    """Everything that they hold, and what opens it."""
    return await asyncio.to_thread(_read, files, keys, settings.document_limit)


def _read(files: Sequence[Upload], keys: Sequence[str], limit: int) -> tuple[Bundle, N8nCipher | None]:
    reading = BundleReader(Bundle(), N8nCipher(keys) if keys else None, limit)
    with tempfile.TemporaryDirectory(prefix="jackfield-upload-") as place:
        for index, (name, stream) in enumerate(files):
            kept = Path(place) / str(index)  # never a name that somebody else has chosen
            with kept.open("wb") as target:
                shutil.copyfileobj(stream, target)
            reading.file(kept, name)
    return reading.bundle, reading.cipher
