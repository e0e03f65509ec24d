"""Claims become roles, projects and links; settings that cannot be meant are refused; doctor."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback_provider import LoopbackProvider
from pydantic import ValidationError

from jackfield.api.auth import ROLES
from jackfield.api.login_groups import GroupRow, GroupTable
from jackfield.api.logins import LoginRefused
from jackfield.api.records import replace
from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_oidc.findings import findings
from jackfield_oidc.login import OidcLogin
from jackfield_oidc.people import PersonReader, claim, subject_of
from jackfield_oidc.settings import OidcProvider, OidcSettings

ISSUER = "https://id.example.com"
STAFF = {"group": "staff", "role": "member"}


def reader(**changes: Any) -> PersonReader:
    row = {"name": "corp", "issuer": ISSUER, "client_id": "jackfield", "groups": [STAFF], **changes}
    return PersonReader(OidcProvider.model_validate(row))


@pytest.mark.parametrize(
    ("name", "claims", "role"),
    [
        ("groups", {"groups": ["staff", "others"]}, "member"),
        ("groups", {"groups": "staff"}, "member"),
        ("groups", {"groups": ["Staff"]}, ""),
        ("groups", {"groups": [["staff"], 7, None]}, ""),
        ("groups", {}, ""),
        ("realm_access.roles", {"realm_access": {"roles": ["staff"]}}, "member"),
        ("realm_access.roles", {"realm_access": "staff"}, ""),
        ("https://a.example/groups", {"https://a.example/groups": ["staff"]}, "member"),
        ("hd", {"hd": "staff"}, "member"),
    ],
)
def test_groups_are_found_where_the_settings_say(name: str, claims: dict[str, Any], role: str) -> None:
    assert reader(groups_claim=name).identity({"sub": "s", **claims}).role == role


def test_more_groups_than_a_token_holds_are_told_to_the_person() -> None:
    with pytest.raises(LoginRefused, match="more groups"):
        reader().identity({"sub": "s", "_claim_names": {"groups": "src1"}})


@pytest.mark.parametrize(
    ("email", "verified", "found"),
    [
        ("ada@example.com", True, "ada@example.com"),
        ("ada@EXAMPLE.com", True, "ada@EXAMPLE.com"),
        ("ada@example.com", "true", ""),
        ("ada@example.com", False, ""),
        ("ada@evil.example", True, ""),
        ("ada@example.com@evil.example", True, ""),
        (["ada@example.com"], True, ""),
    ],
)
def test_an_address_links_when_it_is_verified_and_its_domain_named(email: Any, verified: Any, found: str) -> None:
    claims = {"sub": "s", "email": email, "email_verified": verified}
    assert reader(link_email_domains=["example.com"]).identity(claims).verified_email == found
    assert reader().identity(claims).verified_email == ""


@given(st.text(min_size=1, max_size=255), st.text(min_size=1, max_size=255))
def test_two_subjects_are_never_one(one: str, other: str) -> None:
    assert (subject_of(ISSUER, one) == subject_of(ISSUER, other)) == (one == other)
    assert subject_of(ISSUER, one) != subject_of(ISSUER + "/a", one)
    assert len(subject_of(ISSUER, one)) <= 255


_NAMES = st.sampled_from(["a", "b", "c", "*", "A"])
_ROWS = st.builds(
    GroupRow,
    group=_NAMES,
    role=st.sampled_from([*ROLES]),
    project=st.sampled_from([None, "one", "two"]),
    project_role=st.sampled_from(["project:viewer", "project:editor", "project:admin"]),
)


@given(st.lists(_ROWS, max_size=8), st.sets(_NAMES), st.sets(_NAMES))
def test_more_groups_never_give_less_and_no_group_gives_nothing_of_others(
    rows: list[GroupRow], groups: set[str], more: set[str]
) -> None:
    table = GroupTable(rows)
    ranks = ["", *ROLES]
    assert ranks.index(table.role(groups)) <= ranks.index(table.role(groups | more))
    assert table.memberships(groups).keys() <= table.memberships(groups | more).keys()
    if not any(row.group == "*" or row.group in groups for row in rows):
        assert (table.role(groups), table.memberships(groups)) == ("", {})


def test_case_counts_unless_the_directory_folds_it() -> None:
    rows = [GroupRow(group="CN=Staff", role="member")]
    assert GroupTable(rows).role(["cn=staff"]) == ""
    assert GroupTable(rows, folds=True).role(["cn=staff"]) == "member"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"issuer": "http://id.example.com"}, "issuer"),
        ({"issuer": "https://id.example.com/?a=b"}, "issuer"),
        ({"issuer": "https://user@id.example.com"}, "issuer"),
        ({"name": "Corp"}, "name"),
        ({"scopes": ["profile"]}, "scopes"),
        ({"algorithms": ["HS256"]}, "algorithms"),
        ({"algorithms": ["none"]}, "algorithms"),
        ({"client_secret": "in plain sight"}, "client_secret"),
        ({"client_secret_file": "a", "client_secret_env": "B"}, "client_secret_file"),
        ({"client_auth": "post"}, "client_auth"),
        ({"groups": [{"group": "staff"}]}, "groups"),
        ({"groups": [{"group": "staff", "role": "owner"}]}, "groups"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(changes: dict[str, Any], field: str) -> None:
    row = {"name": "corp", "issuer": ISSUER, "client_id": "jackfield", **changes}
    with pytest.raises(ValidationError, match=field) as told:
        OidcSettings.model_validate({"providers": [row]})
    assert "plain sight" not in str(told.value)


def test_two_providers_have_two_names() -> None:
    row = {"name": "corp", "issuer": ISSUER, "client_id": "jackfield"}
    with pytest.raises(ValidationError, match="one name"):
        OidcSettings.model_validate({"providers": [row, row]})


def test_the_page_documents_each_key_with_its_default() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "logins.md").read_text(encoding="utf-8")
    rows = page.partition("## LDAP")[0].splitlines()
    for name, field in OidcProvider.model_fields.items():
        default = field.get_default(call_default_factory=True)
        (line,) = [line for line in rows if line.startswith(f"| `{name}` |")]
        if name != "title" and not field.is_required():
            assert f"| `{json.dumps(default)}` |" in line


# -- doctor


async def told(context: FakeContext) -> list[tuple[bool, str]]:
    context.ports["Store"] = MemoryStore()
    return [(each.good, each.message) for each in await findings(context)]


async def test_doctor_tries_the_callback(
    make_login: Callable[..., OidcLogin], context: FakeContext, provider: LoopbackProvider
) -> None:
    make_login()
    ((good, message),) = await told(context)
    assert good
    assert message.endswith("takes http://127.0.0.1:8765/auth/callback/corp")
    context.service = replace(context.service, public_url="https://hooks.example.com")
    ((good, message),) = await told(context)
    assert not good
    assert "register exactly this" in message
    assert "https://hooks.example.com/auth/callback/corp" in message


async def test_doctor_hints_at_a_scope_that_nobody_asks_for(
    make_login: Callable[..., OidcLogin], context: FakeContext, provider: LoopbackProvider
) -> None:
    make_login()
    provider.metadata = {"scopes_supported": ["openid", "groups"]}
    _, (good, message) = await told(context)
    assert good
    assert "the scope groups" in message
    make_login(scopes=["openid", "groups"])
    assert len(await told(context)) == 1


async def test_doctor_names_what_lets_nobody_in(
    make_login: Callable[..., OidcLogin], context: FakeContext, provider: LoopbackProvider
) -> None:
    make_login(groups=[{"group": "staff", "project": "Nowhere"}])
    assert [good for good, _ in await told(context)] == [True, False, False]
    provider.status = 500
    ((good, message),) = await told(context)
    assert (good, "status 500" in message) == (False, True)
    make_login(client_secret_env="NOT_SET")
    assert "NOT_SET" in (await told(context))[0][1]


@pytest.mark.parametrize(
    ("claims", "name", "found"),
    [
        ({"realm_access": {"roles": ["a"]}}, "realm_access.roles", ["a"]),
        ({"resource_access": {"desk.example.com": {"roles": ["a"]}}}, "resource_access.desk.example.com.roles", ["a"]),
        (
            {"resource_access": {"desk": {"example.com": 1}, "desk.example": {"com": 2}}},
            "resource_access.desk.example.com",
            1,
        ),
        ({"https://example.com/groups": ["a"]}, "https://example.com/groups", ["a"]),
        ({"realm_access": ["roles"]}, "realm_access.roles", None),
        ({}, "a.b", None),
    ],
)
def test_dots_lead_into_objects_and_may_be_in_names(claims: Any, name: str, found: Any) -> None:
    assert claim(claims, name) == found
