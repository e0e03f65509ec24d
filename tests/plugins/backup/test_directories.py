"""Files that are named by their content, and those whose digest is noted."""

from __future__ import annotations

import hashlib
from pathlib import Path

from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_backup.directories import verify_directory
from jackfield_binary.layout import Layout, StagedFile


async def test_a_file_with_another_id_is_compared_with_the_digest_that_was_noted(tmp_path: Path) -> None:
    layout, ident = Layout(tmp_path / "binary"), "ab" * 32
    for file_id in (None, ident):
        incoming = StagedFile(layout, file_id)
        incoming.write(b"content")
        incoming.commit("e1")
        incoming.close()
    context = FakeContext(tmp_path, ports={"Store": MemoryStore()})
    assert await verify_directory(context) == []
    own = hashlib.sha256(b"content").hexdigest()
    for name in (ident, own):
        (layout.content / name[:2] / name).write_bytes(b"contend")
    first, second = sorted(await verify_directory(context))
    assert "is damaged" in first
    assert "is damaged" in second
