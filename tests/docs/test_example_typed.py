"""The files of docs/plugins.md pass `mypy --strict`, as a stranger would run it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")


def test_the_example_is_typed(plugin_files: dict[str, str], tmp_path: Path) -> None:
    sources = {name: source for name, source in plugin_files.items() if name.endswith(".py")}
    for name, source in sources.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    assert "jackfield_hello/__init__.py" in sources
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "", "--no-incremental", *sources]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_untyped_example_would_be_noticed(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(
        "from jackfield.api.auth import AuthMethod\n\n\nclass Open:\n    name = 1\n\n\nmethod: AuthMethod = Open()\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "", "--no-incremental", "wrong.py"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1
    assert "AuthMethod" in done.stdout
