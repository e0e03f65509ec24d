"""Community packages from npm: the same items and the same requests as with n8n's own engine.

Both sides run the same files of each package, as the installer has put them there. Each request is answered by the
case's replies, so that no service is asked."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import installing
import pytest
from package_cases import CASES, PACKAGES, Case

from jackfield.api.credentials import CredentialKind, Placement, filled
from jackfield.api.http_client import Authorization, HttpCall, HttpReply
from jackfield.api.nodes import NodeError
from jackfield.api.records import replace
from jackfield.testing.context import FakeContext
from jackfield.testing.node_runs import FakeNodeRun
from jackfield_community_nodes.installing import Installer
from jackfield_community_nodes.kinds import credential_kinds
from jackfield_community_nodes.library import Library
from jackfield_community_nodes.nodes.making import made
from jackfield_community_nodes.packages import root_of, write_index
from jackfield_community_nodes.processes.pools import PackageProcesses
from jackfield_workers.pool import SharedWorkerPool

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z")
HEADERS = ("authorization", "content-type", "apikey", "api-access-token", "blotato-api-key", "client-api-key")


class Placed:
    """`Authorization` of a kind that says where its fields go."""

    allowed_hosts = ""

    def __init__(self, kind: CredentialKind, values: Mapping[str, str]) -> None:
        self.kind = kind.name
        self._scheme = kind.scheme
        self._values = kind.complete(values)

    async def apply(self, call: HttpCall) -> HttpCall:
        assert isinstance(self._scheme, Placement)
        more = [(name, filled(text, self._values)) for name, text in self._scheme.headers.items()]
        return replace(call, headers=[*call.headers, *more])

    async def again(self, sent: HttpCall, reply: HttpReply) -> HttpCall | None:
        return None


class Client:
    """`HttpClient` that gives a case's replies and notes the requests."""

    def __init__(self) -> None:
        self.case: Case | None = None
        self.seen: list[dict[str, Any]] = []

    async def send(self, call: HttpCall, authorization: Authorization | None = None) -> HttpReply:
        call = await authorization.apply(call) if authorization else call
        body = None if call.body is None else (call.body.whole or b"").decode("latin-1")
        headers = {name.lower(): value for name, value in call.headers}
        self.seen.append({"method": call.method, "url": call.url, "headers": headers, "body": body})
        assert self.case is not None
        own = [reply for reply in self.case.replies if reply.method == call.method]
        fitting = own or [reply for reply in self.case.replies if not reply.method]
        count = sum(one["method"] == call.method or not own for one in self.seen)
        reply = fitting[min(count, len(fitting)) - 1]
        return HttpReply(reply.status, "OK", [("content-type", reply.type)], reply.content(), call.url)


class Site:
    """Ours: the packages, installed from npm."""

    def __init__(self, directory: Path) -> None:
        self.client = Client()
        self.context = FakeContext(directory, ports={"HttpClient": self.client, "ScriptWorkers": SharedWorkerPool()})

    async def install(self) -> None:
        installer = Installer(self.context)
        found = [await installer.install(name, "", "") for name in PACKAGES]
        await asyncio.to_thread(write_index, self.context, found)
        self.context.port(Library).reread()

    async def run(self, case: Case) -> dict[str, Any]:
        self.client.case, self.client.seen = case, []
        node = made(self.context, case.package, f"{case.package}.{case.node}")
        kinds = {kind.name: kind for kind in credential_kinds(self.context)}
        run = FakeNodeRun(
            node,
            node.parameters(case.version).completed(case.parameters),
            [dict(item) for item in case.items],  # type: ignore[misc]
            version=case.version,
            name="Node",
            on_error="continueRegularOutput" if case.goes_on else "stopWorkflow",
            credentials={kind: kinds[kind].complete(values) for kind, values in case.credentials.items()},
            authorizations={kind: Placed(kinds[kind], values) for kind, values in case.credentials.items()},
        )
        try:
            outputs = await node.execute(run)
            return {"outputs": [[_item(item) for item in items] for items in outputs], "requests": self.client.seen}
        except NodeError as exc:
            return {"error": exc.message, "description": exc.description, "requests": self.client.seen}

    def question(self, case: Case) -> dict[str, Any]:
        """The case for n8n's engine."""
        library = self.context.port(Library)
        package = library.packages()[case.package]
        kind = f"{case.package}.{case.node}"
        kinds = {one.name: one for one in credential_kinds(self.context)}
        return {
            "root": str(root_of(self.context, package) / "node_modules" / package.name),
            "file": next(node.file for node in package.nodes if node.kind == kind),
            "credentialFiles": {one.kind: one.file for one in package.credentials},
            "kind": kind,
            "version": case.version,
            "parameters": case.parameters,
            "items": case.items,
            "credentials": {name: kinds[name].complete(values) for name, values in case.credentials.items()},
            "goesOn": case.goes_on,
            "replies": [reply.told() for reply in case.replies],
        }


def _item(item: Mapping[str, Any]) -> dict[str, Any]:
    error, files = item.get("error"), item.get("binary")
    shown = {
        name: {"data": file["data"], "mimeType": file["mimeType"], "fileName": file.get("fileName")}
        for name, file in (files or {}).items()
    }
    return {"json": item["json"], "binary": shown or None, "error": error["message"] if error else None}


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Any, Any]]:
    async def ours() -> tuple[list[Any], list[Any]]:
        site = Site(tmp_path_factory.mktemp("packages"))
        await site.install()
        try:
            found = [await site.run(case) for case in CASES]
        finally:
            await site.context.port(PackageProcesses).close()
        return found, [site.question(case) for case in CASES]

    found, questions = asyncio.run(ours())
    command = [installing.node(), str(Path(__file__).with_name("engine.js")), str(installing.directory())]
    done = subprocess.run(
        command, input=json.dumps(questions), capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    theirs = json.loads(done.stdout)
    return {case.name: (own, other) for case, own, other in zip(CASES, found, theirs, strict=True)}


@pytest.mark.parametrize("name", [case.name for case in CASES])
def test_items_are_those_of_n8n(compared: dict[str, tuple[Any, Any]], name: str) -> None:
    ours, theirs = compared[name]
    assert _outcome(ours) == _outcome(theirs)


ASKS_AGAIN = frozenset({"account, refused"})
"""n8n repeats a request that was refused with 401, whether or not it has a new token for it."""


@pytest.mark.parametrize("name", [case.name for case in CASES])
def test_requests_are_those_of_n8n(compared: dict[str, tuple[Any, Any]], name: str) -> None:
    ours, theirs = compared[name]
    sent = [_request(one) for one in ours["requests"]]
    assert (sent * 2 if name in ASKS_AGAIN else sent) == [_request(one) for one in theirs["requests"]]


def _outcome(given: Mapping[str, Any]) -> Any:
    found = json.loads(_TIME.sub("(time)", json.dumps(given)))
    if "error" in found:
        return {"error": found["error"]}
    return [
        [{key: value for key, value in item.items() if value is not None} for item in items]
        for items in found["outputs"]
    ]


def _request(given: Mapping[str, Any]) -> Any:
    headers = {name.lower(): value for name, value in given["headers"].items() if name.lower() in HEADERS}
    headers = {name: value.partition(";")[0] if name == "content-type" else value for name, value in headers.items()}
    form = headers.get("content-type") == "multipart/form-data"
    return given["method"], given["url"], headers, "(form)" if form else given["body"]
