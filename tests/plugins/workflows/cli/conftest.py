from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

sys.path.insert(0, str(Path(__file__).parent))

from cli_lab import CliLab

from jackfield_workflows.cli.commands import workflow

Run = Callable[..., Result]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliLab:
    for name in ("JACKFIELD_DAEMON_ENDPOINT", "JACKFIELD_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return CliLab(tmp_path / "config")


@pytest.fixture
def run(cli: CliLab) -> Run:
    """Runs `jackfield workflow` with these arguments and returns what came of it."""

    def invoke(*arguments: str | Path, stdin: str | None = None) -> Result:
        return CliRunner().invoke(workflow, [str(part) for part in arguments], obj=cli, input=stdin)

    return invoke
