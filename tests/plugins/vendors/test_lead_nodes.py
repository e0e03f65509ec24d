"""HighLevel, Hunter and uProc: what n8n's own nodes do wrongly, or cannot be compared."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from loopback import Loopback, Seen, reply
from service_lab import Services
from vendor_lab import Lab

from jackfield_vendors.functions.named import texts_of


@pytest.fixture
def services(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Services:
    return Services(lab, monkeypatch)


def query(seen: Seen) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(seen.target).query).items()}


V2 = ("highLevelOAuth2Api", {"locationId": "l1", "accessToken": "token-of-highlevel"})


@pytest.mark.parametrize("version", [1, 2])
async def test_all_contacts_come_with_both_cursors(services: Services, server: Loopback, version: int) -> None:
    def answer(seen: Seen) -> bytes:
        after = int(query(seen).get("startAfterId", 0))
        rows = [{"id": str(number)} for number in range(after + 1, min(after + 2, 5) + 1)]
        meta = {"total": 5, "startAfterId": rows[-1]["id"], "startAfter": 1000 + int(rows[-1]["id"])}
        return reply({"contacts": rows, "meta": meta})

    server.answer = answer
    credential = V2 if version == 2 else ("highLevelApi", {"apiKey": "key-of-highlevel"})
    found = {"resource": "contact", "operation": "getAll", "returnAll": True, "filters": {"query": "a"}}
    made = await services.run("highLevel", version, found, credential=credential)
    assert [one["json"]["id"] for one in made] == ["1", "2", "3", "4", "5"]
    place = {"locationId": "l1"} if version == 2 else {}
    asked = [query(one) for one in server.seen]
    assert asked[0] == {"query": "a", "limit": "100", **place}
    assert asked[2] == {"query": "a", "limit": "100", "startAfterId": "4", "startAfter": "1004", **place}
    assert len(asked) == 3
    assert server.seen[0].headers.get("version") == ("2021-07-28" if version == 2 else None)


async def test_custom_fields_of_a_contact_are_changed(services: Services, server: Loopback) -> None:
    server.answer = lambda _: reply({"contact": {"id": "c1"}})
    field: Any = {"fieldId": {"__rl": True, "mode": "id", "value": "f1"}, "fieldValue": "x"}
    changed = {
        "resource": "contact",
        "operation": "update",
        "contactId": "c1/..",
        "updateFields": {"customFields": {"values": [field]}},
    }
    await services.run("highLevel", 2, changed, credential=V2)
    assert server.seen[0].target == "/contacts/c1%2F../"
    assert server.seen[0].json == {"customFields": [{"id": "f1", "field_value": "x"}]}


async def test_all_addresses_of_a_large_company(services: Services, server: Loopback) -> None:
    addresses = [{"value": f"{number}@a.example"} for number in range(250)]

    def answer(seen: Seen) -> bytes:
        begin = int(query(seen)["offset"])
        return reply(
            {"data": {"domain": "a.example", "emails": addresses[begin : begin + 100]}, "meta": {"results": 250}}
        )

    server.answer = answer
    credential = ("hunterApi", {"apiKey": "key-of-hunter"})
    search = {"operation": "domainSearch", "domain": "a.example", "returnAll": True}
    made = await services.run("hunter", 1, search, credential=credential)
    assert [one["json"] for one in made] == addresses
    made = await services.run("hunter", 1, {**search, "onlyEmails": False}, credential=credential)
    assert [one["json"] for one in made] == [{"domain": "a.example", "emails": addresses}]
    assert query(server.seen[0])["api_key"] == "key-of-hunter"


def test_fields_are_given_as_texts() -> None:
    given: Any = {"object": {"a": 4.0, "b": True, "c": None}, "names": ["a", "b", "c", "d"]}
    assert texts_of(given) == {"a": "4", "b": "true", "c": "", "d": ""}
    assert texts_of({}) == {}
