"""The routing table against a naive matcher, and what it keeps when workflows change."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jackfield.api.errors import NotFound
from jackfield.api.storage import Webhook
from jackfield_webhooks import paths
from jackfield_webhooks.routing import lookup
from jackfield_webhooks.routing.table import RouteLeaf, RouteTable

SEGMENTS = st.sampled_from(["a", "b", "c", ":x", ":y"])
PATTERNS = st.lists(SEGMENTS, min_size=1, max_size=4).map("/".join)
CALLED = st.lists(st.sampled_from(["a", "b", "c", "d", ""]), min_size=1, max_size=4).map(tuple)


def webhook(path: str, workflow: str = "w", method: str = "POST", active: bool = True) -> Webhook:
    ident = f"{workflow} {method} {path}"
    pattern = paths.pattern(path)
    return Webhook(ident, workflow, "w", "n", "n", method, paths.display(path), pattern, "none", active, 0)


def fits(pattern: str, called: Sequence[str]) -> bool:
    wanted = pattern.split("/")
    return len(wanted) == len(called) and all(
        (bool(got) if want == ":" else want == got) for want, got in zip(wanted, called, strict=True)
    )


def patterns_of(leaves: Sequence[RouteLeaf]) -> list[str]:
    return [next(iter(leaf.saved.values()))[0].webhook.pattern for leaf in leaves]


def specificity(pattern: str) -> list[bool]:
    """Sorts static before parameter, segment by segment from the left."""
    return [segment == ":" for segment in pattern.split("/")]


@given(st.lists(PATTERNS, max_size=12), CALLED)
def test_every_fitting_pattern_is_found_the_most_specific_first(written: list[str], called: tuple[str, ...]) -> None:
    table = RouteTable()
    for index, path in enumerate(written):
        table.replace(f"w{index}", [webhook(path, f"w{index}")])
    expected = sorted({paths.pattern(path) for path in written if fits(paths.pattern(path), called)}, key=specificity)
    assert patterns_of(list(table.candidates(called))) == expected
    static = table.static("/".join(called))
    assert (static is not None) == ("/".join(called) in {path for path in written if ":" not in path})
    if static is not None:
        assert static is next(table.candidates(called))


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 3), st.lists(PATTERNS, max_size=3, unique_by=paths.pattern)), max_size=12))
def test_changes_leave_nothing_behind(changes: list[tuple[int, list[str]]]) -> None:
    table = RouteTable()
    kept: dict[str, list[str]] = {}
    for number, written in changes:
        workflow = f"w{number}"
        kept[workflow] = written
        table.replace(workflow, [webhook(path, workflow, method=workflow) for path in written])
        fresh = RouteTable()
        for name, listed in kept.items():
            fresh.replace(name, [webhook(path, name, method=name) for path in listed])
        for path in {path for listed in kept.values() for path in listed} | {"a/b"}:
            called = tuple(path.replace(":", "").split("/"))
            ours, theirs = list(table.candidates(called)), list(fresh.candidates(called))
            assert patterns_of(ours) == patterns_of(theirs)
            assert [set(leaf.live) for leaf in ours] == [set(leaf.live) for leaf in theirs]
    for workflow in kept:
        table.replace(workflow, [])
    assert table._root.bare()
    assert table._static == {}
    assert table._routes == {}


def test_the_method_chooses_among_fitting_patterns() -> None:
    table = RouteTable()
    table.replace("w", [webhook("x/me", method="GET"), webhook("x/:id", method="PUT")])
    assert lookup.find_live(table, "x/me", "GET").webhook.path == "/x/me"
    found = lookup.find_live(table, "x/me", "PUT")
    assert lookup.parameters(found, "x/me") == {"id": "me"}


def test_a_live_parameter_beats_an_inactive_static_segment() -> None:
    table = RouteTable()
    table.replace("off", [webhook("x/me", "off", active=False)])
    table.replace("on", [webhook("x/:id", "on")])
    assert lookup.find_live(table, "x/me", "POST").webhook.workflow_id == "on"
    assert lookup.find_saved(table, "x/me", "POST")[0].webhook.workflow_id == "off"


def test_an_encoded_slash_separates_no_segments() -> None:
    scope = {"path": "/webhook/a/b/c", "raw_path": b"/webhook/a%2Fb/c"}
    assert paths.called_path(scope) == ("a/b", "c")
    assert paths.called_path({"path": "/webhook/a/b/", "raw_path": b"/webhook/a/b/?x"}) == "a/b"
    assert paths.called_path({"path": "/webhook/a/ü"}) == "a/ü"
    assert paths.called_path({"path": "/webhook", "raw_path": b"/webhook"}) == ""


@given(st.text(max_size=60))
def test_odd_paths_are_no_trouble(text: str) -> None:
    assert not paths.display(text).endswith("//")
    assert len(paths.split(paths.pattern(text))) == len(paths.split(text))
    paths.url("http://h", "webhook", text.encode("utf-8", "replace").decode())


def test_many_segments_are_unknown_instead_of_deep() -> None:
    table = RouteTable()
    table.replace("w", [webhook(":a")])
    called = "/".join("x" * 10_000)
    with pytest.raises(NotFound):
        lookup.find_live(table, called, "POST")
