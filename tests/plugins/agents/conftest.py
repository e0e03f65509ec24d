"""Agents over manifests in a temporary directory, with programs of the tests on PATH."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from agent_bench import Bench


@pytest.fixture
async def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bench]:
    made = Bench(tmp_path)
    monkeypatch.setenv("PATH", f"{made.bin}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(made.home))
    yield made
    await made.close()
