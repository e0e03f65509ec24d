"""Nodes of services beside n8n's own nodes, run in n8n's own contexts: the same requests to the service, and the same
items of the same answers. Parts of a request that are empty are not compared: n8n sends many of them.
"""

from __future__ import annotations

import asyncio
import base64
import email
import email.policy
import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from tests.plugins.triggers.vendor_trigger_lab import Bearer

from jackfield.api.http_client import Authorization
from jackfield.api.nodes import NodeError, Suspend
from jackfield.testing.binary import MemoryFiles
from jackfield.testing.context import FakeContext
from jackfield.testing.node_runs import FakeNodeRun
from jackfield.testing.vendor import Seen, VendorDouble
from jackfield_nodes.http.client import GuardedClient
from jackfield_nodes.http.settings import HttpSettings
from jackfield_vendors.catalogue import SHIPPED
from jackfield_vendors.credentials import kind_of
from jackfield_vendors.library import node_in, read
from jackfield_vendors.node import VendorNode
from jackfield_vendors.templates import as_text

from . import installing
from .action_cases import ActionCase, Answer
from .listed_actions import CASES
from .test_subscriptions import fields

SCRIPT = Path(__file__).with_name("actions.js")
SECONDS = 120
MAILS = ("gmail", "microsoftOutlook")
"""Their questions are mails with HTML of their own; messages and links are compared."""
EMPTY: tuple[Any, ...] = (None, "", [], {})
HOST = "https://service.example"
THEIR_ANSWER = re.compile(r"https?://[^\s\"]+/webhook-waiting/[^\s\"]+\?approved=(true|false)&signature=[0-9a-f]+")
OUR_ANSWER = re.compile(r"https?://[^\s\"]+/form-waiting/[^\s\"]+\.(yes|no)\.[0-9a-f]{32}")
"""Links that give an answer, of n8n and of ours."""


@dataclass
class BearerRun(FakeNodeRun):
    async def authorization(self, kind: str) -> Authorization:
        return Bearer(kind)


@pytest.fixture(scope="module")
def theirs() -> Mapping[str, dict[str, Any]]:
    """Label of a case -> what n8n's node did."""
    asked = [
        {
            "kind": case.kind,
            "version": case.version,
            "parameters": case.parameters,
            "credentials": at_host(case.credentials, HOST),
            "items": [{"json": {}, **item} for item in case.items] or [{"json": {}}],
            "replies": [vars(one) for one in case.answers],
        }
        for case in CASES
    ]
    assert len({case.label for case in CASES}) == len(CASES)
    try:
        command = [installing.node(), str(SCRIPT)]
        place = installing.directory()
    except installing.NotThere as exc:
        pytest.skip(str(exc))
    done = subprocess.run(
        command, cwd=place, input=json.dumps(asked).encode(), capture_output=True, timeout=SECONDS, check=True
    )
    found = json.loads(done.stdout.splitlines()[-1])
    return {case.label: one for case, one in zip(CASES, found, strict=True)}


@pytest.fixture
def vendor() -> Iterator[VendorDouble]:
    with VendorDouble() as double:
        yield double


def at_host(values: Any, host: str) -> Any:
    return json.loads(json.dumps(values).replace("{service}", host))


def answered(vendor: VendorDouble, case: ActionCase) -> None:
    left = list(case.answers)

    def serve(seen: Seen) -> Any:
        fits: list[Answer] = [one for one in left if unquote(one.path) == seen.path and one.method in ("", seen.method)]
        if not fits:
            return 404, {"message": "not found"}
        if len(fits) > 1:
            left.remove(fits[0])
        empty = None if fits[0].status == 204 else {}
        return fits[0].status, empty if fits[0].body is None else fits[0].body

    for one in case.answers:
        vendor.answers[unquote(one.path)] = serve


def node_of(case: ActionCase, vendor: VendorDouble, directory: Path) -> VendorNode:
    context = FakeContext(directory, tables=[HttpSettings(allowed_networks=["127.0.0.0/8"])])
    context.ports["HttpClient"] = GuardedClient(context)
    shipped = SHIPPED / f"{case.kind}.toml"
    text = re.sub(
        r'((?:^|[\s{])(?:url|base_url) = ")https://(?:[^/"{]|\{[^}]*\})+',
        rf"\g<1>{vendor.url}",
        shipped.read_text(),
        flags=re.MULTILINE,
    )
    (directory / "descriptions").mkdir()
    path = directory / "descriptions" / shipped.name
    path.write_text(text)
    context.ports["jackfield_credential_kinds"] = {one.name: one for one in map(kind_of, read(path).credentials)}
    return node_in(context, path)


