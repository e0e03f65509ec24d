"""The program of an earlier commit over a directory that the present one takes over."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from upgrade_lab import PREVIOUS, UpgradedDaemon


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[UpgradedDaemon]:
    if not PREVIOUS:
        pytest.skip("JACKFIELD_TEST_PREVIOUS names no earlier program")
    made = UpgradedDaemon(tmp_path, settings=(Path(__file__).parent / "config.toml").read_text())
    yield made
    made.close()
