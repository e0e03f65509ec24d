"""Lists of scripts as the daemon takes them."""

from __future__ import annotations

import sys

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.jsontext import LARGE, Json
from jackfield.api.nodes.items import LONG
from jackfield.api.scripting.frames import PIECE, Frame
from jackfield.api.scripting.rows import ScriptRows, batches
from jackfield.api.scripts import ScriptError
from jackfield.api.workflows import Items


def framed(rows: list[Json]) -> Frame:
    return Frame(orjson.dumps(rows), len(rows))


async def test_a_long_list_is_what_was_sent() -> None:
    rows: list[Json] = [{"json": {"n": n, "deep": {"a": [n]}}} for n in range(LONG + 500)]
    rows += [{"json": {"n": 1}, "binary": {}}, 7, None, {"json": 3}, {"a": 1}, {}, [], {"json": {}}]
    taken = ScriptRows()
    for start in range(0, len(rows), 100):
        await taken.take(framed(rows[start : start + 100]))
    assert taken.value({"rows": len(rows)}) == rows
    first, last = taken.rows[0], taken.rows[LONG + 150]
    assert sys.getsizeof(last) < sys.getsizeof(first)  # it shares its keys


async def test_a_large_part_is_read_on_a_thread() -> None:
    rows: list[Json] = [{"text": "x" * LARGE}]
    taken = ScriptRows()
    await taken.take(framed(rows))
    assert taken.value({"rows": 1}) == rows


@pytest.mark.parametrize("body", [b"", b"{}", b"[1", b"[1]", b"[1,2,3]", b"7", b"[" * 100_000, b"[NaN,1]"])
async def test_a_part_that_is_not_what_its_number_says_is_refused(body: bytes) -> None:
    with pytest.raises(ScriptError) as caught:
        await ScriptRows().take(Frame(body, 2))
    assert caught.value.kind == "crash"


@pytest.mark.parametrize("answer", [{}, {"value": [1]}, {"rows": 1}, {"rows": 3}, {"rows": None}, {"rows": "2"}])
async def test_a_list_that_is_not_as_long_as_its_answer_says_is_refused(answer: dict[str, Json]) -> None:
    taken = ScriptRows()
    await taken.take(framed([1, 2]))
    with pytest.raises(ScriptError):
        taken.value(answer)
    assert taken.value({"rows": 2}) == [1, 2]


def test_a_value_that_came_with_the_answer_is_it() -> None:
    assert ScriptRows().value({"value": {"a": 1}}) == {"a": 1}
    assert ScriptRows().value({}) is None
    with pytest.raises(ScriptError):
        ScriptRows().value({"rows": 5})


@given(st.lists(st.one_of(st.integers(0, 2000), st.just(3 * PIECE)), max_size=60))
def test_batches_have_all_items_once_in_order(sizes: list[int]) -> None:
    items: Items = [{"json": {"n": n, "text": "x" * size}} for n, size in enumerate(sizes)]
    made = list(batches(items, orjson.dumps))
    assert [item for line, _ in made for item in orjson.loads(line)] == items
    assert [count for _, count in made] == [len(orjson.loads(line)) for line, _ in made]
    assert all(count > 0 for _, count in made)
