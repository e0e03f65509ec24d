"""Each command of docs/plugin-tutorial.md, typed in its order by somebody who has Jackfield and nothing else."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import StrangersPlace

PAGE = Path(__file__).parents[2] / "docs/plugin-tutorial.md"
LIMIT = 600
"""Seconds: the ten minutes that the page promises, with what a machine does alone."""
pytestmark = pytest.mark.skipif(os.environ.get("TOX_ENV_NAME") != "sdk", reason="`tox -e sdk` runs the tutorial")


def commands() -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_every_command_of_the_tutorial_works(place: StrangersPlace, tmp_path: Path) -> None:
    blocks = commands()
    assert len(blocks) >= 5
    started = time.monotonic()
    try:
        printed = place.shell(blocks, tmp_path, timeout=LIMIT)
    finally:
        place.ask("pip", "uninstall", "--yes", "--quiet", "jackfield-plugin-word-tally", cwd=tmp_path)
    assert time.monotonic() - started < LIMIT
    assert "word_tally: ok" in printed
    assert re.search(r"^unit +select +Unit ", printed, re.MULTILINE), "the form has the new field"
    assert sorted(path.suffix for path in (tmp_path / "jackfield-plugin-word-tally/dist").iterdir()) == [".gz", ".whl"]
