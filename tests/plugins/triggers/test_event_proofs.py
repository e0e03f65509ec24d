"""Events that somebody makes up: nothing is taken without its secret, no credential goes where an event says, and
events that differ are never taken for one."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from vendor_trigger_lab import NOW, VendorTriggerLab

from jackfield.api.errors import WebhookUnauthorized
from jackfield.api.jsontext import dumps
from jackfield.api.nodes import NodeError
from jackfield.testing.vendor import Seen, VendorDouble


@pytest.fixture
async def lab(tmp_path: Path, vendor: VendorDouble) -> AsyncIterator[VendorTriggerLab]:
    made = VendorTriggerLab(tmp_path, vendor)
    yield made
    await made.close()


def signed_with_nothing(body: Any) -> bytes:
    return hmac.new(b"", dumps(body), hashlib.sha256).digest()


@pytest.mark.parametrize(
    ("kind", "parameters", "header", "encoding"),
    [
        ("shopifyTrigger", {"topic": "orders/create"}, "x-shopify-hmac-sha256", "base64"),
        ("asanaTrigger", {"resource": "1"}, "x-hook-signature", "hex"),
        ("clickUpTrigger", {"team": "1", "events": ["*"]}, "x-signature", "hex"),
        ("whatsAppTrigger", {"updates": ["messages"]}, "x-hub-signature-256", "sha256="),
    ],
)
async def test_nothing_is_taken_while_the_secret_is_not_known(
    lab: VendorTriggerLab, kind: str, parameters: dict[str, Any], header: str, encoding: str
) -> None:
    node = lab.subscriber(kind)
    run = lab.subscription(node, parameters)
    event = {"object": "whatsapp_business_account", "events": [{"action": "forged"}], "entry": []}
    made = signed_with_nothing(event)
    proof = base64.b64encode(made).decode() if encoding == "base64" else encoding.removeprefix("hex") + made.hex()
    with pytest.raises(WebhookUnauthorized, match="secret is not known"):
        await lab.receive(node, run, event, {header: proof, "x-shopify-topic": "orders/create"})


FILES = [
    {"name": "stolen", "url_private_download": "{service}/steal"},
    {"name": "external", "url_private": "https://drive.example/1"},
    {"name": "beside", "url_private_download": "https://files.slack.com.evil.example/1"},
    {"name": "user", "url_private_download": "https://files.slack.com@evil.example/1"},
    {"name": "plain", "url_private_download": "http://files.slack.com/1"},
    {"name": "port", "url_private_download": "https://files.slack.com:444/1"},
    {"name": "none", "url_private_download": "nothing"},
]


async def test_slack_s_token_goes_to_slack_alone(lab: VendorTriggerLab) -> None:
    seen: list[Seen] = []
    lab.vendor.answers["/steal"] = lambda one: seen.append(one) or "file"
    node = lab.subscriber("slackTrigger", "https://slack.com/api")
    parameters = {"trigger": ["any_event"], "watchWorkspace": True, "downloadFiles": True}
    run = lab.subscription(node, parameters)
    files = [{name: text.replace("{service}", lab.vendor.url) for name, text in one.items()} for one in FILES]
    shared = {"type": "message", "subtype": "file_share", "channel": "C1", "files": files}
    received = await lab.receive(node, run, {"type": "event_callback", "event_id": "E1", "event": shared})
    (item,) = received.items or ()
    assert (seen, item.get("binary"), len(item["json"]["files"])) == ([], None, len(FILES))


async def test_slack_s_files_come_from_its_own_address(lab: VendorTriggerLab) -> None:
    lab.vendor.answers["/files/a"] = lambda seen: "content" if "authorization" in seen.headers else (403, "")
    node = lab.subscriber("slackTrigger")
    parameters = {"trigger": ["file_share"], "watchWorkspace": True, "downloadFiles": True}
    files = [
        {"name": "external", "url_private": "https://drive.example/1"},
        {"name": "a.txt", "url_private_download": f"{lab.vendor.url}/files/a"},
    ]
    shared = {"type": "message", "subtype": "file_share", "channel": "C1", "files": files}
    run = lab.subscription(node, parameters)
    received = await lab.receive(node, run, {"type": "event_callback", "event_id": "E1", "event": shared})
    (item,) = received.items or ()
    assert {name: base64.b64decode(one["data"]) for name, one in item["binary"].items()} == {"file_0": b"content"}
    assert item["binary"]["file_0"]["fileName"] == "a.txt"


async def test_a_credential_without_the_key_of_events_is_told(lab: VendorTriggerLab) -> None:
    node = lab.subscriber("shopifyTrigger")
    run = lab.subscription(node, {"topic": "orders/create"}, values={"accessToken": "k"})
    with pytest.raises(NodeError, match="fill in the credential's sharedSecret or appSecretKey or clientSecret"):
        await node.subscribe(run)
    assert not lab.vendor.seen


async def test_the_subscription_s_secret_is_in_no_item(lab: VendorTriggerLab) -> None:
    node = lab.subscriber("gitlabTrigger")
    run = lab.subscription(node, {"owner": "o", "repository": "r", "events": ["*"]})
    headers = {"x-gitlab-token": run.secret, "x-gitlab-event": "Push Hook"}
    received = await lab.receive(node, run, {"object_kind": "push"}, headers, {"key": run.secret, "a": "b"})
    (item,) = received.items or ()
    assert run.secret not in str(item)
    assert item["json"]["headers"]["x-gitlab-event"] == "Push Hook"
    assert item["json"]["query"] == {"key": "***", "a": "b"}


async def test_gitlab_s_events_of_one_push_are_several(lab: VendorTriggerLab) -> None:
    """GitLab makes one X-Gitlab-Event-UUID for all that a request or a job causes."""
    node = lab.subscriber("gitlabTrigger")
    run = lab.subscription(node, {"owner": "o", "repository": "r", "events": ["*"]})
    shared = {"x-gitlab-token": run.secret, "x-gitlab-event-uuid": "u"}
    ids = [
        (await lab.receive(node, run, {"ref": key}, {**shared, "idempotency-key": key})).delivery for key in ("a", "b")
    ]
    assert ids == ["a", "b"]
    assert (await lab.receive(node, run, {"ref": "c"}, shared)).delivery == ""


async def test_woocommerce_s_events_of_one_second_are_several(lab: VendorTriggerLab) -> None:
    """Its delivery id is a hash of the webhook and the second (`WC_Webhook::get_new_delivery_id`)."""
    node = lab.subscriber("wooCommerceTrigger")
    run = lab.subscription(node, {"event": "order.updated"})
    ids = []
    for number in (1, 2, 2):
        signature = base64.b64encode(lab.signed(run, {"id": number})).decode()
        headers = {"x-wc-webhook-id": "3", "x-wc-webhook-delivery-id": "d", "x-wc-webhook-signature": signature}
        ids.append((await lab.receive(node, run, {"id": number}, headers)).delivery)
    assert ids[0] != ids[1] == ids[2]


async def test_hubspot_s_event_ids_are_not_unique(lab: VendorTriggerLab) -> None:
    """Its documentation says so."""
    node = lab.subscriber("hubspotTrigger")
    run = lab.subscription(node, {"eventsUi": {}}, values={"appId": "1", "clientSecret": "s"})
    first = [{"eventId": 1, "objectId": 7, "occurredAt": 1000}]
    deliveries = []
    for body in (
        first,
        [{**first[0], "objectId": 8}],
        [{**first[0], "occurredAt": 2000}],
        [{**first[0], "attemptNumber": 1}],
    ):
        proof = hashlib.sha256(b"s" + dumps(body)).hexdigest()
        deliveries.append((await lab.receive(node, run, body, {"x-hubspot-signature": proof})).delivery)
    assert len(set(deliveries)) == 3
    assert deliveries[0] == deliveries[3]


@pytest.mark.parametrize(
    ("kind", "parameters", "header", "before"),
    [
        ("whatsAppTrigger", {"updates": ["messages"]}, "x-hub-signature-256", "sha256="),
        ("asanaTrigger", {"resource": "1"}, "x-hook-signature", ""),
    ],
)
async def test_a_call_that_is_repeated_is_known_by_its_signature(
    lab: VendorTriggerLab, kind: str, parameters: dict[str, Any], header: str, before: str
) -> None:
    node = lab.subscriber(kind)
    run = lab.subscription(node, parameters, values={"clientSecret": "s"})
    run.state["secret"] = "s"
    deliveries = []
    for number in (1, 1, 2):
        change = {"field": "messages", "value": {"messages": [{"id": number}]}}
        entry = [{"changes": [change]}]
        body = {"object": "whatsapp_business_account", "entry": entry, "events": [{"at": number}]}
        proof = before + hmac.new(b"s", dumps(body), hashlib.sha256).hexdigest()
        received = await lab.receive(node, run, body, {header: proof})
        assert received.items
        deliveries.append(received.delivery)
    assert deliveries[0] == deliveries[1] != deliveries[2]


async def test_the_newest_signature_of_hubspot_counts(lab: VendorTriggerLab) -> None:
    """It has a time, so that a call cannot be sent again later; the first one alone is taken as in n8n."""
    node = lab.subscriber("hubspotTrigger")
    run = lab.subscription(node, {"eventsUi": {"eventValues": [{}]}}, values={"appId": "1", "clientSecret": "s"})
    body = [{"eventId": 1, "subscriptionType": "contact.creation", "objectId": 5}]
    first = {"x-hubspot-signature": hashlib.sha256(b"s" + dumps(body)).hexdigest()}

    def newest(at: int, key: bytes = b"s") -> dict[str, str]:
        text = b"POST" + run.url.encode() + dumps(body) + str(at).encode()
        made = base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
        return {**first, "x-hubspot-signature-v3": made, "x-hubspot-request-timestamp": str(at)}

    for proven in (first, newest(NOW), newest(NOW - 200_000)):
        assert (await lab.receive(node, run, body, proven)).items
    for forged in (newest(NOW - 400_000), newest(NOW, b"t"), {**newest(NOW), "x-hubspot-signature-v3": "wrong"}, {}):
        with pytest.raises(WebhookUnauthorized):
            await lab.receive(node, run, body, forged)
