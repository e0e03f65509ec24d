from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from loopback import Loopback, loopback
from node_fakes import Bench

from jackfield_nodes.http.settings import HttpSettings

sys.path.insert(0, str(Path(__file__).parent))

from http_lab import Make


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async with loopback() as made:
        yield made


@pytest.fixture
def allowing(make_bench: Make) -> Make:
    """A bench that may reach loopback, with other settings as given."""
    return lambda **more: make_bench(HttpSettings(**({"allowed_networks": ["127.0.0.0/8"]} | more)))


@pytest.fixture
def bench(allowing: Make) -> Bench:
    return allowing()
