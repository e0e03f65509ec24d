"""Every project that `jackfield plugins new` makes is green at its first run: `tox -e sdk`."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jackfield.cli.plugin_projects.kinds import KINDS

if TYPE_CHECKING:
    from conftest import StrangersPlace

pytestmark = pytest.mark.skipif(os.environ.get("TOX_ENV_NAME") != "sdk", reason="`tox -e sdk` makes every kind")


@pytest.mark.parametrize("kind", KINDS)
def test_a_project_is_green_at_its_first_run(kind: str, place: StrangersPlace, tmp_path: Path) -> None:
    place.run("jackfield", "plugins", "new", kind, f"made-{kind}", "--author", "Ada", cwd=tmp_path)
    project = tmp_path / f"jackfield-plugin-made-{kind}"
    try:
        place.shell(["pip install --quiet -e '.[dev]'", "pytest -q", "mypy", "ruff check"], project)
        place.run("ruff", "format", "--check", cwd=project)
        assert place.run("jackfield", "plugins", "check", ".", cwd=project).strip().endswith(": ok")
        place.shell(["python -m build --no-isolation", "twine check --strict dist/*"], project)
        names = place.run("python", "-m", "zipfile", "-l", *map(str, (project / "dist").glob("*.whl")), cwd=project)
        assert "py.typed" in names
        assert "licenses/LICENSE" in names
    finally:
        place.ask("pip", "uninstall", "--yes", "--quiet", f"jackfield-plugin-made-{kind}", cwd=tmp_path)
        shutil.rmtree(project, ignore_errors=True)


@pytest.mark.parametrize(
    ("kind", "name", "taken"),
    [
        ("node", "http-request", "node:httpRequest comes with Jackfield"),
        ("webhook-preset", "github", "webhook preset:github comes with Jackfield"),
        ("auth", "server", r"settings table \[server\]"),
        ("store", "sqlite", "store:sqlite comes with Jackfield"),
    ],
)
def test_a_name_that_jackfield_would_refuse_is_taken(
    kind: str, name: str, taken: str, place: StrangersPlace, tmp_path: Path
) -> None:
    done = place.ask("jackfield", "plugins", "new", kind, name, cwd=tmp_path)
    assert done.returncode == 1
    assert re.match(f"jackfield: NAME: .*{taken}", done.stderr)
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
