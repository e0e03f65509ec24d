from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from node_fakes import Bench


@pytest.fixture
async def make_bench(tmp_path: Path) -> AsyncIterator[Callable[..., Bench]]:
    """Makes benches with these settings tables, and closes them."""
    made: list[Bench] = []

    def make(*tables: Any, **more: Any) -> Bench:
        made.append(Bench(tmp_path, *tables, **more))
        return made[-1]

    yield make
    for bench in made:
        await bench.close()


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    return make_bench()
