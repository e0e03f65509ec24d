"""A null in place of a text is a parameter's default."""

from __future__ import annotations

from pydantic import Field

from jackfield.api.nodes import Parameters


class Row(Parameters):
    name: str = "name"
    count: int | None = 3


class Form(Parameters):
    rows: list[Row] = Field(default_factory=list)
    row: Row = Field(default_factory=Row)
    kept: bool = False
    some_text: str = "text"
    any_value: object = None


def test_nulls_in_place_of_texts_go_at_any_depth() -> None:
    given = {
        "rows": [{"name": None, "count": None}, {"name": "a"}],
        "row": {"name": None},
        "someText": None,
        "own": None,
    }
    assert Form.completed(given) == {"rows": [{"count": None}, {"name": "a"}], "row": {}, "own": None}
    assert given["someText"] is None


def test_other_nulls_stay() -> None:
    given = {"kept": None, "anyValue": None, "rows": None, "row": "=odd"}
    assert Form.completed(given) is given
