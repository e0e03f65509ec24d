"""Subscriptions and events that are compared with n8n's own nodes."""

from __future__ import annotations

import hashlib
import hmac
import time

from jackfield.api.jsontext import Json, dumps

from .trigger_cases import SECRET, Event, Reply, TriggerCase


def hexadecimal(text: bytes, secret: str = SECRET) -> str:
    return hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()


def stripe(body: Json, secret: str = SECRET) -> Event:
    moment = str(int(time.time()))
    signature = hexadecimal(f"{moment}.".encode() + dumps(body), secret)
    return Event(body, {"Stripe-Signature": f"t={moment},v1={signature}"})


CASES = [
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
