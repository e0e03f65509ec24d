"""Plugin folders = entry points = wheel packages = linter roots = type-checked packages."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
FOLDERS = sorted(path.name for path in (ROOT / "plugins").iterdir() if (path / "__init__.py").exists())


def wheel_packages() -> set[str]:
    packages = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    return {Path(package).name for package in packages}


def contract(name: str) -> dict[str, Any]:
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    return next(found for found in contracts if found["name"] == name)


def test_there_are_plugins() -> None:
    assert FOLDERS


def test_every_folder_is_an_entry_point_of_its_short_name() -> None:
    entry_points = PROJECT["project"]["entry-points"]["jackfield"]
    assert {name: value.partition(":")[0] for name, value in entry_points.items()} == {
        name.removeprefix("jackfield_"): name for name in FOLDERS
    }


def test_the_wheel_holds_the_kernel_and_every_plugin() -> None:
    assert wheel_packages() == {"jackfield", *FOLDERS}


def test_the_type_checker_sees_the_kernel_and_every_plugin() -> None:
    assert set(PROJECT["tool"]["mypy"]["packages"]) == {"jackfield", *FOLDERS}


def test_the_import_linter_sees_the_kernel_and_every_plugin() -> None:
    assert set(PROJECT["tool"]["importlinter"]["root_packages"]) == {"jackfield", *FOLDERS}
    assert set(contract("The kernel never imports a plugin")["forbidden_modules"]) == set(FOLDERS)
    assert set(contract("Plugins import the api alone")["source_modules"]) == set(FOLDERS)
    assert set(contract("Plugins are independent")["modules"]) == set(FOLDERS)


def test_plugins_may_import_nothing_of_the_kernel_but_the_api() -> None:
    kernel = {
        f"jackfield.{path.name}" for path in (ROOT / "src/jackfield").iterdir() if (path / "__init__.py").exists()
    }
    assert set(contract("Plugins import the api alone")["forbidden_modules"]) == kernel - {"jackfield.api"}


@pytest.mark.parametrize("name", ["jackfield", *FOLDERS])
def test_every_package_says_that_it_is_typed(name: str) -> None:
    place = ROOT / ("src" if name == "jackfield" else "plugins") / name
    assert (place / "py.typed").exists()
