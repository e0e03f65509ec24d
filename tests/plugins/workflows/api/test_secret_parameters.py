"""Secrets of nodes: nobody reads them back, and what is written without them keeps them."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from pydantic import BaseModel, Field

from jackfield.api.auth import Principal
from jackfield.api.context import WorkflowReader
from jackfield.api.nodes import NodeDescription, NodeParameters
from jackfield.testing.context import FakeCatalog
from jackfield.testing.documents import chain, node, webhook
from jackfield_nodes.data.crypto_node import CryptoNode
from jackfield_nodes.flow.wait_node import WaitNode
from jackfield_webhooks.node import WebhookNode
from jackfield_workflows.documents.sealing import SEALED, SealedSecrets
from jackfield_workflows.documents.secret_parameters import MASK, SecretParameters

PLANTED = "planted-7c1e"
HMAC = {"authentication": "hmac", "authConfig": {"secret": PLANTED, "preset": "github"}}
WAYS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "hmac": (HMAC, {"authentication": "hmac", "authConfig": {"secret": MASK, "preset": "github"}}),
    "header": (
        {"authentication": "headerAuth", "authConfig": {"headerName": "X-Token", "headerValue": PLANTED}},
        {"authentication": "headerAuth", "authConfig": {"headerName": "X-Token", "headerValue": MASK}},
    ),
    "basic": (
        {"authentication": "basicAuth", "authConfig": {"username": "ada", "password": PLANTED}},
        {"authentication": "basicAuth", "authConfig": {"username": "ada", "password": MASK}},
    ),
    "jwt": (
        {"authentication": "jwtAuth", "jwtSecret": PLANTED},
        {"authentication": "jwtAuth", "jwtSecret": MASK},
    ),
    "beside": (
        {"authentication": "none", "secret": PLANTED, "password": 12345, "hmacSecret": {"x": PLANTED}},
        {"authentication": "none", "secret": MASK, "password": MASK, "hmacSecret": MASK},
    ),
    "fixed": ({**HMAC, "authConfig": {"secret": f"={PLANTED}"}}, {**HMAC, "authConfig": {"secret": MASK}}),
    "nothing": ({**HMAC, "authConfig": {"secret": ""}}, {**HMAC, "authConfig": {"secret": ""}}),
}


class Row(BaseModel):
    key: str = Field("", json_schema_extra={"secret": True})


class Rows(NodeParameters):
    rows: list[Row] = Field(default_factory=list)


class RowsNode:
    kind = "rows"
    versions = (1.0,)
    description = NodeDescription("Rows", "A type of a stranger.", "transform")
    effect = False

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return Rows


@pytest.fixture
def hooks(api: Any) -> Any:
    """The API with node types that have secrets; its caller is a viewer as far as reading goes."""
    broken = RowsNode()
    broken.kind, broken.parameters = "broken", None  # type: ignore[assignment]  # a stranger's mistake
    nodes = (WebhookNode(api.context), WaitNode(api.context), CryptoNode(), RowsNode(), broken)
    api.context.ports["NodeCatalog"] = FakeCatalog(*nodes)  # type: ignore[arg-type]
    return api


def flow(**parameters: Any) -> dict[str, Any]:
    return chain("flow", webhook("hello", **parameters))


async def opened(api: Any, saved: dict[str, Any]) -> dict[str, Any]:
    """What is stored, which has no secret in clear, with its secrets."""
    document = (await api.store.workflow(saved["id"])).document
    assert PLANTED not in str(document)
    return await SealedSecrets(api.context).opened(document)


async def stored(api: Any, saved: dict[str, Any]) -> dict[str, Any]:
    """The parameters of the stored workflow's first node, opened."""
    found = (await opened(api, saved))["nodes"][0]["parameters"]
    assert isinstance(found, dict)
    return found


def shown(document: dict[str, Any]) -> dict[str, Any]:
    found = document["nodes"][0]["parameters"]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(("given", "expected"), WAYS.values(), ids=WAYS)
