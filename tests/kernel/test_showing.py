"""Which fields of a form are shown. The cases are shared with the browser's tests and with n8n's own rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.nodes.forms import NodeField, When
from jackfield.api.nodes.showing import is_shown, shown_fields

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("showing.json").read_text(encoding="utf-8"))
_json = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
_names = st.sampled_from(["a", "/a", "a.b", "a.0", "@version"])
_condition = st.dictionaries(st.sampled_from(["eq", "gte", "between", "not"]), _json)
_wanted = st.lists(_json | st.fixed_dictionaries({"_cnd": _condition}))
_keys = st.dictionaries(_names, _wanted)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_field_is_shown_by_the_shared_cases(case: dict[str, Any]) -> None:
    when, values = When.model_validate(case["when"]), case["values"]
    assert is_shown(when, values, case.get("top", values), case.get("version", 1)) is case["shown"]


def test_every_condition_has_a_case() -> None:
    asked = json.dumps(CASES)
    names = ("eq", "not", "gte", "lte", "gt", "lt", "between", "startsWith", "endsWith", "includes", "regex", "exists")
    assert [name for name in names if f'{{"_cnd": {{"{name}"' not in asked] == []


@given(show=_keys, hide=_keys, values=st.dictionaries(st.just("a"), _json))
def test_no_document_breaks_it(show: dict[str, Any], hide: dict[str, Any], values: dict[str, Any]) -> None:
    assert is_shown(When(show=show, hide=hide), values, values, 1) in (True, False)


def test_of_one_name_the_first_that_is_shown_counts() -> None:
    first = NodeField(name="a", control="text", label="First", when=When(show={"mode": ["x"]}))
    second = NodeField(name="a", control="text", label="Second", when=When(show={"mode": ["x", "y"]}))
    for mode, label in (("x", ["First"]), ("y", ["Second"]), ("z", [])):
        values = {"mode": mode}
        assert [field.label for field in shown_fields([first, second], values, values, 1)] == label
