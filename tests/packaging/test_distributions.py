"""What the built wheel and sdist hold, and that the wheel works in an environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = sorted(path.name for path in (ROOT / "plugins").iterdir() if (path / "__init__.py").exists())
NOT_SHIPPED = ("__pycache__", ".pyc", "tests/", "bench/", ".git", ".env", "node_modules/", "jackfield_ui/frontend/")
FRONTEND = "jackfield_ui/frontend/"
TEMPLATES = "jackfield/cli/plugin_projects/templates/"
"""Of new projects of plugins, which have tests and a `.gitignore` as well."""
STATIC = "jackfield_ui/static/"
PIP_INSTALL = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
MAX_WHEEL = 12 * 1024 * 1024
"""Bytes."""
MAX_INTERFACE = 9 * 1024 * 1024
"""Bytes of the built interface in the wheel, three encodings of each file."""


def sources(folder: str) -> set[str]:
    """Every file of a source folder, as the wheel names it."""
    top = ROOT / folder
    files = [path.relative_to(top) for path in top.rglob("*") if path.is_file()]
    hidden = {
        path for path in files if "node_modules" in path.parts or any(part[0] in "._" for part in path.parts[:-1])
    }
    return {path.as_posix() for path in files if path not in hidden}


@pytest.fixture(scope="module")
def wheel(distributions: Path) -> Path:
    return next(distributions.glob("jackfield-*.whl"))


@pytest.fixture(scope="module")
def wheel_files(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def fresh_python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment that holds the wheel and what it needs, nothing else."""
    place = tmp_path_factory.mktemp("fresh")
    subprocess.run([sys.executable, "-m", "venv", place], check=True)
    python = place / "bin/python"
    beside = ["--find-links", wheel.parent]  # the compiled packages
    subprocess.run([python, *PIP_INSTALL, *beside, wheel], check=True)
    return python


def run(python: Path, *arguments: str) -> str:
    program = python.with_name("jackfield")
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def test_the_wheel_holds_every_source_file_and_nothing_else(wheel_files: set[str]) -> None:
    packages = {name for name in wheel_files if ".dist-info/" not in name}
    manifests = {f"jackfield/manifests/{name}" for name in sources("manifests")}
    built = {name for name in packages if name.startswith(STATIC)}
    plugins = {name for name in sources("plugins") if not name.startswith((FRONTEND, STATIC))}
    pages = {f"jackfield_mcp/pages/{path.name}" for path in (ROOT / "docs").glob("*.md")}
    assert pages
    assert packages - built == sources("src") | plugins | manifests | pages


def test_the_wheel_holds_the_built_interface_and_is_not_large(wheel: Path, wheel_files: set[str]) -> None:
    if not (ROOT / "plugins" / STATIC / "index.html").exists() and not os.environ.get("CI"):
        pytest.skip("the interface was not built here: npm is missing")
    assert STATIC + "index.html" in wheel_files
    scripts = [name for name in wheel_files if name.startswith(STATIC + "assets/") and name.endswith(".js")]
    assert scripts
    assert all(script + ".br" in wheel_files for script in scripts if script + ".gz" in wheel_files)
    assert not [name for name in wheel_files if name.endswith((".map", ".tsx", "package.json", "package-lock.json"))]
    assert wheel.stat().st_size < MAX_WHEEL
    with zipfile.ZipFile(wheel) as archive:
        packed = [entry.compress_size for entry in archive.infolist() if entry.filename.startswith(STATIC)]
        licences = archive.read(STATIC + "third-party-licenses.md").decode()
    assert sum(packed) < MAX_INTERFACE
    assert "## Tabler Icons (MIT)" in licences  # drawings among our own sources
    assert "Paweł Kuna" in licences


def test_nothing_private_is_shipped(wheel_files: set[str]) -> None:
    shipped = [name for name in wheel_files if not name.startswith(TEMPLATES)]
    assert not [name for name in shipped if any(part in name for part in NOT_SHIPPED)]
    assert not [name for name in wheel_files if name.startswith(TEMPLATES) and not name.endswith(".tmpl")]


def test_the_wheel_has_licence_and_entry_points(wheel: Path, wheel_files: set[str]) -> None:
    entry_points = next(name for name in wheel_files if name.endswith("entry_points.txt"))
    assert any(name.endswith("licenses/LICENSE") for name in wheel_files)
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read(entry_points).decode()
    assert "jackfield = jackfield.cli.main:main" in text
    for name in PLUGINS:
        assert f"{name.removeprefix('jackfield_')} = {name}" in text


def test_the_sdist_holds_what_it_takes_to_build_and_test(distributions: Path) -> None:
    with tarfile.open(next(distributions.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "tox.ini",
        "mkdocs.yml",
        "demo/run",
        "hatch_build.py",
    }
    assert wanted <= names
    assert {f"src/{name}" for name in sources("src")} <= names
    assert {f"plugins/{name}" for name in sources("plugins") if not name.startswith(STATIC)} <= names
    assert not [name for name in names if "__pycache__" in name or "node_modules" in name or name.startswith(".git/")]


def test_the_wheel_works_in_a_fresh_environment(fresh_python: Path, tmp_path: Path) -> None:
    assert run(fresh_python, "version").startswith("jackfield ")
    listed = run(fresh_python, "plugins", "--config-dir", str(tmp_path))
    for name in PLUGINS:
        line = next(line for line in listed.splitlines() if line.startswith(f"{name.removeprefix('jackfield_')} "))
        assert " loaded " in line, listed
    as_module = subprocess.run([fresh_python, "-m", "jackfield", "version"], capture_output=True, text=True, check=True)
    assert as_module.stdout == run(fresh_python, "version")
    assert "[server]" in run(fresh_python, "config", "--config-dir", str(tmp_path))


def test_the_wheel_brings_rhai_and_the_compiled_reader(fresh_python: Path, tmp_path: Path) -> None:
    told = subprocess.run(
        [fresh_python.with_name("jackfield"), "doctor", "--config-dir", tmp_path], capture_output=True, text=True
    ).stdout
    assert "ok   rhai: scripts run" in told
    assert "are read by jackfield-native" in told


def test_the_wheel_needs_nothing_that_it_does_not_name(fresh_python: Path) -> None:
    checked = subprocess.run([fresh_python, "-m", "pip", "check"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
