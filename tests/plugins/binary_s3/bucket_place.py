"""A bucket of its own for a test, and daemons that keep files in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jackfield.api.binary import BinarySettings
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_binary_s3.making import s3_store
from jackfield_binary_s3.settings import S3Settings
from jackfield_binary_s3.store import S3BinaryStore

MIB = 2**20
LIMITS = BinarySettings(inline_limit=16, file_limit=16 * MIB, read_limit=13 * MIB)


@dataclass
class Place:
    """A bucket, and what looks into it."""

    settings: S3Settings
    directory: Path
    client: Any
    rows: MemoryStore = field(default_factory=MemoryStore)
    clock: FakeClock = field(default_factory=FakeClock)

    def context(self, **changes: object) -> FakeContext:
        """That of one more daemon with the same store."""
        tables = [self.settings.model_copy(update=changes), LIMITS]
        return FakeContext(self.directory, clock=self.clock, tables=tables, ports={"Store": self.rows})

    def store(self, **changes: object) -> S3BinaryStore:
        return s3_store(self.context(**changes))

    def keys(self) -> list[str]:
        found = self.client.list_objects_v2(Bucket=self.settings.bucket)
        return [each["Key"] for each in found.get("Contents", ())]

    def unfinished(self) -> int:
        return len(self.client.list_multipart_uploads(Bucket=self.settings.bucket).get("Uploads", ()))
