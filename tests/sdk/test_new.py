"""`jackfield plugins new`: names, licences, messages, and that nothing is overwritten or left half made."""

from __future__ import annotations

import ast
import json
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from jackfield.api.errors import ConfigurationError, Conflict
from jackfield.cli.main import jackfield
from jackfield.cli.plugin_projects import command
from jackfield.cli.plugin_projects.command import make
from jackfield.cli.plugin_projects.kinds import KINDS, LICENSES
from jackfield.cli.plugin_projects.making import ProjectWish, make_project
from jackfield.cli.plugin_projects.names import LONGEST, checked_names


def wish(directory: Path, kind: str = "node", name: str = "word-count", license: str = "MIT") -> ProjectWish:
    return ProjectWish(kind, checked_names(name), directory, license, 'Ada "the first" Lovelace')


@pytest.mark.parametrize("name", ["x", "a" * LONGEST, "word-count"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_file_can_be_read_whatever_the_name(kind: str, name: str, tmp_path: Path) -> None:
    made = make_project(wish(tmp_path / "made", kind, name))
    names = checked_names(name)
    for file in made.files:
        text = (made.directory / file).read_text(encoding="utf-8")
        assert "@@" not in text, file
        if file.endswith(".py"):
            ast.parse(text, file)
        if file.endswith(".toml"):
            tomllib.loads(text)
    project = tomllib.loads((made.directory / "pyproject.toml").read_text())["project"]
    assert project["name"] == names.distribution
    assert project["entry-points"]["jackfield"] == {names.plugin: f"{names.package}:{names.pascal}Plugin"}
    assert project["authors"] == [{"name": 'Ada "the first" Lovelace'}]
    assert {".gitignore", ".pre-commit-config.yaml", ".github/workflows/release.yml"} <= {*made.files}
    assert {"LICENSE", "README.md", ".github/workflows/check.yml", f"src/{names.package}/py.typed"} <= {*made.files}
    assert [file for file in made.files if file.startswith("tests/test_") and file != "tests/test_loaded.py"]


@pytest.mark.parametrize("license", LICENSES)
def test_a_licence_is_named_and_there(license: str, tmp_path: Path) -> None:
    made = make_project(wish(tmp_path / "made", license=license))
    project = tomllib.loads((made.directory / "pyproject.toml").read_text())["project"]
    private = "Private :: Do Not Upload" in project["classifiers"]
    assert ("LICENSE" in made.files) is (project["license-files"] == ["LICENSE"]) is not private
    assert project["license"] == ("LicenseRef-Proprietary" if license == "none" else license)


@pytest.mark.parametrize(
    "name", ["", "Word", "word_count", "-word", "word--count", "1st", "class", "../up", "a" * (LONGEST + 1), "engine"]
)
def test_a_name_that_no_plugin_can_have_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^NAME: "):
        checked_names(name)


def test_the_prefix_of_distributions_may_be_given_too() -> None:
    assert checked_names("jackfield-plugin-word-count") == checked_names("word-count")


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made/README.md").write_text("mine")
    with pytest.raises(Conflict, match="nothing is overwritten"):
        make_project(wish(tmp_path / "made"))
    assert (tmp_path / "made/README.md").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["made"]


def test_an_empty_directory_is_taken(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    assert (make_project(wish(tmp_path / "made")).directory / "pyproject.toml").is_file()


def test_a_project_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        make_project(wish(tmp_path / "file/made"))
    with pytest.raises(ConfigurationError, match="--author"):
        make_project(ProjectWish("node", checked_names("word-count"), tmp_path / "made", "MIT", "a\nb"))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_command_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "refusals", lambda _directory: [])  # `tox -e sdk` asks Jackfield
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(jackfield, ["plugins", "new", "sink", "word-count"])
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[1:] == [
        "  cd jackfield-plugin-word-count",
        "  pip install -e '.[dev]'",
        "  pytest && mypy && ruff check",
    ]
    told = CliRunner().invoke(jackfield, ["plugins", "new", "sink", "word-count", "--dir", "a b", "--json"])
    assert json.loads(told.output)["next"][0] == "cd 'a b'"


@pytest.mark.parametrize("name", ["python3", "sh", "claude"])
def test_no_program_takes_the_place_of_another(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=f"^NAME: .* {name}.*choose another name"):
        make("agent", name, directory=tmp_path / "made", license="MIT", author=None)
    assert list(tmp_path.iterdir()) == []


def test_what_jackfield_refuses_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "refusals", lambda _directory: ["its table is taken"])
    with pytest.raises(ConfigurationError, match="with the name server: its table is taken"):
        make("auth", "server", directory=tmp_path / "made", license="MIT", author=None)
    assert list(tmp_path.iterdir()) == []


def test_the_directory_in_which_somebody_stands_is_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "made").mkdir()
    monkeypatch.chdir(tmp_path / "made")
    make_project(wish(Path()))
    assert Path("pyproject.toml").is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["made"]
