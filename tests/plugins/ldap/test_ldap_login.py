"""The login beside OpenLDAP: who comes in, as whom, and over which connections."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from jackfield.api.errors import ConfigurationError, UpstreamFailed
from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_ldap.findings import findings
from jackfield_ldap.login import LdapLogin

BASE = "dc=example,dc=com"
PEOPLE, GROUPS = f"ou=people,{BASE}", f"ou=groups,{BASE}"
MakeLogin = Callable[..., LdapLogin]
DIRECT = {"bind": "direct", "bind_dn": "", "bind_password_env": "", "user_dn": f"uid={{username}},{PEOPLE}"}


@pytest.mark.parametrize("how", [{}, DIRECT])
async def test_a_name_and_its_password_are_an_identity(make_login: MakeLogin, how: dict[str, str]) -> None:
    login = make_login(**how)
    found = await login.verify("ada", "ada's password")
    assert found is not None
    assert (found.display_name, found.role, found.projects) == ("Ada", "member", {"One": "project:viewer"})
    assert len(found.subject) == 36
    again = await login.verify(" ADA ", "ada's password")
    assert again == found
    bob = await login.verify("bob", "bob's password")
    assert bob is not None
    assert (bob.role, bob.projects) == ("", {})


@pytest.mark.parametrize("how", [{}, DIRECT])
@pytest.mark.parametrize(
    ("username", "password"),
    [
        ("ada", "bob's password"),
        ("ada", ""),
        ("", "ada's password"),
        ("nobody", "ada's password"),
        ("*", "ada's password"),
        ("a*", "ada's password"),
        ("ada)(uid=*", "ada's password"),
        ("ada,ou=people", "ada's password"),
        ("ada\\2a", "ada's password"),
        ("twin", "a password of neither"),
    ],
)
async def test_whatever_is_not_a_name_and_its_password_is_nobody(
    make_login: MakeLogin, how: dict[str, str], username: str, password: str
) -> None:
    assert await make_login(**how).verify(username, password) is None


async def test_a_name_that_two_have_lets_neither_in(make_login: MakeLogin) -> None:
    assert await make_login().verify("twin", "twin's password") is None
    assert await make_login(base_dn=f"ou=more,{PEOPLE}").verify("twin", "twin's password") is not None


@pytest.mark.parametrize("how", [{}, DIRECT])
async def test_a_name_with_the_syntax_of_filters_and_dns_is_a_name(make_login: MakeLogin, how: dict[str, str]) -> None:
    found = await make_login(**how).verify("o*(dd)", "odd's password")
    assert found is not None
    assert found.role == "member"


async def test_groups_come_from_an_attribute_or_by_another_name(make_login: MakeLogin) -> None:
    by_attribute = await make_login(group_base="", member_of="seeAlso").verify("ada", "ada's password")
    by_name = await make_login(group_attribute="cn", groups=[{"group": "STAFF", "role": "viewer"}]).verify(
        "ada", "ada's password"
    )
    nowhere = await make_login(group_base="", member_of="").verify("ada", "ada's password")
    assert [found.role for found in (by_attribute, by_name, nowhere) if found] == ["member", "viewer", ""]


async def test_an_anonymous_search_does_where_the_directory_allows_it(make_login: MakeLogin) -> None:
    assert await make_login(bind_dn="", bind_password_env="").verify("ada", "ada's password") is not None


# -- connections


async def test_tls_from_the_beginning_and_tls_that_is_upgraded(
    make_login: MakeLogin, filled_ldap: Mapping[str, str]
) -> None:
    tls = f"ldaps://localhost:{filled_ldap['tlsPort']}"
    assert await make_login(urls=[tls]).verify("ada", "ada's password") is not None


@pytest.mark.parametrize("changes", [{"ca_file": ""}, {"urls": "by address"}])
async def test_a_certificate_that_does_not_count_gets_no_password(
    make_login: MakeLogin, filled_ldap: Mapping[str, str], changes: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """The certificate is for `localhost`, by its own authority."""
    for scheme, port in (("ldap", "port"), ("ldaps", "tlsPort")):
        host = "127.0.0.1" if "urls" in changes else "localhost"
        login = make_login(**{**changes, "urls": [f"{scheme}://{host}:{filled_ldap[port]}"]})
        with pytest.raises(UpstreamFailed, match="does not answer"):
            await login.verify("ada", "ada's password")
        found = await make_login(urls=[f"{scheme}://{host}:{filled_ldap[port]}"], tls="unverified").verify(
            "ada", "ada's password"
        )
        assert found is not None
    assert "ada's password" not in caplog.text


async def test_the_next_server_is_asked_when_one_does_not_answer(
    make_login: MakeLogin, filled_ldap: Mapping[str, str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        gone = taken.getsockname()[1]
    urls = [f"ldap://localhost:{gone}", f"ldap://localhost:{filled_ldap['port']}"]
    assert await make_login(urls=urls).verify("ada", "ada's password") is not None


async def test_a_server_that_says_nothing_is_given_up_and_holds_up_no_loop(make_login: MakeLogin) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        login = make_login(urls=[f"ldap://127.0.0.1:{silent.getsockname()[1]}"], settings={"timeout": 1})
        asked = asyncio.ensure_future(login.verify("ada", "ada's password"))
        turns = 0
        while not asked.done():
            turns += 1
            await asyncio.sleep(0.01)
        with pytest.raises(UpstreamFailed, match="does not answer"):
            await asked
    assert turns > 3


async def test_our_own_account_that_does_not_count_is_no_wrong_password(
    make_login: MakeLogin, context: FakeContext
) -> None:
    with pytest.raises(UpstreamFailed, match="own account"):
        await make_login(bind_password_env="WRONG_PASSWORD").verify("ada", "ada's password")
    with pytest.raises(ConfigurationError, match="NOT_SET"):
        await make_login(bind_password_env="NOT_SET").verify("ada", "ada's password")
    with pytest.raises(UpstreamFailed, match="id_attribute"):
        await make_login(id_attribute="employeeNumber").verify("ada", "ada's password")


async def test_doctor_asks_the_directory(make_login: MakeLogin, context: FakeContext) -> None:
    context.ports["Store"] = MemoryStore()
    make_login()
    assert [each.good for each in await findings(context)] == [True, False]  # there is no project One
    make_login(bind_password_env="WRONG_PASSWORD")
    ((told,)) = await findings(context)
    assert (told.good, "own account" in told.message) == (False, True)
    make_login(base_dn="ou=nowhere,dc=example,dc=com")
    assert "refuses a search" in (await findings(context))[0].message