async def test_no_answer_has_them(hooks: Any, given: dict[str, Any], expected: dict[str, Any]) -> None:
    document = flow(**given)
    saved = await hooks.save(document)
    one = f"/workflows/{saved['id']}"
    written = shown(document)
    answers = [
        saved,
        await hooks.ok("PUT", one, document),
        await hooks.ok("PATCH", one, {"name": "other"}),
        await hooks.ok("POST", f"{one}/versions/1/restore"),
        await hooks.ok("POST", f"{one}/duplicate", {}, 201),
    ]
    hooks.context.principal = Principal("u2", "eve", "viewer", "jwt")
    answers += [await hooks.ok("GET", one), await hooks.ok("GET", f"{one}/versions/1")]
    answers += [await hooks.ok("GET", "/workflows"), await hooks.ok("GET", f"{one}/versions")]
    assert PLANTED not in str(answers)
    assert PLANTED not in str([event.data for event in hooks.events.published])
    for answer in answers[:7]:
        assert shown(answer) == {**written, **expected}
    for answer in (saved, answers[4]):
        assert await stored(hooks, answer) == written


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize(("given", "expected"), WAYS.values(), ids=WAYS)
async def test_what_was_read_can_be_written(
    hooks: Any, method: str, given: dict[str, Any], expected: dict[str, Any]
) -> None:
    saved = await hooks.save(flow(**given))
    read = await hooks.ok("GET", f"/workflows/{saved['id']}")
    assert shown(read) == {**shown(flow(**given)), **expected}
    body = {"nodes": read["nodes"], "connections": read["connections"]} if method == "PATCH" else read
    await hooks.ok(method, f"/workflows/{saved['id']}", body)
    assert await stored(hooks, saved) == shown(flow(**given))


async def test_the_node_is_known_by_its_id_then_by_its_name(hooks: Any) -> None:
    saved = await hooks.save(flow(**HMAC))
    one = f"/workflows/{saved['id']}"
    renamed = copy.deepcopy(saved)
    renamed["nodes"][0]["name"] = "Called differently"
    await hooks.ok("PUT", one, renamed)
    assert (await stored(hooks, saved))["authConfig"]["secret"] == PLANTED
    renamed["nodes"][0]["id"] = "another"
    await hooks.ok("PUT", one, renamed)
    assert (await stored(hooks, saved))["authConfig"]["secret"] == PLANTED
    for change in ({"id": "third", "name": "Third"}, {"type": "jackfield.wait"}):
        other = {**renamed, "nodes": [{**renamed["nodes"][0], **change}]}
        await hooks.ok("PUT", one, other)
        assert (await stored(hooks, saved))["authConfig"]["secret"] == ""
        await hooks.ok("PUT", one, {**renamed, **flow(**HMAC)})


async def test_copies_with_the_same_id_keep_their_own(hooks: Any) -> None:
    first, second = flow(**HMAC)["nodes"][0], flow(**HMAC)["nodes"][0]
    second |= {
        "name": "Second",
        "parameters": {**second["parameters"], "path": "other", "authConfig": {"secret": "b-7"}},
    }
    first["id"] = second["id"] = "same"
    saved = await hooks.save({"name": "two", "nodes": [first, second], "connections": {}})
    await hooks.ok("PUT", f"/workflows/{saved['id']}", {**saved, "nodes": saved["nodes"][::-1]})
    document = await opened(hooks, saved)
    assert [one["parameters"]["authConfig"]["secret"] for one in document["nodes"]] == ["b-7", PLANTED]


async def test_a_new_secret_replaces_the_old_one(hooks: Any) -> None:
    saved = await hooks.save(flow(**HMAC))
    answer = await hooks.ok("PUT", f"/workflows/{saved['id']}", flow(**{**HMAC, "authConfig": {"secret": "new-9"}}))
    assert "new-9" not in str(answer)
    assert (await stored(hooks, saved))["authConfig"] == {"secret": "new-9"}


async def test_without_a_stored_one_it_is_empty(hooks: Any) -> None:
    """Else `***` would be a secret that everybody knows."""
    saved = await hooks.save(flow(**{**HMAC, "authConfig": {"secret": MASK}}))
    assert (await stored(hooks, saved))["authConfig"] == {"secret": ""}
    await hooks.ok("PUT", f"/workflows/{saved['id']}", flow(**{**HMAC, "authConfig": {"secret": f"={MASK}"}}))
    assert (await stored(hooks, saved))["authConfig"] == {"secret": ""}
    run = await hooks.ok("POST", "/workflows/run", {"workflow": flow(**{**HMAC, "authConfig": {"secret": MASK}})})
    kept = (await hooks.store.execution(run["executionId"])).document
    assert kept["nodes"][0]["parameters"]["authConfig"] == {"secret": ""}


async def test_an_import_says_which_secrets_are_missing(hooks: Any) -> None:
    saved = await hooks.save(flow(**HMAC))
    again = await hooks.ok("POST", "/workflows/import", saved)
    assert (again["updated"], again["results"][0]["problems"]) == (1, [])
    assert (await stored(hooks, saved))["authConfig"]["secret"] == PLANTED
    new = (await hooks.ok("POST", "/workflows/import", {**saved, "id": "7"}))["results"][0]
    (problem,) = new["problems"]
    assert (problem["path"], problem["severity"]) == ("nodes[0].parameters.authConfig.secret", "warning")


