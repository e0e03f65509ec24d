"""Whether a service still has a subscription: what its list says is believed, and gives back an id that was lost."""

from __future__ import annotations

import base64
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

URL = "https://me.example/webhook/x/webhook"
PROVEN = f"{URL}?secret={'5' * 64}"
GONE: dict[str, Any] = {"url": "https://else.example", "name": "another"}


@pytest.fixture
async def lab(tmp_path: Path, vendor: VendorDouble) -> AsyncIterator[VendorTriggerLab]:
    made = VendorTriggerLab(tmp_path, vendor)
    yield made
    await made.close()


NINJA = {"target_url": PROVEN, "is_deleted": False, "id": 1}
AUDIENCE = {"list": "l", "events": ["subscribe"], "sources": ["api"]}
LISTS = [
    ("affinityTrigger", {"events": ["note.created"]}, "/webhook", "", {"webhook_url": PROVEN, "id": 1}),
    ("invoiceNinjaTrigger", {"event": "create_quote"}, "/webhooks", "data", NINJA),
    ("mailchimpTrigger", AUDIENCE, "/lists/l/webhooks", "webhooks", {"url": PROVEN, "id": 1}),
    ("mauticTrigger", {"events": ["e"]}, "/hooks", "hooks", {"webhookUrl": URL, "isPublished": True, "id": 1}),
    ("pipedriveTrigger", {}, "/webhooks", "data", {"subscription_url": URL, "id": 1}),
]


@pytest.mark.parametrize(("kind", "parameters", "path", "key", "row"), LISTS, ids=[one[0] for one in LISTS])
async def test_a_list_says_whether_it_is_there(
    lab: VendorTriggerLab, kind: str, parameters: dict[str, Any], path: str, key: str, row: dict[str, Any]
) -> None:
    node = lab.subscriber(kind)
    run = lab.subscription(node, parameters)
    listed: list[dict[str, Any]] = [GONE]
    lab.vendor.answers[path] = lambda seen: {key: listed, "success": True} if key else listed
    assert not await node.check(run)
    listed.append(row)
    assert await node.check(run)
    assert run.state == {"id": 1}


async def test_a_webhook_that_mautic_has_switched_off_is_not_there(lab: VendorTriggerLab) -> None:
    node = lab.subscriber("mauticTrigger")
    hooks = {"7": {"webhookUrl": URL, "isPublished": False, "id": 7}}  # its lists are objects too
    lab.vendor.answers["/hooks"] = lambda seen: {"total": 1, "hooks": hooks}
    run = lab.subscription(node, {"events": ["e"]})
    assert not await node.check(run)
    hooks["7"]["isPublished"] = True
    assert await node.check(run)
    assert run.state == {"id": 7}


async def test_a_list_that_does_not_exist_is_not_asked_for(lab: VendorTriggerLab) -> None:
    node = lab.subscriber("invoiceNinjaTrigger")
    run = lab.subscription(node, {"event": "create_quote", "apiVersion": "v4"})
    assert not await node.check(run)
    run.state["id"] = 1
    assert await node.check(run)
    assert not lab.vendor.seen


async def test_a_webhook_of_jira_is_found_by_its_name_and_address(lab: VendorTriggerLab) -> None:
    node = lab.subscriber("jiraTrigger")
    run = lab.subscription(node, {"events": ["*"]}, values={"domain": "https://j.example"})
    lab.vendor.answers["/rest/api/2/serverInfo"] = lambda seen: {"deploymentType": "Cloud"}
    lab.vendor.answers["/rest/webhooks/1.0/webhook"] = lambda seen: listed
    listed = [GONE | {"url": PROVEN}]
    assert not await node.check(run)
    await node.subscribe(run)
    made = next(one.body for one in lab.vendor.seen if one.method == "POST")
    listed.append({"name": made["name"], "url": made["url"], "self": "https://j.example/rest/webhooks/1.0/webhook/72"})
    assert await node.check(run)
    assert run.state == {"id": "72", "filePath": "webhooks/1.0/webhook"}


