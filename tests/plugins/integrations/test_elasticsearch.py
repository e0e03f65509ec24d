"""The Elasticsearch node beside a double made after its REST API reference."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from elastic_double import PAGE, Elastic
from integration_fakes import Bench, rows
from loopback import Loopback, loopback
from node_fakes import CredentialRun, KeepingContext

from jackfield.api.http_client import HttpReply
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_integrations.elastic import session
from jackfield_integrations.kinds import ELASTICSEARCH
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_nodes.http.client import GuardedClient
from jackfield_nodes.http.settings import HttpSettings


class Lab:
    def __init__(self, directory: Path, server: Loopback, elastic: Elastic) -> None:
        tables = [HttpSettings(allowed_networks=["127.0.0.0/8"]), IntegrationSettings()]
        self.context = KeepingContext(directory, tables=tables)
        bench = Bench(directory)
        bench.context.ports["HttpClient"] = GuardedClient(self.context)
        self.type = bench.types["elasticsearch"]
        self.server = server
        self.elastic = elastic

    async def run(self, work: str, given: Any = None, on_error: Any = "stopWorkflow", **more: Any) -> list[Any]:
        resource, operation = work.split(".")
        run = CredentialRun(
            self.type,
            lambda item: (
                {"resource": resource, "operation": operation, "indexId": "i"}
                | {name: value(item) if callable(value) else value for name, value in more.items()}
            ),
            rows({}) if given is None else given,
            version=1,
            credentials={"elasticsearchApi": {"username": "u", "password": "p-w", "baseUrl": self.server.url("/")}},
            kinds=[ELASTICSEARCH],
            on_error=on_error,
        )
        (items,) = await self.type.execute(run)  # type: ignore[misc]  # outputs
        return [item["json"] for item in items]


@pytest.fixture
async def lab(tmp_path: Path) -> AsyncIterator[Lab]:
    async with loopback() as server:
        elastic = Elastic({"i": {}})
        server.answer = elastic.answer
        made = Lab(tmp_path, server, elastic)
        yield made
        for task in made.context.tasks:
            task.cancel()
        await asyncio.gather(*made.context.tasks, return_exceptions=True)


def fields(**values: Json) -> dict[str, Any]:
    return {"fieldValues": [{"fieldId": name, "fieldValue": value} for name, value in values.items()]}


async def test_documents(lab: Lab) -> None:
    more = {"documentId": "a/b", "routing": "r"}
    (made,) = await lab.run("document.create", fieldsUi=fields(n=1), additionalFields=more, options={"refresh": "true"})
    assert made["_id"] == "a/b"
    assert lab.elastic.queries[-1] == {"routing": ["r"], "refresh": ["true"]}
    assert lab.server.seen[-1].target.startswith("/i/_doc/a%2Fb?")
    assert lab.server.seen[-1].headers["authorization"].startswith("Basic ")
    send = {"dataToSend": "autoMapInputData", "inputsToIgnore": "secret, other"}
    await lab.run("document.create", rows({"n": 2, "secret": 1}), **send)
    assert lab.elastic.indexes["i"] == {"a/b": {"n": 1}, "made1": {"n": 2}}
    await lab.run("document.update", documentId="made1", fieldsUi=fields(text="ü"))
    assert await lab.run("document.get", documentId="made1") == [{"_id": "made1", "n": 2, "text": "ü"}]
    (whole,) = await lab.run("document.get", documentId="made1", simple=False, options={"_source_includes": "n"})
    assert whole["_source"] == {"n": 2, "text": "ü"}
    assert lab.elastic.queries[-1] == {"_source_includes": ["n"], "_source": ["true"]}
    assert (await lab.run("document.delete", documentId="made1"))[0]["result"] == "deleted"
    with pytest.raises(NodeError, match="status 404"):
        await lab.run("document.get", documentId="made1")
    with pytest.raises(NodeError, match=r"status 404: index_not_found_exception: no such index \[none\]"):
        await lab.run("document.get", documentId="x", indexId="none")


async def test_searches(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.elastic.indexes["i"] = {f"d{n}": {"n": n, "even": n % 2 == 0} for n in range(5)}
    query = {"query": '{"query": {"term": {"even": "$1"}}}', "queryParameters": [True]}
    found = await lab.run("document.getAll", limit=2, options=query)
    assert [row["n"] for row in found] == [0, 2]
    assert lab.elastic.queries[-1] == {"size": ["2"], "_source": ["true"]}
    assert len(await lab.run("document.getAll", returnAll=True)) == 5
    monkeypatch.setattr(session, "_AT_ONCE", PAGE)
    found = await lab.run("document.getAll", returnAll=True, simple=False, options={"sort": "n:asc"})
    assert [row["_id"] for row in found] == [f"d{n}" for n in range(5)]
    assert (lab.elastic.opened, lab.elastic.states) == (1, set())


async def test_items_go_together(lab: Lab) -> None:
    given = rows(*({"n": n} for n in range(120)))
    bulk = {"options": {"bulkOperation": True}, "dataToSend": "autoMapInputData"}
    named: Any = {"additionalFields": lambda item: {"documentId": f"d{item['json']['n']}"}}
    made = await lab.run("document.create", given, **bulk, **named)
    assert [row["_id"] for row in made] == [f"d{n}" for n in range(120)]
    assert [asked.target for asked in lab.server.seen] == ["/_bulk"] * 3
    update: Any = {**bulk, "documentId": lambda item: f"d{item['json']['n']}"}
    given = rows({"n": 1, "x": 1}, {"n": 999}, {"n": 2})
    found = await lab.run("document.update", given, on_error="continueRegularOutput", **update)
    assert [next(iter(row)) for row in found] == ["_id", "error", "_id"]
    assert found[1]["message"]["type"] == "document_missing_exception"
    assert lab.elastic.indexes["i"]["d1"] == {"n": 1, "x": 1}
    with pytest.raises(NodeError, match=r"document_missing_exception") as failed:
        await lab.run("document.update", given, **update)
    assert failed.value.item == 1
    await lab.run("document.delete", rows({"n": 1}, {"n": 2}), **update)
    assert len(lab.elastic.indexes["i"]) == 118


async def test_indexes(lab: Lab) -> None:
    mapping = '{"properties": {"n": {"type": "long"}}}'
    more: Any = {"mappings": mapping, "settings": {"number_of_shards": 1}, "timeout": "5s"}
    (made,) = await lab.run("index.create", indexId="new", additionalFields=more)
    assert made == {"id": "new", "acknowledged": True, "shards_acknowledged": True}
    assert lab.server.seen[-1].json == {
        "mappings": {"properties": {"n": {"type": "long"}}},
        "settings": {"number_of_shards": 1},
    }
    assert lab.elastic.queries[-1] == {"timeout": ["5s"]}
    assert (await lab.run("index.get", indexId="new"))[0]["id"] == "new"
    assert await lab.run("index.getAll", limit=1) == [{"indexId": "i"}]
    assert await lab.run("index.getAll", returnAll=True) == [{"indexId": "i"}, {"indexId": "new"}]
    assert await lab.run("index.delete", indexId="new") == [{"success": True}]
    with pytest.raises(NodeError, match="no name"):
        await lab.run("index.delete", indexId="..")
    with pytest.raises(NodeError, match="mappings must be an object"):
        await lab.run("index.create", indexId="new", additionalFields={"mappings": "[1]"})


class Closing:
    """A server that fails where the state of a search is closed, and in searches where `broken`."""

    def __init__(self, *, broken: bool) -> None:
        self.broken = broken

    async def send(self, call: Any, authorization: Any = None) -> HttpReply:
        bad = call.method == "DELETE" or (self.broken and call.url.endswith("/_search"))
        body = (
            b'{"error": "%s fails"}' % call.method.encode() if bad else b'{"id": "s", "hits": {"hits": [{"_id": "a"}]}}'
        )
        return HttpReply(500 if bad else 200, "", [], body, call.url)


@pytest.mark.parametrize("broken", [False, True])
async def test_a_state_that_cannot_be_closed_hides_nothing(broken: bool) -> None:
    client: Any = Closing(broken=broken)
    authorization: Any = None
    values = DriverCredential(ELASTICSEARCH, {"baseUrl": "https://a.example"})
    opened = session.ElasticSession(client, authorization, values, 100)
    found = opened.hits("i", {}, {"sort": "n"}, None)
    if broken:
        with pytest.raises(NodeError, match="POST fails"):
            [row async for row in found]
    else:
        assert [row async for row in found] == [{"_id": "a"}]
