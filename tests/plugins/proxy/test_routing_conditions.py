"""Conditions of rules, and what a request says to them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield_proxy.routing.conditions import scripts_in
from jackfield_proxy.routing.kinds import BUILT_IN, GRAMMAR
from jackfield_proxy.routing.request_attributes import RequestAttributes, attributes_of, told

holds = BUILT_IN.holds

TOOL = {"name": "t", "input_schema": {"type": "object"}}
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 9000}}

CASES: list[tuple[dict[str, Any], RequestAttributes, bool]] = [
    ({"type": "always"}, RequestAttributes(), True),
    ({"type": "token_count", "min": 10}, RequestAttributes(tokens=9), False),
    ({"type": "token_count", "min": 10}, RequestAttributes(tokens=10), True),
    ({"type": "token_count", "max": 10}, RequestAttributes(tokens=10), True),
    ({"type": "token_count", "max": 10}, RequestAttributes(tokens=11), False),
    ({"type": "token_count", "min": 3, "max": 5}, RequestAttributes(tokens=4), True),
    ({"type": "has_tools"}, RequestAttributes(tools=0), False),
    ({"type": "has_tools"}, RequestAttributes(tools=1), True),
    ({"type": "has_tools", "min_count": 2}, RequestAttributes(tools=1), False),
    ({"type": "thinking"}, RequestAttributes(thinking=True), True),
    ({"type": "thinking_mode"}, RequestAttributes(thinking=True), True),
    ({"type": "thinking"}, RequestAttributes(), False),
    ({"type": "image"}, RequestAttributes(image=True), True),
    ({"type": "web_search"}, RequestAttributes(web_search=True), True),
    ({"type": "background"}, RequestAttributes(model="claude-haiku-4-5"), True),
    ({"type": "background"}, RequestAttributes(model="claude-opus-5"), False),
    ({"type": "model_pattern", "pattern": "claude-*"}, RequestAttributes(model="claude-opus-5"), True),
    ({"type": "model_pattern", "pattern": "claude"}, RequestAttributes(model="claude-opus-5"), False),
    ({"type": "model_pattern", "pattern": "gpt-?"}, RequestAttributes(model="GPT-5"), False),
    ({"type": "header", "name": "X-Route", "equals": "blue"}, RequestAttributes(headers={"x-route": "blue"}), True),
    ({"type": "header", "name": "x-route", "equals": "blue"}, RequestAttributes(headers={"x-route": "Blue"}), False),
    ({"type": "header", "name": "x-route", "equals": "blue"}, RequestAttributes(), False),
    ({"type": "time", "from": "08:00", "to": "18:00"}, RequestAttributes(minute=8 * 60), True),
    ({"type": "time", "from": "08:00", "to": "18:00"}, RequestAttributes(minute=18 * 60), False),
    ({"type": "time", "from": "22:00", "to": "06:00"}, RequestAttributes(minute=23 * 60), True),
    ({"type": "time", "from": "22:00", "to": "06:00"}, RequestAttributes(minute=6 * 60), False),
    ({"type": "script", "path": "a.rhai"}, RequestAttributes(scripts={"a.rhai": True}), True),
    ({"type": "script", "path": "a.rhai"}, RequestAttributes(), False),
    ({"type": "all", "conditions": [{"type": "always"}, {"type": "image"}]}, RequestAttributes(), False),
    ({"type": "any", "conditions": [{"type": "always"}, {"type": "image"}]}, RequestAttributes(), True),
    ({"type": "not", "condition": {"type": "image"}}, RequestAttributes(), True),
    ({"type": "unheard-of"}, RequestAttributes(), False),
    ({}, RequestAttributes(), False),
]  # fmt: skip


@pytest.mark.parametrize(("condition", "attributes", "expected"), CASES, ids=[str(case[0]) for case in CASES])
def test_condition_holds(condition: dict[str, Any], attributes: RequestAttributes, expected: bool) -> None:
    assert holds(condition, attributes) is expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ({"type": "path", "pattern": "/v1/messages"}, True),
        ({"type": "path", "pattern": "/v1/mess*"}, True),
        ({"type": "path", "pattern": "/messages"}, False),
        ({"type": "dialect", "equals": "anthropic"}, True),
        ({"type": "dialect", "equals": "chat"}, False),
    ],
)
def test_path_and_dialect(condition: dict[str, Any], expected: bool) -> None:
    assert holds(condition, RequestAttributes(path="/v1/messages", dialect="anthropic")) is expected


def test_every_documented_condition_is_there() -> None:
    documented = (
        "token_count has_tools thinking model_pattern image web_search background header time path dialect always all "
        "any not"
    )
    assert set(documented.split()) | {"script"} <= {*BUILT_IN.conditions, *GRAMMAR}


simple = st.sampled_from([{"type": "always"}, {"type": "image"}, {"type": "thinking"}, {"type": "has_tools"}])
nested = st.recursive(
    simple,
    lambda inner: (
        st.builds(lambda one: {"type": "not", "condition": one}, inner)
        | st.builds(
            lambda kind, many: {"type": kind, "conditions": many},
            st.sampled_from(["all", "any"]),
            st.lists(inner, min_size=1, max_size=3),
        )
    ),
    max_leaves=8,
)
some = st.builds(RequestAttributes, image=st.booleans(), thinking=st.booleans(), tools=st.integers(0, 2))


@given(nested, nested, some)
def test_combinations_follow_logic(one: dict[str, Any], other: dict[str, Any], attributes: RequestAttributes) -> None:
    negated = [{"type": "not", "condition": part} for part in (one, other)]
    assert holds({"type": "not", "condition": one}, attributes) is not holds(one, attributes)
    assert holds({"type": "all", "conditions": [one, other]}, attributes) is not holds(
        {"type": "any", "conditions": negated}, attributes
    )


def test_scripts_are_found_however_deep() -> None:
    inner = {"type": "not", "condition": {"type": "script", "path": "b.rhai"}}
    found = scripts_in({"type": "any", "conditions": [{"type": "script", "path": "a.rhai"}, inner]})
    assert list(found) == ["a.rhai", "b.rhai"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"thinking": {"type": "enabled", "budget_tokens": 2000}}, {"thinking": True}),
        ({"thinking": {"type": "adaptive"}}, {"thinking": True}),
        ({"thinking": {"type": "disabled"}}, {"thinking": False}),
        ({"reasoning": {"effort": "high"}}, {"thinking": True}),
        ({"reasoning_effort": "none"}, {"thinking": False}),
        ({"tools": [TOOL, TOOL]}, {"tools": 2}),
        ({"tools": "nonsense"}, {"tools": 0}),
        ({"tools": [{"type": "web_search_20250305", "name": "web_search"}]}, {"web_search": True, "tools": 1}),
        ({"messages": [{"role": "user", "content": [PICTURE]}]}, {"image": True}),
        ({"messages": [{"content": [{"type": "tool_result", "content": [PICTURE]}]}]}, {"image": True}),
        ({"messages": [{"content": [{"type": "image_url", "image_url": {"url": "data:"}}]}]}, {"image": True}),
        ({"input": [{"content": [{"type": "input_image", "image_url": "data:"}]}]}, {"image": True}),
        ({"input": "just text"}, {"image": False}),
        ({"model": 7}, {"model": ""}),
    ],
)
def test_facts_are_read_in_every_dialect(body: dict[str, Any], expected: dict[str, object]) -> None:
    found = attributes_of(body, {}, 0)
    assert {name: getattr(found, name) for name in expected} == expected


def test_tokens_are_about_a_quarter_of_the_characters_and_an_image_is_no_text() -> None:
    words = {"messages": [{"role": "user", "content": "lorem ipsum " * 1000}]}
    picture = {"messages": [{"role": "user", "content": [PICTURE]}]}
    assert 2500 < attributes_of(words, {}, 0).tokens < 4000
    assert 1500 < attributes_of(picture, {}, 0).tokens < 1700
    assert attributes_of({"system": "x" * 4000}, {}, 0).tokens > 900


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "content", "messages", "input", "tools", "system"]), inner, max_size=3
        )
    ),
    max_leaves=15,
)


@given(st.dictionaries(st.sampled_from(["messages", "input", "tools", "system", "thinking", "reasoning"]), anything))
def test_no_body_breaks_the_reading_of_facts(body: dict[str, Any]) -> None:
    assert attributes_of(body, {}, 0).tokens >= 1


def test_scripts_get_no_credential() -> None:
    attributes = RequestAttributes(headers={"authorization": "Bearer x", "x-api-key": "y", "x-route": "blue"})
    assert told(attributes)["headers"] == {"x-route": "blue"}
