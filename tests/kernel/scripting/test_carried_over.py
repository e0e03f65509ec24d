"""What results have in common with the input is held once, and nothing else about them changes."""

from __future__ import annotations

import copy

import orjson
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.jsontext import Json
from jackfield.api.nodes.items import LONG
from jackfield.api.scripting.carried_over import SHORT, TRIED, CarriedOver
from jackfield.api.scripting.frames import Frame
from jackfield.api.scripting.rows import ScriptRows
from jackfield.api.workflows import Items

LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(0, 1), st.sampled_from([0.0, 1.0, -0.0]), st.sampled_from(["", "a", "1"])
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("ab"), inner))
)
OBJECTS = st.dictionaries(st.sampled_from(["a", "b", "json"]), VALUES, max_size=3)


@given(
    st.lists(st.one_of(VALUES, OBJECTS, st.builds(lambda json: {"json": json}, OBJECTS)), max_size=8),
    st.lists(OBJECTS, max_size=8),
)
def test_results_are_the_same_to_the_kind_of_each_value(rows: list[Json], objects: list[dict[str, Json]]) -> None:
    items: Items = [{"json": json} for json in objects]
    before, given_before = repr(rows), repr(items)
    made = copy.deepcopy(rows)
    CarriedOver(items).share(made, 0)
    assert repr(made) == before
    assert repr(items) == given_before


def test_texts_and_short_lists_of_texts_are_the_input_s() -> None:
    text = "a long text"
    tags: list[Json] = ["x", "y"]
    long: list[Json] = ["z"] * (SHORT + 1)
    items: Items = [{"json": {"text": text, "tags": tags, "long": long, "other": "b", "n": [1]}}]
    (row,) = made = orjson.loads(orjson.dumps([{**items[0]["json"], "other": "c", "new": text}]))
    CarriedOver(items).share(made, 0)
    assert row["text"] is text
    assert row["tags"] is tags
    assert row["long"] is not long
    assert row["n"] is not items[0]["json"]["n"]
    assert (row["other"], row["new"]) == ("c", text)


def test_what_has_nothing_in_common_is_not_compared_for_long() -> None:
    items: Items = [{"json": {"a": f"given {n}"}} for n in range(3 * TRIED)]
    carried = CarriedOver(items)
    carried.share([{"a": "made"}] * TRIED, 0)
    rows: list[Json] = [{"a": "".join(["given ", str(TRIED)])}]
    carried.share(rows, TRIED)
    assert rows[0]["a"] is not items[TRIED]["json"]["a"]  # type: ignore[index,call-overload]  # an object


async def test_the_later_elements_of_a_long_list_hold_what_the_input_has() -> None:
    items: Items = [{"json": {"name": f"customer {n}", "n": n}} for n in range(LONG + 1000)]
    rows = ScriptRows(items)
    made = [{"json": {**item["json"], "more": 1}} for item in items]
    for start in range(0, len(made), 500):
        part = made[start : start + 500]
        await rows.take(Frame(orjson.dumps(part), len(part)))
    assert rows.value({"rows": len(made)}) == made
    last = rows.rows[-1]
    assert isinstance(last, dict)
    assert last["json"]["name"] is items[-1]["json"]["name"]  # type: ignore[index,call-overload]  # an object