async def test_the_target_of_hubspot_may_have_been_taken_by_another(lab: VendorTriggerLab) -> None:
    node = lab.subscriber("hubspotTrigger")
    run = lab.subscription(node, {"eventsUi": {"eventValues": [{}]}}, values={"appId": "1", "apiKey": "k"})
    assert not await node.check(run)  # 404
    target = {"targetUrl": "https://else.example"}
    lab.vendor.answers["/webhooks/v3/1/settings"] = lambda seen: target
    assert not await node.check(run)
    target["targetUrl"] = URL
    assert await node.check(run)


async def test_teams_are_subscribed_to_each_and_renewed(lab: VendorTriggerLab) -> None:
    node = lab.subscriber("microsoftTeamsTrigger")
    run = lab.subscription(node, {"event": "newChannel", "watchAllTeams": True})
    made: dict[str, str] = {}

    def subscribed(seen: Seen) -> Any:
        made[str(seen.body["resource"])] = f"s{len(made)}"
        return {"id": f"s{len(made) - 1}", "expirationDateTime": seen.body["expirationDateTime"]}

    lab.vendor.answers["/me/joinedTeams"] = lambda seen: {"value": [{"id": "t1"}, {"id": "t2"}]}
    lab.vendor.answers["/subscriptions"] = subscribed
    until = await node.subscribe(run)
    assert list(made) == ["/teams/t1/channels", "/teams/t2/channels"]
    assert run.state == {"ids": ["s0", "s1"]}
    assert until.expires == NOW + 259_080_000
    for name in ("s0", "s1"):
        lab.vendor.answers[f"/subscriptions/{name}"] = lambda seen: {
            "notificationUrl": URL,
            "expirationDateTime": "2026-01-04T00:00:00Z",
        }
    assert await node.check(run)
    lab.vendor.seen.clear()
    assert (await node.renew(run)).expires == NOW + 3 * 86_400_000
    await node.unsubscribe(run)
    assert [(one.method, one.path) for one in lab.vendor.seen] == [
        (method, f"/subscriptions/{name}") for method in ("PATCH", "DELETE") for name in ("s0", "s1")
    ]


async def test_what_has_gone_at_the_service_does_not_keep_the_rest(lab: VendorTriggerLab) -> None:
    node = lab.subscriber("zendeskTrigger")
    run = lab.subscription(node, {"conditions": {"all": [{}]}})
    run.state.update(id=5, webhook="w", secret="s")
    lab.vendor.answers["/webhooks/w"] = lambda seen: {}
    await node.unsubscribe(run)  # its trigger was deleted by hand: 404
    assert [one.path for one in lab.vendor.seen] == ["/triggers/5.json", "/webhooks/w"]


async def test_a_subscription_to_nothing_is_refused(lab: VendorTriggerLab) -> None:
    node = lab.subscriber("microsoftTeamsTrigger")
    with pytest.raises(NodeError, match="nothing to subscribe to"):
        await node.subscribe(lab.subscription(node, {"event": "newChannelMessage"}))


CHALLENGE = {"hub.challenge": "c", "hub.verify_token": "5" * 64}
HANDSHAKES = [
    ("facebookTrigger", {"appId": "1"}, CHALLENGE, b"c"),
    ("facebookLeadAdsTrigger", {"page": "p", "form": "f"}, CHALLENGE, b"c"),
    ("mailchimpTrigger", AUDIENCE, {"secret": "5" * 64}, b""),
    ("microsoftTeamsTrigger", {}, {"validationToken": "c"}, b"c"),
    ("stravaTrigger", {}, {"hub.challenge": "c", "secret": "5" * 64}, b'{"hub.challenge":"c"}'),
]


@pytest.mark.parametrize(("kind", "parameters", "query", "answer"), HANDSHAKES, ids=[one[0] for one in HANDSHAKES])
async def test_a_handshake_is_answered_and_starts_nothing(
    lab: VendorTriggerLab, kind: str, parameters: dict[str, Any], query: dict[str, str], answer: bytes
) -> None:
    node = lab.subscriber(kind)
    run = lab.subscription(node, parameters, values={"appSecret": "a", "clientSecret": "a"})
    received = await lab.receive(node, run, None, query=query, method="GET")
    assert received.items is None
    assert (received.answer.status, received.answer.body) == (200, answer)
    if kind != "microsoftTeamsTrigger":  # which validates nothing but the address
        with pytest.raises(WebhookUnauthorized):
            await lab.receive(node, run, None, query=dict.fromkeys(query, "wrong"), method="GET")


