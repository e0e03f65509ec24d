"""JSON with mistakes, read as it was meant; `tests/n8n/families/fields.py` compares it with n8n."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield_nodes.values.json_repair import Hopeless, repaired

READ = [
    ("{x: 1,}", {"x": 1}),
    ('{"x": "a\nb"}', {"x": "a\nb"}),
    ('{"x": "say "hi" now", "y": 1}', {"x": 'say "hi" now', "y": 1}),
    ('{"x": [1, {"y": 2', {"x": [1, {"y": 2}]}),
    ('{"x": 1 "y": [1 2]}', {"x": 1, "y": [1, 2]}),
    ("{'x': True, 'y': None, z: undefined, w: NaN}", {"x": True, "y": None, "z": None, "w": "NaN"}),
    (
        "/* a */ {x: some text, // b\n y: https://example.com/a?b=1}",
        {"x": "some text", "y": "https://example.com/a?b=1"},
    ),
    ('{"x":, "y":}', {"x": None, "y": None}),
    ('{"x": "\\u00e9\\n"}', {"x": "é\n"}),
]


@pytest.mark.parametrize(("text", "value"), READ)
def test_what_was_meant(text: str, value: object) -> None:
    assert repaired(text) == value


@pytest.mark.parametrize("text", ["{{{", "", '"a', "{a}", "[" * 300, "[}"])
def test_what_nobody_can_mean_is_refused(text: str) -> None:
    with pytest.raises(Hopeless, match="not valid JSON"):
        repaired(text)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=("Cs",)), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc_", min_size=1), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_valid_json_is_what_it_says_unless_a_text_has_marks(value: object) -> None:
    text = json.dumps(value)
    if "\\" not in text:
        assert repaired(text) == value


@given(st.text("{}[]\"':,\\/* ab1\n", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(Hopeless):
        json.dumps(repaired(text))
