from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ..conftest import FakeProfiles
from .persistence_lab import Daemons


@pytest.fixture
async def daemons(tmp_path: Path, profiles: FakeProfiles) -> AsyncIterator[Daemons]:
    made = Daemons(tmp_path, profiles)
    await made.start()
    yield made
    await made.close()
