"""Memory of bodies: estimated before they are parsed, taken from a budget, given back with their last holder."""

from __future__ import annotations

import gc
import json
import tracemalloc
from collections.abc import Callable

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jackfield.api import body_budget, jsontext
from jackfield.api.body_budget import BodyBudget, body_memory, json_memory
from jackfield.api.errors import InvalidInput, JackfieldError, MemoryExhausted, PayloadTooLarge

COUNT = 20_000
BODIES: dict[str, Callable[[], object]] = {
    "empty objects": lambda: [{} for _ in range(COUNT)],
    "empty lists": lambda: [[] for _ in range(COUNT)],
    "one field": lambda: [{"n": number + 1000} for number in range(COUNT)],
    "records": lambda: [{"id": n, "name": f"name {n}", "on": True, "tags": ["a", "b"]} for n in range(COUNT)],
    "own keys": lambda: {f"key {n}": n / 7 for n in range(COUNT)},
    "wide texts": lambda: [f"{'a' * 40}\U0001f600{n}" for n in range(COUNT)],
    "one text": lambda: {"text": "x" * 1_000_000},
    "numbers": lambda: list(range(1000, COUNT)),
    "wide objects": lambda: [{f"f{place}": n for place in range(12)} for n in range(COUNT // 10)],
    "lists in lists": lambda: [[[n]] for n in range(COUNT)],
}


def cost(data: bytes) -> int:
    """Bytes that the parsed body really takes."""
    gc.collect()
    tracemalloc.start()
    value = orjson.loads(data)
    found = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del value
    return found


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_the_estimate_is_near_the_truth_and_hardly_below(name: str, ascii_only: bool) -> None:
    data = json.dumps(BODIES[name](), ensure_ascii=ascii_only, separators=(",", ":")).encode()
    real, estimated = cost(data), json_memory(data)
    assert 0.75 * real <= estimated <= 3.5 * real + 1000


@pytest.mark.parametrize("sign", ["{}", "[]", '"\\ud83d\\ude00"', '"\\u00e9"', '"\U0001f600"', '"\u00e9"'])
def test_a_search_in_slices_cuts_no_sign(monkeypatch: pytest.MonkeyPatch, sign: str) -> None:
    for before in range(40):
        data = f'["{"x" * before}",{sign}]'.encode()
        whole = json_memory(data)
        with monkeypatch.context() as patched:
            patched.setattr(body_budget, "_SLICE", 16)
            assert json_memory(data) == whole


def test_other_media_types_are_counted_too() -> None:
    assert body_memory(b"<a><b/></a>" * 1000, "text/xml") > 1_000_000
    assert body_memory(b"a=1&" * 1000, "application/x-www-form-urlencoded") > 100_000
    assert body_memory(b"x" * 1000, "text/plain") == 1000
    assert body_memory(b"\xff" * 1000, "image/png") == 2000
    assert body_memory(b"[{}]", "application/vnd.x+json") == json_memory(b"[{}]")


def test_a_body_alone_is_too_large_or_all_together_are() -> None:
    budget = BodyBudget(total=1000, each=600)
    with pytest.raises(PayloadTooLarge, match=r"server\.body_memory_per_execution"):
        budget.take(601)
    first = budget.take(600)
    with pytest.raises(MemoryExhausted, match=r"server\.body_memory\)?") as refused:
        budget.take(401)
    assert dict(refused.value.headers)["Retry-After"] == "2"
    second = budget.take(400)
    assert budget.used == 1000
    del first
    assert budget.used == 400
    second.release()
    assert budget.used == 0


def test_the_smaller_setting_is_the_one_that_is_named() -> None:
    with pytest.raises(PayloadTooLarge, match=r"server\.body_memory\."):
        BodyBudget(total=1000, each=6000).take(1001)


def outcome(data: bytes, depth: int) -> object:
    """The value, or the kind of refusal."""
    try:
        return jsontext.loads(data, max_depth=depth)
    except JackfieldError as exc:
        return type(exc), exc.message


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, width=32) | st.text(),
    lambda below: st.lists(below, max_size=6) | st.dictionaries(st.text(max_size=5), below, max_size=6),
    max_leaves=60,
)


@settings(deadline=None, max_examples=150)
@given(value=JSON, broken=st.integers(0, 3), place=st.integers(0, 10_000), byte=st.integers(0, 255))
def test_slices_say_what_one_piece_says(value: object, broken: int, place: int, byte: int) -> None:
    data = json.dumps(value, ensure_ascii=place % 2 == 0).encode("utf-8", "surrogatepass")
    if broken == 0:
        place %= len(data)
        data = data[:place] + bytes([byte]) + data[place + 1 :]
    whole = outcome(data, 5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("jackfield.api.jsontext.LARGE", 0)
        patch.setattr("jackfield.api.json_slices.SLICE", 8)
        assert outcome(data, 5) == whole


def test_a_large_document_is_parsed_in_slices() -> None:
    value = {"items": [{"n": n, "text": "x" * (n % 300)} for n in range(20_000)], "big": "y" * 700_000, "none": []}
    data = b" \n" + orjson.dumps(value)
    assert len(data) > jsontext.LARGE
    assert jsontext.loads(data) == value
    with pytest.raises(InvalidInput):
        jsontext.loads(data[:-1])
    with pytest.raises(InvalidInput):
        jsontext.loads(data + b"]")
    with pytest.raises(InvalidInput, match="nested"):
        jsontext.loads(b"[" * 100 + data + b"]" * 100)
