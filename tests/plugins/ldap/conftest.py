"""OpenLDAP with some people and groups, and the plugin's login at it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integrations"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "nodes"))

from server_fixtures import certificate, ldap

from jackfield.testing.context import FakeContext
from jackfield_ldap.login import LdapLogin, logins
from jackfield_ldap.settings import LdapSettings

__all__ = ["certificate", "ldap"]

BASE = "dc=example,dc=com"
PEOPLE, GROUPS = f"ou=people,{BASE}", f"ou=groups,{BASE}"
PASSWORDS = {"ada": "ada's password", "bob": "bob's password", "o*(dd)": "odd's password", "twin": "twin's password"}
MakeLogin = Callable[..., LdapLogin]


def filled(values: Mapping[str, str]) -> None:
    """The entries of the directory."""
    import ldap3

    server = ldap3.Server(values["hostname"], int(values["port"]), get_info=None)
    with ldap3.Connection(server, values["bindDN"], values["bindPassword"], auto_bind=True) as connection:

        def add(dn: str, kinds: list[str], **attributes: Any) -> None:
            assert connection.add(dn, kinds, attributes), connection.result

        add(BASE, ["dcObject", "organization"], dc="example", o="Example")
        for dn in (PEOPLE, GROUPS, f"ou=more,{PEOPLE}"):
            add(dn, ["organizationalUnit"], ou=dn.partition(",")[0].removeprefix("ou="))
        staff = f"cn=Staff,{GROUPS}"
        for name, password in PASSWORDS.items():
            more = {"seeAlso": staff} if name == "ada" else {}
            dn = f"uid={name},{PEOPLE}"
            add(dn, ["inetOrgPerson"], uid=name, cn=name.title(), sn="S", userPassword=password, **more)
        add(
            f"uid=twin,ou=more,{PEOPLE}",
            ["inetOrgPerson"],
            uid="twin",
            cn="Twin",
            sn="S",
            userPassword="twin's password",
        )
        add(staff, ["groupOfNames"], cn="Staff", member=[f"uid=ada,{PEOPLE}", f"uid=o*(dd),{PEOPLE}"])
        add(f"cn=Chiefs,{GROUPS}", ["groupOfNames"], cn="Chiefs", member=[f"uid=bob,{PEOPLE}"])


@pytest.fixture(scope="session")
def filled_ldap(ldap: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """The directory is shared with the node's tests, which find it empty."""
    filled(ldap)
    yield ldap
    import ldap3

    server = ldap3.Server(ldap["hostname"], int(ldap["port"]), get_info=None)
    with ldap3.Connection(server, ldap["bindDN"], ldap["bindPassword"], auto_bind=True) as connection:
        connection.search(BASE, "(objectClass=*)", attributes=["1.1"])
        for row in sorted(connection.response, key=lambda row: -len(row["dn"])):
            connection.delete(row["dn"])


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeContext:
    return FakeContext(tmp_path, "ldap")


@pytest.fixture
def make_login(
    context: FakeContext,
    filled_ldap: Mapping[str, str],
    certificate: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> MakeLogin:
    """`make_login(key=value ...)`: of the directory's table; by StartTLS, with the server's certificate."""
    monkeypatch.setenv("BIND_PASSWORD", filled_ldap["bindPassword"])
    monkeypatch.setenv("WRONG_PASSWORD", "wrong")
    (context.config_dir / "ca.pem").write_bytes(certificate[0].read_bytes())

    def make(*, settings: dict[str, Any] | None = None, **changes: Any) -> LdapLogin:
        row = {
            "name": "corp",
            "urls": [f"ldap://localhost:{filled_ldap['port']}"],
            "ca_file": "ca.pem",
            "bind_dn": filled_ldap["bindDN"],
            "bind_password_env": "BIND_PASSWORD",
            "base_dn": PEOPLE,
            "group_base": GROUPS,
            "groups": [{"group": f"CN=staff, {GROUPS}", "role": "member", "project": "One"}],
        }
        context.tables = [LdapSettings.model_validate({"directories": [{**row, **changes}], **(settings or {})})]
        (made,) = logins(context)
        assert isinstance(made, LdapLogin)
        return made

    return make