async def test_a_document_is_checked_with_its_stored_secrets(hooks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = await hooks.save(flow(**HMAC))
    seen: list[Any] = []
    monkeypatch.setattr(
        hooks.context.port(WorkflowReader), "problems", lambda workflow: seen.append(workflow.document) or []
    )
    await hooks.ok("POST", "/workflows/validate", saved)
    await hooks.ok("POST", "/workflows/validate", {**saved, "id": "other"})
    assert [shown(document)["authConfig"]["secret"] for document in seen] == [PLANTED, ""]


async def test_other_types_too(hooks: Any) -> None:
    rows = [{"key": PLANTED}, {"key": "", "x": 1}, "odd", {"key": "second"}]
    document = chain(
        "marked",
        webhook("hello"),
        node("Rest", "wait", {"incomingAuthentication": "basicAuth", "authConfig": {"password": PLANTED}}),
        node("Sign", "crypto", {"action": "hmac", "secret": PLANTED, "privateKey": PLANTED, "value": MASK}),
        node("Rows", "rows", {"rows": rows}),
        node("Broken", "broken", {"key": "kept"}),
        node("Unknown", "nobodys", {"secret": PLANTED, "options": [{"apiKey": PLANTED}], "text": "shown"}),
    )
    saved = await hooks.save(document)
    assert PLANTED not in str(saved)
    by_name = {one["name"]: one["parameters"] for one in saved["nodes"]}
    assert by_name["Rest"]["authConfig"] == {"password": MASK}
    assert (by_name["Sign"]["secret"], by_name["Sign"]["value"]) == (MASK, MASK)
    assert by_name["Rows"]["rows"] == [{"key": MASK}, {"key": "", "x": 1}, "odd", {"key": MASK}]
    assert by_name["Unknown"] == {"secret": MASK, "options": [{"apiKey": MASK}], "text": "shown"}
    await hooks.ok("PUT", f"/workflows/{saved['id']}", saved)
    assert (await opened(hooks, saved))["nodes"] == document["nodes"]


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("={{ $json.key }}", True),
        ("={{ $('Hook').item.json['api key'] }}", True),
        ("={{$vars.SIGNING_KEY}}", True),
        (f"={{{{ '{PLANTED}' }}}}", False),
        (f"={{{{ $json.key || `{PLANTED}` }}}}", False),
        (f"={PLANTED}{{{{ $json.key }}}}", False),
        ("={{ 123456 }}", False),
    ],
)
async def test_an_expression_that_says_where_the_secret_is_stays_readable(hooks: Any, written: str, told: bool) -> None:
    saved = await hooks.save(
        chain("signs", webhook("hello"), node("Sign", "crypto", {"action": "hmac", "secret": written}))
    )
    assert saved["nodes"][1]["parameters"]["secret"] == (written if told else MASK)


async def test_versions_that_there_are_not_are_read_and_not_remembered(hooks: Any) -> None:
    document = flow(**HMAC)
    for version in (1, 2.1, 99.5, "7"):
        saved = await hooks.save({**document, "nodes": [{**document["nodes"][0], "typeVersion": version}]})
        assert shown(saved)["authConfig"]["secret"] == MASK
    secrets = SecretParameters(hooks.context)
    many = [{"type": f"jackfield.none{count}", "parameters": {"secret": MASK}} for count in range(50)]
    secrets.redacted({"nodes": [{**document["nodes"][0], "typeVersion": 99.5}, *many]})
    assert secrets._paths == {}


async def test_a_credential_that_was_stored_as_a_workflow_shows_nothing(hooks: Any) -> None:
    saved = await hooks.save({"name": "Shop"})
    present = await hooks.store.workflow(saved["id"])
    present.document.update({"type": "httpBasicAuth", "data": {"password": PLANTED}})
    found = await hooks.ok("GET", f"/workflows/{saved['id']}")
    assert (found["data"], found["type"]) == (MASK, "httpBasicAuth")
    await hooks.ok("DELETE", f"/workflows/{saved['id']}", status=204)


