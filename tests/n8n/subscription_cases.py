"""Subscriptions and events that are compared with n8n's own nodes."""

from __future__ import annotations

import base64
import hashlib
import hmac

from jackfield.api.jsontext import Json, dumps

from .trigger_cases import MOMENT, SECRET, Event, Reply, TriggerCase


def hexadecimal(text: bytes, secret: str = SECRET) -> str:
    return hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()


def stripe(body: Json, secret: str = SECRET) -> Event:
    moment = str(int(MOMENT))
    signature = hexadecimal(f"{moment}.".encode() + dumps(body), secret)
    return Event(body, {"Stripe-Signature": f"t={moment},v1={signature}"})


def based(text: bytes, algorithm: str = "sha256", secret: str = SECRET) -> str:
    return base64.b64encode(hmac.new(secret.encode(), text, algorithm).digest()).decode()


def headed(body: Json, header: str) -> Event:
    """With the signature in hexadecimal."""
    return Event(body, {header: hexadecimal(dumps(body))})


def shopify(body: Json, topic: str, secret: str = SECRET) -> Event:
    signature = based(dumps(body), secret=secret)
    others = {"X-Shopify-Shop-Domain": "s.myshopify.com", "X-Shopify-Api-Version": "2024-07"}
    return Event(body, {"X-Shopify-Topic": topic, "X-Shopify-Hmac-Sha256": signature, **others})


def calendly(body: Json) -> Event:
    moment = str(int(MOMENT))
    return Event(
        body, {"Calendly-Webhook-Signature": f"t={moment},v1={hexadecimal(f'{moment}.'.encode() + dumps(body))}"}
    )


