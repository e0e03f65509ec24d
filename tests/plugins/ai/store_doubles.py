"""Servers of vector stores that cannot be installed here.

Qdrant's double reads requests with the models that Qdrant generates from its API's description, and answers from
Qdrant's own implementation in Python (`qdrant_client`, local mode). Pinecone's and Supabase's keep rows; tests let the
vendors' own clients talk to Pinecone's as well, and Supabase's runs its functions in a real PostgreSQL.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from operator import mul
from typing import Any
from urllib.parse import unquote

from loopback import Seen, reply

Answer = Callable[[Seen], bytes]


def refused(status: str, message: str) -> bytes:
    return reply({"status": {"error": message}, "error": {"message": message}}, status)


class QdrantDouble:
    def __init__(self, key: str = "") -> None:
        from qdrant_client import QdrantClient

        self.client = QdrantClient(":memory:")
        self.key = key

    def __call__(self, seen: Seen) -> bytes:
        from qdrant_client.http import models

        if self.key and seen.headers.get("api-key") != self.key:
            return refused("401 Unauthorized", "Must provide an API key or an Authorization bearer token")
        path = unquote(seen.target.partition("?")[0])
        name = path.split("/")[2] if path.count("/") > 1 else ""
        rest = "/".join(path.split("/")[3:])
        there = bool(name) and self.client.collection_exists(name)
        if (seen.method, rest) == ("PUT", ""):
            asked = models.CreateCollection.model_validate_json(seen.body)
            if there:
                return refused("409 Conflict", f"Wrong input: Collection `{name}` already exists!")
            return self._ok(self.client.create_collection(name, vectors_config=asked.vectors))
        if not there:
            return refused("404 Not Found", f"Not found: Collection `{name}` doesn't exist!")
        match seen.method, rest:
            case "GET", "":
                return self._ok(self.client.get_collection(name).model_dump(mode="json"))
            case "DELETE", "":
                return self._ok(self.client.delete_collection(name))
            case "PUT", "points":
                points = models.PointsList.model_validate_json(seen.body).points
                self.client.upsert(name, points)
                return self._ok({"operation_id": 0, "status": "completed"})
            case "POST", "points/query":
                asked = models.QueryRequest.model_validate_json(seen.body)
                found = self.client.query_points(
                    name,
                    query=asked.query,
                    query_filter=asked.filter,
                    limit=asked.limit or 10,
                    with_payload=asked.with_payload,
                )
                return self._ok(found.model_dump(mode="json"))
        return refused("404 Not Found", "")

    def _ok(self, result: Any) -> bytes:
        return reply({"result": result, "status": "ok", "time": 0.0})


class PineconeDouble:
    """Of one index. Source: Pinecone's OpenAPI descriptions of the control and the data plane."""

    def __init__(self, port: int) -> None:
        self.rows: dict[str, dict[str, dict[str, Any]]] = {}
        self.host = f"127.0.0.1:{port}"

    def __call__(self, seen: Seen) -> bytes:
        body = seen.json if seen.body else {}
        match seen.method, seen.target.partition("?")[0]:
            case "GET", "/indexes/facts":
                return reply(self._index())
            case "POST", "/vectors/upsert":
                kept = self.rows.setdefault(body.get("namespace", ""), {})
                for row in body["vectors"]:
                    self._check(row)
                    kept[row["id"]] = row
                return reply({"upsertedCount": len(body["vectors"])})
            case "POST", "/query":
                return reply(self._query(body))
            case "POST", "/vectors/delete":
                if self.rows.pop(body.get("namespace", ""), None) is None:
                    return reply({"code": 5, "message": "Namespace not found", "details": []}, "404 Not Found")
                return reply({})
        return reply({"error": {"code": "NOT_FOUND", "message": "Resource not found"}, "status": 404}, "404 Not Found")

    def _index(self) -> Any:
        return {
            "name": "facts",
            "dimension": 4,
            "metric": "cosine",
            "vector_type": "dense",
            "deletion_protection": "disabled",
            "host": self.host,
            "spec": {"serverless": {"cloud": "aws", "region": "us-east-1"}},
            "status": {"ready": True, "state": "Ready"},
        }

    def _check(self, row: Any) -> None:
        """What the service refuses."""
        for value in row["metadata"].values():
            plain = isinstance(value, str | bool | int | float)
            assert plain or (isinstance(value, list) and all(isinstance(one, str) for one in value)), value

    def _query(self, body: Any) -> Any:
        def fits(row: Any) -> bool:
            return all(row["metadata"].get(name) == value for name, value in (body.get("filter") or {}).items())

        rows = [row for row in self.rows.get(body.get("namespace", ""), {}).values() if fits(row)]
        scored = sorted(((cosine(row["values"], body["vector"]), row) for row in rows), key=lambda one: -one[0])
        matches = [
            {"id": row["id"], "score": score, "values": [], "metadata": row["metadata"]}
            for score, row in scored[: body["topK"]]
        ]
        return {"matches": matches, "namespace": body.get("namespace", ""), "usage": {"readUnits": 1}}


def cosine(one: list[float], other: list[float]) -> float:
    return sum(map(mul, one, other)) / (math.hypot(*one) * math.hypot(*other) or 1)


class PostgrestDouble:
    """As much of PostgREST as vector stores ask for, over a real database: bulk upserts by `json_populate_recordset`
    and functions with named arguments, which is how PostgREST does both."""

    def __init__(self, run: Callable[[str, list[Any]], Any], key: str) -> None:
        self.run = run
        self.key = key

    def __call__(self, seen: Seen) -> bytes:
        if seen.headers.get("apikey") != self.key or seen.headers.get("authorization") != f"Bearer {self.key}":
            return reply({"message": "Invalid API key"}, "401 Unauthorized")
        path = unquote(seen.target.partition("?")[0])
        if found := re.fullmatch(r"/rest/v1/rpc/(\w+)", path):
            asked = seen.json
            named = ", ".join(f"{name} => %s" for name in asked)
            text = seen.body.decode()
            types = {"query_embedding": "vector", "filter": "jsonb", "match_count": "int"}
            values = ", ".join(f"{name} => (%s::json->>'{name}')::{types[name]}" for name in asked)
            assert named
            statement = f"SELECT coalesce(json_agg(r), '[]') FROM {found[1]}({values}) r"
            return self._answer(statement, [text] * len(asked))
        if found := re.fullmatch(r"/rest/v1/(\w+)", path):
            columns = ", ".join(seen.json[0])
            changed = ", ".join(f"{name} = excluded.{name}" for name in seen.json[0])
            statement = (
                f"INSERT INTO {found[1]} ({columns}) SELECT {columns} "
                f"FROM json_populate_recordset(null::{found[1]}, %s::json) ON CONFLICT (id) DO UPDATE SET {changed}"
            )
            return self._answer(statement, [seen.body.decode()])
        return reply({"message": "not found"}, "404 Not Found")

    def _answer(self, statement: str, values: list[Any]) -> bytes:
        import psycopg

        try:
            rows = self.run(statement, values)
        except psycopg.Error as exc:
            missing = exc.sqlstate in {"42P01", "42883"}
            body = {"code": exc.sqlstate, "message": str(exc), "details": None, "hint": None}
            return reply(body, "404 Not Found" if missing else "400 Bad Request")
        return reply(b"", "201 Created") if rows is None else reply(rows)
