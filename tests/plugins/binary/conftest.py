from __future__ import annotations

from pathlib import Path

import pytest

from jackfield.api.binary import BinarySettings
from jackfield_binary.store import DiskStore

LIMITS = BinarySettings(inline_limit=16, file_limit=4_000_000, read_limit=2_000_000)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "binary"


@pytest.fixture
def store(root: Path) -> DiskStore:
    return DiskStore(root, LIMITS)
