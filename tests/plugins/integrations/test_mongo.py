"""The MongoDB node against a real server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from integration_fakes import Bench, rows

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_integrations.kinds import MONGO_DB
from jackfield_integrations.query_values import query_of
from jackfield_integrations.secret_values import DriverCredential

Node = Callable[..., Any]
NAMES: Iterator[str] = (f"things{number}" for number in count())
LATEST = 1.5


class Collection:
    """A new one; `run` is the node on it, `kept` what it holds."""

    def __init__(self, bench: Bench, mongo: Mapping[str, str]) -> None:
        self._bench = bench
        self._mongo = mongo
        self.name = next(NAMES)

    async def items(self, operation: str, given: Any = None, *, version: float = LATEST, **more: Any) -> Any:
        settings = {name: more.pop(name) for name in ("on_error",) if name in more}
        parameters = {"operation": operation, "collection": self.name, **more}
        return await self._bench.items(
            "mongoDb", version, parameters, given, credentials={"mongoDb": self._mongo}, **settings
        )

    async def run(self, *args: Any, **more: Any) -> list[dict[str, Json]]:
        return [item["json"] for item in await self.items(*args, **more)]

    async def put(self, *documents: dict[str, Any]) -> None:
        """By the driver."""
        from pymongo import AsyncMongoClient

        async with AsyncMongoClient(self._mongo["host"], int(self._mongo["port"])) as client:
            await client[self._mongo["database"]][self.name].insert_many([*documents])

    async def kept(self) -> list[dict[str, Json]]:
        return await self.run("find", options={"projection": '{"_id": 0}', "sort": '{"n": 1}'})


@pytest.fixture
async def things(bench: Bench, mongo: Mapping[str, str]) -> Collection:
    return Collection(bench, mongo)


@pytest.mark.parametrize("version", [1, 1.1, 1.2, 1.3, 1.4, 1.5])
async def test_items_are_inserted_and_found(things: Collection, version: float) -> None:
    given = rows({"n": 1, "name": "Ada", "left": "out"}, {"n": 2, "name": None})
    made = await things.items("insert", given, version=version, fields="n, name,born")
    assert [item["json"]["n"] for item in made] == [1, 2]
    assert all(item["json"]["_id"] == item["json"]["id"] and len(item["json"]["id"]) == 24 for item in made)
    paired = [[{"item": 0}, {"item": 1}]] * 2 if version < 1.3 else [{"item": 0}, {"item": 1}]
    assert [item["pairedItem"] for item in made] == paired
    assert await things.kept() == [{"n": 1, "name": "Ada", "born": None}, {"n": 2, "name": None, "born": None}]
    found = await things.items("find", rows({}, {}), version=version, query={"_id": made[0]["json"]["id"]})
    assert [item["json"]["n"] for item in found] == [1] * (1 if version < 1.1 else 2)


async def test_queries_take_values_limits_and_orders(things: Collection) -> None:
    await things.put(*({"n": number, "even": number % 2 == 0} for number in range(6)))
    options = {"limit": 2, "skip": 1, "sort": '{"$1": -1}', "sortParameters": ["n"], "projection": {"n": 1, "_id": 0}}
    found = await things.run("find", query='{"even": "$1"}', queryParameters=[True], options=options)
    assert found == [{"n": 2}, {"n": 0}]
    pipeline = [{"$match": {"n": {"$gte": "$1"}}}, {"$group": {"_id": "$even", "sum": {"$sum": "$n"}}}]
    summed = await things.run("aggregate", query=pipeline, queryParameters="[3]")
    assert sorted(summed, key=str) == [{"_id": False, "sum": 8}, {"_id": True, "sum": 4}]
    assert await things.run("delete", query='{"n": {"$in": "$1"}}', queryParameters=[[0, 1]]) == [{"deletedCount": 2}]
    assert [row["n"] for row in await things.kept()] == [2, 3, 4, 5]


async def test_values_keep_their_types(things: Collection) -> None:
    from bson import Binary, Int64, ObjectId, Regex, Timestamp

    inner = ObjectId("0123456789abcdef01234567")
    await things.put(
        {
            "_id": 1,
            "big": Int64(2**60),
            "list": [inner, {"raw": b"\x00"}],
            "file": Binary(b"\xff\xfe"),
            "re": Regex("^a"),
            "at": Timestamp(1, 2),
        }
    )
    expected: dict[str, Json] = {
        "_id": 1,
        "big": str(2**60),
        "list": [str(inner), {"raw": "AA=="}],
        "re": {},
        "at": {"$timestamp": str((1 << 32) | 2)},
    }
    assert await things.run("find", version=1.3) == [{**expected, "file": "//4="}]
    (item,) = await things.items("find")
    assert item["json"] == expected
    assert await things._bench.files.read(item["binary"]["file"]) == b"\xff\xfe"


async def test_dates_and_paths_are_written(things: Collection) -> None:
    item = {"n": 1, "in": {"born": "2024-02-29T12:00:00+02:00"}, "ms": 1000, "mail": "Tue, 01 Jul 2003 10:52:37 +0200"}
    options = {"useDotNotation": True, "dateFields": "in.born,ms,mail"}
    (made,) = await things.run("insert", rows(item), fields="n,in.born,ms,mail", options=options)
    born = {"born": "2024-02-29T10:00:00.000Z"}
    assert made["in"] == born
    assert made["ms"] == "1970-01-01T00:00:01.000Z"
    assert made["mail"] == "2003-07-01T08:52:37.000Z"
    after = await things.run("find", query='{"in": {"$exists": true}}', options={"projection": '{"in": 1, "_id": 0}'})
    assert after == [{"in": born}]
    changed = {"n": 1, "in": {"town": "Ulm"}}
    await things.run("update", rows(changed), updateKey="n", fields="in.town", options={"useDotNotation": True})
    assert (await things.kept())[0]["in"] == {**born, "town": "Ulm"}
    with pytest.raises(NodeError, match="The field ms is no date"):
        await things.run("insert", rows({"ms": "soon"}), fields="ms", options={"dateFields": "ms"})


@pytest.mark.parametrize("version", [1.2, 1.4, 1.5])
@pytest.mark.parametrize("operation", ["update", "findOneAndUpdate", "findOneAndReplace"])
async def test_documents_are_changed(things: Collection, operation: str, version: float) -> None:
    await things.put({"n": 1, "a": 1, "b": 1}, {"n": 2, "a": 2, "b": 2})
    given = rows({"n": 1, "a": 10}, {"n": 3, "a": 30})
    made = await things.run(operation, given, version=version, updateKey="n", fields="a", upsert=True)
    assert made == [{"a": 10, "n": 1}, {"a": 30, "n": 3}]
    first = {"n": 1, "a": 10} if operation == "findOneAndReplace" else {"n": 1, "a": 10, "b": 1}
    assert await things.kept() == [first, {"n": 2, "a": 2, "b": 2}, {"n": 3, "a": 30}]


async def test_documents_are_known_by_their_id(things: Collection) -> None:
    (made,) = await things.run("insert", rows({"n": 1}), fields="n")
    given = rows({"_id": made["id"], "n": 5}, {"_id": "none", "n": 6}, {"n": 7})
    with pytest.raises(NodeError, match="no ObjectId") as failed:
        await things.run("update", given, updateKey="_id", fields="n")
    assert failed.value.item == 1
    found = await things.items("update", given, updateKey="_id", fields="n", on_error="continueRegularOutput")
    assert [list(item["json"]) for item in found] == [["n"], ["error"], ["error"]]
    assert [item["pairedItem"]["item"] for item in found] == [0, 1, 2]
    assert await things.kept() == [{"n": 5}]


async def test_an_item_that_fails_leaves_the_others(things: Collection) -> None:
    await things.put({"n": 1, "tags": "text"}, {"n": 2, "tags": []})
    given = rows({"n": 1, "tags.0": "x"}, {"n": 2, "tags.0": "x"})
    parameters: Any = {"version": 1.3, "updateKey": "n", "fields": "tags.0"}
    found = await things.run("update", given, on_error="continueRegularOutput", **parameters)
    assert [list(row) for row in found] == [["error"], ["tags.0", "n"]]
    with pytest.raises(NodeError, match="MongoDB: "):
        await things.run("update", given, **parameters)


async def test_too_much_is_refused(make_bench: Callable[..., Bench], mongo: Mapping[str, str]) -> None:
    things = Collection(make_bench(max_rows=2), mongo)
    await things.put({"n": 1}, {"n": 2}, {"n": 3})
    with pytest.raises(NodeError, match="More than 2 documents"):
        await things.run("find")
    assert len(await things.run("find", options={"limit": 2})) == 2


async def test_mistakes_name_the_parameter(things: Collection) -> None:
    await things.put({"n": 1})
    for parameters, said in (
        ({"query": "{"}, "query is not valid JSON"),
        ({"query": "[]"}, "query must be an object"),
        ({"query": {"_id": "x"}}, "no ObjectId"),
        ({"collection": " "}, "collection is empty"),
        ({"query": {"n": {"$bad": 1}}}, "MongoDB: "),
    ):
        with pytest.raises(NodeError, match=said):
            await things.run("find", **parameters)
    with pytest.raises(NodeError, match="list of stages"):
        await things.run("aggregate", query="{}")


def _message(body: bytes) -> dict[str, Any]:
    """Of OP_MSG: a document, and perhaps a list of documents, which belongs into it."""
    from bson import decode, decode_all

    end = 5 + int.from_bytes(body[5:9], "little")
    found: dict[str, Any] = decode(body[5:end])
    if body[end : end + 1] == b"\1":
        name, _, rest = body[end + 5 :].partition(b"\0")
        found[name.decode()] = decode_all(rest)
    return found


class Noted:
    """Stands for a server of MongoDB Atlas: keeps the commands for search indexes, which no other server has."""

    def __init__(self) -> None:
        self.commands: list[dict[str, Any]] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from bson import decode, encode

        try:
            while True:
                head = await reader.readexactly(16)
                length, number = (int.from_bytes(head[at : at + 4], "little") for at in (0, 4))
                body = await reader.readexactly(length - 16)
                query = int.from_bytes(head[12:16], "little") == 2004
                answer = encode(self._answer(decode(body[body.index(b"\0", 4) + 9 :]) if query else _message(body)))
                made = bytes(8) + bytes(8) + (0).to_bytes(4, "little") + (1).to_bytes(4, "little") + answer
                sent, kind = (made, 1) if query else (bytes(4) + b"\0" + answer, 2013)
                numbers = (16 + len(sent), 1, number, kind)
                writer.write(b"".join(one.to_bytes(4, "little") for one in numbers) + sent)
        except asyncio.IncompleteReadError:
            writer.close()

    def _answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        name = next(iter(asked))
        if name in ("hello", "ismaster", "ping"):
            return {"ok": 1, "isWritablePrimary": True, "maxWireVersion": 25, "minWireVersion": 0, "helloOk": True}
        self.commands.append(asked)
        if name == "update":
            told = [{"index": 1, "code": 28, "errmsg": "Cannot create field"}]
            return {"ok": 1, "n": 2, "nModified": 2, "writeErrors": told}
        index = {"id": "1", "name": "vectors", "status": "READY"}
        cursor = {"id": 0, "ns": "d.c", "firstBatch": [index]}
        return {"ok": 1, "cursor": cursor, "indexesCreated": [{"id": "1", "name": "vectors"}]}


@pytest.fixture
async def atlas() -> AsyncIterator[tuple[Noted, Mapping[str, str]]]:
    pytest.importorskip("pymongo")
    noted = Noted()
    server = await asyncio.start_server(noted.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    yield noted, {"host": "127.0.0.1", "port": str(port), "database": "d"}
    server.close()


async def test_search_indexes(bench: Bench, atlas: tuple[Noted, Mapping[str, str]]) -> None:
    noted, credential = atlas

    async def run(operation: str, **more: Any) -> Any:
        parameters = {"resource": "searchIndexes", "operation": operation, "collection": "c", **more}
        return await bench.json("mongoDb", LATEST, parameters, credentials={"mongoDb": credential})

    definition = '{"fields": [{"type": "vector", "path": "$1", "numDimensions": "$2"}]}'
    created = await run(
        "createSearchIndex",
        indexNameRequired="vectors",
        indexDefinition=definition,
        indexDefinitionParameters=["embedding", 3],
    )
    assert created == [{"indexName": "vectors"}]
    fields = [{"type": "vector", "path": "embedding", "numDimensions": 3}]
    index = {"definition": {"fields": fields}, "name": "vectors", "type": "vectorSearch"}
    assert noted.commands[-1]["createSearchIndexes"] == "c"
    assert noted.commands[-1]["indexes"] == [index]
    assert await run("listSearchIndexes") == [{"id": "1", "name": "vectors", "status": "READY"}]
    assert noted.commands[-1]["pipeline"][0] == {"$listSearchIndexes": {}}
    await run("listSearchIndexes", indexName="vectors")
    assert noted.commands[-1]["pipeline"][0] == {"$listSearchIndexes": {"name": "vectors"}}
    assert await run("updateSearchIndex", indexNameRequired="vectors", indexDefinition={"a": 1}) == [{"vectors": True}]
    assert noted.commands[-1]["definition"] == {"a": 1}
    assert await run("dropSearchIndex", indexNameRequired="vectors") == [{"vectors": True}]
    assert noted.commands[-1]["name"] == "vectors"
    with pytest.raises(NodeError, match="indexNameRequired is empty"):
        await run("dropSearchIndex")


async def test_updates_go_together_and_fail_alone(bench: Bench, atlas: tuple[Noted, Mapping[str, str]]) -> None:
    noted, credential = atlas
    parameters = {"operation": "update", "collection": "c", "updateKey": "n", "fields": "a"}
    given = rows({"n": 1, "a": 1}, {"n": 2, "a": 2}, {"n": 3, "a": 3}, {"a": 4})
    more: Any = {"credentials": {"mongoDb": credential}}
    found = await bench.json("mongoDb", LATEST, parameters, given, on_error="continueRegularOutput", **more)
    assert [list(row) for row in found] == [["a", "n"], ["error"], ["a", "n"], ["error"]]
    assert found[1] == {"error": "MongoDB: Cannot create field."}
    assert (len(noted.commands), noted.commands[0]["ordered"]) == (1, False)
    first = noted.commands[0]["updates"][0]
    assert (first["q"], first["u"]) == ({"n": 1}, {"$set": {"a": 1, "n": 1}})
    with pytest.raises(NodeError, match="Cannot create field") as failed:
        await bench.json("mongoDb", LATEST, parameters, given[:3], **more)
    assert (failed.value.item, noted.commands[1]["ordered"]) == (1, True)


def test_every_type_is_shown_as_the_driver_for_javascript_shows_it() -> None:
    pytest.importorskip("bson")
    from bson import Code, DBRef, Decimal128, MinKey, ObjectId

    from jackfield_integrations.mongo.documents import shown

    name = ObjectId("0123456789abcdef01234567")
    assert shown(
        {"d": Decimal128("1.50"), "c": Code("f()"), "r": DBRef("c", name), "m": MinKey(), "f": float("nan"), "s": 2**53}
    ) == {
        "d": {"$numberDecimal": "1.50"},
        "c": {"code": "f()"},
        "r": {"$ref": "c", "$id": str(name)},
        "m": {},
        "f": None,
        "s": 2**53,
    }


def test_values_never_become_part_of_a_query() -> None:
    assert query_of('{"a": "$1", "b": {"$2": ["$1", "x$1"]}}', ["v", "name"], "query") == {
        "a": "v",
        "b": {"name": ["v", "x$1"]},
    }
    for query, values, said in (
        ('{"a": "$1"}', [{"$ne": 1}], "plain value"),
        ('{"a": "$1"}', [[[1]]], "plain value"),
        ('{"$1": 1}', ["$where"], "field's name"),
        ('{"$1": 1}', [7], "field's name"),
        ('{"$1": 1}', ["__proto__"], "field's name"),
        ('{"$1": 1, "a": 2}', ["a"], "twice"),
        ('{"a": "$2"}', [1], r"\$2; add its value"),
        ('{"a": "$1"}', [1, 2], r"a value for \$2"),
        ("{}", {"a": 1}, "must be a list"),
    ):
        with pytest.raises(NodeError, match=said):
            query_of(query, values, "query")
    assert query_of('{"a": "$1"}', [], "query") == {"a": "$1"}


def test_a_connection_is_tested_without_its_secrets(tmp_path: Path) -> None:
    values = DriverCredential(MONGO_DB, {"connectionString": "mongodb://u:p-w@h/"})
    assert values.shown("mongodb://u:p-w@h/ does not answer") == "*** does not answer"
