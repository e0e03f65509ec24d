from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from gateway_lab import GatewayLab, gateway_lab


@pytest.fixture(scope="session")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayLab]:
    """One daemon for all tests that leave it running."""
    with gateway_lab(tmp_path_factory.mktemp("gateway")) as made:
        yield made
