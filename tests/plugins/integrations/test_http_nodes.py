"""GraphQL and RSS Read, with a client that answers what a test tells it: the real one has tests of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from integration_fakes import Bench, rows

from jackfield.api.http_client import HttpCall, HttpReply
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError

RSS = b"""<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>F</title>
<item><title>One &amp; only</title><link>https://example.com/1</link>
<dc:creator>Ada</dc:creator><guid>g1</guid>
<description>&lt;b&gt;Bold&lt;/b&gt; text</description><pubDate>Sat, 03 Feb 2024 04:05:06 +0200</pubDate>
<category>a</category><category>b</category>
<enclosure url="https://example.com/a.mp3" length="3" type="audio/mpeg"/><rating>5</rating></item>
<item><title>Two</title></item></channel></rss>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><title>F</title><entry><title>E</title><id>urn:1</id>
<updated>2024-02-03T04:05:06Z</updated><content type="html">&lt;p&gt;C&lt;/p&gt;</content></entry></feed>"""


class Client:
    """Implements `HttpClient`."""

    def __init__(self) -> None:
        self.calls: list[tuple[HttpCall, Any]] = []
        self.reply: tuple[int, bytes] = (200, b"{}")
        self.secrets: tuple[str, ...] = ()

    async def send(self, call: HttpCall, authorization: Any = None) -> HttpReply:
        self.calls.append((call, authorization))
        return HttpReply(self.reply[0], "", [("content-type", "text/xml")], self.reply[1], call.url, self.secrets)

    def sent(self) -> Any:
        body = self.calls[-1][0].body
        assert body is not None
        return json.loads(body.content)


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.fixture
def bench(tmp_path: Path, client: Client) -> Bench:
    return Bench(tmp_path, HttpClient=client)


QUERY: dict[str, Json] = {"endpoint": "https://api.example.com/graphql", "query": "query Q { a }"}


async def test_graphql_json(bench: Bench, client: Client) -> None:
    client.reply = (200, b'{"data": {"a": 1}}')
    parameters = QUERY | {"variables": '{"k": "v"}', "operationName": "Q", "allowUnauthorizedCerts": True}
    parameters["headerParametersUi"] = {"parameter": [{"name": "x-one", "value": "1"}]}
    assert await bench.json("graphql", 1.1, parameters) == [{"data": {"a": 1}}]
    call, authorization = client.calls[0]
    assert client.sent() == {"query": "query Q { a }", "variables": {"k": "v"}, "operationName": "Q"}
    assert (call.method, call.verify, authorization) == ("POST", False, None)
    assert ("x-one", "1") in call.headers
    await bench.json("graphql", 1.1, QUERY | {"variables": {"k": 1}})
    assert client.sent()["variables"] == {"k": 1}


async def test_graphql_versions_and_forms(bench: Bench, client: Client) -> None:
    client.reply = (200, b'{"data": {"a": 1}}')
    await bench.json("graphql", 1, QUERY)
    body = client.calls[-1][0].body
    assert body is not None
    assert (body.content, body.content_type) == (b"query Q { a }", "application/graphql")
    made = await bench.json("graphql", 1.1, QUERY | {"responseFormat": "string", "dataPropertyName": "text"})
    assert made == [{"text": '{"data": {"a": 1}}'}]
    await bench.json("graphql", 1.1, QUERY | {"requestMethod": "GET", "variables": {"k": 1}})
    assert client.calls[-1][0].query == [("query", "query Q { a }"), ("variables", '{"k":1}')]
    assert client.calls[-1][0].body is None


async def test_graphql_credentials(bench: Bench, client: Client) -> None:
    await bench.json("graphql", 1.1, QUERY | {"authentication": "headerAuth"}, rows({}, {}))
    assert [authorization for _, authorization in client.calls] == ["authorization httpHeaderAuth"] * 2
    with pytest.raises(NodeError, match="unknown"):
        await bench.json("graphql", 1.1, QUERY | {"authentication": "magic"})


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (200, b'{"errors": [{"message": "no a; token-1234"}, "x"], "data": null}', r"no a; \*\*\*; x"),
        (500, b"oops", "status 500"),
        (400, b'{"errors": [{"message": "bad"}]}', "errors: bad"),
        (200, b"<html>", "not a JSON object"),
    ],
)
async def test_graphql_failures(bench: Bench, client: Client, status: int, body: bytes, message: str) -> None:
    client.reply, client.secrets = (status, body), ("token-1234",)
    with pytest.raises(NodeError, match=message):
        await bench.json("graphql", 1.1, QUERY)
    for wrong in ({"variables": "{"}, {"variables": "[1]"}, {"query": " "}):
        with pytest.raises(NodeError, match="The parameter"):
            await bench.json("graphql", 1.1, QUERY | wrong)


async def test_rss(bench: Bench, client: Client) -> None:
    client.reply = (200, RSS)
    feed: dict[str, Json] = {
        "url": "https://example.com/feed",
        "options": {"customFields": "rating", "ignoreSSL": True},
    }
    first, second = await bench.json("rssFeedRead", 1.2, feed)
    assert first == {
        "creator": "Ada",
        "author": "Ada",
        "title": "One & only",
        "link": "https://example.com/1",
        "pubDate": "Sat, 03 Feb 2024 04:05:06 +0200",
        "content": "<b>Bold</b> text",
        "contentSnippet": "Bold text",
        "summary": "<b>Bold</b> text",
        "guid": "g1",
        "id": "g1",
        "categories": ["a", "b"],
        "enclosure": {"url": "https://example.com/a.mp3", "length": "3", "type": "audio/mpeg"},
        "isoDate": "2024-02-03T02:05:06.000Z",
        "rating": "5",
    }
    assert second == {"title": "Two"}
    assert client.calls[0][0].verify is False


async def test_atom_and_versions(bench: Bench, client: Client) -> None:
    client.reply = (200, ATOM)
    (made,) = await bench.json("rssFeedRead", 1.1, {"url": "https://example.com/feed"})
    assert (made["title"], made["content"], made["isoDate"]) == ("E", "<p>C</p>", "2024-02-03T04:05:06.000Z")
    assert len(await bench.json("rssFeedRead", 1.1, {"url": "https://example.com"}, rows({}, {}))) == 2
    assert len(await bench.json("rssFeedRead", 1, {"url": "https://example.com"}, rows({}, {}))) == 1


async def test_rss_failures(bench: Bench, client: Client, tmp_path: Path) -> None:
    secret = tmp_path / "secret.xml"
    secret.write_bytes(ATOM)
    entity = f'<!DOCTYPE f [<!ENTITY x SYSTEM "file://{secret}">]>'
    feed = '<rss version="2.0"><channel><item><title>&x;</title></item></channel></rss>'
    client.reply = (200, (entity + feed).encode())
    assert "urn:1" not in str(await bench.json("rssFeedRead", 1.1, {"url": "https://example.com"}))
    for status, body, message in (
        (200, b"<html><body>hello</body></html>", "not a feed"),
        (200, str(secret).encode(), "not a feed"),
        (404, b"", "status 404"),
    ):
        client.reply = (status, body)
        with pytest.raises(NodeError, match=message):
            await bench.json("rssFeedRead", 1.1, {"url": "https://example.com"})
    with pytest.raises(NodeError, match="url is empty"):
        await bench.json("rssFeedRead", 1.1, {"url": ""})
