"""What a provider keeps for one account, for whoever asks with its key."""

from __future__ import annotations

import itertools
from typing import Any
from urllib.parse import parse_qs, urlsplit

USAGE = {"input_tokens": 10, "output_tokens": 20, "total_tokens": 30}
PREFIXES = {"files": "file-", "batches": "batch_", "responses": "resp_", "conversations": "conv_"}


class StoredThings:
    """By collection, in the order in which they were made; lists have two on a page where nobody asks for more."""

    def __init__(self) -> None:
        self.contents: dict[str, str] = {}
        """Of files, by their ids."""
        self.kept: dict[str, dict[str, dict[str, Any]]] = {}
        self._numbers = itertools.count(1)

    def asked(self, method: str, target: str, body: dict[str, Any]) -> tuple[int, Any]:
        """Status and answer."""
        url = urlsplit(target)
        parts = url.path.partition("/v1/")[2].split("/")
        collection = "messages/batches" if parts[:2] == ["messages", "batches"] else parts[0]
        kept = self.kept.setdefault(collection, {})
        rest = parts[collection.count("/") + 1 :]
        if not rest:
            return self._made(collection, kept, body) if method == "POST" else (200, _page(kept, parse_qs(url.query)))
        if rest[0] not in kept:
            return 404, {"error": {"message": "not here", "type": "invalid_request_error", "code": None}}
        if method == "DELETE":
            del kept[rest[0]]
            return 200, {"id": rest[0], "object": "x", "deleted": True, "type": "x_deleted"}
        return 200, self.contents.get(rest[0], "") if rest[1:] == ["content"] else kept[rest[0]]

    def _made(self, collection: str, kept: dict[str, dict[str, Any]], body: dict[str, Any]) -> tuple[int, Any]:
        number = next(self._numbers)
        made = {"id": f"{PREFIXES.get(collection, 'msgbatch_')}{number}", "object": collection, "type": "x"}
        if collection == "responses":
            item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed"}
            item["content"] = [{"type": "output_text", "text": "pong", "annotations": []}]  # type: ignore[assignment]
            made |= {"object": "response", "output": [item], "status": "completed", "usage": USAGE}  # type: ignore[dict-item]
            made |= {"model": body["model"], "metadata": body.get("metadata"), "store": body.get("store", True)}
        if collection == "batches":
            made |= {"output_file_id": f"file-out{number}", "input_file_id": body["input_file_id"]}
            self.kept.setdefault("files", {})[f"file-out{number}"] = {"id": f"file-out{number}", "object": "file"}
        if "content" in body:
            self.contents[str(made["id"])] = body["content"]
        if made.get("store", True):
            kept[made["id"]] = made
        if body.get("stream"):
            begun = {**made, "status": "in_progress", "output": [], "usage": None}
            delta = {"type": "response.output_text.delta", "delta": "pong", "item_id": "x", "output_index": 0}
            return 200, [
                {"type": "response.created", "response": begun},
                {**delta, "content_index": 0},
                {"type": "response.completed", "response": made},
            ]
        return 200, made


def _page(kept: dict[str, dict[str, Any]], query: dict[str, list[str]]) -> dict[str, Any]:
    ids = list(kept)
    cursor = query.get("after") or query.get("after_id")
    start = ids.index(cursor[0]) + 1 if cursor else 0
    end = start + int(query.get("limit", ["2"])[0])
    page = [kept[one] for one in ids[start:end]]
    ends = {"first_id": page[0]["id"] if page else None, "last_id": page[-1]["id"] if page else None}
    return {"object": "list", "data": page, "has_more": end < len(ids), **ends}
