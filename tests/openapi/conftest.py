"""The contract between the daemon and its description of itself.

`schemathesis` makes the requests, for minutes: `tox -e openapi` and `tox -e fuzz`. Elsewhere the tests are skipped and
say so.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent))

if TYPE_CHECKING:
    from contract import Contract

ASKED = bool(os.environ.get("JACKFIELD_TEST_OPENAPI_EXAMPLES"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not ASKED:
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="minutes: `tox -e openapi`"))


@pytest.fixture
def contract(tmp_path: Path) -> Iterator[Contract]:
    from contract import Contract, Subject

    subject = Subject(tmp_path)
    yield Contract(subject)
    subject.daemon.close()
