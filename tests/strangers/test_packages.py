"""Every package of examples/plugins: its own tests pass, and its types are strict."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples/plugins"
PACKAGES = sorted(path.parent.name for path in EXAMPLES.glob("*/pyproject.toml"))
Install = Callable[..., dict[str, str]]


def needed(name: str) -> list[str]:
    """The package and the examples that it depends on."""
    project = tomllib.loads((EXAMPLES / name / "pyproject.toml").read_text())["project"]
    others = [wanted.removeprefix("jackfield-") for wanted in project["dependencies"]]
    return [name, *(other for other in others if other in PACKAGES)]


def run(command: Sequence[str], env: Mapping[str, str], directory: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command],
        capture_output=True,
        text=True,
        cwd=directory,
        env={**os.environ, **env},
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_there_are_packages() -> None:
    assert "greetings" in PACKAGES


@pytest.mark.parametrize("name", PACKAGES)
def test_its_own_tests_pass(name: str, install: Install, tmp_path: Path) -> None:
    tests = str(EXAMPLES / name / "tests")
    options = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(tmp_path), "-o", "asyncio_mode=auto"]
    run(["pytest", *options, tests], install(*needed(name)), tmp_path)


@pytest.mark.parametrize("name", PACKAGES)
def test_the_host_has_nothing_against_it(name: str, install: Install, tmp_path: Path) -> None:
    run(["jackfield", "plugins", "check", str(EXAMPLES / name)], install(*needed(name)), tmp_path)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The type checker's, for all packages: it reads Jackfield once."""
    return tmp_path_factory.mktemp("types")


@pytest.mark.parametrize("name", PACKAGES)
def test_its_types_are_strict(name: str, tmp_path: Path, cache: Path) -> None:
    pytest.importorskip("mypy")
    path = {"MYPYPATH": os.pathsep.join(str(EXAMPLES / other) for other in needed(name))}
    sources = [str(path) for path in sorted((EXAMPLES / name).glob("jackfield_*"))]
    assert sources
    run(["mypy", "--strict", "--config-file", "", "--cache-dir", str(cache), *sources], path, tmp_path)
