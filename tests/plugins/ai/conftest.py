from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "nodes"))

from ai_lab import AiLab
from loopback import Loopback, loopback


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async with loopback() as made:
        yield made


@pytest.fixture
async def lab(tmp_path: Path, server: Loopback) -> AsyncIterator[AiLab]:
    made = AiLab(tmp_path, server)
    yield made
    await made.close()
