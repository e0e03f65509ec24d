"""`/api/profiles` over HTTP: fields, masks, warnings, refusals."""

from __future__ import annotations

from typing import Any

import pytest
from profile_lab import KEY, Lab

from jackfield.api.profiles import HeadlessResult
from jackfield.api.proxy import ProxyFailure

BODY = {"alias": "work", "agent_id": "echo", "provider_id": "acme", "api_key": KEY}


async def created(lab: Lab, **more: Any) -> Any:
    answer = await lab.client().post("/api/profiles", json={**BODY, **more})
    assert KEY not in await answer.get_data(as_text=True)
    return answer


async def test_unlisted_model_is_warned_about(lab: Lab) -> None:
    data = (await (await created(lab, model="new")).json)["data"]
    assert "new" in data["warning"]
    assert data["alias"] == "work"
    listed = (await (await created(lab, alias="other", model="small")).json)["data"]
    assert "warning" not in listed


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("env", "A=1"), ("env", {"A": 1}), ("env", {"A=B": "x"}), ("args", "x"), ("args", [1]), ("model", 5),
        ("working_dir", "relative"), ("sandbox", "maybe"), ("allow_missing", "yes"), ("unknown", 1),
    ],
)  # fmt: skip
async def test_bad_field_is_named(lab: Lab, field: str, value: object) -> None:
    answer = await created(lab, **{field: value})
    assert answer.status_code == 400
    assert any(path.startswith(field) for path in (await answer.json)["details"])


async def test_detail_shows_all_but_secrets(lab: Lab) -> None:
    await created(lab, env={"PLAIN": "seen", "MY_API_KEY": "hidden-value"})
    answer = await lab.client().get("/api/profiles/work")
    data = (await answer.json)["data"]
    assert data["env"] == {"PLAIN": "seen", "MY_API_KEY": "***"}
    assert data["has_key"] is True
    assert data["profile_home"] == str(lab.homes / "work")


async def test_a_mask_that_is_sent_back_keeps_the_value(lab: Lab) -> None:
    await created(lab, env={"MY_API_KEY": "hidden-value"})
    client = lab.client()
    shown = (await (await client.get("/api/profiles/work")).json)["data"]["env"]
    answer = await client.patch("/api/profiles/work", json={"env": {**shown, "MORE": "x"}})
    assert answer.status_code == 200
    assert lab.stored("work")["env"] == {"MY_API_KEY": "hidden-value", "MORE": "x"}
    assert (await client.patch("/api/profiles/work", json={"env": {"NEW": "***"}})).status_code == 400


@pytest.mark.parametrize("field", ["alias", "agent_id", "provider_id", "metadata"])
async def test_what_cannot_change_is_refused(lab: Lab, field: str) -> None:
    await created(lab)
    before = lab.stored("work")
    assert (await lab.client().patch("/api/profiles/work", json={field: "x"})).status_code == 400
    assert lab.stored("work") == before


async def test_damaged_files_are_warned_about(lab: Lab) -> None:
    await created(lab)
    lab.path("bad").write_text("{")
    body = await (await lab.client().get("/api/profiles")).json
    assert [one["alias"] for one in body["data"]] == ["work"]
    assert len(body["warnings"]) == 1
    assert "bad.json" in body["warnings"][0]
    for method in ("get", "patch", "delete"):
        kwargs: dict[str, Any] = {"json": {"model": "m"}} if method == "patch" else {}
        answer = await getattr(lab.client(), method)("/api/profiles/bad", **kwargs)
        assert answer.status_code == 409
        assert (await answer.json)["code"] == "PROFILE_DAMAGED"


async def test_filter_by_agent(lab: Lab) -> None:
    await created(lab)
    await created(lab, alias="other", agent_id="plain")
    body = await (await lab.client().get("/api/profiles?agent=plain")).json
    assert [one["alias"] for one in body["data"]] == ["other"]


async def test_mcp_servers_of_a_profile_are_kept_and_their_values_hidden(lab: Lab) -> None:
    docs = {"command": "docs", "args": ["--fast"], "env": {"DOCS_USER": "me"}}
    far = {"url": "https://mcp.example", "headers": {"X-Key": "far-secret-1"}}
    answer = await created(lab, mcp_servers={"docs": docs, "far": far, "web": False})
    assert answer.status_code == 200, await answer.json
    client = lab.client()
    data = (await (await client.get("/api/profiles/work")).json)["data"]["mcp_servers"]
    assert data["docs"] == {**docs, "env": {"DOCS_USER": "***"}}
    assert data["far"] == {**far, "type": "http", "headers": {"X-Key": "***"}}
    assert data["web"] is False
    changed = {"far": {**data["far"], "type": "sse"}}
    assert (await client.patch("/api/profiles/work", json={"mcp_servers": changed})).status_code == 200
    stored = lab.stored("work")["metadata"]["mcp_servers"]
    assert stored == {"far": {"url": "https://mcp.example", "type": "sse", "headers": {"X-Key": "far-secret-1"}}}
    for bad in (
        {"a b": docs},
        {"x": {"command": ""}},
        {"x": {"url": "mcp.example"}},
        {"x": True},
        {"x": {**docs, **far}},
    ):
        answer = await client.patch("/api/profiles/work", json={"mcp_servers": bad})
        assert answer.status_code == 400
        assert any(path.startswith("mcp_servers") for path in (await answer.json)["details"])


