"""The pairs of script and result from Rhai's own test suite, which lie beside the checkout."""

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rhai

DEFAULT = Path(__file__).parents[2].parent / "shared" / "rhai" / "cases.jsonl"
CASES = Path(os.environ.get("RHAI_CASES", DEFAULT))

# (file, line) of each case that differs, and why. docs/rhai.md says the same.
EXCEPTIONS: dict[tuple[str, int], str] = {
    ("tests/custom_syntax.rs", 197): "uses a syntax that the test registers with Rhai's interface for Rust",
}


def load() -> Iterator[dict[str, Any]]:
    if CASES.is_file():
        with CASES.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


ALL = list(load())


def key(case: dict[str, Any]) -> tuple[str, int]:
    return case["file"], case["line"]


def run(case: dict[str, Any]) -> object:
    engine = rhai.Engine(**case["config"])
    script = case["script"]
    match case["op"]:
        case "eval" | "run":
            return engine.eval(script)
        case "compile":
            return engine.compile(script)
        case "compile_expression":
            return engine.compile_expression(script)
        case "eval_expression":
            return engine.eval(engine.compile_expression(script))
    raise AssertionError(case["op"])


def difference(case: dict[str, Any]) -> str | None:
    """What is not as expected, in words."""
    expected = case["expected"]
    try:
        result = run(case)
    except rhai.RhaiError as error:
        if expected.get("error") == error.kind:
            return None
        return f"{type(error).__name__} {error.kind}: {error}"
    if "error" in expected:
        return f"no {expected['error']} but {result!r}"
    if "value" in expected and not same(result, expected["value"]):
        return f"{result!r}, not {expected['value']!r}"
    return None


def same(result: object, expected: object) -> bool:
    if isinstance(result, bytes):
        return list(result) == expected
    if isinstance(result, float) and isinstance(expected, int | float):
        return math.isclose(result, expected, rel_tol=1e-12) or result == expected
    return type(result) is type(expected) and result == expected


@pytest.mark.skipif(not ALL, reason=f"NOT TESTED: {CASES} is not there; set RHAI_CASES")
def test_cases_of_rhai_itself() -> None:
    different = {key(case): f"{case['script']!r}: {found}" for case in ALL if (found := difference(case))}
    unexpected = {place: text for place, text in different.items() if place not in EXCEPTIONS}
    assert not unexpected
    assert different.keys() == EXCEPTIONS.keys(), "stale exceptions"
    assert len(ALL) >= 656
