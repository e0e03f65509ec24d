"""Names of keys. Source: xterm's control sequences, normal cursor keys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.errors import InvalidInput
from jackfield.api.key_names import NAMED_KEYS
from jackfield_terminal.screen.keys import sequence


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("enter", b"\r"), ("Enter", b"\r"), ("up", b"\x1b[A"), ("f1", b"\x1bOP"), ("F4", b"\x1bOS"),
        ("f5", b"\x1b[15~"),
        ("f12", b"\x1b[24~"), ("ctrl-c", b"\x03"), ("Ctrl-C", b"\x03"), ("ctrl-[", b"\x1b"), ("ctrl-]", b"\x1d"),
        ("ctrl-@", b"\0"), ("alt-x", b"\x1bx"), ("alt-X", b"\x1bX"), ("alt-ü", b"\x1b\xc3\xbc"),
        ("a", b"a"), ("-", b"-"),
        ("é", b"\xc3\xa9"),
    ],
)  # fmt: skip
def test_what_a_key_sends(name: str, sent: bytes) -> None:
    assert sequence(name) == sent


@pytest.mark.parametrize("name", NAMED_KEYS)
def test_every_named_key_sends_something(name: str) -> None:
    assert sequence(name) == sequence(name.upper()) != name.encode()


@pytest.mark.parametrize("name", ["", "return!", "ctrl-", "ctrl-ß", "ctrl-cc", "shift-a", "f13", "ctrl-ﬁ"])
def test_what_is_no_key(name: str) -> None:
    with pytest.raises(InvalidInput, match="There is no key") as caught:
        sequence(name)
    assert "keys" in (caught.value.details or {})


@given(st.one_of(st.text(), st.builds("{}-{}".format, st.sampled_from(["ctrl", "alt", "Ctrl"]), st.characters())))
def test_any_name_is_a_key_or_refused(name: str) -> None:
    try:
        assert sequence(name)
    except InvalidInput:
        return