async def test_a_notice_of_microsofts_that_a_subscription_ends_starts_nothing(lab: VendorTriggerLab) -> None:
    node = lab.subscriber("microsoftTeamsTrigger")
    run = lab.subscription(node, {})
    notice = {"clientState": "5" * 64, "lifecycleEvent": "reauthorizationRequired"}
    assert (await lab.receive(node, run, {"value": [notice]})).items is None
    with pytest.raises(WebhookUnauthorized):  # one of two has no proof
        await lab.receive(node, run, {"value": [notice, {"clientState": "wrong"}]})
    with pytest.raises(WebhookUnauthorized):
        await lab.receive(node, run, {"value": [notice, {}]})


UNPROVEN = [
    ("theHiveTrigger", {"events": ["*"]}, {}, "TheHive signs nothing"),
    ("slackTrigger", {"trigger": ["message"]}, {}, "Fill in signatureSecret of the credential"),
    ("slackTrigger", {"trigger": ["message"]}, {"signatureSecret": "s"}, ""),
    ("trelloTrigger", {"id": "1"}, {"apiKey": "k"}, "Fill in oauthSecret of the credential"),
    ("asanaTrigger", {"resource": "1"}, {}, ""),
]


@pytest.mark.parametrize(("kind", "parameters", "values", "told"), UNPROVEN)
async def test_a_trigger_says_that_its_events_can_be_made_up(
    lab: VendorTriggerLab, kind: str, parameters: dict[str, Any], values: dict[str, str], told: str
) -> None:
    node = lab.subscriber(kind)
    found = await node.unproven(lab.subscription(node, parameters, values=values))
    assert (told in found) if told else not found


async def test_half_a_key_is_none(lab: VendorTriggerLab) -> None:
    """SurveyMonkey signs with the client's id and its secret; the id alone is known to many."""
    node = lab.subscriber("surveyMonkeyTrigger")
    parameters = {"objectType": "survey", "event": "response_created", "surveyIds": ["1"]}
    run = lab.subscription(node, parameters, values={"accessToken": "k", "clientId": "c"})
    with pytest.raises(NodeError, match="clientId or clientSecret"):
        await node.subscribe(run)
    signature = base64.b64encode(hmac.new(b"c&", dumps({"n": 1}), "sha1").digest()).decode()
    with pytest.raises(WebhookUnauthorized):
        await lab.receive(node, run, {"n": 1}, {"sm-signature": signature})
    received = await lab.receive(node, run, None, method="HEAD")
    assert (received.items, received.answer.status) == (None, 200)


async def test_a_webhook_of_a_jira_app_is_renewed_before_its_end(lab: VendorTriggerLab) -> None:
    node = lab.subscriber("jiraTrigger")
    parameters = {"jiraVersion": "cloudOAuth2", "events": ["*"], "additionalFields": {"filter": "project = X"}}
    run = lab.subscription(node, parameters, values={"domain": "https://acme.atlassian.net/jira"})
    sites = [{"id": "c1", "url": "https://acme.atlassian.net"}]
    listed: list[dict[str, Any]] = []
    registered: dict[str, Any] = {"errors": ["The JQL is not valid."]}
    lab.vendor.answers["/oauth/token/accessible-resources"] = lambda seen: sites

    def webhook(seen: Seen) -> Any:
        return {"webhookRegistrationResult": [registered]} if seen.method == "POST" else {"values": listed}

    lab.vendor.answers["/ex/jira/c1/rest/api/3/webhook"] = webhook
    with pytest.raises(NodeError, match="The JQL is not valid"):
        await node.subscribe(run)
    registered = {"createdWebhookId": 7}
    assert (await node.subscribe(run)).expires == NOW + 30 * 86_400_000
    assert run.state == {"id": 7, "site": "c1"}
    assert not await node.check(run)
    listed.append({"id": 7, "url": PROVEN})
    assert await node.check(run)
    lab.vendor.answers["/ex/jira/c1/rest/api/3/webhook/refresh"] = lambda seen: {"expirationDate": "2026-02-01"}
    await node.renew(run)
    assert lab.vendor.seen[-1].body == {"webhookIds": [7]}
    sites[0]["url"] = "https://other.atlassian.net"
    with pytest.raises(NodeError, match="reaches no site of this address"):
        await node.check(run)