URL = "https://me.example/webhook/x/webhook"
TRELLO = {"action": {"id": "a1", "type": "updateCard"}, "model": {"id": "b"}}
ORDER = {"id": 5, "status": "processing"}
WOO = {"X-WC-Webhook-ID": "3", "X-WC-Webhook-Topic": "order.created"}
BOOKED = {"triggerEvent": "BOOKING_CREATED", "createdAt": "2026-01-01", "payload": {"title": "Talk", "uid": "u"}}
ME = {
    "resource": {
        "uri": "https://api.calendly.com/users/u",
        "current_organization": "https://api.calendly.com/organizations/o",
    }
}
HOOK = {"resource": {"uri": "https://api.calendly.com/webhook_subscriptions/h"}}
OTHERS = [
    TriggerCase(
        "shopifyTrigger",
        {"authentication": "accessToken", "topic": "orders/create"},
        credentials={"shopifyAccessTokenApi": {"shopSubdomain": "s", "accessToken": "k", "appSecretKey": SECRET}},
        base="/admin/api/2024-07",
        replies=[
            Reply("/admin/api/2024-07/webhooks.json", {"webhook": {"id": 9}}, "POST"),
            Reply("/admin/api/2024-07/webhooks/9.json"),
        ],
        state={"webhookId": 9},
        events=[shopify({"id": 1, "name": "#1"}, "orders/create"), shopify({"id": 1}, "orders/paid")],
    ),
    TriggerCase(
        "trelloTrigger",
        {"id": "b"},
        credentials={"trelloApi": {"apiKey": "k", "apiToken": "t", "oauthSecret": SECRET}},
        base="/1",
        replies=[Reply("/1/tokens/t/webhooks", {"id": "h"}, "POST"), Reply("/1/tokens/t/webhooks/h")],
        state={"webhookId": "h"},
        events=[
            Event(TRELLO, {"X-Trello-Webhook": based(dumps(TRELLO) + URL.encode(), "sha1")}),
            Event(TRELLO, {"X-Trello-Webhook": based(dumps(TRELLO), "sha1")}),
        ],
        hidden=frozenset({"description"}),
    ),
    TriggerCase(
        "linearTrigger",
        {"teamId": "t", "resources": ["issue", "issueLabel"]},
        credentials={"linearApi": {"apiKey": "k", "signingSecret": SECRET}},
        replies=[
            Reply("/graphql", {"data": {"webhookCreate": {"success": True, "webhook": {"id": "h", "enabled": True}}}})
        ],
        state={"webhookId": "h"},
        events=[
            headed({"action": "create", "type": "Issue", "data": {"id": "i"}}, "Linear-Signature"),
            Event({"action": "create"}, {"Linear-Signature": "00"}),
        ],
        hidden=frozenset({"query", "secret"}),
    ),
    TriggerCase(
        "asanaTrigger",
        {"resource": "p"},
        credentials={"asanaApi": {"accessToken": "k"}},
        base="/api/1.0",
        replies=[
            Reply("/api/1.0/webhooks", {"data": {"gid": "h"}, "X-Hook-Secret": SECRET}, "POST"),
            Reply("/api/1.0/webhooks/h", {"data": {}}),
        ],
        state={"webhookId": "h", "hookSecret": SECRET},
        events=[
            headed(
                {"events": [{"action": "added", "resource": {"gid": "1"}}, {"action": "changed"}]}, "X-Hook-Signature"
            ),
            headed({"events": []}, "X-Hook-Signature"),
            Event({}, {"X-Hook-Secret": SECRET}),
            Event({"events": [{"action": "added"}]}, {"X-Hook-Signature": "00"}),
        ],
    ),
    TriggerCase(
        "clickUpTrigger",
        {"team": "1", "events": ["taskCreated", "taskUpdated"], "filters": {"listId": "#7", "taskId": "#a"}},
        credentials={"clickUpApi": {"accessToken": "k"}},
        base="/api/v2",
        replies=[
            Reply("/api/v2/team/1/webhook", {"id": "h", "webhook": {"id": "h", "secret": SECRET}}, "POST"),
            Reply("/api/v2/webhook/h"),
        ],
        state={"webhookId": "h", "secret": SECRET},
        events=[headed({"event": "taskCreated", "task_id": "a"}, "X-Signature")],
    ),
    TriggerCase(
        "clickUpTrigger",
        {"team": "1", "events": ["*"]},
        credentials={"clickUpApi": {"accessToken": "k"}},
        base="/api/v2",
        replies=[
            Reply("/api/v2/team/1/webhook", {"id": "h", "webhook": {"id": "h", "secret": SECRET}}, "POST"),
            Reply("/api/v2/webhook/h"),
        ],
        state={"webhookId": "h", "secret": SECRET},
        name="every event",
    ),
    TriggerCase(
        "wooCommerceTrigger",
        {"event": "order.created"},
        credentials={"wooCommerceApi": {"url": "https://s.example", "consumerKey": "k", "consumerSecret": "s"}},
        base="/wp-json/wc/v3",
        replies=[Reply("/wp-json/wc/v3/webhooks", {"id": 3}, "POST"), Reply("/wp-json/wc/v3/webhooks/3")],
        state={"webhookId": 3, "secret": SECRET},
        events=[
            Event(ORDER, {**WOO, "X-WC-Webhook-Signature": based(dumps(ORDER))}),
            Event(ORDER, {**WOO, "X-WC-Webhook-Signature": "00"}),
            Event({"webhook_id": "3"}),
        ],
        hidden=frozenset({"secret"}),
    ),
    *(
        TriggerCase(
            "calTrigger",
            {"events": ["BOOKING_CREATED"], **({"version": version} if version < 3 else {})},
            version=version,
            credentials={"calApi": {"apiKey": "k", "host": "https://api.cal.com"}},
            replies=[
                Reply(place, {"webhook": {"id": "h"}, "data": {"id": "h"}}, "POST"),
                Reply(f"{place}/h"),
            ],
            state={"webhookId": "h", "webhookSecret": SECRET},
            events=[headed(BOOKED, "X-Cal-Signature-256"), Event(BOOKED, {"X-Cal-Signature-256": "00"})],
            hidden=frozenset({"secret"}),
            name=f"version {version}",
        )
        for version, place in ((1, "/hooks"), (2, "/webhooks"), (3, "/v2/webhooks"))
    ),
    *(
        TriggerCase(
            "calendlyTrigger",
            {"authentication": "apiKey", "scope": scope, "events": ["invitee.created"]},
            credentials={"calendlyApi": {"apiKey": "k"}},
            replies=[
                Reply("/users/me", ME),
                Reply("/webhook_subscriptions", HOOK, "POST"),
                Reply("/webhook_subscriptions/h"),
            ],
            state={"webhookURI": "https://api.calendly.com/webhook_subscriptions/h", "webhookSecret": SECRET},
            events=[calendly({"event": "invitee.created", "payload": {"email": "a@x.example"}}), Event({"event": "x"})],
            hidden=frozenset({"signing_key"}),
            name=scope,
        )
        for scope in ("user", "organization")
    ),
]


