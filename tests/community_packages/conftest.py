from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path += [str(HERE), str(HERE.parent / "plugins/community_nodes"), str(HERE.parent / "n8n")]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not os.environ.get("JACKFIELD_TEST_NPM"):
        for item in items:
            if HERE in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="set JACKFIELD_TEST_NPM to install packages from npm"))
