"""A stranger's preset, over HTTP: its calls are verified, de-duplicated, limited, tested and kept like ours."""

from __future__ import annotations

import hmac
import json
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, set_fields, webhook

Strangers = Callable[..., Daemon]
SECRET = "a-secret-of-acme"
CONFIG = {"preset": "acme", "account": "A-1", "secret": SECRET}


def orders(**config: Any) -> dict[str, Any]:
    hook = webhook(
        "orders", authentication="hmac", authConfig={**CONFIG, **config}, responseMode="lastNode",
        responseData="firstEntryJson",
    )  # fmt: skip
    return chain("orders", hook, set_fields("Set", event="={{ $json.event }}", order="={{ $json.body.order }}"))


def signed(body: bytes, ident: str, event: str = "order.paid", moment: int | None = None) -> dict[str, str]:
    """As Acme sends it; written apart from the package."""
    at = str(int(time.time()) if moment is None else moment)
    text = f"A-1\n{at}\n{ident}\n{event}\n".encode() + body
    signature = hmac.new(SECRET.encode(), text, "sha256").hexdigest()
    return {
        "content-type": "application/json",
        "acme-signature": f"t={at},s={signature}",
        "acme-id": ident,
        "acme-event": event,
    }


def call(client: httpx.Client, body: bytes, headers: dict[str, str]) -> httpx.Response:
    return client.post("/webhook/orders", content=body, headers=headers)


def history(api: httpx.Client, expected: int) -> list[dict[str, Any]]:
    def found() -> list[dict[str, Any]] | None:
        rows: list[dict[str, Any]] = api.get("/webhooks/orders/history").json()["data"]
        return rows if len(rows) == expected and all(row["status"] != "pending" for row in rows) else None

    return poll(found, f"{expected} calls are in the history")


def test_calls_are_verified_recognised_and_kept(strangers: Strangers) -> None:
    daemon = strangers("acme-signatures")
    api, client = daemon.admin(), daemon.client()
    daemon.live(orders(), api)
    body = b'{"order": 7}'
    first = call(client, body, signed(body, "evt-1"))
    assert (first.status_code, first.json()) == (200, {"event": "order.paid", "order": "7"})
    again = call(client, body, {**signed(body, "evt-1"), "idempotency-key": "fresh"})
    assert again.json() == first.json()
    assert call(client, body, {"content-type": "application/json"}).status_code == 401
    assert call(client, b'{"order": 8}', signed(body, "evt-2")).status_code == 401
    assert call(client, body, signed(body, "evt-3", moment=1)).status_code == 401
    assert api.get("/executions").json()["total"] == 1
    rows = history(api, 4)
    assert sorted(row["status"] for row in rows) == ["rejected", "rejected", "rejected", "success"]
    (kept,) = (row for row in rows if row["status"] == "success")
    assert kept["requestHeaders"]["acme-signature"] == "***"
    assert (kept["requestHeaders"]["acme-id"], kept["event"]) == ("evt-1", "order.paid")
    assert SECRET not in json.dumps(rows)


def test_the_rate_limit_holds(strangers: Strangers) -> None:
    limit = "[webhooks.rateLimit]\nenabled = true\nrequests = 2\nwindow = 600\n"
    daemon = strangers("acme-signatures", settings=limit)
    client = daemon.client()
    daemon.live(orders())
    body = b'{"order": 7}'
    statuses = [call(client, body, signed(body, f"evt-{n}")).status_code for n in range(3)]
    assert statuses == [200, 200, 429]


def test_a_signed_test_call_is_checked_and_sent(strangers: Strangers) -> None:
    daemon = strangers("acme-signatures")
    api = daemon.admin()
    daemon.live(orders(), api)
    test = api.post("/webhooks/orders/test", json={"sign": True, "body": {"order": 9}}).json()
    assert (test["valid"], test["event"], test["parsedBody"]) == (True, "test", {"order": 9})
    assert "acme-signature" not in json.dumps(test)
    assert not api.post("/webhooks/orders/test", json={"body": {"order": 9}}).json()["valid"]
    assert api.get("/executions").json()["total"] == 0
    sent = api.post("/webhooks/orders/test", json={"sign": True, "send": True, "body": {"order": 9}}).json()
    assert sent["answer"]["status"] == 200
    assert json.loads(sent["answer"]["body"]) == {"event": "test", "order": "9"}
    (execution,) = api.get("/executions").json()["data"]
    assert execution["mode"] == "test"
    assert api.get("/webhooks/orders/history").json()["total"] == 0


def test_forms_and_lists_know_it(strangers: Strangers) -> None:
    api = strangers("acme-signatures").admin()
    listed = {preset["name"]: preset for preset in api.get("/webhook-presets").json()["data"]}
    assert {"github", "stripe", "slack", "shopify", "standardWebhooks", "acme"} == set(listed)
    acme = listed["acme"]
    assert (acme["label"], acme["keyLabel"], acme["plugin"]) == ("Acme", "Signing secret", "acme_signatures")
    assert [(field["name"], field["required"]) for field in acme["fields"]] == [("account", True)]
    types = {found["kind"]: found for found in api.get("/node-types").json()["data"]}
    node = api.get("/node-types/webhook").json() if "parameters" not in types["webhook"] else types["webhook"]
    form = node["parameters"]["properties"]["authConfig"]["properties"]
    assert {"const": "acme", "title": "Acme"}.items() <= next(
        one for one in form["preset"]["anyOf"] if one["const"] == "acme"
    ).items()
    assert form["account"]["title"] == "Account"


@pytest.mark.parametrize(
    ("config", "where"),
    [({"account": ""}, "account"), ({"account": "1"}, "account"), ({"secret": ""}, "secret"),
     ({"preset": "acmee"}, "preset")],
)  # fmt: skip
def test_a_node_that_cannot_be_verified_does_not_go_live(
    strangers: Strangers, config: dict[str, str], where: str
) -> None:
    api = strangers("acme-signatures").admin()
    saved = api.post("/workflows", json=orders(**config)).json()["id"]
    refused = api.post(f"/workflows/{saved}/activate")
    assert refused.status_code == 400
    assert f"nodes[0].parameters.authConfig.{where}" in refused.json()["details"]