def slack(event: Json, secret: str = SECRET) -> Event:
    body: Json = {"type": "event_callback", "event_id": "Ev1", "event": event}
    return signed_by_slack(body, secret)


def signed_by_slack(body: Json, secret: str = SECRET) -> Event:
    moment = str(int(MOMENT))
    signature = hexadecimal(f"v0:{moment}:".encode() + dumps(body), secret)
    return Event(body, {"X-Slack-Request-Timestamp": moment, "X-Slack-Signature": f"v0={signature}"})


def whatsapp(value: Json, field: str = "messages") -> Event:
    body: Json = {
        "object": "whatsapp_business_account",
        "entry": [{"id": "1", "changes": [{"value": value, "field": field}]}],
    }
    return Event(body, {"X-Hub-Signature-256": "sha256=" + hexadecimal(dumps(body))})


MESSAGE = {"type": "message", "channel": "C1", "user": "U1", "text": "hi", "ts": "1.2"}
REACTION = {
    "type": "reaction_added",
    "user": "U1",
    "reaction": "tada",
    "item_user": "U2",
    "item": {"type": "message", "channel": "C1"},
}
SLACK = {"slackApi": {"accessToken": "k", "signatureSecret": SECRET}}
CHANNEL = {"__rl": True, "mode": "id", "value": "C1"}
WHATSAPP = {"whatsAppTriggerApi": {"clientId": "1", "clientSecret": SECRET}}
SLACK_CASES = [
    TriggerCase(
        "slackTrigger",
        {"trigger": ["message", "reaction_added", "team_join"], "channelId": CHANNEL, **parameters},
        credentials=SLACK,
        base="/api",
        replies=[
            Reply("/api/users.info", {"ok": True, "user": {"name": "ada"}}),
            Reply("/api/conversations.info", {"ok": True, "channel": {"name": "general"}}),
        ],
        events=[
            slack(MESSAGE),
            slack({**MESSAGE, "channel": "C2"}),
            slack({**MESSAGE, "type": "app_mention"}),
            slack(REACTION),
            slack({**REACTION, "reaction": "eyes"}),
            slack({"type": "team_join", "user": {"id": "U3", "name": "eve"}}),
            slack({"type": "message", "subtype": "message_changed", "channel": "C1", "message": {"user": "U9"}}),
            signed_by_slack({"type": "url_verification", "challenge": "c"}),
            slack(MESSAGE, "wrong"),
        ],
        name=name,
    )
    for name, parameters in (
        ("in a channel", {}),
        ("everywhere", {"watchWorkspace": True}),
        ("any event", {"trigger": ["any_event"], "watchWorkspace": True}),
        ("some people", {"options": {"userIds": ["U9"]}}),
        ("some emojis", {"options": {"reactionEmojis": "Tada, x"}}),
        ("with names", {"options": {"resolveIds": True}}),
    )
]
WHATSAPP_CASES = [
    TriggerCase(
        "whatsAppTrigger",
        {"updates": ["messages", "account_update"], "options": options},
        credentials=WHATSAPP,
        base="/v19.0",
        replies=[
            Reply("/v19.0/oauth/access_token", {"access_token": "app"}),
            Reply("/v19.0/1/subscriptions", {"success": True}),
        ],
        events=[
            whatsapp({"messaging_product": "whatsapp", "messages": [{"id": "m", "text": {"body": "hi"}}]}),
            whatsapp({"statuses": [{"id": "m", "status": "read"}]}),
            whatsapp({"statuses": [{"id": "m", "status": "sent"}, {"id": "n", "status": "failed"}]}),
        ],
        hidden=frozenset({"verify_token"}),
        name=name,
    )
    for name, options in (
        ("every status", {}),
        ("no status", {"messageStatusUpdates": []}),
        ("some statuses", {"messageStatusUpdates": ["failed"]}),
    )
]

