"""What Google keeps, for whoever asks with the account's key: a server with as much of the Gemini API as Google's own
client needs."""

from __future__ import annotations

import itertools
import json
from typing import Any

from aiohttp import web

LISTS = {"batches": "operations"}
FOREIGN = "https://generativelanguage.googleapis.com"


class GoogleThings:
    """By name, in the order in which they were made; lists have two on a page. contents: of files, by their names;
    credentials: with which requests have come, None: with none. at_own_host: whether uploads go on where they have
    begun, or at Google's own host, as of a server that passes everything on."""

    def __init__(self) -> None:
        self.at_own_host = False
        self.kept: dict[str, dict[str, Any]] = {}
        self.contents: dict[str, bytes] = {}
        self.uploads: dict[str, tuple[dict[str, Any], bytearray]] = {}
        self.credentials: list[str | None] = []
        self.asked: list[str] = []
        self._numbers = itertools.count(1)

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.credentials.append(request.headers.get("x-goog-api-key"))
        self.asked.append(f"{request.method} {request.path}")
        body = await request.read()
        if request.path.startswith("/upload/"):
            return self._upload(request, body)
        value = json.loads(body) if body else {}
        return self._asked(request, value)

    def _upload(self, request: web.BaseRequest, body: bytes) -> web.StreamResponse:
        name = request.query.get("upload_id", "")
        command = request.headers["x-goog-upload-command"]
        if command == "start":
            name = f"secret-{next(self._numbers)}"
            self.uploads[name] = (json.loads(body).get("file", {}), bytearray())
            base = f"http://{request.host}" if self.at_own_host else FOREIGN
            url = f"{base}{request.path}?upload_id={name}&upload_protocol=resumable"
            headers = {"X-Goog-Upload-URL": url, "X-Goog-Upload-Control-URL": url, "X-Goog-Upload-Status": "active"}
            return web.json_response({}, headers=headers)
        told, held = self.uploads[name]
        assert int(request.headers["x-goog-upload-offset"]) == len(held)
        held.extend(body)
        if "finalize" not in command:
            return web.Response(headers={"X-Goog-Upload-Status": "active"})
        file = self.made("files", told)
        self.contents[file["name"]] = bytes(held)
        return web.json_response({"file": file}, headers={"X-Goog-Upload-Status": "final"})

    def made(self, collection: str, told: dict[str, Any]) -> dict[str, Any]:
        name = f"{collection}/x{next(self._numbers)}"
        made = {**told, "name": name}
        if collection == "files":
            made |= {"uri": f"{FOREIGN}/v1beta/{name}", "state": "ACTIVE", "source": "UPLOADED"}
        self.kept[name] = made
        return made

    def _asked(self, request: web.BaseRequest, value: dict[str, Any]) -> web.StreamResponse:
        below = request.path.partition("/v1/")[2] or request.path.partition("/v1beta/")[2]
        name, _, verb = below.partition(":")
        if verb == "batchGenerateContent":
            made = self.made("batches", {"metadata": {"state": "BATCH_STATE_PENDING"}})
            out = self.made("files", {})["name"]
            self.contents[out] = b'{"key": "a"}\n'
            made["metadata"]["output"] = made["response"] = {"responsesFile": out}
            return web.json_response(made)
        if verb == "predictLongRunning":
            return web.json_response(self.made(f"{name}/operations", {"done": False}))
        if verb in ("embedContent", "batchEmbedContents"):
            return web.json_response({"embedding": {"values": [0.5]}, "embeddings": [{"values": [0.5]}]})
        if verb == "countTokens":
            return web.json_response({"totalTokens": 3})
        if verb == "generateContent":
            part = {"parts": [{"text": "pong"}], "role": "model"}
            usage = {"promptTokenCount": 3, "candidatesTokenCount": 1, "totalTokenCount": 4}
            return web.json_response(
                {"candidates": [{"content": part, "finishReason": "STOP"}], "usageMetadata": usage}
            )
        if "/" not in name:
            return web.json_response(self.made(name, value) if request.method == "POST" else self._page(name, request))
        if name not in self.kept:
            return web.json_response({"error": {"code": 404, "message": "no", "status": "NOT_FOUND"}}, status=404)
        if request.method == "DELETE":
            del self.kept[name]
            return web.json_response({})
        if verb == "download":
            assert request.query["alt"] == "media"
            return web.Response(body=self.contents[name], content_type="application/octet-stream")
        return web.json_response({} if verb == "cancel" else {**self.kept[name], **value})

    def _page(self, collection: str, request: web.BaseRequest) -> dict[str, Any]:
        found = [one for name, one in self.kept.items() if name.startswith(f"{collection}/")]
        start = int(request.query.get("pageToken", "0"))
        more = {"nextPageToken": str(start + 2)} if start + 2 < len(found) else {}
        part = found[start : start + 2]
        return {**({LISTS.get(collection, collection): part} if part else {}), **more}
