"""The header by which a service notices that it has had a request before."""

from __future__ import annotations

from typing import Any

import pytest
from http_lab import sent
from loopback import Loopback, reply
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError

OPTION = {"idempotencyKey": "Idempotency-Key"}


def given(server: Loopback, name: str = "idempotency-key") -> list[str | None]:
    return [seen.headers.get(name) for seen in server.seen]


@pytest.mark.parametrize(("version", "url"), [(4.2, "url"), (3, "url"), (1, "url")])
async def test_each_item_has_a_key_when_the_option_is_set(
    bench: Bench, server: Loopback, version: float, url: str
) -> None:
    two = items({"n": 1}, {"n": 2})
    await sent(bench, {url: server.url()}, version, given=two)
    assert given(server) == [None, None]
    server.seen.clear()
    await sent(bench, {url: server.url(), "options": OPTION}, version, given=two)
    first, second = given(server)
    assert first
    assert second
    assert first != second
    await sent(bench, {url: server.url(), "options": OPTION}, version, given=two)
    assert sorted(map(str, given(server)[2:])) == sorted([first, second]), "the same run of the same execution"


async def test_the_header_may_have_another_name(bench: Bench, server: Loopback) -> None:
    await sent(bench, {"url": server.url(), "options": {"idempotencyKey": " X-Request-Key "}})
    await sent(bench, {"url": server.url(), "options": {"idempotencyKey": ""}})
    assert [bool(key) for key in given(server, "x-request-key")] == [True, False]
    with pytest.raises(NodeError, match="a name that is not valid"):
        await sent(bench, {"url": server.url(), "options": {"idempotencyKey": "a b"}})


async def test_a_header_of_the_node_itself_stays(bench: Bench, server: Loopback) -> None:
    headers = {"parameters": [{"name": "idempotency-Key", "value": "mine"}]}
    await sent(bench, {"url": server.url(), "sendHeaders": True, "headerParameters": headers, "options": OPTION})
    assert given(server) == ["mine"]


async def test_each_page_is_a_request_of_its_own(bench: Bench, server: Loopback) -> None:
    answers = iter([reply([{"n": 1}]), reply([{"n": 2}]), reply([])])
    server.answer = lambda _: next(answers)
    pagination: dict[str, Any] = {
        "paginationMode": "updateAParameterInEachRequest",
        "parameters": {"parameters": [{"type": "qs", "name": "page", "value": "1"}]},
    }
    options: dict[str, Any] = {**OPTION, "pagination": {"pagination": pagination}}
    await sent(bench, {"url": server.url(), "options": options})
    assert len(set(given(server))) == len(server.seen) == 3
