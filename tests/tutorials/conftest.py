"""A reader for each tutorial, where `tox run -e tutorials` has set JACKFIELD_TEST_TUTORIALS."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from .reader import Reader


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    if not os.environ.get("JACKFIELD_TEST_TUTORIALS"):
        pytest.skip("tox run -e tutorials")
    made = Reader(tmp_path)
    yield made
    made.close()
