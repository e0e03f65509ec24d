"""The page on Rhai has every function that scripts can call, and no other."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from jackfield_rhai.functions import FUNCTIONS

pytest.importorskip("rhai")
DOCS = Path(__file__).resolve().parents[2] / "docs"
_spec = importlib.util.spec_from_file_location("rhai_reference", DOCS / "rhai_reference.py")
assert _spec is not None
assert _spec.loader is not None
rhai_reference = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(rhai_reference)
PAGE = (DOCS / "rhai.md").read_text()


def part(name: str) -> str:
    return PAGE.split(f"<!-- generated: {name} -->")[1].split(f"<!-- end: {name} -->")[0].strip()


def test_our_functions_are_those_that_are_registered() -> None:
    assert part("rhai-own") == rhai_reference.own_functions()
    assert all(f"`{name}(" in part("rhai-own") for name in FUNCTIONS)


def test_standard_functions_are_those_of_the_engine() -> None:
    assert part("rhai-standard") == rhai_reference.standard_functions()


def test_a_function_that_the_engine_lacks_is_not_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "candidates.txt"
    there, absent = ["len(array) -> i64", "get$len(array)"], ["sleep(i64)", "no_such(string) -> string", "get$no(i64)"]
    file.write_text("\n".join(["# names", *there, *absent]))
    monkeypatch.setattr(rhai_reference, "CANDIDATES", file)
    assert rhai_reference.registered() == there
