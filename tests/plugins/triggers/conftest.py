from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jackfield.testing.daemon import Daemon
from jackfield.testing.vendor import VendorDouble

sys.path.insert(0, str(Path(__file__).parent))

from trigger_lab import made


@pytest.fixture
def vendor() -> Iterator[VendorDouble]:
    with VendorDouble(challenge="get") as found:
        yield found


@pytest.fixture
def daemon(tmp_path: Path, vendor: VendorDouble) -> Iterator[Daemon]:
    found = made(tmp_path, vendor)
    try:
        yield found.start()
    finally:
        found.close()
