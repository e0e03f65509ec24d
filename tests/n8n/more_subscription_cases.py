"""Subscriptions of further services that are compared with n8n's own nodes, by their names."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace

from jackfield.api.jsontext import Json, dumps

from .subscription_cases import based
from .trigger_cases import SECRET, Event, Reply, TriggerCase

PROVEN = {"secret": SECRET}
"""What the address has of a service that signs nothing."""


def unsigned(*bodies: Json) -> list[Event]:
    """With the secret in the address, and one without it."""
    return [*(Event(body, ours=PROVEN) for body in bodies), Event(bodies[0], refused=True)]


def hubspot(body: Json, secret: str = SECRET) -> Event:
    signature = hashlib.sha256(secret.encode() + dumps(body)).hexdigest()
    return Event(body, {"X-HubSpot-Signature": signature}, refused=secret != SECRET)


def basic(user: str, password: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


AFFINITY = {"id": 7, "first_name": "Ada", "emails": ["a@x.example"]}
AFFINITY_CASES = [
    TriggerCase(
        "affinityTrigger",
        {"events": ["person.created", "note.deleted"]},
        credentials={"affinityApi": {"apiKey": "k"}},
        replies=[
            Reply("/webhook/subscribe", {"id": 5}, "POST"),
            Reply("/webhook/5", {"success": True}, "DELETE"),
            Reply("/persons/7", AFFINITY),
        ],
        state={"webhookId": 5},
        events=unsigned({"type": "person.created", "body": {"id": 7}}, {"type": "sample.webhook"}),
        hidden=frozenset({"webhook_url"}),
    )
]
CONVERT_KIT_CASES = [
    TriggerCase(
        "convertKitTrigger",
        parameters,
        credentials={"convertKitApi": {"apiSecret": "k"}},
        base="/v3",
        replies=[
            Reply("/v3/automations/hooks", {"rule": {"id": 9}}, "POST"),
            Reply("/v3/automations/hooks/9", {"success": True}, "DELETE"),
        ],
        state={"webhookId": 9},
        events=unsigned({"subscriber": {"id": 1, "state": None}}),
        hidden=frozenset({"target_url"}),
        name=str(parameters["event"]),
    )
    for parameters in (
        {"event": "formSubscribe", "formId": 12},
        {"event": "courseComplete", "courseId": 3},
        {"event": "linkClick", "link": "https://x.example"},
        {"event": "productPurchase", "productId": "4"},
        {"event": "purchaseCreate", "tagId": 5},
        {"event": "tagAdd", "tagId": 5},
        {"event": "subscriberActivate"},
    )
]
HUBSPOT_EVENTS: list[Json] = [
    {"eventId": 1, "subscriptionType": "contact.creation", "objectId": 11, "portalId": 5},
    {"eventId": 2, "subscriptionType": "deal.propertyChange", "objectId": 12, "propertyValue": None},
]
HUBSPOT_PLACE = "/webhooks/v3/1"
HUBSPOT_CASES = [
    TriggerCase(
        "hubspotTrigger",
        {
            "eventsUi": {
                "eventValues": [
                    {"name": "contact.creation"},
                    {"name": "deal.propertyChange", "property": "amount"},
                ]
            },
            "additionalFields": more,
        },
        credentials={"hubspotDeveloperApi": {"appId": "1", "apiKey": "k", "clientId": "c", "clientSecret": SECRET}},
        replies=[
            Reply(f"{HUBSPOT_PLACE}/settings"),
            Reply(f"{HUBSPOT_PLACE}/subscriptions", {"results": [{"id": 3}]}),
            Reply(f"{HUBSPOT_PLACE}/subscriptions/3"),
        ],
        events=[hubspot(HUBSPOT_EVENTS), hubspot(HUBSPOT_EVENTS, "wrong"), Event(HUBSPOT_EVENTS, refused=True)],
        besides=frozenset({("GET", f"{HUBSPOT_PLACE}/subscriptions"), ("DELETE", f"{HUBSPOT_PLACE}/subscriptions/3")}),
        hidden=frozenset({"hapikey"}),
        name=name,
    )
    for name, more in (("", {}), ("fewer at once", {"maxConcurrentRequests": 2}))
]
INVOICE_NINJA_CASES = [
    TriggerCase(
        "invoiceNinjaTrigger",
        {"event": "create_quote", **parameters},
        version=version,
        credentials={"invoiceNinjaApi": {"url": "https://ninja.example", "apiToken": "k"}},
        base="/api/v1",
        replies=[
            Reply(f"/api/v1/{place}", {"id": "h", "data": {"id": "h"}}, "POST"),
            Reply(f"/api/v1/{place}/h"),
        ],
        state={"webhookId": "h"},
        events=unsigned({"id": "q", "amount": 3}),
        hidden=frozenset({"target_url"}),
        name=f"{version} {parameters}",
    )
    for version, parameters, place in (
        (1, {}, "hooks"),
        (1, {"apiVersion": "v5"}, "webhooks"),
        (2, {}, "webhooks"),
        (2, {"apiVersion": "v4"}, "hooks"),
    )
]
ISSUE: Json = {"webhookEvent": "jira:issue_created", "issue": {"id": "1", "fields": {"summary": None}}, "user": None}
JIRA = TriggerCase(
    "jiraTrigger",
    {"events": ["jira:issue_created", "comment_created"]},
    version=1.1,
    credentials={"jiraSoftwareCloudApi": {"email": "e", "apiToken": "k", "domain": "https://j.example"}},
    replies=[
        Reply("/rest/api/2/serverInfo", {"deploymentType": "Cloud", "versionNumbers": [1001, 0, 0]}),
        Reply("/rest/webhooks/1.0/webhook", {"self": "https://j.example/rest/webhooks/1.0/webhook/72"}, "POST"),
        Reply("/rest/webhooks/1.0/webhook/72"),
    ],
    state={"endpoint": "/webhooks/1.0/webhook", "webhookId": "72"},
    events=[
        Event(ISSUE, ours=PROVEN),
        Event(ISSUE, query={"issue.id": "1"}, ours=PROVEN),
        Event(ISSUE, query={"issue.id": "1"}, ours={"secret": "wrong"}, refused=True),
    ],
    besides=frozenset({("GET", "/rest/api/2/serverInfo")}),
    hidden=frozenset({"name", "url"}),
)
JIRA_CASES = [
    JIRA,
    replace(
        JIRA,
        name="filtered",
        parameters={
            "events": ["*"],
            "additionalFields": {"filter": "project = X", "excludeBody": True, "includeFields": ["issue.id"]},
        },
        version=1,
    ),
    replace(
        JIRA,
        name="of version 10",
        parameters={"jiraVersion": "serverPat", "events": ["user_created"]},
        credentials={"jiraSoftwareServerPatApi": {"personalAccessToken": "k", "domain": "https://j.example"}},
        replies=[
            Reply("/rest/api/2/serverInfo", {"deploymentType": "Server", "versionNumbers": [10, 3, 1]}),
            Reply("/rest/jira-webhook/1.0/webhooks", {"id": 8}, "POST"),
            Reply("/rest/jira-webhook/1.0/webhooks/8"),
        ],
        state={"endpoint": "/jira-webhook/1.0/webhooks", "webhookId": "8"},
    ),
]
MAILCHIMP = {"type": "subscribe", "fired_at": "2026-01-01 00:00:00", "data[email]": "a@x.example"}
MAILCHIMP_CASES = [
    TriggerCase(
        "mailchimpTrigger",
        {"list": "l1", "events": ["subscribe", "profile"], "sources": ["user", "api"]},
        credentials={"mailchimpApi": {"apiKey": "k-us1"}},
        base="/3.0",
        replies=[
            Reply("/3.0/lists/l1/webhooks", {"id": "h"}, "POST"),
            Reply("/3.0/lists/l1/webhooks/h", status=204),
        ],
        state={"webhookId": "h", "events": ["subscribe", "profile"], "sources": ["user", "api"]},
        events=[
            *unsigned(MAILCHIMP, {**MAILCHIMP, "type": "cleaned"}),
            Event({}, method="GET", webhook="setup", ours=PROVEN),
        ],
        hidden=frozenset({"url"}),
    )
]
MAUTIC_BODY: Json = {"mautic.form_on_submit": [{"submission": {"id": 1}}]}
MAUTIC_CASES = [
    TriggerCase(
        "mauticTrigger",
        {"events": ["mautic.form_on_submit"], "eventsOrder": "DESC"},
        credentials={"mauticApi": {"url": "https://m.example", "username": "u", "password": "p"}},
        base="/api",
        replies=[
            Reply("/api/hooks/new", {"hook": {"id": 4}}, "POST"),
            Reply("/api/hooks/4/delete", {"hook": {}}, "DELETE"),
        ],
        state={"webhookId": 4, "webhookSecret": SECRET},
        events=[
            Event(MAUTIC_BODY, {"Webhook-Signature": based(dumps(MAUTIC_BODY))}),
            Event(MAUTIC_BODY, {"Webhook-Signature": "00"}),
        ],
        hidden=frozenset({"name", "description", "secret"}),
    )
]
PIPEDRIVE_CASES = [
    TriggerCase(
        "pipedriveTrigger",
        parameters,
        version=version,
        credentials={"pipedriveApi": {"apiToken": "k"}},
        base="/v1",
        replies=[
            Reply("/v1/webhooks", {"success": True, "data": {"id": 6}}, "POST"),
            Reply("/v1/webhooks/6", {"success": True}, "DELETE"),
        ],
        state={"webhookId": 6},
        events=[
            Event({"current": {"id": 1}, "previous": None}, basic("jackfield", SECRET)),
            Event({"current": {"id": 1}}, basic("jackfield", "wrong"), refused=True),
            Event({"current": {"id": 1}}, refused=True),
        ],
        hidden=frozenset({"http_auth_user", "http_auth_password"}),
        name=f"{version} {parameters}",
    )
    for version, parameters in (
        (1, {}),
        (1, {"action": "added", "object": "deal"}),
        (1.1, {"action": "create", "entity": "deal"}),
    )
]
HIVE_ALERT: Json = {"operation": "Creation", "objectType": "Alert", "object": {"severity": 2, "title": "Odd mail"}}
HIVE_CASES = [
    TriggerCase(
        "theHiveTrigger",
        {"events": events},
        events=[Event(HIVE_ALERT), Event({**HIVE_ALERT, "operation": "Update"}), Event({"objectType": "Case"})],
        version=2,
        name=" ".join(events),
    )
    for events in (["alert_create"], ["*"])
]
HIVE_CASE: Json = {"action": "update", "objectType": "Case", "object": {"severity": 2, "title": "Odd mail"}}
HIVE_PROJECT_CASES = [
    TriggerCase(
        "theHiveProjectTrigger",
        {"events": ["case_update"], **parameters},
        events=[Event(HIVE_CASE), Event({**HIVE_CASE, "action": "create"}), Event({"objectType": "Case"})],
        name=str(parameters),
    )
    for parameters in (
        {},
        {"events": ["*"], "options": {"outputOnlyData": True}},
        *(
            {"filters": {"values": [{"field": field, "operator": operator, "value": value}]}}
            for field, operator, value in (
                ("object.title", "equal", "Odd mail"),
                ("object.title", "notEqual", "Odd mail"),
                ("object.title", "includes", "mail"),
                ("object.nothing", "includes", "defined"),
                ("object.severity", "equal", "2"),
            )
        ),
    )
]
CASES = [
    *AFFINITY_CASES,
    *CONVERT_KIT_CASES,
    *HUBSPOT_CASES,
    *INVOICE_NINJA_CASES,
    *JIRA_CASES,
    *MAILCHIMP_CASES,
    *MAUTIC_CASES,
    *PIPEDRIVE_CASES,
    *HIVE_CASES,
    *HIVE_PROJECT_CASES,
]
