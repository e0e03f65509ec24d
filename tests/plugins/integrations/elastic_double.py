"""A small Elasticsearch in memory, after its REST API reference: documents, bulk, searches with a point in time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from loopback import Seen, reply

PAGE = 2
"""Documents of one page of a search through a point in time, instead of 10,000."""


@dataclass
class Elastic:
    """`answer` serves a loopback server."""

    indexes: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    queries: list[dict[str, list[str]]] = field(default_factory=list)
    states: set[str] = field(default_factory=set)
    opened: int = 0

    def answer(self, asked: Seen) -> bytes:
        parts = urlsplit(asked.target)
        self.queries.append(parse_qs(parts.query))
        path = [unquote(one) for one in parts.path.strip("/").split("/")]
        status, body = self._routed(asked, path)
        return reply(body, status)

    def _routed(self, asked: Seen, path: list[str]) -> tuple[str, Any]:
        body = json.loads(asked.body) if asked.body and path[-1] != "_bulk" else {}
        match [asked.method, *path]:
            case ["POST", "_bulk"]:
                return "200 OK", {"items": list(self._bulk(asked.body.decode().splitlines()))}
            case ["GET", "_aliases"]:
                return "200 OK", {name: {"aliases": {}} for name in self.indexes}
            case ["POST", "_search"]:
                return self._page(body)
            case ["DELETE", "_pit"]:
                self.states.discard(body["id"])
                return "200 OK", {"succeeded": True}
            case ["PUT", index]:
                if index in self.indexes:
                    return "400 Bad Request", _error("resource_already_exists_exception", f"index [{index}] exists")
                self.indexes[index] = {}
                return "200 OK", {"acknowledged": True, "shards_acknowledged": True, "index": index}
        index, *rest = path
        if index not in self.indexes:
            return "404 Not Found", _error("index_not_found_exception", f"no such index [{index}]")
        return self._of_index(asked.method, index, rest, body)

    def _of_index(self, method: str, index: str, rest: list[str], body: Any) -> tuple[str, Any]:
        documents = self.indexes[index]
        match [method, *rest]:
            case ["GET"]:
                return "200 OK", {index: {"aliases": {}, "mappings": {}, "settings": {"index": {}}}}
            case ["DELETE"]:
                del self.indexes[index]
                return "200 OK", {"acknowledged": True}
            case ["POST", "_pit"]:
                self.opened += 1
                self.states.add(state := f"{index}-{self.opened}")
                return "200 OK", {"id": state}
            case ["POST", "_search"]:
                size = int(self.queries[-1]["size"][0])
                return "200 OK", {"hits": {"hits": list(_hits(index, _found(documents, body)))[:size]}}
            case ["POST", "_doc"]:
                return "201 Created", self._put(index, f"made{len(documents)}", body)
            case ["PUT", "_doc", name]:
                return "201 Created", self._put(index, name, body)
            case ["POST", "_update", name]:
                return self._update(index, name, body)
            case ["GET", "_doc", name] if name in documents:
                return "200 OK", {"_index": index, "_id": name, "found": True, "_source": documents[name]}
            case ["DELETE", "_doc", name] if name in documents:
                del documents[name]
                return "200 OK", {"_index": index, "_id": name, "result": "deleted"}
        return "404 Not Found", {"_index": index, "_id": rest[-1], "found": False}

    def _put(self, index: str, name: str, body: Any) -> dict[str, Any]:
        self.indexes[index][name] = body
        return {"_index": index, "_id": name, "result": "created"}

    def _update(self, index: str, name: str, body: Any) -> tuple[str, Any]:
        if name not in self.indexes.get(index, {}):
            return "404 Not Found", _error("document_missing_exception", f"[{name}]: document missing")
        self.indexes[index][name] |= body["doc"]
        return "200 OK", {"_index": index, "_id": name, "result": "updated"}

    def _page(self, body: Any) -> tuple[str, Any]:
        state = body["pit"]["id"]
        assert state in self.states
        rows = list(_hits(state.rpartition("-")[0], self.indexes[state.rpartition("-")[0]]))
        begin = next((at + 1 for at, row in enumerate(rows) if row["sort"] == body.get("search_after")), 0)
        return "200 OK", {"pit_id": state, "hits": {"hits": rows[begin : begin + body["size"]]}}

    def _bulk(self, lines: list[str]) -> Iterator[Any]:
        rows = iter(json.loads(line) for line in lines)
        for row in rows:
            ((action, where),) = row.items()
            index, name = where["_index"], where.get("_id", "made")
            if action == "delete":
                self.indexes[index].pop(name)
                yield {action: {"_id": name, "status": 200}}
                continue
            body = next(rows)
            if action == "index":
                self._put(index, name, body)
                yield {action: {"_id": name, "status": 201}}
                continue
            status, found = self._update(index, name, body)
            yield {
                action: {
                    "_id": name,
                    "status": int(status[:3]),
                    **({"error": found["error"]} if "error" in found else {}),
                }
            }


def _error(kind: str, reason: str) -> dict[str, Any]:
    return {"error": {"type": kind, "reason": reason}, "status": 400}


def _found(documents: dict[str, Any], body: Any) -> dict[str, Any]:
    ((name, value),) = body.get("query", {}).get("term", {"": ""}).items()
    return {key: row for key, row in documents.items() if not name or row.get(name) == value}


def _hits(index: str, documents: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for place, (name, source) in enumerate(documents.items()):
        yield {"_index": index, "_id": name, "_source": source, "sort": [place]}
