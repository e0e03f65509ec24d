from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "nodes"))

from registry_lab import COMMITS, Lab, Source


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """The first commit is published, nothing synced."""
    source = Source(tmp_path / "source")
    source.publish(COMMITS[0], "one")
    return Lab(tmp_path / "config", source)
