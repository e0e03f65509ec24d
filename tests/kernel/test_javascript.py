"""JavaScript's conversions: what Node.js gives for generated values, and what Python leaves to JavaScript."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from jackfield.api.javascript import (
    UNDEFINED,
    NotExact,
    loosely_equal,
    strictly_equal,
    to_boolean,
    to_number,
    to_string,
)

NODE = shutil.which("node")
SCRIPT = r"""
const pairs = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const number = (value) => Number.isFinite(value) ? value : String(value);
console.log(JSON.stringify(pairs.map(([a, b]) => [String(a), number(Number(a)), Boolean(a), a === b, a == b])));
"""
numeric = st.from_regex(r"\A[ \t]?[+-]?(0x[0-9a-fA-F]{1,20}|0b[01]{1,4}|\d{0,20}\.?\d{0,4}(e[+-]?\d{1,3})?)[ \n]?\Z")
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda value: value or 0.0),  # JSON has no sign of a zero
    numeric,
    st.sampled_from(
        ["", " ", "Infinity", "-Infinity", "infinity", "1_0", "0x", "1e999", "\ufeff5\u2003", "NaN", "-0x1"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
)


def generated(count: int) -> list[tuple[Any, Any]]:
    """So many pairs, the same ones each time."""
    made: list[tuple[Any, Any]] = []

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(scalars, scalars)
    def collect(left: Any, right: Any) -> None:
        made.extend([(left, right), (left, to_string(left))])

    collect()
    return made


def ours(left: Any, right: Any) -> list[object]:
    number = to_number(left)
    printed = number if math.isfinite(number) else to_string(number)
    return [to_string(left), printed, to_boolean(left), strictly_equal(left, right), loosely_equal(left, right)]


@pytest.mark.skipif(NODE is None, reason="Node.js is not installed")
def test_conversions_agree_with_node() -> None:
    pairs = generated(1500)
    asked = subprocess.run(
        [NODE or "", "-e", SCRIPT], input=json.dumps(pairs), capture_output=True, text=True, check=True, timeout=60
    )
    judged = json.loads(asked.stdout, parse_int=float)
    differences = [
        (pair, found, expected)
        for pair, expected in zip(pairs, judged, strict=True)
        if (found := ours(*pair)) != expected
    ]
    assert differences == []


def test_undefined_lists_and_objects() -> None:
    assert to_string([1, None, UNDEFINED, [2, "x"], {}]) == "1,,,2,x,[object Object]"
    assert to_string(UNDEFINED) == "undefined"
    assert math.isnan(to_number(UNDEFINED))
    assert to_boolean([])
    assert to_boolean({})
    assert not to_boolean(UNDEFINED)
    assert not to_boolean(math.nan)
    assert loosely_equal(None, UNDEFINED)
    assert not strictly_equal(None, UNDEFINED)
    assert not strictly_equal([], {})
    for compare in (strictly_equal, loosely_equal):
        with pytest.raises(NotExact):
            compare({}, {})
    with pytest.raises(NotExact):
        to_number([])
