from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(Path(__file__).parent), str(TESTS), str(TESTS / "plugins/community_nodes")]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not os.environ.get("JACKFIELD_TEST_NPM"):
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="set JACKFIELD_TEST_NPM to install packages from npm"))
