"""Names are values in filters and DNs, whatever is in them; and settings that cannot be meant are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("ldap3")

from ldap3.operation.search import parse_filter, search_operation
from ldap3.utils.dn import parse_dn
from pydantic import ValidationError

from jackfield_ldap.filters import filled_dn, filled_filter, folded_dn
from jackfield_ldap.settings import LdapDirectory, LdapSettings

HOSTILE = st.one_of(st.text(max_size=40), st.text('*()\\\0=,+<>#; "&|!~aé', max_size=20))


def values_of(text: str) -> list[bytes]:
    """What a server gets: the values of every comparison that is in the filter."""
    found: list[bytes] = []

    def walk(node: Any) -> None:
        if node.assertion:
            value = node.assertion.get("value")
            found.append(value if isinstance(value, bytes) else str(value).encode())
        for below in node.elements or ():
            walk(below)

    walk(parse_filter(text, None, False, False, None, False))
    return found


@given(HOSTILE, HOSTILE)
def test_a_name_in_a_filter_is_one_value(username: str, dn: str) -> None:
    assert search_operation is not None
    filled = filled_filter("(&(uid={username})(member={dn})(cn=x))", username, dn)
    assert len(values_of(filled)) == 3
    inner = filled.removeprefix("(&(uid=").removesuffix("(cn=x))")
    assert inner.count("(") == 1  # of the second comparison alone
    assert "*" not in filled
    assert "\0" not in filled


def is_read_by_the_library(username: str) -> bool:
    """Its parser refuses `#` within a value, which RFC 4514 allows; a login is never asked for a NUL."""
    return "#" not in username[1:] and "\0" not in username


@given(st.text(min_size=1, max_size=40).filter(is_read_by_the_library))
def test_a_name_in_a_dn_is_one_value(username: str) -> None:
    parts = parse_dn(filled_dn("uid={username},ou=people,dc=example,dc=com", username))
    assert [name for name, _, _ in parts] == ["uid", "ou", "dc", "dc"]


def test_a_name_that_is_no_dn_is_left_as_it_is() -> None:
    assert filled_dn("{username}@example.com", "ada,x") == "ada,x@example.com"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("CN=Staff, OU=Groups,DC=example,DC=com", "cn=staff,ou=groups,dc=EXAMPLE,dc=com", True),
        ("cn=staff,ou=other,dc=example,dc=com", "cn=staff,ou=groups,dc=example,dc=com", False),
        ("staff", " Staff ", True),
        ("cn=a\\,b,dc=x", "cn=a,dc=x", False),
    ],
)
def test_spellings_of_a_dn_are_one(one: str, other: str, same: bool) -> None:
    assert (folded_dn(one) == folded_dn(other)) is same


ROW = {"name": "corp", "urls": ["ldaps://ldap.example.com"], "base_dn": "dc=example,dc=com"}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"urls": []}, "urls"),
        ({"urls": ["http://ldap.example.com"]}, "urls"),
        ({"urls": ["ldap://ldap.example.com/dc=x"]}, "urls"),
        ({"urls": ["ldap://ldap.example.com"], "tls": "none"}, "clear text"),
        ({"bind_dn": "cn=a"}, "bind_password_file"),
        ({"bind_password_env": "A"}, "bind_dn"),
        ({"bind_password": "in plain sight"}, "bind_password"),
        ({"bind": "direct"}, "user_dn"),
        ({"user_dn": "uid={username},dc=x"}, "user_dn"),
        ({"user_filter": "(uid=ada)"}, "username"),
        ({"user_filter": "uid={username}"}, "parentheses"),
        ({"groups": [{"group": "staff"}]}, "groups"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError, match=field) as told:
        LdapSettings.model_validate({"directories": [{**ROW, **changes}]})
    assert "plain sight" not in str(told.value)


def test_loopback_may_do_without_tls() -> None:
    assert LdapDirectory.model_validate({**ROW, "urls": ["ldap://127.0.0.1:389"], "tls": "none"}).tls == "none"


def test_the_page_documents_each_key_with_its_default() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "logins.md").read_text(encoding="utf-8")
    rows = page.partition("## LDAP")[2].splitlines()
    for name, field in LdapDirectory.model_fields.items():
        default = field.get_default(call_default_factory=True)
        (line,) = [line for line in rows if line.startswith(f"| `{name}` |")]
        if name != "title" and not field.is_required():
            assert f"| `{json.dumps(default)}` |" in line
