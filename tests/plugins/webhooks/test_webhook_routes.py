"""The management routes over a small Quart application."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from quart import Quart, Response, g
from quart.typing import TestClientProtocol as Client

from jackfield.api.asgi import error_body
from jackfield.api.auth import Principal
from jackfield.api.errors import JackfieldError, NotFound
from jackfield.api.webhooks import WebhookCall
from jackfield_webhooks.calls.masking import MAX_QUERY, query_for_history
from jackfield_webhooks.management.routes import blueprints
from jackfield_webhooks.management.sending import send

Bench = Any
BASE = "/api/v1/webhooks"


@pytest.fixture
def client(bench: Bench) -> Client:
    app = Quart(__name__)
    app.url_map.merge_slashes = False
    app.register_blueprint(blueprints(bench.context)[0])

    async def render(error: JackfieldError) -> Response:
        return Response(error_body(error, ""), error.status, content_type="application/json")

    @app.before_request
    async def known() -> None:
        g.principal = bench.context.principal

    app.register_error_handler(JackfieldError, render)
    return app.test_client()


async def get(client: Client, path: str = "") -> tuple[int, Any]:
    answer = await client.get(BASE + path)
    return answer.status_code, await answer.get_json()


async def test_the_list(bench: Bench, client: Client) -> None:
    ident = await bench.hook("a/ü/:id", httpMethod=["GET", "PUT"])
    await bench.hook("off", active=False)
    status, body = await get(client, f"?workflowId={ident}")
    assert (status, body["total"]) == (200, 2)
    assert {row["method"] for row in body["data"]} == {"GET", "PUT"}
    row = body["data"][0]
    assert row.keys() == {
        "id", "kind", "testUrl", "workflowId", "workflowName", "nodeId", "path", "method", "active", "url",
        "authentication", "createdAt",
    }  # fmt: skip
    assert (row["path"], row["url"]) == ("/a/ü/:id", "http://127.0.0.1:8765/webhook/a/%C3%BC/:id")
    assert (await get(client, "?active=false"))[1]["total"] == 1
    assert len((await get(client, "?limit=1&offset=1"))[1]["data"]) == 1
    for wrong in ("active=maybe", "limit=x", "offset=1.5"):
        assert (await get(client, "?" + wrong))[0] == 400


@pytest.mark.parametrize("path", ["plain", "a/b", "a/:id", "ü", "x/history", "x/test", "a b"])
@pytest.mark.parametrize("slash", ["", "/"])
@pytest.mark.parametrize("safe", ["", "/"])
async def test_detail_by_path(bench: Bench, client: Client, path: str, slash: str, safe: str) -> None:
    ident = await bench.hook(path)
    (row,) = await bench.webhooks(ident)
    status, body = await get(client, "/" + quote(slash + path, safe=safe))
    assert (status, body.get("id")) == (200, row.id)
    assert (await get(client, f"/{row.id}"))[1] == body


async def test_detail(bench: Bench, client: Client) -> None:
    secret = "not-to-be-seen"
    ident = await bench.hook(
        "door", authentication="hmac", responseMode="lastNode", authConfig={"secret": secret, "preset": "github"}
    )
    (row,) = await bench.webhooks(ident)
    await bench.call("door")
    await bench.rejected.flush()
    status, body = await get(client, f"/{row.id}")
    assert status == 200
    assert secret not in str(body)
    assert (body["authentication"], body["authConfig"]) == ("hmac", {"preset": "github"})
    assert (body["responseMode"], body["responseData"]) == ("lastNode", "allEntries")
    assert body["stats"]["totalCalls"] == 1
    assert body["stats"]["successCalls"] == body["stats"]["failedCalls"] == 0
    assert body["stats"]["lastCall"] == "2026-01-01T00:00:00.000Z"


async def test_a_stored_credential_is_named(bench: Bench, client: Client, node_of: Callable[..., Any]) -> None:
    reference = {"httpHeaderAuth": {"id": "c-1", "name": "door"}}
    await bench.save(node_of("door", authentication="headerAuth", credentials=reference), active=False)
    _, body = await get(client, "/door")
    assert body["authConfig"] == {"credential": {"kind": "httpHeaderAuth", "id": "c-1", "name": "door"}}


async def test_an_ambiguous_path_is_409_with_ids(bench: Bench, client: Client) -> None:
    rows = []
    for method in ("POST", "PUT"):
        rows += await bench.webhooks(await bench.hook("twice", httpMethod=method))
    status, body = await get(client, "/twice")
    assert (status, body["details"].keys()) == (409, {row.id for row in rows})
    live = await bench.hook("copy")
    await bench.hook("copy", active=False)
    assert (await get(client, "/copy"))[1]["workflowId"] == live


async def test_the_history(bench: Bench, client: Client) -> None:
    ident = await bench.hook("kept")
    (row,) = await bench.webhooks(ident)
    for n in range(25):
        await bench.call("kept", json={"n": n})
        await bench.clock.advance(1)
    await bench.call("kept", "PUT")
    status, body = await get(client, f"/{row.id}/history")
    assert (status, len(body["data"]), body["total"]) == (200, 20, 26)
    assert (body["data"][0]["status"], body["data"][0]["responseStatus"]) == ("rejected", 405)
    assert body["data"][1]["requestBody"] == '{"n":24}'
    execution = bench.engine.executions[24].id
    assert body["data"][1]["executionId"] == execution
    assert body["data"][1]["responseBody"] == f'{{"message":"Workflow triggered","executionId":"{execution}"}}'
    assert (await get(client, "/kept/history?status=rejected"))[1]["total"] == 1
    assert len((await get(client, "/%2Fkept/history?limit=3"))[1]["data"]) == 3
    assert (await get(client, f"/{row.id}/history?status=nope"))[0] == 400
    assert (await get(client, f"/{row.id}/history?limit=x"))[0] == 400
    assert len((await get(client, f"/{row.id}/history?limit=0"))[1]["data"]) == 1


@pytest.mark.parametrize("path", ["/nope", "/nope/history", "/a/b/c", "/%00", "/" + "a" * 3000])
async def test_unknown_webhooks(client: Client, path: str) -> None:
    assert (await get(client, path))[0] == 404


async def test_wrong_methods(client: Client) -> None:
    assert (await get(client, "/some-id/test"))[1]["allowed"] == ["POST"]
    assert (await client.delete(f"{BASE}/some-id/history")).status_code == 405
    assert (await client.post(f"{BASE}/some-id/test", json={})).status_code == 404


# ------------------------------------------------------------------------------------------------ the test operation


async def check(client: Client, **body: Any) -> Any:
    answer = await client.post(f"{BASE}/door/test", json=body)
    assert answer.status_code == 200, await answer.get_data()
    found = await answer.get_json()
    assert found["valid"] is all(one["ok"] for one in found["checks"])
    return found, {one["name"]: one["ok"] for one in found["checks"]}


async def test_a_call_is_checked_without_running(bench: Bench, client: Client) -> None:
    ident = await bench.hook("door", authentication="headerAuth", headerName="X-Token", headerValue="right")
    right = {"X-Token": "right"}
    found, _ = await check(client, headers=right, body={"n": [1]})
    assert (found["valid"], found["parsedBody"]) == (True, {"n": [1]})
    for body, failing in (
        ({}, "authentication"),
        ({"headers": {"X-Token": "wrong"}}, "authentication"),
        ({"headers": right, "method": "GET"}, "method"),
        ({"headers": {**right, "content-type": "application/json"}, "body": "{"}, "body"),
    ):
        found, checks = await check(client, **body)
        assert not checks.pop(failing)
        assert all(checks.values())
        assert "right" not in found["message"] or failing != "authentication"
    assert bench.engine.requests == []
    assert await bench.calls(ident) == []


async def test_a_signature_is_checked_over_the_text(bench: Bench, client: Client) -> None:
    import hashlib
    import hmac

    await bench.hook("door", authentication="hmac", authConfig={"secret": "key", "preset": "github"})
    signature = "sha256=" + hmac.new(b"key", b'{"a" : 1}', hashlib.sha256).hexdigest()
    headers = {"X-Hub-Signature-256": signature, "Content-Type": "application/json"}
    assert (await check(client, headers=headers, body='{"a" : 1}'))[0]["valid"]
    assert not (await check(client, headers=headers, body='{"a":1}'))[0]["valid"]


async def test_an_inactive_webhook_would_not_answer(bench: Bench, client: Client) -> None:
    await bench.hook("door", active=False)
    assert (await check(client))[1] == {"path": False, "method": True, "authentication": True, "body": True}


@pytest.mark.parametrize("body", [[], "x", {"headers": 5}, {"method": 5}, {"headers": {"a": 1}}, {"unknown": 1}])
async def test_wrong_fields_are_400(bench: Bench, client: Client, body: Any) -> None:
    await bench.hook("door")
    assert (await client.post(f"{BASE}/door/test", json=body)).status_code == 400


async def test_the_list_comes_with_counters_when_they_are_asked_for(bench: Bench, client: Client) -> None:
    await bench.hook("called")
    await bench.hook("quiet")
    await bench.call("called", json={})
    await bench.clock.advance(1)
    rows = (await get(client, "?stats=true"))[1]["data"]
    assert {row["path"]: row["stats"]["totalCalls"] for row in rows} == {"/called": 1, "/quiet": 0}
    assert (await get(client, "?stats=some"))[0] == 400


async def test_the_history_keeps_the_query_without_its_secrets(bench: Bench, client: Client) -> None:
    await bench.hook("asked")
    await bench.call("asked?page=2&apiKey=hidden", "PUT")
    await bench.call("asked?page=1&access%5Ftoken=hidden&sig=hidden&monkey=1&flag")
    found = (await get(client, "/asked/history"))[1]["data"]
    assert {call["requestMethod"]: call["requestQuery"] for call in found} == {
        "POST": "page=1&access%5Ftoken=***&sig=***&monkey=1&flag",
        "PUT": "page=2&apiKey=***",
    }


def test_a_long_query_is_cut() -> None:
    kept = query_for_history("a=" + "b" * 100_000 + "&token=hidden")
    assert len(kept) == MAX_QUERY
    assert "hidden" not in query_for_history("x=1&" * 511 + "token=hidden")


AUTHENTICATIONS = [
    ("headerAuth", {"headerName": "X-Key", "headerValue": "s"}, True),
    ("basicAuth", {"username": "me", "password": "s"}, True),
    ("hmac", {"secret": "s", "header": "X-Sign"}, True),
    ("hmac", {"secret": "s", "preset": "slack"}, True),
    ("jwtAuth", {"secret": "s" * 32}, False),
]


@pytest.mark.parametrize(("kind", "config", "signs"), AUTHENTICATIONS)
async def test_a_call_is_signed_for_the_check(
    bench: Bench, client: Client, kind: str, config: dict[str, str], signs: bool
) -> None:
    await bench.hook("door", authentication=kind, authConfig=config)
    answer = await client.post(f"{BASE}/door/test", json={"sign": True, "body": {"a": 1}})
    body = await answer.get_json()
    assert answer.status_code == (200 if signs else 400)
    assert (body.get("valid") is True) if signs else ("sign" in body["details"])
    assert bench.engine.requests == []


async def test_a_call_is_sent_by_those_who_may_execute(bench: Bench, client: Client) -> None:
    config = {"preset": "github", "secret": "s"}
    await bench.hook("door/:id", authentication="hmac", authConfig=config, responseMode="lastNode", active=False)
    asked = {"sign": True, "send": True, "query": {"q": "1"}, "body": {"a": 1}}
    bench.context.principal = Principal("u", "ada", "viewer", "session")
    assert (await client.post(f"{BASE}/door/:id/test", json=asked)).status_code == 403
    assert bench.engine.requests == []
    bench.context.principal = Principal("u", "ada", "member", "session")
    found = await (await client.post(f"{BASE}/door/:id/test", json=asked)).get_json()
    assert found["answer"]["status"] == 200
    assert (bench.item["body"], bench.item["query"], bench.item["executionMode"]) == ({"a": 1}, {"q": "1"}, "test")
    wrong = await (await client.post(f"{BASE}/door/:id/test", json={"send": True})).get_json()
    assert (wrong["valid"], "answer" in wrong, len(bench.engine.requests)) == (False, False, 1)


async def test_nothing_is_sent_while_tests_are_off(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench({"test_enabled": False})
    await bench.hook("door")
    (row,) = (await bench.store.webhooks(offset=0, limit=9, active=None, workflow_id=None)).rows
    call = WebhookCall("POST", "http://127.0.0.1:8765/webhook-test/door", {}, b"", 0)
    with pytest.raises(NotFound, match="switched off"):
        await send(bench.context, row, call, "127.0.0.1", None)