def full(value: Any) -> Any:
    """Without what is empty."""
    if isinstance(value, dict):
        return {name: made for name, one in value.items() if (made := full(one)) not in EMPTY}
    if isinstance(value, list):
        return [full(one) for one in value]
    return value


def placed(path: str, case: ActionCase) -> str:
    """A path as ours, however many slashes n8n writes."""
    found = re.sub("/{2,}", "/", path).rstrip("/")
    for theirs, ours in case.paths.items():
        found = ours + found.removeprefix(theirs) if found.startswith(theirs) else found
    return found


def answers_named(text: str) -> str:
    """With `<yes>` and `<no>` for links that give an answer."""
    text = THEIR_ANSWER.sub(lambda found: "<yes>" if found[1] == "true" else "<no>", text)
    return OUR_ANSWER.sub(r"<\1>", text)


def comparable(requests: list[Any], case: ActionCase) -> list[Any]:
    def shown(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: shown(one) for name, one in value.items() if name not in case.hidden}
        if isinstance(value, str):
            return answers_named(value)
        return [shown(one) for one in value] if isinstance(value, list) else value

    return [
        (
            one["method"],
            placed(one["path"], case),
            {name: as_text(value) for name, value in full(shown(one["query"] or {})).items()},
            full(shown(one["body"])) or None,
            {name: one["headers"].get(name, "") for name in case.headers},
        )
        for one in requests
    ]


def seen_by(vendor: VendorDouble) -> list[Any]:
    return [
        {
            "method": one.method,
            "path": one.raw_path,
            "headers": {name.lower(): value for name, value in one.headers.items()},
            "query": one.query,
            "body": fields(one.body)
            if isinstance(one.body, str) and "urlencoded" in one.headers.get("content-type", "")
            else one.body,
        }
        for one in vendor.seen
    ]


def mail_of(body: Any) -> str:
    """The HTML of a mail that was sent as the body of a request."""
    if "raw" in body:
        made = email.message_from_bytes(base64.urlsafe_b64decode(body["raw"] + "=="), policy=email.policy.default)
        assert isinstance(made, EmailMessage)
        html = made.get_body(("html",))
        assert html is not None
        return str(html.get_content()).replace("\r\n", "\n")
    return str(body["message"]["body"]["content"])


def links_of(mail: str) -> list[tuple[str, str]]:
    """The answers that a mail has links for, with their labels."""
    return re.findall(r'<a href="(<(?:yes|no)>)"[^>]*>([^<]*)</a>', answers_named(mail))


async def executed(node: VendorNode, run: BearerRun) -> tuple[Any, str]:
    """The outputs, and why it failed."""
    try:
        made = await node.execute(run)
        return made.outputs if isinstance(made, Suspend) else made, ""
    except NodeError as exc:
        return None, exc.message
    finally:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)  # one of them closes the client's connections


@pytest.mark.parametrize("case", CASES, ids=[case.label for case in CASES])
async def test_a_service_is_asked_as_by_n8n(
    case: ActionCase, theirs: Mapping[str, dict[str, Any]], vendor: VendorDouble, tmp_path: Path
) -> None:
    found = theirs[case.label]
    answered(vendor, case)
    node = node_of(case, vendor, tmp_path)
    values = {
        kind: {name: one for name, one in given.items() if isinstance(one, str)}
        for kind, given in at_host(case.credentials, vendor.url).items()
    }
    run = BearerRun(
        node,
        case.parameters,
        [{"json": {}, **item} for item in case.items] or [{"json": {}}],  # type: ignore[misc]  # as the cases write them
        version=case.version,
        credentials=values,
        binary=MemoryFiles(),
    )
    run.node.credentials.update({kind: {"id": "c1"} for kind in values})  # type: ignore[attr-defined]  # a fake's
    made, told = await executed(node, run)
    assert case.fails in told.lower() if case.fails else not told, f"{told} n8n: {found}"
    if not case.unlike:
        assert comparable(seen_by(vendor), case) == comparable(found["requests"], case), found.get("error")
    if case.parameters.get("operation") == "sendAndWait" and case.kind in MAILS:
        (ours,), (mail,) = seen_by(vendor), found["requests"]
        assert links_of(mail_of(ours["body"])) == links_of(mail_of(mail["body"])) != []
        text = re.search(r"<p [^>]*>(.*?)</p>", mail_of(mail["body"]), re.DOTALL)
        assert text is not None
        assert text[1] in mail_of(ours["body"])
    if case.fails:
        assert case.fails in str(found.get("error")).lower()
        return
    assert "error" not in found, found
    assert [item["json"] for item in made[0]] == [item["json"] for item in found["items"]]
    assert [sorted(item.get("binary", ())) for item in made[0]] == [
        sorted(item.get("binary") or ()) for item in found["items"]
    ]
