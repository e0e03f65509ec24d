"""The services that the code of a package may ask the daemon for while it runs: requests, its credentials, files,
expressions."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Protocol, cast

from jackfield.api.context import PluginContext
from jackfield.api.credentials import CREDENTIAL_KINDS
from jackfield.api.http_client import Authorization, HttpBody, HttpCall, HttpClient, HttpReply
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.nodes.files import kept_file, read_file
from jackfield.api.workflows import BinaryData, Items
from jackfield_community_nodes.nodes.masking import Mask
from jackfield_community_nodes.settings import CommunityNodesSettings

Given = Mapping[str, Any]
"""JSON that the package made, hence Any."""
_FOLLOW: Final = ("none", "reads", "all")
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class CredentialSource(Protocol):
    """The credentials of a node; `NodeRun` and `CredentialAccess` are both one."""

    async def credential(self, kind: str) -> Mapping[str, str]: ...

    async def authorization(self, kind: str) -> Authorization: ...


class PackageRequests:
    """Sends requests and opens credentials. kinds: of credentials that the node may have."""

    def __init__(self, context: PluginContext, access: CredentialSource, kinds: Sequence[str]) -> None:
        self._context = context
        self._client = context.port(HttpClient)
        self._access = access
        self._kinds = kinds
        self._mask = Mask()
        self.masked = self._mask.masked
        """Of a text without the secrets that the package was given: it may have put them into its error."""

    async def serve(self, what: str, given: Given) -> Json:
        """Raises `NodeError`."""
        if what == "http":
            return await self._send(given)
        if what == "credential":
            return cast("Json", await self._opened(self._own(given.get("kind"))))
        raise NodeError(f"The package asks for {what[:40]}, which is not there.")

    async def _opened(self, kind: str) -> dict[str, str]:
        values = dict(await self._access.credential(kind))
        known = self._context.extensions(CREDENTIAL_KINDS).get(kind)
        self._mask.add(value for name, value in values.items() if known is None or known.secret(name))
        return values

    def _own(self, kind: object) -> str:
        if not isinstance(kind, str) or kind not in self._kinds:
            raise NodeError(f"The node has no credential of the kind {str(kind)[:80]} in its description.")
        return kind

    async def _send(self, given: Given) -> Json:
        kind = given.get("auth")
        authorization = await self._access.authorization(self._own(kind)) if kind else None
        reply = await self._client.send(_call(given), authorization)
        return _replied(reply)


def _call(given: Given) -> HttpCall:
    """Raises `NodeError`."""
    method, follow, timeout = str(given.get("method", "GET")).upper(), given.get("follow"), given.get("timeout")
    if method not in _METHODS:
        raise NodeError(f"{method[:20]} is no method of requests.")
    most, proxy = given.get("maxRedirects"), given.get("proxy")
    body = _bytes(given["body"]) if isinstance(given.get("body"), str) else None
    return HttpCall(
        method,
        str(given.get("url", "")),
        headers=[(str(name), str(value)) for name, value in _pairs(given.get("headers"))],
        body=None if body is None else HttpBody(body),
        follow=follow if follow in _FOLLOW else "all",
        max_redirects=most if isinstance(most, int) and 0 <= most <= 50 else 21,
        timeout=timeout / 1000 if isinstance(timeout, int | float) and timeout > 0 else None,
        verify=given.get("verify") is not False,
        proxy=proxy if isinstance(proxy, str) else None,
    )


def _pairs(given: object) -> Sequence[tuple[object, object]]:
    rows = given if isinstance(given, list) else []
    return [(row[0], row[1]) for row in rows if isinstance(row, list) and len(row) == 2]


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        raise NodeError("The package gave a body that is no base64.") from None


def _replied(reply: HttpReply) -> Json:
    headers: list[Json] = [[name, value] for name, value in reply.headers]
    body = base64.b64encode(reply.body).decode()
    return {"status": reply.status, "reason": reply.reason, "headers": headers, "body": body, "url": reply.url}


class RunServing:
    """The same for a node that runs, with its files. The package sees handles of files, so that it can name no other
    than those that it was given or has made. It sees the content of a short one in the item, as in n8n."""

    def __init__(self, context: PluginContext, run: NodeRun, kinds: Sequence[str], indexes: Sequence[int]) -> None:
        """indexes: of the run's items that the package was given."""
        self._run = run
        self._requests = PackageRequests(context, run, kinds)
        self._indexes = indexes
        self._files: list[BinaryData] = []
        self._room = context.settings(CommunityNodesSettings).max_files
        self.masked = self._requests.masked
        self._served: Mapping[str, Callable[[Given], Awaitable[Json]]] = {
            "read": self._read,
            "keep": self._keep,
            "file": self._file,
            "evaluate": self._evaluate,
        }

    async def __call__(self, what: str, given: Given) -> Json:
        serve = self._served.get(what)
        return await self._requests.serve(what, given) if serve is None else await serve(given)

    def shown(self, items: Items) -> list[Json]:
        """The items with handles in the place of files."""
        return [
            cast("Json", {**item, "binary": {name: self._handle(file) for name, file in item["binary"].items()}})
            if item.get("binary")
            else cast("Json", item)
            for item in items
        ]

    def _handle(self, file: BinaryData) -> dict[str, Json]:
        self._files.append(file)
        kept = {name: value for name, value in file.items() if name not in ("id", "directory")}
        return {**cast("dict[str, Json]", kept), "id": str(len(self._files) - 1)}

    def known(self, handle: object) -> BinaryData:
        """The file behind a handle. Raises `NodeError`."""
        if isinstance(handle, str) and handle.isdecimal() and len(handle) < 10 and int(handle) < len(self._files):
            return self._files[int(handle)]
        raise NodeError("The package names a file that it was not given.")

    async def _read(self, given: Given) -> Json:
        return base64.b64encode(await read_file(self._run, self.known(given.get("file")))).decode()

    async def _file(self, given: Given) -> Json:
        file = self.known(given.get("file"))
        return {"fileName": file.get("fileName"), "mimeType": file["mimeType"], "fileSize": file.get("bytes", 0)}

    async def _keep(self, given: Given) -> Json:
        return self._handle(await self.kept(given.get("data"), given.get("type"), given.get("name")))

    async def kept(self, data: object, type_: object, name: object) -> BinaryData:
        """A new file of base64. Raises `NodeError`."""
        self._room -= 1
        if self._room < 0:
            raise NodeError("The package made more files than community_nodes.max_files allows.")
        content = _bytes(data if isinstance(data, str) else "")
        mime_type = type_ if isinstance(type_, str) and type_ else "application/octet-stream"
        file_name = name[:255] if isinstance(name, str) else None
        return await kept_file(self._run, content, mime_type=mime_type, file_name=file_name)

    async def _evaluate(self, given: Given) -> Json:
        found = await self._run.evaluate({"expression": f"={given.get('text')}"}, item=self._index(given.get("item")))
        return found["expression"]

    def _index(self, item: object) -> int:
        if isinstance(item, int) and 0 <= item < len(self._indexes):
            return self._indexes[item]
        raise NodeError("The package names an item that there is not.")
