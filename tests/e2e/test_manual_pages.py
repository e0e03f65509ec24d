"""`jackfield man`, read by groff."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    directory = tmp_path_factory.mktemp("man") / "man1"
    program = str(Path(sys.executable).with_name("jackfield"))
    done = subprocess.run([program, "man", str(directory)], capture_output=True, text=True, check=True)
    found = sorted(directory.iterdir())
    assert done.stdout == f"{len(found)} pages are written.\n"
    return found


def test_every_command_has_a_page(pages: list[Path]) -> None:
    names = {page.name for page in pages}
    assert {"jackfield.1", "jackfield-serve.1", "jackfield-workflow.1", "jackfield-workflow-run.1"} <= names
    text = next(page for page in pages if page.name == "jackfield-workflow.1").read_text()
    assert "jackfield\\-workflow\\-run(1)" in text


def test_groff_finds_nothing_wrong(pages: list[Path]) -> None:
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    # `break`: a word that is longer than its line.
    command = ["groff", "-man", "-ww", "-Wbreak", "-z", *map(str, pages)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
