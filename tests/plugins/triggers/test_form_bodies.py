"""Events that come as forms with several parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.errors import InvalidInput
from jackfield.api.multipart import FormFile, form_body
from jackfield_triggers.subscribing.form_bodies import fields

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=20)


@given(st.dictionaries(st.from_regex(r"[a-z0-9\[\]]{1,10}", fullmatch=True), TEXTS, max_size=5))
def test_fields_come_as_they_were_sent_and_files_are_left_out(sent: dict[str, str]) -> None:
    form = form_body(sent.items(), [FormFile("file", "a.txt", b"content")])
    assert form.whole is not None
    assert fields(form.whole, form.content_type or "") == sent


@pytest.mark.parametrize("kind", ["multipart/form-data", "multipart/form-data; boundary=x"])
def test_a_broken_form_is_refused(kind: str) -> None:
    with pytest.raises(InvalidInput, match="form"):
        fields(b"--y\r\nnothing", kind)
