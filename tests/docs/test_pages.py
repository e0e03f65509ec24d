"""The README's commands, the demo, and every page's links, commands and dependencies."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
README = (ROOT / "README.md").read_text()
COMMAND = re.compile(r"<!-- command: (\w+) -->\n```sh\n(.*?)```", re.DOTALL)


def test_the_readme_has_the_two_commands() -> None:
    commands = dict(COMMAND.findall(README))
    assert list(commands) == ["run", "test"]
    for command in commands.values():
        assert len(command.strip().splitlines()) == 1


def test_the_readme_says_what_it_is_in_five_lines() -> None:
    introduction = README.split("\n\n")[1]
    assert len(introduction.splitlines()) == 5


def test_the_readme_runs_the_demo_that_is_there() -> None:
    program = ROOT / dict(COMMAND.findall(README))["run"].strip()
    assert program.stat().st_mode & 0o111
    assert "demo/workflow.json" in program.read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text())
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_has_marks_of_a_merge(page: Path) -> None:
    assert not re.findall(r"^(?:<{7} |={7}$|>{7} ).*", page.read_text(), re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_files_exist(page: Path) -> None:
    named = re.findall(r"`((?:tests|bench|docs|demo|src|plugins)/[\w./-]+)`", page.read_text())
    missing = [name for name in named if not (ROOT / name).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_json_blocks_are_json(page: Path) -> None:
    for block in re.findall(r"^```json\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
        json.loads(block)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_toml_blocks_are_toml(page: Path) -> None:
    for block in re.findall(r"^```toml[^\n]*\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
        tomllib.loads(block)


def expanded(section: str) -> list[str]:
    """The names that a section of tox.ini stands for: `py3{11,12}-core` is two."""
    before, brace, rest = section.partition("{")
    if not brace:
        return [section]
    choices, _, after = rest.partition("}")
    return [before + choice + after for choice in choices.split(",")]


def test_named_tox_environments_exist() -> None:
    sections = re.findall(r"^\[testenv:([\w{},-]+)\]", (ROOT / "tox.ini").read_text(), re.MULTILINE)
    defined = {name for section in sections for name in expanded(section)} | {"py"}
    texts = [page.read_text() for page in PAGES] + [(ROOT / ".ci/run").read_text()]
    named = {name for text in texts for name in re.findall(r"tox (?:run )?-e ([\w-]+)", text)}
    assert named <= defined


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    page = (ROOT / "docs/dependencies.md").read_text()
    wanted = list(project["project"]["dependencies"])
    wanted += [entry for group in project["project"]["optional-dependencies"].values() for entry in group]
    wanted += [entry for group in project["dependency-groups"].values() for entry in group if isinstance(entry, str)]
    names = {re.split(r"[<>=\[; ]", entry)[0] for entry in wanted}
    assert not [name for name in sorted(names) if f"`{name}`" not in page]
    runtime = {re.split(r"[<>=\[; ]", entry)[0] for entry in project["project"]["dependencies"]}
    assert set(re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE)) == runtime


def test_the_site_holds_none_of_the_programs_that_make_it() -> None:
    left_out = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["exclude_docs"].split()
    assert {"__pycache__/", *(path.name for path in (ROOT / "docs").glob("*.py"))} <= set(left_out)
