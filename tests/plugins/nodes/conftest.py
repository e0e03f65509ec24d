from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from node_fakes import Bench  # noqa: E402


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)
