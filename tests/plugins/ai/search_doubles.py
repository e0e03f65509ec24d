"""Doubles of searches that no server here can do.

Redis keeps the hashes itself; its double adds RediSearch, whose commands a test compares with those of Redis' own
client. MongoDB (or FerretDB) keeps the documents; its double adds `$vectorSearch`. Weaviate's double reads queries with
the reference implementation of GraphQL. Milvus' answers from Milvus Lite, which its own client talks to.
"""

from __future__ import annotations

import contextlib
import re
from array import array
from collections.abc import AsyncIterator, Mapping
from typing import Any

from loopback import Seen, reply
from store_doubles import cosine

from jackfield.api.databases import DatabaseRefusal


class Searching:
    """`DatabaseConnections` with searches. inner: the lab's own."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.indexes: dict[str, dict[str, Any]] = {}
        self.asked: list[Any] = []

    @contextlib.asynccontextmanager
    async def redis(self, values: Mapping[str, str]) -> AsyncIterator[Any]:
        async with self.inner.redis(values) as connection:
            yield RediSearch(connection, self, values)

    @contextlib.asynccontextmanager
    async def mongo(self, values: Mapping[str, str]) -> AsyncIterator[Any]:
        async with self.inner.mongo(values) as connection:
            yield VectorSearch(connection)


class RediSearch:
    def __init__(self, inner: Any, server: Searching, values: Mapping[str, str]) -> None:
        self.inner = inner
        self.server = server
        self.values = values

    async def command(self, *words: Any) -> Any:
        self.server.asked.append(words)
        name = words[0]
        if not name.startswith("FT."):
            return await self.inner.command(*words)
        known = self.server.indexes
        if name == "FT.CREATE":
            known[words[1]] = {"prefix": words[words.index("PREFIX") + 2], "field": words[words.index("SCHEMA") + 1]}
            return "OK"
        if words[1] not in known:
            raise DatabaseRefusal(f"Redis: {words[1]}: no such index.", f"{words[1]}:")
        rows = await self._rows(known[words[1]]["prefix"])
        if name == "FT.DROPINDEX":
            del known[words[1]]
            for key in rows:
                await self.inner.command("DEL", key)
        return self._found(words, rows) if name == "FT.SEARCH" else "OK"

    async def _rows(self, prefix: str) -> dict[str, dict[bytes, bytes]]:
        import redis.asyncio as driver

        client = driver.Redis(
            host=self.values["host"], port=int(self.values["port"]), password=self.values["password"], protocol=2
        )
        async with client:
            return {key.decode(): await client.hgetall(key) async for key in client.scan_iter(f"{prefix}*")}

    def _found(self, words: Any, rows: Any) -> list[Any]:
        wanted = re.fullmatch(r"(?:@(\w+):\((.*)\)|\*) => \[KNN (\d+) @(\w+) \$vector AS vector_score\]", words[2])
        assert wanted
        given = array("f", words[words.index("PARAMS") + 3])
        scored = []
        for key, fields in rows.items():
            plain = wanted[2] and [word.replace("\\", "") for word in wanted[2].split("|")]
            about = fields[(wanted[1] or "metadata").encode()].decode().replace("\\", "")
            if plain and not any(word in about for word in plain):
                continue
            distance = 1 - cosine(array("f", fields[wanted[4].encode()]).tolist(), given.tolist())
            scored.append((distance, key, fields))
        names = words[4 + words.index("RETURN") - 3 + 1 : words.index("SORTBY")]
        made: list[Any] = [len(scored)]
        for distance, key, fields in sorted(scored, key=lambda one: one[0])[: int(wanted[3])]:
            known = {name: fields[name.encode()].decode() for name in names if name.encode() in fields}
            made += [key, [part for pair in {**known, "vector_score": str(distance)}.items() for part in pair]]
        return made


class VectorSearch:
    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.database = inner.database

    async def command(self, database: str, command: Mapping[str, Any]) -> Any:
        if "aggregate" not in command:
            return await self.inner.command(database, command)
        search, scored, projected, *_ = command["pipeline"]
        asked = search["$vectorSearch"]
        assert asked["numCandidates"] >= asked["limit"]
        assert scored == {"$set": {"score": {"$meta": "vectorSearchScore"}}}
        found = await self.inner.command(
            database, {"find": command["aggregate"], "filter": asked.get("filter", {}), "batchSize": 1000}
        )
        rows = [
            {**row, "score": (1 + cosine(row[asked["path"]], asked["queryVector"])) / 2}
            for row in found["cursor"]["firstBatch"]
        ]
        rows.sort(key=lambda row: -row["score"])
        kept = [{k: v for k, v in row.items() if k not in projected["$project"]} for row in rows[: asked["limit"]]]
        return {"cursor": {"firstBatch": kept}, "ok": 1.0}


class WeaviateDouble:
    def __init__(self, key: str) -> None:
        self.key = key
        self.classes: dict[str, dict[str, Any]] = {}
        self.rows: dict[str, dict[str, Any]] = {}

    def __call__(self, seen: Seen) -> bytes:
        if seen.headers.get("authorization") != f"Bearer {self.key}":
            return reply({"code": 401, "message": "anonymous access not enabled"}, "401 Unauthorized")
        body = seen.json if seen.body else {}
        path = seen.target.split("/")
        match seen.method, path[2]:
            case "POST", "schema":
                self.classes[body["class"]] = body
                return reply(body)
            case "GET", "schema":
                return self._schema(path[3])
            case "DELETE", "schema":
                if self.classes.pop(path[3], None) is None:
                    return reply({"error": [{"message": "could not find class"}]}, "400 Bad Request")
                self.rows = {key: row for key, row in self.rows.items() if row["class"] != path[3]}
                return reply(b"", "200 OK")
            case "POST", "batch":
                assert all(row["class"] in self.classes for row in body["objects"])
                self.rows |= {row["id"]: row for row in body["objects"]}
                return reply([{**row, "result": {"status": "SUCCESS"}} for row in body["objects"]])
            case "POST", "graphql":
                return reply(self._search(body["query"]))
        return reply({}, "404 Not Found")

    def _schema(self, name: str) -> bytes:
        if name not in self.classes:
            return reply(b"", "404 Not Found")
        types = {str: "text", int: "number", float: "number", bool: "boolean"}
        known = {
            key: types.get(type(value), "text[]")
            for row in self.rows.values()
            for key, value in row["properties"].items()
        }
        rows = [{"name": key, "dataType": [kind]} for key, kind in known.items()]
        return reply({**self.classes[name], "properties": rows})

    def _search(self, query: str) -> Any:
        from graphql import parse
        from graphql.utilities import value_from_ast_untyped

        get = parse(query).definitions[0].selection_set.selections[0]  # type: ignore[attr-defined]  # the query is ours
        field = get.selection_set.selections[0]
        asked = {one.name.value: value_from_ast_untyped(one.value) for one in field.arguments}
        names = [one.name.value for one in field.selection_set.selections]
        vector = (asked.get("nearVector") or asked.get("hybrid"))["vector"]
        rows = [row for row in self.rows.values() if row["class"] == field.name.value]
        if where := asked.get("where"):
            rows = [row for row in rows if fits(where, row["properties"])]
        scored = sorted(((1 - cosine(row["vector"], vector), row) for row in rows), key=lambda one: one[0])
        found = []
        for distance, row in scored[: asked["limit"]]:
            more = {"id": row["id"], "distance": distance, "score": str(1 - distance), "explainScore": "why"}
            found.append({name: row["properties"].get(name) for name in names} | {"_additional": more})
        return {"data": {"Get": {field.name.value: found}}}


def fits(where: Any, properties: Any) -> bool:
    if where["operator"] in ("And", "Or"):
        return (all if where["operator"] == "And" else any)(fits(one, properties) for one in where["operands"])
    value = next(value for name, value in where.items() if name.startswith("value"))
    assert where["operator"] == "Equal"
    return bool(properties.get(where["path"][0]) == value)


class MilvusDouble:
    def __init__(self, place: str, key: str) -> None:
        from pymilvus import MilvusClient

        self.client = MilvusClient(place)
        self.key = key

    def __call__(self, seen: Seen) -> bytes:
        if seen.headers.get("authorization") != f"Bearer root:{self.key}":
            return reply({"code": 1800, "message": "user hasn't authenticated"})
        body = seen.json
        name = body["collectionName"]
        try:
            return reply({"code": 0, "data": self._done(seen.target.removeprefix("/v2/vectordb/"), name, body)})
        except Exception as exc:  # whatever the client raises is the server's message
            return reply({"code": 1100, "message": str(exc)})

    def _done(self, work: str, name: str, body: Any) -> Any:
        match work:
            case "collections/has":
                return {"has": self.client.has_collection(name)}
            case "collections/drop":
                self.client.drop_collection(name)
            case "collections/load":
                self.client.load_collection(name)
            case "collections/create":
                self._make(name, body)
            case "collections/describe":
                return {"fields": [self._field(row) for row in self.client.describe_collection(name)["fields"]]}
            case "entities/insert":
                return {"insertCount": self.client.insert(name, body["data"])["insert_count"]}
            case "entities/search":
                found = self.client.search(
                    name,
                    body["data"],
                    limit=body["limit"],
                    output_fields=body["outputFields"],
                    anns_field=body["annsField"],
                )
                return [{"distance": hit["distance"], "id": hit.get("id"), **hit["entity"]} for hit in found[0]]
            case _:
                raise AssertionError(work)
        return {}

    def _make(self, name: str, body: Any) -> None:
        from pymilvus import DataType

        kinds = {
            "Int64": "INT64",
            "VarChar": "VARCHAR",
            "FloatVector": "FLOAT_VECTOR",
            "Float": "FLOAT",
            "Bool": "BOOL",
        }
        asked = body["schema"]
        schema = self.client.create_schema(auto_id=asked["autoId"], enable_dynamic_field=asked["enableDynamicField"])
        for row in asked["fields"]:
            sizes = {key: int(value) for key, value in row.get("elementTypeParams", {}).items()}
            schema.add_field(
                row["fieldName"],
                getattr(DataType, kinds[row["dataType"]]),
                is_primary=row.get("isPrimary", False),
                **sizes,
            )
        index = self.client.prepare_index_params()
        for row in body["indexParams"]:
            index.add_index(row["fieldName"], index_type=row["params"]["index_type"], metric_type=row["metricType"])
        self.client.create_collection(name, schema=schema, index_params=index)

    def _field(self, row: Any) -> Any:
        kinds = {5: "Int64", 21: "VarChar", 101: "FloatVector", 10: "Float", 1: "Bool"}
        return {"name": row["name"], "type": kinds[int(row["type"])], "autoId": row.get("auto_id", False)}
