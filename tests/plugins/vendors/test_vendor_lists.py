"""Lists for the fields of forms: asked of a loopback server that answers as the services do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from loopback import Loopback, Seen, reply
from service_lab import Services
from vendor_lab import Lab

from jackfield.api.credentials import CredentialKind
from jackfield.api.http_client import Authorization
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.nodes.lists import ListQuestion, LoadedPage, ValuesMissing
from jackfield_credentials.authorizations import authorization
from jackfield_vendors.node import VendorNode

TABLES = [
    {"id": "tbl1", "name": "People", "views": [], "fields": [{"name": "Name", "type": "singleLineText"}]},
    {
        "id": "tbl2",
        "name": "Orders",
        "views": [{"id": "viw1", "name": "All"}],
        "fields": [{"name": "Total", "type": "currency"}, {"name": "Paid", "type": "checkbox"}],
    },
]


@dataclass
class Access:
    """One credential, as a route gives it."""

    kinds: Mapping[str, CredentialKind]
    values: Mapping[str, str]

    async def credential(self, kind: str) -> Mapping[str, str]:
        return self.values

    async def authorization(self, kind: str) -> Authorization:
        keeper: Any = None  # no token is asked for
        known = self.kinds[kind]
        return authorization(known, known.complete(self.values), "c1", keeper, keeper)


class Lister:
    def __init__(self, lab: Lab, services: Services, server: Loopback) -> None:
        self._lab = lab
        self._services = services
        self.server = server
        self._nodes: dict[str, VendorNode] = {}

    async def page(self, kind: str, name: str, values: Mapping[str, Json] | None = None, **more: Any) -> LoadedPage:
        node = self._nodes.setdefault(kind, self._services.node(kind))
        credential = more.pop("credential", None) or next(one.kind for one in node.description.credentials)
        here = self.server.url("").rstrip("/")
        places = {"server": here, "domain": here, "host": here, "email": "me@example.com"}
        secrets = dict.fromkeys(("accessToken", "apiKey", "apiToken", "serviceRole"), "xo-secret")
        access = Access(self._lab.kinds, {**places, **secrets})
        question = ListQuestion(name, None, values or {}, credential, **more)
        found = await node.listed(question, access)
        assert found is not None
        return found

    async def rows(self, *args: Any, **more: Any) -> list[tuple[Json, str]]:
        return [(row.value, row.label) for row in (await self.page(*args, **more)).rows]


@pytest.fixture
def lists(lab: Lab, server: Loopback, monkeypatch: pytest.MonkeyPatch) -> Lister:
    return Lister(lab, Services(lab, monkeypatch), server)


def query(seen: Seen) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(seen.target).query).items()}


async def test_slacks_channels_come_by_pages_and_are_looked_through(lists: Lister) -> None:
    def answer(seen: Seen) -> bytes:
        if query(seen).get("cursor") == "c2":
            return reply({"ok": True, "channels": [{"id": "C2", "name": "random"}], "response_metadata": {}})
        first = {"ok": True, "channels": [{"id": "C1", "name": "general"}]}
        return reply({**first, "response_metadata": {"next_cursor": "c2"}})

    lists.server.answer = answer
    page = await lists.page("slack", "channels")
    assert ([row.label for row in page.rows], page.cursor) == (["general"], "c2")
    assert lists.server.seen[0].headers["authorization"] == "Bearer xo-secret"
    assert await lists.rows("slack", "channels", cursor="c2") == [("C2", "random")]
    assert await lists.rows("slack", "channels", search="RAND") == [("C2", "random")]


async def test_sheets_of_the_chosen_document(lists: Lister) -> None:
    sheets = [{"properties": {"sheetId": 0, "title": "First"}}, {"properties": {"sheetId": 7, "title": "Second"}}]
    lists.server.answer = lambda _: reply({"sheets": sheets})
    values: Any = {
        "documentId": {"__rl": True, "mode": "url", "value": "https://docs.google.com/spreadsheets/d/D1/edit"}
    }
    assert await lists.rows("googleSheets", "sheets", values) == [("gid=0", "First"), (7, "Second")]
    assert urlsplit(lists.server.seen[0].target).path == "/v4/spreadsheets/D1"
    page = await lists.page("googleSheets", "sheets", values)
    assert page.rows[1].url == "https://docs.google.com/spreadsheets/d/D1/edit#gid=7"
    empty: list[Any] = [
        {},
        {"documentId": "={{ $json.id }}"},
        {"documentId": {"__rl": True, "mode": "id", "value": ""}},
    ]
    for given in empty:
        with pytest.raises(ValuesMissing) as raised:
            await lists.page("googleSheets", "sheets", given)
        assert raised.value.names == ["documentId"]


async def test_documents_are_searched_for_by_the_service(lists: Lister) -> None:
    lists.server.answer = lambda _: reply({"files": [{"id": "D1", "name": "It's", "webViewLink": "https://d/1"}]})
    page = await lists.page("googleSheets", "spreadSheets", search="It's")
    assert [(row.value, row.label, row.url) for row in page.rows] == [("D1", "It's", "https://d/1")]
    assert "name contains 'It\\'s'" in query(lists.server.seen[0])["q"]


async def test_columns_of_a_sheet_are_its_header(lists: Lister) -> None:
    def answer(seen: Seen) -> bytes:
        if "/values/" in seen.target:
            return reply({"values": [["Name", "Age"]]})
        return reply({"sheets": [{"properties": {"sheetId": 0, "title": "First"}}]})

    lists.server.answer = answer
    values: Any = {"documentId": "D1", "sheetName": {"__rl": True, "mode": "list", "value": "gid=0"}}
    found = await lists.rows("googleSheets", "mappingColumns", values)
    assert found == [("Name", "Name"), ("Age", "Age")]
    assert lists.server.seen[-1].target.endswith("/values/%27First%27%211%3A1")


async def test_airtables_tables_and_their_columns_with_types(lists: Lister) -> None:
    lists.server.answer = lambda _: reply({"tables": TABLES, "bases": [{"id": "app1", "name": "Shop"}]})
    assert await lists.rows("airtable", "base") == [("app1", "Shop")]
    values = {"base": "app1", "table": "tbl2"}
    assert await lists.rows("airtable", "table", values) == [("tbl1", "People"), ("tbl2", "Orders")]
    assert await lists.rows("airtable", "view", values) == [("viw1", "All")]
    page = await lists.page("airtable", "columns", values)
    assert [(row.value, row.type) for row in page.rows] == [("Total", "number"), ("Paid", "boolean")]


async def test_notions_databases(lists: Lister) -> None:
    row = {"id": "d1", "title": [{"plain_text": "Tasks"}], "url": "https://notion.so/d1"}
    lists.server.answer = lambda _: reply({"results": [row], "next_cursor": "n2"})
    page = await lists.page("notion", "databases", search="Ta")
    assert ([row.label for row in page.rows], page.cursor) == (["Tasks"], "n2")
    assert lists.server.seen[-1].json["query"] == "Ta"


async def test_githubs_repositories_of_the_chosen_owner(lists: Lister) -> None:
    lists.server.answer = lambda _: reply({"items": [{"name": "jackfield", "html_url": "https://g/j"}]})
    values: Any = {"owner": {"__rl": True, "mode": "url", "value": "https://github.com/acme"}}
    github = await lists.page("github", "repositories", values, credential="githubApi")
    assert [row.value for row in github.rows] == ["jackfield"]
    assert query(lists.server.seen[-1])["q"] == "user:acme fork:true"


async def test_keys_of_an_object_are_rows(lists: Lister) -> None:
    answer = {"definitions": {"users": {"properties": {"id": {}, "mail": {}}}, "orders": {"properties": {"no": {}}}}}
    lists.server.answer = lambda _: reply(answer)
    page = await lists.page("supabase", "tableColumns", {"tableId": "users"})
    assert [row.value for row in page.rows] == ["id", "mail"]


async def test_what_the_service_says_is_told_without_the_secret(lists: Lister) -> None:
    lists.server.answer = lambda _: reply({"error": {"message": "bad key xo-secret"}}, "401 Unauthorized")
    with pytest.raises(NodeError) as raised:
        await lists.page("airtable", "base")
    assert "bad key" in raised.value.message
    assert "xo-secret" not in raised.value.message


async def test_a_credential_of_another_service_goes_nowhere(lists: Lister) -> None:
    with pytest.raises(NodeError, match="slackApi or slackOAuth2Api"):
        await lists.page("slack", "channels", credential="githubApi")
    assert not lists.server.seen


async def test_a_cursor_leads_to_no_other_server(lists: Lister) -> None:
    with pytest.raises(NodeError, match="another service"):
        await lists.page("microsoftOutlook", "folders", cursor="https://evil.example/steal")
    with pytest.raises(NodeError, match="none of this list"):
        await lists.page("jira", "users", cursor="../x")
    assert not lists.server.seen


async def test_a_node_without_the_list_says_so(lists: Lister) -> None:
    node = lists._services.node("telegram")
    assert await node.listed(ListQuestion("channels", None), Access({}, {})) is None


async def test_an_answer_that_is_too_long_is_not_read(lists: Lister) -> None:
    lists.server.answer = lambda _: reply({"tables": TABLES})
    with pytest.raises(NodeError, match="more than 100 bytes"):
        await lists.page("airtable", "table", {"base": "app1"}, most_bytes=100)
