"""Python's values to Rhai's and back."""

import datetime
import math
from collections import OrderedDict, namedtuple
from decimal import Decimal
from enum import IntEnum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rhai

engine = rhai.Engine()


def through(value: object) -> Any:
    """The value after a way into a script and back."""
    return engine.eval("x", {"x": value})


def type_in_rhai(value: object) -> Any:
    return engine.eval("type_of(x)", {"x": value})


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "()"),
        (True, "bool"),
        (1, "i64"),
        (1.5, "f64"),
        ("a", "string"),
        ([1], "array"),
        ((1, 2), "array"),
        ({"a": 1}, "map"),
        (b"a", "blob"),
        (bytearray(b"a"), "blob"),
        (Decimal("1.5"), "decimal"),
    ],
)
def test_types(value: object, name: str) -> None:
    assert type_in_rhai(value) == name


PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec="utf-8"))
    | st.binary()
    | st.decimals(-(10**20), 10**20, places=6)
)
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner)
)


@settings(deadline=None)  # machines are shared
@given(VALUES)
def test_round_trip(value: object) -> None:
    back = through(value)
    assert back == value
    assert repr_types(back) == repr_types(value)


def repr_types(value: object) -> object:
    """The types in a value: True == 1 == 1.0 == Decimal(1)."""
    if isinstance(value, list):
        return [repr_types(item) for item in value]
    if isinstance(value, dict):
        return {key: repr_types(item) for key, item in value.items()}
    return type(value)


def test_bool_is_not_int() -> None:
    assert through(True) is True
    assert through([False, 0]) == [False, 0]
    assert type(through([False, 0])[0]) is bool


def test_nan_and_infinity() -> None:
    assert math.isnan(through(math.nan))
    assert through(-math.inf) == -math.inf


def test_char_becomes_str() -> None:
    assert engine.eval("'é'") == "é"


def test_subclasses_count_as_their_base() -> None:
    class Colour(IntEnum):
        RED = 3

    class Name(str):
        __slots__ = ()

    point = namedtuple("point", "x y")  # noqa: PYI024  a tuple without types is what is tested
    assert through(Colour.RED) == 3
    assert through(Name("a")) == "a"
    assert through(point(1, 2)) == [1, 2]
    assert through(OrderedDict(b=1)) == {"b": 1}


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**100])
def test_int_beyond_64_bits(number: int) -> None:
    with pytest.raises(OverflowError, match=r"^scope\['x'\]\['a'\]\[1\]: "):
        through({"a": [0, number]})


def test_extreme_ints() -> None:
    assert through([2**63 - 1, -(2**63)]) == [2**63 - 1, -(2**63)]


@pytest.mark.parametrize(
    "value",
    [
        datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
        datetime.date(2026, 1, 1),
        {1},
        object(),
        1j,
        int,
        range(3),
        iter([]),
    ],
)
def test_no_counterpart(value: object) -> None:
    with pytest.raises(TypeError, match=r"^scope\['x'\]\['user'\]\[0\]\['born'\]: a \S+ has no counterpart in Rhai\.$"):
        through({"user": [{"born": value}]})


@pytest.mark.parametrize("key", [1, None, b"a", ("a",)])
def test_keys_are_strings(key: object) -> None:
    with pytest.raises(TypeError, match=r"^scope\['x'\]\[0\]\[.+\]: a dict's keys have to be strings"):
        through([{key: 1}])


def test_scope_keys_are_strings() -> None:
    with pytest.raises(TypeError, match="name has to be a string"):
        engine.eval("1", {1: 2})  # type: ignore[dict-item]


def test_paths_of_other_roots() -> None:
    ast = engine.compile("fn f(a, b) { a }")
    with pytest.raises(TypeError, match=r"^argument 2\['a'\]: "):
        engine.call_fn(ast, "f", 1, {"a": object()})
    local = rhai.Engine()
    local.register_fn("ns::make", lambda: [object()])
    with pytest.raises(TypeError, match=r"^result of ns::make\[0\]: "):
        local.eval("ns::make()")


@pytest.mark.parametrize("text", ["NaN", "sNaN", "Infinity", "-Infinity"])
def test_decimal_has_to_be_finite(text: str) -> None:
    with pytest.raises(ValueError, match=r"^scope\['x'\]: .*not a finite number"):
        through(Decimal(text))


@pytest.mark.parametrize("text", ["1E+29", "1E-29", "1E+999999", "9" * 30, "79228162514264337593543950336"])
def test_decimal_never_loses_digits(text: str) -> None:
    with pytest.raises(OverflowError, match=r"^scope\['x'\]: "):
        through(Decimal(text))


@pytest.mark.parametrize("text", ["0", "-0.10", "1.2300", "1E+5", "79228162514264337593543950335", "1E-28"])
def test_decimal_exact(text: str) -> None:
    assert through(Decimal(text)) == Decimal(text)


def test_decimal_keeps_places() -> None:
    assert str(through(Decimal("1.2300"))) == "1.2300"


def test_lone_surrogate() -> None:
    with pytest.raises(ValueError, match=r"^scope\['x'\]\[0\]: .*surrogate"):
        through(["\ud800"])


def nested(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


def test_nesting_is_capped() -> None:
    assert through(nested(64)) == nested(64)
    with pytest.raises(ValueError, match=r"^scope\['x'\](\[0\]){65}: is nested deeper than 64 levels\.$"):
        through(nested(65))


def test_list_that_holds_itself() -> None:
    value: list[object] = []
    value.append(value)
    with pytest.raises(ValueError, match="nested deeper"):
        through(value)


def test_nesting_is_capped_on_the_way_out() -> None:
    script = "let a = 1; for i in 0..n { a = [a] } a"
    assert engine.eval(script, {"n": 64}) == nested(64)
    with pytest.raises(rhai.RhaiLimitError, match="nested deeper than 64 levels"):
        engine.eval(script, {"n": 65})


def test_very_deep_result_does_no_harm() -> None:
    script = "let a = []; for i in 0..3000 { let b = []; b.push(a); a = b; } a"
    with pytest.raises(rhai.RhaiLimitError, match="nested deeper"):
        engine.eval(script, timeout=30)


@pytest.mark.parametrize("script", ["timestamp()", "|x| x", "0..3", 'Fn("f")'])
def test_no_counterpart_in_python(script: str) -> None:
    with pytest.raises(
        rhai.RhaiConversionError, match=r"^result\['k'\]\[1\]: a .+ of Rhai has no counterpart in Python\.$"
    ) as caught:
        engine.eval(f"#{{k: [0, {script}]}}")
    assert isinstance(caught.value, TypeError)


def test_dict_that_changes_while_it_is_read() -> None:
    data: dict[str, object] = {}

    class Meddler(Decimal):
        def as_tuple(self) -> Any:
            data.clear()
            return super().as_tuple()

    data.update(a=Meddler(1), b=2, c=3)
    assert through(data) == {"a": 1, "b": 2, "c": 3}


def test_scope_is_not_changed() -> None:
    scope = {"x": 1, "items": [1]}
    assert engine.eval("x += 1; items.push(2); x + items.len()", scope) == 4
    assert scope == {"x": 1, "items": [1]}