CASES = [
    *SLACK_CASES,
    *WHATSAPP_CASES,
    TriggerCase(
        "calTrigger",
        {"events": ["BOOKING_CREATED"], "options": {"eventTypeId": 5, "payloadTemplate": "{}"}},
        version=3,
        credentials={"calApi": {"apiKey": "k", "host": "https://api.cal.com"}},
        replies=[
            Reply("/v2/event-types/5/webhooks", {"data": {"id": "h"}}, "POST"),
            Reply("/v2/event-types/5/webhooks/h"),
        ],
        state={"webhookId": "h", "webhookSecret": SECRET, "webhookEventTypeId": 5},
        events=[headed({"title": "of the template"}, "X-Cal-Signature-256")],
        hidden=frozenset({"secret"}),
        name="of one type",
    ),
    *OTHERS,
    TriggerCase(
        "stripeTrigger",
        {"events": ["charge.failed", "charge.succeeded"], "apiVersion": "2024-06-20"},
        credentials={"stripeApi": {"secretKey": "k"}},
        base="/v1",
        replies=[
            Reply("/v1/webhook_endpoints", {"id": "we_1", "secret": SECRET, "status": "enabled"}, "POST"),
            Reply("/v1/webhook_endpoints/we_1", {"id": "we_1", "deleted": True}),
        ],
        state={"webhookId": "we_1", "webhookSecret": SECRET},
        events=[
            stripe({"id": "evt_1", "type": "charge.failed", "data": {"object": {"id": "ch_1"}}}),
            stripe({"id": "evt_2", "type": "payout.paid"}),
            stripe({"id": "evt_3", "type": "charge.failed"}, "wrong"),
            Event({"id": "evt_4", "type": "charge.failed"}),
        ],
        hidden=frozenset({"description"}),
    ),
    TriggerCase(
        "stripeTrigger",
        {"events": ["*"]},
        credentials={"stripeApi": {"secretKey": "k"}},
        base="/v1",
        replies=[Reply("/v1/webhook_endpoints", {"id": "we_1", "secret": SECRET, "status": "enabled"}, "POST")],
        state={"webhookId": "we_1", "webhookSecret": SECRET},
        events=[stripe({"id": "evt_2", "type": "payout.paid"})],
        hidden=frozenset({"description"}),
        name="every event",
    ),
    TriggerCase(
        "gitlabTrigger",
        {"owner": "group/sub", "repository": "project", "events": ["issues", "merge_requests"]},
        credentials={"gitlabApi": {"accessToken": "k", "server": "https://gitlab.com"}},
        base="/api/v4",
        replies=[
            Reply("/api/v4/projects/group%2Fsub%2Fproject/hooks", {"id": 7}, "POST"),
            Reply("/api/v4/projects/group%2Fsub%2Fproject/hooks/7", None, status=204),
        ],
        state={"webhookId": 7, "webhookSecret": SECRET},
        events=[
            Event({"object_kind": "issue"}, {"X-Gitlab-Event": "Issue Hook", "X-Gitlab-Token": SECRET}),
            Event({"object_kind": "issue"}, {"X-Gitlab-Token": "wrong"}),
        ],
        hidden=frozenset({"token", "enable_ssl_verification"}),
    ),
    TriggerCase(
        "gitlabTrigger",
        {"owner": "o", "repository": "r", "events": ["*"]},
        credentials={"gitlabApi": {"accessToken": "k", "server": "https://gitlab.com"}},
        base="/api/v4",
        replies=[Reply("/api/v4/projects/o%2Fr/hooks", {"id": 7}), Reply("/api/v4/projects/o%2Fr/hooks/7")],
        state={"webhookId": 7, "webhookSecret": SECRET},
        hidden=frozenset({"token", "enable_ssl_verification"}),
        name="every event",
    ),
]
