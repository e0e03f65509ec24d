"""Pagination and proxies of HTTP Request, against real servers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from loopback import Loopback, loopback, reply
from node_fakes import Bench

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_nodes.http.settings import HttpSettings

Make = Callable[..., Bench]
Late = Callable[[Mapping[str, Json], Mapping[str, Json]], dict[str, Json]]


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async with loopback() as made:
        yield made


@pytest.fixture
def bench(make_bench: Make) -> Bench:
    return make_bench(HttpSettings(allowed_networks=["127.0.0.0/8"], max_pages=20))


def evaluated(**values: Callable[[Any], Any]) -> Late:
    """Stands for the expressions: `$name` in the templates becomes what the function makes of the variables."""

    def walk(value: Any, extra: Mapping[str, Any]) -> Any:
        if isinstance(value, str) and value.startswith("$"):
            return values[value[1:]](extra)
        if isinstance(value, dict):
            return {key: walk(inner, extra) for key, inner in value.items()}
        return [walk(inner, extra) for inner in value] if isinstance(value, list) else value

    return lambda templates, extra: walk(dict(templates), extra)


async def fetched(bench: Bench, parameters: dict[str, Any], pagination: dict[str, Any], **more: Any) -> Any:
    options = {"pagination": {"pagination": pagination}, **parameters.pop("options", {})}
    (rows,) = await bench.json("httpRequest", 4.2, {**parameters, "options": options}, **more)
    return rows


def pages(count: int) -> Callable[[Any], bytes]:
    def answer(seen: Any) -> bytes:
        page = int(parse_qs(urlsplit(seen.target).query).get("page", ["0"])[0])
        return reply([{"page": page}] if page < count else [])

    return answer


async def test_a_parameter_in_each_request_until_the_answer_is_empty(bench: Bench, server: Loopback) -> None:
    server.answer = pages(3)
    late = evaluated(count=lambda extra: extra["$pageCount"])
    rows = {"parameters": [{"name": "page", "value": "$count"}]}
    found = await fetched(bench, {"url": server.url("/list?size=1")}, {"parameters": rows}, late=late)
    assert found == [{"page": 0}, {"page": 1}, {"page": 2}]
    assert [seen.target for seen in server.seen] == [f"/list?size=1&page={number}" for number in range(4)]


async def test_what_evaluates_to_nothing_is_left_out_and_the_body_takes_parameters(
    bench: Bench, server: Loopback
) -> None:
    server.answer = lambda seen: reply({"rows": [1], "next": None if "offset" in seen.json else 7})
    late = evaluated(
        offset=lambda extra: extra["$response"].get("body", {}).get("next"),
        done=lambda extra: extra["$response"] != {} and extra["$response"]["body"]["next"] is None,
    )
    pagination = {
        "parameters": {"parameters": [{"type": "body", "name": "offset", "value": "$offset"}]},
        "paginationCompleteWhen": "other",
        "completeExpression": "$done",
    }
    parameters = {"url": server.url(), "method": "POST", "sendBody": True, "specifyBody": "json", "jsonBody": {"a": 1}}
    await fetched(bench, parameters, pagination, late=late)
    assert [seen.json for seen in server.seen] == [{"a": 1}, {"a": 1, "offset": 7}]


async def test_the_answer_names_the_next_page(bench: Bench, server: Loopback) -> None:
    def answer(seen: Any) -> bytes:
        number = int(seen.target.strip("/") or 0)
        return reply({"n": number, "next": server.url(f"/{number + 1}") if number < 2 else None})

    server.answer = answer
    late = evaluated(next=lambda extra: extra["$response"].get("body", {}).get("next"))
    found = await fetched(
        bench, {"url": server.url()}, {"paginationMode": "responseContainsNextURL", "nextURL": "$next"}, late=late
    )
    assert [row["n"] for row in found] == [0, 1, 2]


async def test_a_credential_does_not_follow_the_next_page_to_another_origin(bench: Bench, server: Loopback) -> None:
    async with loopback() as other:
        server.answer = lambda _: reply({"next": other.url("/stolen")})
        late = evaluated(next=lambda extra: extra["$response"].get("body", {}).get("next"))
        pagination = {"paginationMode": "responseContainsNextURL", "nextURL": "$next"}
        parameters: dict[str, Any] = {
            "url": server.url(),
            "authentication": "genericCredentialType",
            "genericAuthType": "httpBearerAuth",
        }
        kept = {"httpBearerAuth": {"token": "s3cr3t-token"}}
        with pytest.raises(NodeError, match="belongs to 127"):
            await fetched(bench, parameters, pagination, late=late, credentials=kept)
        assert other.seen == []


async def test_the_next_page_is_checked_like_the_first(make_bench: Make, server: Loopback) -> None:
    bench = make_bench(HttpSettings(allowed_networks=["127.0.0.1/32"]))
    server.answer = lambda _: reply({"next": "http://169.254.169.254/latest/"})
    late = evaluated(next=lambda extra: extra["$response"].get("body", {}).get("next"))
    with pytest.raises(NodeError, match="public internet"):
        await fetched(
            bench, {"url": server.url()}, {"paginationMode": "responseContainsNextURL", "nextURL": "$next"}, late=late
        )


async def test_status_codes_complete_and_others_are_errors(bench: Bench, server: Loopback) -> None:
    server.answer = lambda _: reply({"n": 1}, "404 Gone" if len(server.seen) == 3 else "200 OK")
    done = {"paginationCompleteWhen": "receiveSpecificStatusCodes", "statusCodesWhenComplete": "404, 410"}
    assert len(await fetched(bench, {"url": server.url()}, done)) == 3
    server.seen.clear()
    with pytest.raises(NodeError, match="status 404"):
        await fetched(bench, {"url": server.url()}, {**done, "statusCodesWhenComplete": "410"})


async def test_the_number_of_pages_and_the_interval(bench: Bench, server: Loopback) -> None:
    server.answer = lambda _: reply({"n": len(server.seen)})
    limit = {"limitPagesFetched": True, "maxRequests": "$three", "requestInterval": 500}
    running = asyncio.ensure_future(fetched(bench, {"url": server.url()}, limit, late=evaluated(three=lambda _: 3)))
    for expected in (1, 2):
        while not bench.clock._sleepers:
            await asyncio.sleep(0.001)
        assert len(server.seen) == expected
        await bench.clock.advance(0.5)
    assert [row["n"] for row in await running] == [1, 2, 3]


async def test_pages_without_an_end_are_stopped(bench: Bench, server: Loopback) -> None:
    with pytest.raises(NodeError, match="same answer 5 times"):
        await fetched(bench, {"url": server.url()}, {})
    assert len(server.seen) == 5
    server.answer = lambda _: reply({"n": len(server.seen)})
    with pytest.raises(NodeError, match=r"within 20 pages \(nodes\.http\.max_pages\)"):
        await fetched(bench, {"url": server.url()}, {})


async def test_pagination_off_is_one_request(bench: Bench, server: Loopback) -> None:
    assert await fetched(bench, {"url": server.url()}, {"paginationMode": "off"}) == [{"ok": True}]


async def test_a_setting_of_the_wrong_type_is_named(bench: Bench, server: Loopback) -> None:
    with pytest.raises(NodeError, match=r"options\.pagination\.maxRequests"):
        await fetched(bench, {"url": server.url()}, {"limitPagesFetched": True, "maxRequests": "many"})


# ---------------------------------------------------------------------------------------------------------------- proxy


class Proxy:
    """Answers CONNECT and passes bytes on."""

    def __init__(self, status: str = "200 OK") -> None:
        self.status = status
        self.heads: list[str] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.heads.append(head)
        writer.write(f"HTTP/1.1 {self.status}\r\n\r\n".encode())
        if self.status.startswith("2"):
            host, _, port = head.split()[1].rpartition(":")
            there, back = await asyncio.open_connection(host, int(port))
            await asyncio.gather(passed(reader, back), passed(there, writer))
        writer.close()


async def passed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


@pytest.fixture
async def proxy() -> AsyncIterator[tuple[Proxy, int]]:
    made = Proxy()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    yield made, server.sockets[0].getsockname()[1]
    server.close()


async def test_a_proxy_tunnels_to_a_checked_address(bench: Bench, server: Loopback, proxy: tuple[Proxy, int]) -> None:
    made, port = proxy
    parameters = {"url": f"http://localhost:{server.port}/x", "options": {"proxy": f"http://u:p%40@127.0.0.1:{port}"}}
    (rows,) = await bench.json("httpRequest", 4.2, parameters)
    assert rows == [{"ok": True}]
    assert server.seen[0].headers["host"] == f"localhost:{server.port}"
    assert made.heads[0].startswith(f"CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\n"), "the address, not the name"
    assert "Proxy-Authorization: Basic dTpwQA==" in made.heads[0]


@pytest.mark.parametrize(
    ("networks", "target", "told"),
    [
        (["127.0.0.1/32"], "http://169.254.169.254/", "169.254.169.254 is not on the public internet"),
        (["1.1.1.1/32"], "http://1.1.1.1/", "the proxy 127.0.0.1 is not on the public internet"),
    ],
)
async def test_neither_the_proxy_nor_its_target_evades_the_checks(
    make_bench: Make, proxy: tuple[Proxy, int], networks: list[str], target: str, told: str
) -> None:
    bench = make_bench(HttpSettings(allowed_networks=networks))
    with pytest.raises(NodeError, match=told):
        await bench.json("httpRequest", 4.2, {"url": target, "options": {"proxy": f"127.0.0.1:{proxy[1]}"}})
    assert proxy[0].heads == []


async def test_a_proxy_that_refuses_is_told(bench: Bench, server: Loopback, proxy: tuple[Proxy, int]) -> None:
    proxy[0].status = "407 Who are you"
    with pytest.raises(NodeError, match="proxy refused with status 407"):
        await bench.json("httpRequest", 4.2, {"url": server.url(), "options": {"proxy": f"127.0.0.1:{proxy[1]}"}})
    assert server.seen == []


async def test_the_request_view_has_what_the_author_wrote(bench: Bench, server: Loopback) -> None:
    seen: list[Any] = []

    def late(templates: Mapping[str, Json], extra: Mapping[str, Json]) -> dict[str, Json]:
        seen.append(json.loads(json.dumps(extra)))
        return dict(templates)

    parameters = {
        "url": server.url("/a"),
        "method": "POST",
        "sendQuery": True,
        "queryParameters": {"parameters": [{"name": "page", "value": 1}]},
        "sendBody": True,
        "specifyBody": "json",
        "jsonBody": {"b": [1]},
    }
    await fetched(bench, parameters, {"limitPagesFetched": True, "maxRequests": 1}, late=late)
    assert seen[0] == {
        "$request": {
            "method": "POST",
            "url": server.url("/a"),
            "qs": {"page": 1},
            "headers": {},
            "body": {"b": [1]},
        },
        "$response": {},
        "$pageCount": 0,
    }
    assert seen[1]["$pageCount"] == 1
    assert seen[1]["$response"]["body"] == {"ok": True}
    assert seen[1]["$response"]["statusCode"] == 200
