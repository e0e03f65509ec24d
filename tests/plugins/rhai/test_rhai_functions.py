"""What scripts can call."""

from __future__ import annotations

import json
import tomllib
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield_rhai.functions import (
    indent,
    json_decode,
    json_encode,
    json_encode_pretty,
    toml_encode,
    trim_lines,
)

texts = st.text(st.characters(exclude_categories=["Cs"]))
scalars = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
)
values = st.recursive(scalars | texts, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=20)


@given(values)
def test_json_round_trip(value: object) -> None:
    assert json_decode(json_encode(value)) == value
    assert json.loads(json_encode_pretty(value)) == value


def test_json_of_what_it_has_no_type_for() -> None:
    assert json_encode([Decimal("1.50"), Decimal(3), b"ab", "ä"]) == '[1.5,3,"YWI=","ä"]'


@pytest.mark.parametrize("text", ["", "{", "[1,]", "NaN", "[Infinity]", "{'a': 1}"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        json_decode(text)


@given(st.dictionaries(texts, st.integers(-(2**63), 2**63 - 1) | texts | st.lists(texts)))
def test_toml_is_read_back(value: dict[str, object]) -> None:
    assert tomllib.loads(toml_encode(value)) == value


def test_toml_leaves_out_unit() -> None:
    text = toml_encode({"a": None, "b": {"c": [1, None], "d": None}, "e": Decimal("2.5")})
    assert tomllib.loads(text) == {"b": {"c": [1]}, "e": 2.5}


def test_toml_of_anything_but_a_map_is_refused() -> None:
    with pytest.raises(TypeError, match="takes a map"):
        toml_encode([1])


def test_indent() -> None:
    assert indent("a\n\n  b\n", 2) == "  a\n\n    b\n"
    for count in (-1, 201):
        with pytest.raises(ValueError, match="0 to 200"):
            indent("a", count)


def test_an_indented_text_is_bounded() -> None:
    with pytest.raises(ValueError, match="may have"):
        indent("a\n" * 100_000, 200)


def test_trim_lines() -> None:
    assert trim_lines("\n\n  a  \n\n\tb\n  \n") == "a\n\nb"
