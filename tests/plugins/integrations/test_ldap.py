"""The LDAP node beside OpenLDAP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from integration_fakes import Bench, rows

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_integrations.connection_tests import kinds
from jackfield_integrations.kinds import LDAP
from jackfield_integrations.ldap.filters import escaped, filled, plain
from jackfield_integrations.secret_values import DriverCredential

Node = Callable[..., Any]
BASE = "dc=example,dc=com"
PEOPLE = f"ou=people,{BASE}"


def attributes(**values: Any) -> dict[str, Any]:
    return {"attribute": [{"id": name, "value": value} for name, value in values.items()]}


@pytest.fixture
async def node(bench: Bench, ldap: Mapping[str, str]) -> AsyncIterator[Node]:
    async def run(operation: str, *, items: Any = None, on_error: Any = "stopWorkflow", **parameters: Json) -> Any:
        wanted = {"operation": operation, **parameters}
        return await bench.json("ldap", 1, wanted, items, credentials={"ldap": ldap}, on_error=on_error)

    domain = attributes(objectClass=["dcObject", "organization"], dc="example", o="Example")
    await run("create", dn=BASE, attributes=domain)
    await run("create", dn=PEOPLE, attributes=attributes(objectClass="organizationalUnit", ou="people"))
    yield run
    found = await run("search", baseDN=BASE, searchFor="custom", returnAll=True, options={"pageSize": 2})
    for row in sorted(found, key=lambda row: -len(row["dn"])):
        await run("delete", dn=row["dn"])


async def person(node: Node, name: str, **more: Any) -> str:
    dn = f"uid={name},{PEOPLE}"
    given = attributes(objectClass="inetOrgPerson", uid=name, cn=name.title(), sn="S", **more)
    assert await node("create", dn=dn, attributes=given) == [{"dn": dn, "result": "success"}]
    return dn


async def test_entries_are_made_changed_and_deleted(node: Node) -> None:
    dn = await person(node, "ada", mail=["a@example.com", "b@example.com"])
    search: dict[str, Any] = {"baseDN": dn, "searchFor": "custom"}
    (found,) = await node("search", **search, options={"attributes": "mail,cn,title"})
    assert found == {"dn": dn, "mail": ["a@example.com", "b@example.com"], "cn": "Ada", "title": []}
    changes = {
        "add": [{"id": "title", "value": "Dr ü"}],
        "replace": [{"id": "cn", "value": "Ada L"}],
        "delete": [{"id": "mail", "value": "a@example.com"}],
    }
    (changed,) = await node("update", dn=dn, attributes=changes)
    modification = {"type": "title", "values": ["Dr ü"], "buffers": []}
    assert changed["changes"][0] == {"operation": "add", "modification": modification}
    (found,) = await node("search", **search, options={"attributes": ["mail", "cn", "title"]})
    assert found == {"dn": dn, "mail": "b@example.com", "cn": "Ada L", "title": "Dr ü"}
    await node("update", dn=dn, attributes={"delete": [{"id": "mail", "value": ""}]})
    assert (await node("search", **search, options={"attributes": "mail"}))[0]["mail"] == []
    assert await node("compare", dn=dn, id="title", value="Dr ü") == [{"dn": dn, "attribute": "title", "result": True}]
    assert (await node("compare", dn=dn, id="title", value="x"))[0]["result"] is False
    target = f"uid=lovelace,{PEOPLE}"
    assert await node("rename", dn=dn, targetDn=target) == [{"dn": target, "result": "success"}]
    assert (await node("search", baseDN=target, searchFor="custom"))[0]["uid"] == "lovelace"
    await node("delete", dn=target)
    with pytest.raises(NodeError, match=r"LDAP: noSuchObject"):
        await node("search", baseDN=target, searchFor="custom")


async def test_searches_follow_pages_and_limits(node: Node) -> None:
    for number in range(7):
        await person(node, f"user{number}")
    search: dict[str, Any] = {"baseDN": BASE, "searchFor": "(objectclass=person)", "attribute": "uid"}
    everybody = await node("search", **search, searchText="user*", returnAll=True, options={"pageSize": 3})
    assert [row["uid"] for row in everybody] == [f"user{number}" for number in range(7)]
    assert len(await node("search", **search, searchText="user*", limit=4)) == 4
    assert len(await node("search", **search, searchText="user*", limit=2, options={"pageSize": 0})) == 2
    assert len(await node("search", **search, searchText="user*", returnAll=True, options={"pageSize": 0})) == 7
    assert [row["uid"] for row in await node("search", **search, searchText="user3")] == ["user3"]
    own: dict[str, Any] = {"searchFor": "custom", "customFilter": "(|(uid=user1)(uid=user2))"}
    assert len(await node("search", baseDN=BASE, **own)) == 2
    assert await node("search", baseDN=BASE, **own, options={"scope": "one"}) == []
    assert len(await node("search", baseDN=PEOPLE, **own, options={"scope": "one"})) == 2


async def test_an_item_that_fails_leaves_the_others(node: Node) -> None:
    dn = await person(node, "ada")
    found = await node("delete", dn=dn, items=rows({}, {}), on_error="continueRegularOutput")
    assert [list(row) for row in found] == [["dn", "result"], ["error"]]
    with pytest.raises(NodeError, match="entryAlreadyExists"):
        await node("create", dn=PEOPLE, attributes=attributes(objectClass="organizationalUnit", ou="people"))
    with pytest.raises(NodeError, match="LDAP: "):
        await node("search", baseDN=BASE, searchFor="custom", customFilter="(uid=")


async def test_connections(
    make_bench: Callable[..., Bench], ldap: Mapping[str, str], certificate: tuple[Path, Path]
) -> None:
    search: dict[str, Json] = {"baseDN": "", "searchFor": "custom", "options": {"scope": "base"}}
    search["baseDN"] = "cn=subschema"
    bench = make_bench()

    async def run(bench: Bench = bench, **more: str) -> Any:
        return await bench.json("ldap", 1, search, credentials={"ldap": {**ldap, **more}})

    wrong = {"bindPassword": "wrong-and-secret"}
    with pytest.raises(NodeError, match=r"No connection to 127\.0\.0\.1.*invalidCredentials") as failed:
        await run(**wrong)
    assert "wrong-and-secret" not in failed.value.message
    with pytest.raises(NodeError, match=r"integrations\.allowed_hosts"):
        await run(make_bench(allowed_hosts=[]))
    trusted = {"hostname": "localhost", "caCertificate": certificate[0].read_text()}
    for more in ({"connectionSecurity": "tls", "port": ldap["tlsPort"]}, {"connectionSecurity": "startTls"}):
        assert await run(**trusted, **more)
        assert await run(allowUnauthorizedCerts="true", **more)
        for unverified in ({"hostname": "localhost"}, {**trusted, "hostname": "127.0.0.1"}):
            with pytest.raises(NodeError, match="No connection"):
                await run(**unverified, **more)
    (kind,) = (kind for kind in kinds(bench.context) if kind.name == "ldap")
    assert kind.connection_test is not None
    assert await kind.connection_test(ldap) == "127.0.0.1 accepted the credential."


async def test_values_of_expressions_are_no_filter_syntax() -> None:
    async def evaluate(templates: Mapping[str, Json]) -> dict[str, Json]:
        assert templates == {"0": "={{ $json.a }}", "1": "={{ {b: 1} }}"}
        return {"0": "*)(uid=*", "1": 7}

    assert await filled("=(|(cn={{ $json.a }}*)(n={{ {b: 1} }}))", evaluate) == r"(|(cn=\2a\29\28uid=\2a*)(n=7))"
    assert await filled("(cn={{ x }})", evaluate) == "(cn={{ x }})"
    assert plain(r"(cn=a\*b\(c\)\\)") == r"(cn=a\2ab\28c\29\5c)"


@given(st.text())
def test_an_escaped_text_has_no_syntax(text: str) -> None:
    made = escaped(text)
    assert not set(made) & set("*()\0")
    assert made.count("\\") == sum(text.count(mark) for mark in "\\*()\0")


class Endless:
    """A connection whose server always has another page, and nothing on it."""

    response: tuple[()] = ()
    result: Mapping[str, Any] = {
        "result": 0,
        "controls": {"1.2.840.113556.1.4.319": {"value": {"cookie": b"more"}}},
    }

    def search(self, *given: Any, **more: Any) -> None:
        pass


async def test_a_server_with_pages_without_end_is_left() -> None:
    pytest.importorskip("ldap3")
    from jackfield_integrations.ldap.session import LdapSession

    session = LdapSession(Endless(), DriverCredential(LDAP, {}), 20)
    with pytest.raises(NodeError, match="More than 20 pages"):
        await session.search("dc=a", "(a=*)", "sub", [], 5, None)
