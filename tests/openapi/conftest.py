"""The contract between the daemon and its description of itself.

`schemathesis` makes the requests. Without it the tests are skipped and say so; in continuous integration that is a
failure.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent))

if TYPE_CHECKING:
    from contract import Contract

MISSING = importlib.util.find_spec("schemathesis") is None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if MISSING and not os.environ.get("CI"):
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="schemathesis is not installed; the group `test` has it"))


@pytest.fixture
def contract(tmp_path: Path) -> Iterator[Contract]:
    from contract import Contract, Subject

    subject = Subject(tmp_path)
    yield Contract(subject)
    subject.daemon.close()
