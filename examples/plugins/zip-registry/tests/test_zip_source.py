"""Files come out of the archive whole, and what is missing is told."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

from jackfield.api.errors import ConfigurationError, UpstreamFailed
from jackfield_zip_registry.source import BLOCK, ZipSource

LARGE = b"x" * (BLOCK + 1)


@pytest.fixture
def archive(tmp_path: Path) -> str:
    path = tmp_path / "registry.zip"
    with ZipFile(path, "w") as file:
        file.writestr("registry.json", b"{}")
        file.writestr("a/large", LARGE)
    return f"zip://{path}"


async def fetched(base: str, path: str) -> bytes:
    found = bytearray()

    async def sink(block: bytes) -> None:
        found.extend(block)

    async with ZipSource().open(base) as source:
        await source.fetch(path, sink)
    return bytes(found)


async def test_files_come_whole(archive: str) -> None:
    assert await fetched(archive, "registry.json") == b"{}"
    assert await fetched(archive, "a/large") == LARGE


async def test_what_is_not_there_is_told(archive: str, tmp_path: Path) -> None:
    with pytest.raises(UpstreamFailed, match=r"registry\.zip has no nothing"):
        await fetched(archive, "nothing")
    with pytest.raises(UpstreamFailed, match="is no zip file"):
        await fetched(f"zip://{tmp_path}/missing.zip", "registry.json")
    with pytest.raises(ConfigurationError, match="zip:///directory"):
        await fetched("zip://elsewhere/registry.zip", "registry.json")