async def test_every_verb_seals_what_it_stores(hooks: Any) -> None:
    saved = await hooks.save(flow(**HMAC))
    one = f"/workflows/{saved['id']}"
    await hooks.ok("PUT", one, flow(**{**HMAC, "authConfig": {"secret": "new-planted-9"}}))
    await hooks.ok("POST", f"{one}/versions/1/restore")
    assert (await stored(hooks, saved))["authConfig"]["secret"] == PLANTED
    await hooks.ok("POST", "/workflows/import", {**flow(**HMAC), "id": saved["id"]})
    copy_ = await hooks.ok("POST", f"{one}/duplicate", {}, 201)
    await hooks.ok("DELETE", one, status=204)
    assert (await stored(hooks, copy_))["authConfig"]["secret"] == PLANTED
    everything = str([vars(each) for each in hooks.store._workflows.values()])
    assert PLANTED not in everything
    assert "new-planted-9" not in everything


async def test_a_run_of_an_unsaved_document_keeps_it_sealed(hooks: Any) -> None:
    run = await hooks.ok("POST", "/workflows/run", {"workflow": flow(**HMAC)})
    kept = (await hooks.store.execution(run["executionId"])).document
    assert PLANTED not in str(kept)
    workflow = await hooks.context.port(WorkflowReader).parse_stored(kept)
    assert workflow.nodes["Webhook"].parameters["authConfig"]["secret"] == PLANTED
    assert PLANTED not in str(workflow.document)


async def test_what_is_sealed_elsewhere_is_not_opened_for_anybody(hooks: Any) -> None:
    """Else whoever got hold of a backup could have its secrets opened."""
    saved = await hooks.save(flow(**HMAC))
    stolen = (await hooks.store.workflow(saved["id"])).document
    own = await hooks.save({**stolen, "name": "mine"})
    assert SEALED not in str(own)
    assert (await stored(hooks, own))["authConfig"]["secret"] == ""
    await hooks.ok("PATCH", f"/workflows/{own['id']}", {"nodes": stolen["nodes"], SEALED: stolen[SEALED]})
    assert (await stored(hooks, own))["authConfig"]["secret"] == ""
    assert hooks.context.port(WorkflowReader).parse(stolen).nodes["Webhook"].parameters["authConfig"]["secret"] == ""
    workflow = await hooks.context.port(WorkflowReader).parse_unsaved(stolen)
    assert workflow.nodes["Webhook"].parameters["authConfig"]["secret"] == ""


async def test_with_another_key_nothing_is_lost_and_nothing_is_open(hooks: Any, monkeypatch: Any) -> None:
    saved = await hooks.save(flow(**HMAC))
    one = f"/workflows/{saved['id']}"

    def refused(sealed: bytes) -> bytes:
        raise ValueError("another key")

    with monkeypatch.context() as lost:
        lost.setattr(hooks.context.secrets, "open", refused)
        assert shown(await hooks.ok("GET", one))["authConfig"]["secret"] == MASK
        for method, path, body in (
            ("PUT", one, saved),
            ("PATCH", one, {"name": "x"}),
            ("POST", f"{one}/activate", None),
        ):
            answer = await hooks.ok(method, path, body, 500)
            assert "sealed with a master key" in answer["message"], answer
        await hooks.ok("POST", f"{one}/deactivate")
    assert (await stored(hooks, saved))["authConfig"]["secret"] == PLANTED
    with monkeypatch.context() as lost:
        lost.setattr(hooks.context.secrets, "open", refused)
        await hooks.ok("PUT", one, flow(**{**HMAC, "authConfig": {"secret": "entered-again"}}))
    assert (await stored(hooks, saved))["authConfig"]["secret"] == "entered-again"


async def test_pinned_calls_are_shown_without_what_their_callers_proved_themselves_with(hooks: Any) -> None:
    headers = {"authorization": f"Bearer {PLANTED}", "accept": "*/*"}
    items = [{"json": {"headers": headers, "query": {"token": PLANTED, "page": "2"}}}, {"headers": headers}, {"a": 1}]
    saved = await hooks.save({**flow(), "pinData": {"Webhook": items, "Odd": "text"}})
    assert PLANTED not in str(saved)
    first = saved["pinData"]["Webhook"][0]["json"]
    assert first == {"headers": {"authorization": MASK, "accept": "*/*"}, "query": {"token": MASK, "page": "2"}}
    await hooks.ok("PUT", f"/workflows/{saved['id']}", saved)
    assert (await opened(hooks, saved))["pinData"]["Webhook"] == items
    workflow = await hooks.context.port(WorkflowReader).load(saved["id"])
    assert workflow.pin_data["Webhook"][0]["json"]["headers"]["authorization"] == f"Bearer {PLANTED}"
