"""Lists with what is a key's own, page by page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs

import pytest
from aiohttp import web

from jackfield.api.dialects.model import DialectName
from jackfield_proxy.child.incoming.endpoint_request import EndpointRequest
from jackfield_proxy.child.incoming.helpers import HelperProcesses
from jackfield_proxy.child.serving.own_list import MOST_PAGES, ListRefused, OwnList


def asked(query: str = "", dialect: DialectName = "chat") -> EndpointRequest:
    return EndpointRequest(dialect, "GET", "/files", b"", [], query, HelperProcesses())


def page(*ids: str, **more: Any) -> web.Response:
    value = {"object": "list", "data": [{"id": one} for one in ids], **more}
    return web.Response(body=json.dumps(value).encode(), headers={"Content-Type": "application/json"})


class Provider:
    """Pages behind the first, in turn."""

    def __init__(self, *pages: web.Response) -> None:
        self.pages = list(pages)
        self.queries: list[dict[str, list[str]]] = []

    async def read(self, call: EndpointRequest) -> web.Response:
        self.queries.append(parse_qs(call.query))
        return self.pages.pop(0)

    async def usable(self, ids: Sequence[str]) -> frozenset[str]:
        return frozenset(one for one in ids if one.startswith("own"))

    async def listed(self, call: EndpointRequest, first: web.Response) -> dict[str, Any]:
        answer = await OwnList(self.read, self.usable).answer(call, first)
        assert isinstance(answer.body, bytes)
        found: dict[str, Any] = json.loads(answer.body)
        return found


@pytest.mark.parametrize(
    ("dialect", "query", "more", "following"),
    [
        ("chat", "limit=2&purpose=batch", {}, {"limit": ["2"], "purpose": ["batch"], "after": ["b"]}),
        ("anthropic", "", {}, {"after_id": ["b"]}),
        ("chat", "after=x&limit=2", {}, {"limit": ["2"], "after": ["b"]}),
        ("anthropic", "before_id=x", {}, {"before_id": ["a"]}),
        ("anthropic", "", {"next_page": "token"}, {"page": ["token"]}),
    ],
)
async def test_pages_without_ones_own_are_skipped(
    dialect: DialectName, query: str, more: dict[str, Any], following: dict[str, list[str]]
) -> None:
    provider = Provider(page("c", "own1", has_more=True, first_id="c", last_id="own1"))
    found = await provider.listed(asked(query, dialect), page("a", "b", has_more=True, **more))
    assert provider.queries == [following]
    assert ([one["id"] for one in found["data"]], found["has_more"]) == (["own1"], True)
    assert (found["first_id"], found["last_id"]) == ("own1", "own1")


async def test_the_last_page_may_be_empty() -> None:
    found = await Provider().listed(asked(), page("a", first_id="a", last_id="a", has_more=False))
    assert found == {"object": "list", "data": [], "first_id": None, "last_id": None, "has_more": False}


async def test_an_account_of_many_pages_is_not_read_to_its_end() -> None:
    provider = Provider(*(page(f"x{number}", has_more=True) for number in range(2 * MOST_PAGES)))
    with pytest.raises(ListRefused) as refused:
        await provider.listed(asked(), page("a", has_more=True))
    assert (refused.value.status, len(provider.queries)) == (404, MOST_PAGES)


@pytest.mark.parametrize("body", [b"", b"[]", b'{"data": {"id": "own"}}', b'{"id": "theirs"}', b"\xff"])
async def test_what_is_no_list_is_not_shown(body: bytes) -> None:
    with pytest.raises(ListRefused) as refused:
        await Provider().listed(asked(), web.Response(body=body))
    assert refused.value.status == 502
