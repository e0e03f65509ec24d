"""Values and their conversions."""

from __future__ import annotations

from datetime import UTC
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield_nodes.values.conversions import text_of, to_array, to_boolean, to_number, to_object, to_time

TEXTS = [
    (5.0, "5"),
    (0.1, "0.1"),
    (1e21, "1e+21"),
    (1e20, "100000000000000000000"),
    (1e-6, "0.000001"),
    (1e-7, "1e-7"),
    (1.5e-5, "0.000015"),
    (True, "true"),
    (None, ""),
    ({"a": [1]}, '{"a":[1]}'),
    ("é", "é"),
]


@pytest.mark.parametrize(("value", "text"), TEXTS)
def test_text(value: Any, text: str) -> None:
    assert text_of(value) == text


NUMBERS = [
    ("", 0),
    (" 12 ", 12),
    ("1.50", 1.5),
    ("0x1f", 31),
    ("1e3", 1000),
    (True, 1),
    ([], 0),
    (["7"], 7),
    (".5", 0.5),
]


@pytest.mark.parametrize(("value", "number"), NUMBERS)
def test_number(value: Any, number: float) -> None:
    assert to_number(value) == number


@pytest.mark.parametrize("value", ["abc", "1_000", "nan", "Infinity", "1e999", "9" * 500, {}, [1, 2], "١٢ x"])
def test_no_number(value: Any) -> None:
    with pytest.raises(ValueError):
        to_number(value)


@pytest.mark.parametrize(
    ("value", "truth"), [("TRUE", True), ("false", False), (1, True), ("0", False), (False, False)]
)
def test_boolean(value: Any, truth: bool) -> None:
    assert to_boolean(value) is truth


@pytest.mark.parametrize("value", ["yes", "", 2, None, [], {}])
def test_no_boolean(value: Any) -> None:
    with pytest.raises(ValueError):
        to_boolean(value)


def test_json_text_is_read() -> None:
    assert to_array('[1, "two"]') == [1, "two"]
    assert to_object('{"a": null}') == {"a": None}
    for wrong in ('{"a": 1}', "[1", "[NaN]", 5, None, "[" * 100 + "]" * 100):
        with pytest.raises(ValueError):
            to_array(wrong)
    for wrong in ("[1]", "text", 5, None):
        with pytest.raises(ValueError):
            to_object(wrong)


TIMES = [
    ("2026-01-31T12:00:00Z", 1769860800000),
    ("2026-01-31T12:00:00.5+02:00", 1769853600500),
    ("2026-01-31 12:00", 1769860800000),
    ("2026-01-31", 1769817600000),
    ("2026-02", 1769904000000),
    ("2026", 1767225600000),
    ("Sat, 31 Jan 2026 12:00:00 GMT", 1769860800000),
    (1769860800000, 1769860800000),
]


@pytest.mark.parametrize(("value", "time"), TIMES)
def test_time(value: Any, time: int) -> None:
    assert to_time(value, UTC) == time


def test_a_time_without_an_offset_is_in_the_zone() -> None:
    assert to_time("2026-07-01T12:00", ZoneInfo("Europe/Berlin")) == to_time("2026-07-01T10:00Z", UTC)


@pytest.mark.parametrize("value", ["", "soon", "31.01.2026 x", True, None, [], "99999-01-01", "0"])
def test_no_time(value: Any) -> None:
    with pytest.raises(ValueError):
        to_time(value, UTC)


@given(st.text() | st.floats(allow_nan=False) | st.integers() | st.lists(st.text()))
def test_conversions_fail_in_one_way_only(value: Any) -> None:
    for convert in (to_number, to_boolean, to_array, to_object, lambda v: to_time(v, UTC)):
        try:
            convert(value)
        except ValueError:
            continue
    assert isinstance(text_of(value), str)
