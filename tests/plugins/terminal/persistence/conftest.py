from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ..conftest import FakeProfiles
from .persistence_lab import Daemons


@pytest.fixture
def spawner() -> str:
    return "posix_spawn"


@pytest.fixture
async def daemons(tmp_path: Path, profiles: FakeProfiles, spawner: str) -> AsyncIterator[Daemons]:
    made = Daemons(tmp_path, profiles, spawner)
    await made.start()
    yield made
    await made.close()