@pytest.mark.parametrize(
    ("server", "change", "field"),
    [
        ("far", {"url": "https://elsewhere.example"}, "mcp_servers.far.headers.X-Key"),
        ("docs", {"command": "other"}, "mcp_servers.docs.env.DOCS_USER"),
        ("docs", {"args": ["other"]}, "mcp_servers.docs.env.DOCS_USER"),
    ],
)
async def test_a_stored_value_does_not_go_to_another_server(
    lab: Lab, server: str, change: dict[str, Any], field: str
) -> None:
    docs = {"command": "docs", "env": {"DOCS_USER": "docs-secret-1"}}
    far = {"url": "https://mcp.example", "headers": {"X-Key": "far-secret-1"}}
    await created(lab, mcp_servers={"docs": docs, "far": far})
    client = lab.client()
    shown = (await (await client.get("/api/profiles/work")).json)["data"]["mcp_servers"]
    answer = await client.patch("/api/profiles/work", json={"mcp_servers": {server: {**shown[server], **change}}})
    assert answer.status_code == 400
    body = await answer.json
    assert "give the value itself" in body["details"][field]
    assert "secret-1" not in str(body)
    part = "headers" if server == "far" else "env"
    given = {**shown[server], **change, part: dict.fromkeys(shown[server][part], "new")}
    answer = await client.patch("/api/profiles/work", json={"mcp_servers": {server: given}})
    assert answer.status_code == 200


async def test_a_header_without_a_stored_value_is_named(lab: Lab) -> None:
    await created(lab)
    far = {"url": "https://mcp.example", "headers": {"X-Key": "***"}}
    answer = await lab.client().patch("/api/profiles/work", json={"mcp_servers": {"far": far}})
    assert (answer.status_code, list((await answer.json)["details"])) == (400, ["mcp_servers.far.headers.X-Key"])


async def test_a_run_that_is_out_of_time_is_no_success(lab: Lab) -> None:
    await lab.create("work")
    failure = ProxyFailure(0, 401, "invalid x-api-key", "acme", "large")
    lab.launcher.result = HeadlessResult(143, "", "", timed_out=True, duration_ms=5, proxy_error=failure)
    answer = await (await lab.client().post("/api/profiles/work/run", json={"prompt": "hi"})).json
    assert (answer["success"], answer["code"], answer["data"]["success"]) == (False, "RUN_TIMED_OUT", False)
    assert "invalid x-api-key" in answer["error"]
    assert answer["data"]["proxy_error"]["status"] == 401


@pytest.mark.parametrize(
    ("scope", "sandbox"),
    [
        ({"client": ("127.0.0.1", 1)}, "off"), ({"client": ("192.0.2.7", 1)}, "standard"),
        ({"client": ("127.0.0.1", 1), "jackfield.forwarded": True}, "standard"),
    ],
)  # fmt: skip
async def test_a_run_from_the_network_is_in_a_sandbox(lab: Lab, scope: dict[str, Any], sandbox: str) -> None:
    await created(lab)
    await lab.client().post("/api/profiles/work/run", json={"prompt": "hi"}, scope_base=scope)
    assert lab.launcher.runs[-1].sandbox == sandbox


async def test_run_without_a_body_and_with_one(lab: Lab) -> None:
    await created(lab)
    client = lab.client()
    data = (await (await client.post("/api/profiles/work/run")).json)["data"]
    assert data == {
        "success": False,
        "exit_code": 3, "output": "out", "errors": "err", "timed_out": False, "duration_ms": 5, "data": {"a": 1},
        "usage": None,
    }  # fmt: skip
    await client.post("/api/profiles/work/run", json={"prompt": "hi", "key": "mine"})
    assert lab.launcher.runs[-1].key == "run work mine"
    await client.post("/api/profiles/work/run", json={"prompt": "hi", "args": ["-x"], "timeout": 2})
    assert lab.launcher.runs[-1].key is None
    assert (lab.launcher.runs[-1].prompt, list(lab.launcher.runs[-1].args), lab.launcher.runs[-1].timeout) == (
        "hi", ["-x"], 2.0,
    )  # fmt: skip
    for bad in ({"timeout": 0}, {"timeout": "x"}, {"prompt": 1}, {"more": 1}):
        assert (await client.post("/api/profiles/work/run", json=bad)).status_code == 400


async def test_provider_keys_are_set_and_never_shown(lab: Lab) -> None:
    client = lab.client()
    answer = await client.put("/api/providers/acme/key", json={"api_key": KEY})
    assert answer.status_code == 200
    assert KEY not in await answer.get_data(as_text=True)
    assert await lab.keys.provider_key("acme") == KEY
    answer = await client.get("/api/providers/acme/key")
    assert (await answer.get_json())["data"] == {"source": "stored"}
    assert (await client.get("/api/providers/none/key")).status_code == 404
    assert (await client.put("/api/providers/acme/key", json={"api_key": " "})).status_code == 400
    assert (await client.put("/api/providers/none/key", json={"api_key": KEY})).status_code == 404
    assert (await client.delete("/api/providers/acme/key")).status_code == 200
    assert await lab.keys.provider_key("acme") is None
    answer = await client.get("/api/providers/acme/key")
    assert (await answer.get_json())["data"] == {"source": None}


async def test_too_large_a_body_is_413(lab: Lab) -> None:
    answer = await created(lab, args=["x" * 1000] * 1100)
    assert answer.status_code == 413
