"""What an editor shows while one types: expressions on the data of an execution, and running on from any node."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook

SOURCE = "return [1, 2, 3].map(n => ({json: {n, name: 'item ' + n}}))"
DOCUMENT = chain(
    "previewed",
    webhook("previewed"),
    node("Make", "code", {"jsCode": SOURCE}),
    node("Keep", "filter", {"conditions": {"conditions": [{"leftValue": "={{ $json.n }}", "rightValue": 1,
                                                           "operator": {"type": "number", "operation": "gt"}}],
                                           "combinator": "and", "options": {}}}, version=2.2),
    set_fields("Show", text="={{ $json.name }}"),
)  # fmt: skip


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    place = tmp_path_factory.mktemp("preview")
    settings = '[executions]\nallowed_environment = ["JF_SHOWN"]'
    daemon = Daemon(place / "daemon", settings=settings, env={"JF_SHOWN": "seen"})
    try:
        with daemon.start().admin() as client:
            yield client
    finally:
        daemon.close()


@pytest.fixture(scope="module")
def ran(api: httpx.Client) -> tuple[str, dict[str, Any]]:
    """Id of the workflow, and its execution."""
    saved = api.post("/workflows", json=DOCUMENT).raise_for_status().json()
    done = api.post(f"/workflows/{saved['id']}/execute", json=[{"json": {"body": {"who": "Ada"}}}])
    assert done.raise_for_status().json()["status"] == "success", done.text
    return saved["id"], done.json()


def preview(api: httpx.Client, ran: tuple[str, dict[str, Any]], **asked: Any) -> dict[str, Any]:
    body = {"workflowId": ran[0], "executionId": ran[1]["id"], "node": "Show", **asked}
    found = api.post("/expressions/preview", json=body)
    assert found.status_code == 200, found.text
    made: dict[str, Any] = found.json()
    return made


def test_simple_and_scripted_expressions_see_the_items_that_reached_the_node(
    api: httpx.Client, ran: tuple[str, dict[str, Any]]
) -> None:
    templates = {
        "path": "={{ $json.name }}",
        "text": "=n is {{ $json.n }}!",
        "script": "={{ [...$input.all()].map((item) => item.json.n).reduce((a, b) => a + b) }}",
        "deep": {"list": ["={{ $json.n * 2 }}", "as it is"]},
        "literal": "no expression",
        "paired": "={{ $('Webhook').item.json.body.who }}",
        "first": "={{ $('Make').first().json.n }}",
        "environment": "={{ $env.JF_SHOWN }}",
        "workflow": "={{ $workflow.name }}",
    }
    found = preview(api, ran, templates=templates, item=1)
    assert found["items"] == 2
    assert {key: value.get("value", value) for key, value in found["values"].items()} == {
        "path": "item 3",
        "text": "n is 3!",
        "script": 5,
        "deep": {"list": [6, "as it is"]},
        "literal": "no expression",
        "paired": "Ada",
        "first": 1,
        "environment": "seen",
        "workflow": "previewed",
    }


def test_one_bad_expression_leaves_the_others(api: httpx.Client, ran: tuple[str, dict[str, Any]]) -> None:
    templates = {"bad": "={{ $('Nobody').item.json.x }}", "worse": "={{ ][ }}", "good": "={{ 1 + 1 }}"}
    values = preview(api, ran, templates=templates)["values"]
    assert values["good"] == {"value": 2}
    assert "Nobody" in values["bad"]["error"]
    assert values["worse"]["error"]


def test_an_error_says_where_it_is(api: httpx.Client, ran: tuple[str, dict[str, Any]]) -> None:
    templates = {
        "second": "=\U0001f600 {{ 1 }} and {{ ][ }}",
        "only": "=is {{ $('Nobody').item.json.x }}!",
        "deep": {"list": ["={{ ][ }}"]},
    }
    values = preview(api, ran, templates=templates)["values"]
    assert all(value["error"] for value in values.values())
    places = {key: (value.get("start"), value.get("end")) for key, value in values.items()}
    assert places == {"second": (15, 23), "only": (3, 32), "deep": (None, None)}


@pytest.fixture(scope="module")
def vocabulary(api: httpx.Client) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = api.get("/expressions/vocabulary").raise_for_status().json()["types"]
    return found


def test_members_of_the_execution_and_of_nodes_are_there(
    api: httpx.Client, ran: tuple[str, dict[str, Any]], vocabulary: dict[str, list[dict[str, Any]]]
) -> None:
    """With what a real execution has, and not what the tool that writes the vocabulary stands in for it."""
    behind = {"execution": "$execution", "workflow": "$workflow", "prevNode": "$prevNode", "input": "$input",
              "node": "$('Make')", "item": "$input.item", "customData": "$execution.customData"}  # fmt: skip
    templates = {
        f"{kind}.{member['name']}": f"={{{{ typeof {root}.{member['name']} }}}}"
        for kind, root in behind.items()
        for member in vocabulary[kind]
    }
    given = preview(api, ran, templates=templates)["values"]
    missing = [key for key, value in given.items() if value.get("value") == "undefined" or "error" in value]
    assert missing == ["item.binary"], "this item has no file"
    assert {key for key in given if given[key].get("value") == "function"} == {
        f"{kind}.{member['name']}" for kind in behind for member in vocabulary[kind] if member["arguments"]
    }


def test_an_endless_expression_ends_and_a_long_value_is_cut(api: httpx.Client, ran: tuple[str, dict[str, Any]]) -> None:
    values = preview(api, ran, templates={"endless": "={{ (() => { for (;;) {} })() }}"})["values"]
    assert values["endless"]["error"]
    values = preview(api, ran, templates={"long": "={{ 'x'.repeat(200000) }}"})["values"]
    assert values["long"]["truncated"] is True
    assert values["long"]["size"] == 200_002
    assert len(values["long"]["value"]) == 65_536


def test_a_changed_document_is_looked_at_with_the_data_of_the_old(
    api: httpx.Client, ran: tuple[str, dict[str, Any]]
) -> None:
    """What did not run is given what its wires would bring."""
    document = chain(
        "changed",
        webhook("previewed"),
        node("Make", "code", {"jsCode": SOURCE}),
        set_fields("New", text="={{ $json.name }}"),
    )
    found = preview(api, ran, workflow=document, node="New", templates={"value": "={{ $json.name }}"}, item=2)
    assert (found["items"], found["values"]["value"]) == (3, {"value": "item 3"})


def test_pinned_data_stands_in_for_an_execution(api: httpx.Client) -> None:
    document = {**DOCUMENT, "pinData": {"Keep": [{"json": {"name": "pinned"}}]}}
    body = {"workflow": document, "node": "Show", "templates": {"value": "={{ $json.name }}"}}
    found = api.post("/expressions/preview", json=body).raise_for_status().json()
    assert found == {"items": 1, "values": {"value": {"value": "pinned"}}}


@pytest.mark.parametrize(
    ("change", "status", "field"),
    [
        ({"node": "Nobody"}, 400, "node"),
        ({"templates": {}}, 400, "templates"),
        ({"item": -1}, 400, "item"),
        ({"executionId": "00000000-0000-4000-8000-000000000000"}, 404, None),
        ({"executionId": "../../etc"}, 404, None),
        ({"workflowId": None}, 400, "workflow"),
        ({"workflow": {"nodes": 3}}, 400, "nodes"),
    ],
)
def test_what_cannot_be_looked_at_is_named(
    api: httpx.Client, ran: tuple[str, dict[str, Any]], change: dict[str, Any], status: int, field: str | None
) -> None:
    body = {"workflowId": ran[0], "node": "Show", "templates": {"value": "={{ 1 }}"}} | change
    found = api.post("/expressions/preview", json=body)
    assert found.status_code == status, found.text
    assert field is None or field in found.json()["details"]


def test_a_node_that_ran_and_all_behind_it_run_again(api: httpx.Client, ran: tuple[str, dict[str, Any]]) -> None:
    first = ran[1]
    made = api.post(f"/executions/{first['id']}/retry", params={"from": "node", "node": "Keep"})
    assert made.status_code == 201, made.text

    def over() -> dict[str, Any] | None:
        found: dict[str, Any] = api.get(f"/executions/{made.json()['executionId']}").json()
        return found if found["status"] == "success" else None

    again = poll(over, "the end of the retry")
    assert again["retryOf"] == first["id"]
    assert again["data"] == first["data"]
    kept, run_again = (again["nodes"][name][0]["startedAt"] for name in ("Make", "Show"))
    assert kept == first["nodes"]["Make"][0]["startedAt"], "taken over, not run"
    assert run_again > first["nodes"]["Show"][0]["startedAt"]
    for name in ("Nobody", "Webhook", ""):
        found = api.post(f"/executions/{first['id']}/retry", params={"from": "node", "node": name})
        assert found.status_code == 400
        assert "Keep" in found.json()["details"]["node"]


def test_a_key_that_reads_no_executions_reads_none_here(api: httpx.Client, ran: tuple[str, dict[str, Any]]) -> None:
    key = api.post("/api-keys", json={"name": "runs", "scopes": ["workflows:execute"]}).raise_for_status().json()
    body = {"workflowId": ran[0], "node": "Show", "templates": {"all": "={{ $('Make').all() }}"}}
    with httpx.Client(base_url=api.base_url, headers={"X-API-Key": key["key"]}, trust_env=False) as caller:
        assert caller.post("/expressions/preview", json=body).status_code == 200
        refused = caller.post("/expressions/preview", json={**body, "executionId": ran[1]["id"]})
    assert (refused.status_code, refused.json()["details"]["scope"]) == (403, "executions:read")


def test_so_many_previews_at_once_are_refused(api: httpx.Client, ran: tuple[str, dict[str, Any]]) -> None:
    """They hold executions in memory, and scripts' workers."""
    body = {"workflowId": ran[0], "node": "Show", "templates": {"slow": "={{ (() => { while (true) {} })() }}"}}

    async def all_at_once() -> list[int]:
        limits = httpx.Limits(max_connections=100)
        async with httpx.AsyncClient(
            base_url=api.base_url, headers=api.headers, trust_env=False, timeout=60, limits=limits
        ) as client:
            asked = [asyncio.ensure_future(client.post("/expressions/preview", json=body)) for _ in range(40)]
            done, late = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            for one in late:
                one.cancel()
            return [one.result().status_code for one in done]

    assert set(asyncio.run(all_at_once())) == {429}
    assert preview(api, ran, templates={"then": "={{ $json.n }}"})["values"] == {"then": {"value": 2}}
