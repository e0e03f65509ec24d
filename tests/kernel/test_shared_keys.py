"""Objects of one shape share their keys: equal to what was given, in less memory, with a bound of shapes."""

from __future__ import annotations

import sys
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jackfield.api import json_slices, jsontext
from jackfield.api.shared_keys import ENOUGH, ComingObjects, KnownShapes

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


def rows(count: int = ENOUGH, **more: Any) -> list[Any]:
    return [{"json": {"id": place, "a b": "x", "within": {"deep": place}, **more}} for place in range(count)]


def size_of(item: Any) -> int:
    return sum(map(sys.getsizeof, (item, item["json"], item["json"]["within"])))


def test_objects_of_one_shape_are_equal_and_smaller() -> None:
    found = KnownShapes().shared(rows())
    assert found == rows()
    assert all(type(item) is dict for item in found)
    assert orjson.dumps(found) == orjson.dumps(rows())
    if sys.implementation.name == "cpython":
        assert size_of(found[7]) < 0.6 * size_of(rows()[7])


def test_they_are_objects_like_others() -> None:
    first, second, *_ = (item["json"] for item in KnownShapes().shared(rows()))
    first["new"] = 1
    del first["id"]
    first["id"] = 2
    assert list(first) == ["a b", "within", "new", "id"]
    assert second == {"id": 1, "a b": "x", "within": {"deep": 1}}
    assert {**second, "more": 1} == {"id": 1, "a b": "x", "within": {"deep": 1}, "more": 1}


def test_a_known_shape_serves_single_objects() -> None:
    shapes = KnownShapes()
    alone = {"id": 1, "a b": 2, "within": {"deep": 3}}
    assert shapes.of(alone) is alone
    shapes.shared(rows())
    found = shapes.of(alone)
    assert (found, list(found)) == (alone, list(alone))
    assert found is not alone


def test_shapes_are_bounded_and_few_objects_make_none() -> None:
    shapes = KnownShapes(most=3)
    shapes.shared(rows(ENOUGH - 1))
    shapes.shared([{f"key {place}": 1} for place in range(1000)])
    shapes.shared([{"x" * 101: 1}] * 1000)
    shapes.shared([{str(place): 1 for place in range(31)}] * 1000)
    assert len(shapes) == 0
    for place in range(10):
        shapes.shared([{f"key {place}": 1}] * ENOUGH)
    assert len(shapes) == 3


def test_objects_inside_of_each_other_end_somewhere() -> None:
    def nested(depth: int) -> Any:
        made: Any = {"a": None}
        for _ in range(depth):
            made = {"a": made}
        return made

    deep = [nested(500) for _ in range(ENOUGH)]
    found = KnownShapes().shared(deep)
    assert found[3]["a"]["a"] == deep[3]["a"]["a"]


def test_objects_that_come_one_by_one_share_their_keys_too() -> None:
    shapes = KnownShapes()
    coming = ComingObjects(shapes)
    found = [coming.of({"id": place, "name": "x"}) for place in range(3 * ENOUGH)]
    assert found == [{"id": place, "name": "x"} for place in range(3 * ENOUGH)]
    assert len(shapes) == 1
    if sys.implementation.name == "cpython":
        assert sys.getsizeof(found[-1]) < 0.6 * sys.getsizeof(found[0])


@pytest.fixture(scope="module")
def shapes() -> KnownShapes:
    return KnownShapes()


@given(st.lists(VALUES, min_size=1, max_size=6))
@settings(max_examples=150)
def test_whatever_is_given_comes_back(shapes: KnownShapes, some: list[Any]) -> None:
    many = [orjson.loads(orjson.dumps(some[place % len(some)])) for place in range(2 * ENOUGH)]
    for _ in range(2):
        assert orjson.dumps(shapes.shared(many)) == orjson.dumps(many)


def test_large_documents_are_parsed_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_slices, "SHAPES", KnownShapes())  # the process's may be full by now
    text = orjson.dumps({"inputData": rows(20_000, text="long enough for a document of more than a megabyte")})
    assert len(text) > jsontext.LARGE
    found: Any = jsontext.loads(text)
    assert orjson.dumps(found) == text
    if sys.implementation.name == "cpython":
        assert size_of(found["inputData"][-1]) < 0.6 * size_of(rows(1, text="")[0])
