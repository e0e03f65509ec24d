"""Ranges of versions as npm reads them."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield_community_nodes.npm.versions import Version, VersionRange

FITS = [
    ("^1.2.3", "1.2.3 1.9.0", "1.2.2 2.0.0 2.0.0-rc.1 1.3.0-rc.1"),
    ("^0.2.3", "0.2.3 0.2.9", "0.3.0 0.2.2"),
    ("^0.0.3", "0.0.3", "0.0.4 0.0.2"),
    ("^0.0", "0.0.0 0.0.9", "0.1.0"),
    ("^0", "0.0.0 0.9.0", "1.0.0"),
    ("^1.2.3-beta.2", "1.2.3-beta.2 1.2.3-beta.10 1.2.3 1.3.0", "1.2.3-beta.1 1.2.4-beta.2 2.0.0"),
    ("~1.2.3", "1.2.3 1.2.9", "1.3.0"),
    ("~1.2", "1.2.0 1.2.9", "1.3.0"),
    ("~1", "1.0.0 1.9.9", "2.0.0"),
    ("1.2", "1.2.0 1.2.7", "1.3.0"),
    ("1.x", "1.0.0 1.9.9", "2.0.0"),
    ("*", "0.0.1 9.9.9", "1.0.0-rc.1"),
    ("", "0.0.1 9.9.9", "1.0.0-rc.1"),
    ("=1.2.3", "1.2.3", "1.2.4"),
    ("v1.2.3", "1.2.3", "1.2.4"),
    (">=1.2 <2", "1.2.0 1.9.0", "1.1.9 2.0.0"),
    (">1.2", "1.3.0", "1.2.9"),
    ("<=1.2", "1.2.9 0.1.0", "1.3.0"),
    ("> 1.2.3", "1.2.4", "1.2.3"),
    ("1.2.3 - 2.3", "1.2.3 2.3.9", "2.4.0 1.2.2"),
    ("1.0.0 || ^2.1", "1.0.0 2.1.0", "1.0.1 2.0.9"),
    (">1.2.3-beta.9", "1.2.3-beta.10 1.2.3", "1.2.3-beta.9 1.2.3-beta.8"),
    (">=2.0.0-0 <3", "2.0.0-rc.1 2.0.0 2.9.0", "2.1.0-rc.1 3.0.0"),
]


@pytest.mark.parametrize(("text", "inside", "outside"), FITS)
def test_what_a_range_admits(text: str, inside: str, outside: str) -> None:
    found = VersionRange(text)
    assert [one for one in inside.split() if not found.admits(Version.of(one))] == []
    assert [one for one in outside.split() if found.admits(Version.of(one))] == []


@pytest.mark.parametrize("text", ["latest", "git+ssh://x", "1.2.3.4", "^a", ">=1 <b"])
def test_what_is_no_range(text: str) -> None:
    with pytest.raises(ValueError, match="is no"):
        VersionRange(text)


def test_the_order_of_versions() -> None:
    """The example of the specification, section 11."""
    ordered = "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 2.0.0"
    versions = [Version.of(text) for text in ordered.split()]
    for index, one in enumerate(versions):
        assert [(one.compared(other) > 0) - (one.compared(other) < 0) for other in versions] == [
            (index > place) - (index < place) for place in range(len(versions))
        ]


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1), st.tuples(*[st.integers(0, 3)] * 3))
def test_the_best_is_the_highest_that_fits(versions: list[tuple[int, int, int]], low: tuple[int, int, int]) -> None:
    texts = [".".join(map(str, version)) for version in versions]
    found = VersionRange(f">={'.'.join(map(str, low))}").best(texts)
    fitting = [version for version in versions if version >= low]
    assert found == (".".join(map(str, max(fitting))) if fitting else None)


@given(st.text(max_size=40))
def test_any_text_is_a_range_or_refused(text: str) -> None:
    with contextlib.suppress(ValueError):
        VersionRange(text).admits(Version(1, 2, 3))
