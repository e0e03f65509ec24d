"""Bodies that stand in the inputs of executions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.call_places import body_in, moved, places_of, read, told

_TEXTS = st.text(st.sampled_from('ab"ü*'), max_size=12)


@given(
    st.lists(st.tuples(st.text(st.sampled_from('a"ü'), min_size=1, max_size=9), st.text("x", min_size=1)), max_size=5)
)
def test_a_masked_body_is_found_in_what_came(parts: list[tuple[str, str]]) -> None:
    """Each part is shown as it came, and the text behind it is hidden."""
    came = "".join(shown + hidden for shown, hidden in parts).encode()
    shown = "".join(f"{text}***" for text, _ in parts)
    places = places_of(came, shown)
    assert places
    assert body_in(b"input" + came, moved(places, 5)) == shown


@given(_TEXTS, _TEXTS)
def test_another_text_is_never_taken_for_it(came: str, shown: str) -> None:
    places = places_of(came.encode(), shown)
    assert not places or body_in(came.encode(), places) == shown


@pytest.mark.parametrize(
    ("came", "shown", "places"),
    [
        ('{"a":1}', '{"a":1}', ((0, 7),)),
        ('{"key":"secret","b":"x"}', '{"key":"***","b":"x"}', ((0, 8), (14, 10))),
        ('{"a":"s","b":"s"}', '{"a":"***","b":"***"}', ((0, 6), (7, 7), (15, 2))),
        ('{"key":{"a":"b"}}', '{"key":"***"}', ()),
        ('{"a":1}', '{"a":2}', ()),
        ('{"a":1} ', '{"a":1}', ()),
    ],
)
def test_places(came: str, shown: str, places: tuple[tuple[int, int], ...]) -> None:
    assert places_of(came.encode(), shown) == places
    assert read(told(places)) == places


def test_a_body_that_hides_much_has_a_text_of_its_own() -> None:
    assert places_of(b'"x"' * 64, '"***"' * 64) == ()
