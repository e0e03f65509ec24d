"""Credentials that somebody typed into the headers of a request: they are secrets, though no credential holds them."""

from __future__ import annotations

from typing import Any

import pytest

from jackfield.api.auth import Principal
from jackfield.testing.context import FakeCatalog
from jackfield.testing.documents import chain, node
from jackfield_ai.tools.http import HttpTool
from jackfield_integrations.graphql import GraphQl
from jackfield_nodes.http.legacy_parameters import LegacyHttpRequest
from jackfield_nodes.http.request_node import HttpRequestNode
from jackfield_workflows.documents.sealing import SealedSecrets
from jackfield_workflows.documents.secret_parameters import MASK

PLANTED = "planted-51b7"
ACCEPT = {"name": "Accept", "value": "text/html"}
BEARER = {"name": "Authorization", "value": f"Bearer {PLANTED}"}
HIDDEN = {"name": "Authorization", "value": MASK}


@pytest.fixture
def hooks(api: Any) -> Any:
    api.context.ports["NodeCatalog"] = FakeCatalog(HttpRequestNode(api.context))
    return api


def request(version: float = 4.2, **parameters: Any) -> dict[str, Any]:
    sent = {"url": "https://api.example.com", "sendHeaders": True, **parameters}
    return chain("flow", node("a", "httpRequest", sent) | {"typeVersion": version})


def rows(*given: dict[str, Any]) -> dict[str, Any]:
    return {"headerParameters": {"parameters": list(given)}}


def shown(document: dict[str, Any]) -> dict[str, Any]:
    return dict(document["nodes"][0]["parameters"])


async def opened(api: Any, saved: dict[str, Any]) -> dict[str, Any]:
    document = (await api.store.workflow(saved["id"])).document
    assert PLANTED not in str(document)
    return shown(await SealedSecrets(api.context).opened(document))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (rows(ACCEPT, BEARER), rows(ACCEPT, HIDDEN)),
        (rows({"name": "x-api-key", "value": PLANTED}), rows({"name": "x-api-key", "value": MASK})),
        (rows({"name": "=Cookie", "value": f"=sid={PLANTED}"}), rows({"name": "=Cookie", "value": MASK})),
        ({"jsonHeaders": f'{{"Authorization": "{PLANTED}"}}'}, {"jsonHeaders": MASK}),
        ({"jsonHeaders": f"={{'X-Token': \"{PLANTED}\"}}"}, {"jsonHeaders": MASK}),
        ({"jsonHeaders": {"X-Token": PLANTED}}, {"jsonHeaders": MASK}),
        (
            {"queryParameters": {"parameters": [{"name": "api_key", "value": PLANTED}]}},
            {"queryParameters": {"parameters": [{"name": "api_key", "value": MASK}]}},
        ),
        (
            {"bodyParameters": {"parameters": [{"name": "client_secret", "value": PLANTED}]}},
            {"bodyParameters": {"parameters": [{"name": "client_secret", "value": MASK}]}},
        ),
    ],
)
async def test_nobody_reads_them_back(hooks: Any, given: dict[str, Any], expected: dict[str, Any]) -> None:
    written = request(**given)
    saved = await hooks.save(written)
    hooks.context.principal = Principal("u2", "eve", "viewer", "jwt")
    one = f"/workflows/{saved['id']}"
    for answer in (saved, await hooks.ok("GET", one), await hooks.ok("GET", f"{one}/versions/1")):
        assert shown(answer) == shown(written) | expected
    assert await opened(hooks, saved) == shown(written)


async def test_of_the_first_generation(hooks: Any) -> None:
    given = {"headerParametersUi": {"parameter": [BEARER]}, "headerParametersJson": f'{{"Cookie": "{PLANTED}"}}'}
    saved = await hooks.save(request(1, **given))
    assert shown(saved)["headerParametersUi"] == {"parameter": [HIDDEN]}
    assert shown(saved)["headerParametersJson"] == MASK
    assert (await opened(hooks, saved))["headerParametersUi"] == {"parameter": [BEARER]}


@pytest.mark.parametrize(
    "given",
    [
        rows({"name": "Authorization", "value": "=Bearer {{ $json.token }}"}),
        rows({"name": "Authorization", "value": "={{ $('Log in').item.json.token }}"}),
        rows({"name": "Accept", "value": "application/json"}),
        rows({"name": "Authorization", "value": ""}),
        {"jsonHeaders": '={"Authorization": "Bearer {{ $json.token }}", "X-Key": {{ $json.key }}}'},
        {"jsonHeaders": '{"Accept": "text/html"}'},
        {"bodyParameters": {"parameters": [{"name": "max_tokens", "value": 100}]}},
    ],
)
async def test_references_and_ordinary_values_stay_legible(hooks: Any, given: dict[str, Any]) -> None:
    written = request(**given)
    assert shown(await hooks.save(written)) == shown(written)


async def test_a_written_mask_keeps_the_row_of_that_name(hooks: Any) -> None:
    second = {"name": "authorization", "value": f"Token {PLANTED}"}
    key = {"name": "X-Api-Key", "value": f"key {PLANTED}"}
    saved = await hooks.save(request(**rows(BEARER, second, key)))
    given = rows(ACCEPT, {**key, "value": MASK}, HIDDEN, {**second, "value": MASK}, {"name": "Cookie", "value": MASK})
    answer = await hooks.ok("PUT", f"/workflows/{saved['id']}", request(**given))
    assert PLANTED not in str(answer)
    kept = rows(ACCEPT, key, BEARER, second, {"name": "Cookie", "value": ""})
    assert (await opened(hooks, saved))["headerParameters"] == kept["headerParameters"]


async def test_a_mask_under_an_ordinary_name_gets_nothing(hooks: Any) -> None:
    """Else somebody who may write, but not read, would have the secret shown."""
    saved = await hooks.save(request(**rows(BEARER)))
    answer = await hooks.ok("PUT", f"/workflows/{saved['id']}", request(**rows({"name": "X-Shown", "value": MASK})))
    assert PLANTED not in str(answer)
    assert (await opened(hooks, saved))["headerParameters"] == {"parameters": [{"name": "X-Shown", "value": MASK}]}


async def test_a_written_mask_keeps_a_text_of_json(hooks: Any) -> None:
    written = request(jsonHeaders=f'{{"Authorization": "{PLANTED}"}}')
    saved = await hooks.save(written)
    await hooks.ok("PUT", f"/workflows/{saved['id']}", request(jsonHeaders=MASK))
    assert await opened(hooks, saved) == shown(written)


async def test_of_a_type_that_is_not_there(hooks: Any) -> None:
    given = {"rows": {"values": [BEARER]}, "headers": f'{{"Cookie": "{PLANTED}"}}'}
    saved = await hooks.save(chain("flow", node("a", "n8n-nodes-strange.thing", given)))
    assert shown(saved) == {"rows": {"values": [HIDDEN]}, "headers": MASK}


def test_other_nodes_that_send_requests_mark_them_too() -> None:
    row = "*?name.value"
    assert f"headerParametersUi.parameter.{row}" in GraphQl.secret_paths()
    assert {f"parametersHeaders.values.{row}", "jsonHeaders.?"} <= set(HttpTool.secret_paths())
    assert f"headerParametersUi.parameter.{row}" in LegacyHttpRequest.secret_paths()
