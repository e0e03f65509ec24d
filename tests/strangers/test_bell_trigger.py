"""A stranger's trigger that receives calls: it is listed, tested, limited and kept like a webhook."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook

Strangers = Callable[..., Daemon]


def bell(door: str, name: str = "bell", **parameters: str) -> dict[str, Any]:
    ring = node("Bell", "bell", {"door": door, **parameters})
    return chain(name, ring, set_fields("Set", who="={{ $json.body.who }}"))


def listed(api: httpx.Client) -> dict[str, Any]:
    (row,) = (row for row in api.get("/webhooks").json()["data"] if row["kind"] == "bell")
    return dict(row)


def history(api: httpx.Client, ident: str, expected: int) -> list[dict[str, Any]]:
    def found() -> list[dict[str, Any]] | None:
        rows: list[dict[str, Any]] = api.get(f"/webhooks/{ident}/history").json()["data"]
        return rows if len(rows) == expected and all(row["status"] != "pending" for row in rows) else None

    return poll(found, f"{expected} calls are in the history")


def test_who_rings_starts_the_workflow_and_is_in_the_history(strangers: Strangers) -> None:
    daemon = strangers("bell-trigger")
    api, client = daemon.admin(), daemon.client()
    daemon.live(bell("front/:side", code="4711"), api)
    row = listed(api)
    assert (row["path"], row["method"], row["active"]) == ("/front/:side", "POST", True)
    assert row["url"] == f"{daemon.base_url}/bell/front/:side"
    assert row["testUrl"] == f"{daemon.base_url}/bell-test/front/:side"
    code = {"x-bell-code": "4711"}
    rung = client.post("/bell/front/left", json={"who": "Ada"}, headers={**code, "idempotency-key": "k"})
    assert (rung.status_code, rung.json()) == (200, {"who": "Ada"})
    again = client.post("/bell/front/left", json={"who": "Ada"}, headers={**code, "idempotency-key": "k"})
    assert again.json() == {"who": "Ada"}
    assert client.post("/bell/front/left", json={"who": "Eve"}).status_code == 401
    assert client.get("/bell/front/left").status_code == 405
    assert client.post("/bell/back").status_code == 404
    rows = history(api, row["id"], 3)
    assert sorted(call["status"] for call in rows) == ["rejected", "rejected", "success"]
    assert all(call["requestHeaders"].get("x-bell-code") in (None, "***") for call in rows)
    assert api.get("/webhooks?stats=true").json()["data"][0]["stats"]["successCalls"] == 1
    shown = api.get(f"/webhooks/{row['id']}").json()
    assert shown["authConfig"] == {"headerName": "X-Bell-Code"}


def test_it_is_tested_at_its_test_address_and_with_the_operation(strangers: Strangers) -> None:
    daemon = strangers("bell-trigger")
    api, client = daemon.admin(), daemon.client()
    api.post("/workflows", json=bell("front", code="4711")).raise_for_status()
    row = listed(api)
    assert client.post("/bell/front", json={}, headers={"x-bell-code": "4711"}).status_code == 503
    rung = client.post("/bell-test/front", json={"who": "Ada"}, headers={"x-bell-code": "4711"})
    assert (rung.status_code, rung.json()) == (200, {"who": "Ada"})
    asked = {"sign": True, "send": True, "body": {"who": "Ada"}}
    tested = api.post(f"/webhooks/{row['id']}/test", json=asked).json()
    assert [check["name"] for check in tested["checks"] if not check["ok"]] == ["path"]
    assert tested["answer"] == {"status": 200, "body": '{"who":"Ada"}'}
    assert api.get(f"/webhooks/{row['id']}/history").json()["total"] == 0


def test_routes_follow_the_workflow_and_outlast_a_restart(strangers: Strangers) -> None:
    daemon = strangers("bell-trigger")
    api = daemon.admin()
    ident = daemon.live(bell("front"), api)
    taken = api.post("/workflows", json=bell("front", name="second")).json()["id"]
    assert api.post(f"/workflows/{taken}/activate").status_code == 409
    daemon.live(chain("hook", webhook("front")), api)
    assert daemon.stop() == 0
    daemon.start()
    api, client = daemon.admin(), daemon.client()
    assert client.post("/bell/front", json={"who": "Ada"}).json() == {"who": "Ada"}
    assert client.post("/webhook/front", json={}).status_code == 200
    assert api.get("/webhooks").json()["total"] == 3
    api.delete(f"/workflows/{ident}").raise_for_status()
    assert client.post("/bell/front", json={}).status_code == 503
    api.delete(f"/workflows/{taken}").raise_for_status()
    assert client.post("/bell/front", json={}).status_code == 404


def test_a_bell_that_cannot_ring_does_not_go_live(strangers: Strangers) -> None:
    api = strangers("bell-trigger").admin()
    saved = api.post("/workflows", json=bell("a?b")).json()["id"]
    refused = api.post(f"/workflows/{saved}/activate")
    assert refused.status_code == 400
    assert "nodes[0].parameters.path" in refused.json()["details"]


def test_the_rate_limit_holds(strangers: Strangers) -> None:
    limit = "[webhooks.rateLimit]\nenabled = true\nrequests = 2\nwindow = 600\n"
    daemon = strangers("bell-trigger", settings=limit)
    daemon.live(bell("front"))
    client = daemon.client()
    assert [client.post("/bell/front", json={}).status_code for _ in range(3)] == [200, 200, 429]
