"""Subscriptions of further services that are compared with n8n's own nodes, by their names."""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import replace
from datetime import UTC, datetime

from jackfield.api.jsontext import Json, dumps

from .subscription_cases import URL, based
from .trigger_cases import MOMENT, SECRET, Event, Reply, TriggerCase

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
ACTIVITY: Json = {"object_type": "activity", "aspect_type": "create", "object_id": 5, "updates": {}}
STRAVA_CASES = [
    TriggerCase(
        "stravaTrigger",
        parameters,
        credentials={"stravaOAuth2Api": {"clientId": "1", "clientSecret": "s"}},
        base="/api/v3",
        replies=[
            Reply("/api/v3/push_subscriptions", {"id": 8}, "POST"),
            Reply("/api/v3/push_subscriptions/8", status=204),
            Reply("/api/v3/activities/5", {"id": 5, "name": "Run"}),
            Reply("/api/v3/athletes/5/stats", {"count": 2}),
        ],
        state={"webhookId": 8},
        events=unsigned(ACTIVITY, {**ACTIVITY, "object_type": "athlete"}, {**ACTIVITY, "aspect_type": "delete"}),
        hidden=frozenset({"callback_url", "verify_token"}),
        name=str(parameters),
    )
    for parameters in ({}, {"object": "activity", "event": "create"}, {"object": "athlete", "resolveData": False})
]


def teams(*resources: Json, secret: str = SECRET) -> Event:
    rows: list[Json] = [{"clientState": secret, "changeType": "created", "resourceData": one} for one in resources]
    return Event({"value": rows})


TEAM = {"__rl": True, "mode": "id", "value": "11111111-1111-1111-1111-111111111111"}
TEAMS_CASES = [
    TriggerCase(
        "microsoftTeamsTrigger",
        parameters,
        credentials={"microsoftTeamsOAuth2Api": {}},
        base="/v1.0",
        replies=[
            Reply("/v1.0/subscriptions", {"id": "s1", "expirationDateTime": "2099-01-01T00:00:00Z"}, "POST"),
            Reply("/v1.0/subscriptions/s1", status=204),
            Reply("/v1.0/me/joinedTeams", {"value": [{"id": "t1"}]}),
            Reply("/v1.0/teams/t1/channels", {"value": [{"id": "c1"}]}),
            Reply(f"/v1.0/teams/{TEAM['value']}/channels", {"value": [{"id": "c2"}]}),
        ],
        state={"subscriptionIds": ["s1"], "webhookSecret": SECRET},
        events=[teams({"id": "m1"}), teams({"id": "m1"}, secret="wrong"), teams({"id": "m2"}, secret="")],
        hidden=frozenset({"clientState", "expirationDateTime"}),
        name=str(parameters),
    )
    for parameters in (
        {"event": "newChat"},
        {"event": "newChatMessage", "watchAllChats": True},
        {"event": "newChatMessage", "chatId": {"__rl": True, "mode": "id", "value": "19:a@thread.v2"}},
        {"event": "newChannel", "teamId": TEAM},
        {"event": "newTeamMember", "watchAllTeams": True},
        {"event": "newChannelMessage", "watchAllTeams": True},
        {"event": "newChannelMessage", "teamId": TEAM, "watchAllChannels": True},
        {
            "event": "newChannelMessage",
            "teamId": TEAM,
            "channelId": {"__rl": True, "mode": "id", "value": "19:b@thread.tacv2"},
        },
    )
]


def twilio(body: Json, secret: str = SECRET, of: Json = None) -> Event:
    digest = hashlib.sha256(dumps(body if of is None else of)).hexdigest()
    signature = based(b"https://me.example/webhook/x/webhook", "sha1", secret)
    return Event(body, {"X-Twilio-Signature": signature}, {"bodySHA256": digest})


CALLS: Json = [{"id": "e1", "type": "com.twilio.messaging.inbound-message.received", "data": {"body": "hi"}}]
TWILIO_CASES = [
    TriggerCase(
        "twilioTrigger",
        {"updates": updates},
        credentials={"twilioApi": {"accountSid": "AC1", "authToken": SECRET}},
        base="/v1",
        replies=[
            Reply("/v1/Sinks", {"sid": "DG1"}, "POST"),
            Reply("/v1/Subscriptions", {"sid": "DF1"}, "POST"),
            Reply("/v1/Subscriptions/DF1/SubscribedEvents", {}, "POST"),
            Reply("/v1/Sinks/DG1", status=204),
            Reply("/v1/Subscriptions/DF1", status=204),
        ],
        state={"sinkId": "DG1", "subscriptionId": "DF1"},
        events=[twilio(CALLS), twilio(CALLS, "wrong"), twilio(CALLS, of=[])],
        hidden=frozenset({"Description", "SinkConfiguration"}),
        name=str(len(updates)),
    )
    for updates in (
        ["com.twilio.messaging.inbound-message.received"],
        ["com.twilio.messaging.inbound-message.received", "com.twilio.voice.insights.call-summary.complete"],
    )
]


def zendesk(body: Json, secret: str = SECRET, late: float = 0) -> Event:
    moment = datetime.fromtimestamp(MOMENT - late, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    signature = based(moment.encode() + dumps(body), secret=secret)
    headers = {"X-Zendesk-Webhook-Signature": signature, "X-Zendesk-Webhook-Signature-Timestamp": moment}
    return Event(body, headers, refused=bool(late))


STATUS = {"field": "status", "operation": "is", "value": "new"}
ZENDESK_CASES = [
    TriggerCase(
        "zendeskTrigger",
        {"conditions": conditions, "options": options},
        credentials={"zendeskApi": {"subdomain": "s", "email": "e", "apiToken": "k"}},
        base="/api/v2",
        replies=[
            Reply("/api/v2/webhooks", {"webhook": {"id": "w1"}}, "POST"),
            Reply("/api/v2/webhooks/w1/signing_secret", {"signing_secret": {"secret": SECRET}}),
            Reply("/api/v2/triggers.json", {"trigger": {"id": 5}}, "POST"),
            Reply("/api/v2/triggers/active.json", {"triggers": []}),
            Reply("/api/v2/triggers/5.json", status=204),
            Reply("/api/v2/webhooks/w1", status=204),
        ],
        state={"webhookId": 5, "targetId": "w1", "webhookSecret": SECRET},
        events=[
            zendesk({"ticket.id": "1"}),
            zendesk({"ticket.id": "1"}, "wrong"),
            zendesk({"ticket.id": "1"}, late=900),
        ],
        only_theirs=frozenset({("GET", "/api/v2/triggers/active.json")}),
        before={},
        hidden=frozenset({"name", "title"}),
        name=name,
    )
    for name, conditions, options in (
        ("all", {"all": [STATUS, {"field": "priority", "operation": "changed"}]}, {}),
        ("any", {"any": [{**STATUS, "value": "open"}]}, {"fields": ["ticket.id", "ticket.title"]}),
    )
]
APP = {"accessToken": "k", "appSecret": SECRET}


def facebook(body: Json, secret: str = SECRET) -> Event:
    signature = hmac.new(secret.encode(), dumps(body), "sha1").hexdigest()
    return Event(body, {"X-Hub-Signature": f"sha1={signature}"}, refused=secret != SECRET)


FEED: Json = {"object": "page", "entry": [{"id": "1", "changes": [{"field": "feed"}]}, {"id": "2"}]}
FACEBOOK_CASES = [
    TriggerCase(
        "facebookTrigger",
        {"appId": "7", **parameters},
        credentials={"facebookGraphAppApi": APP},
        base="/v23.0",
        replies=[Reply("/v23.0/7/subscriptions", {"success": True})],
        events=[facebook(FEED), facebook(FEED, "wrong")],
        hidden=frozenset({"verify_token", "access_token", "appsecret_proof", "appsecret_time"}),
        name=str(parameters),
    )
    for parameters in (
        {"object": "adAccount", "fields": ["*"]},
        {"object": "page", "fields": ["feed"], "options": {"includeValues": False}},
        {"object": "user", "fields": []},
    )
]


def lead(page: str = "p", form: str = "f", secret: str = SECRET) -> Event:
    value = {"page_id": page, "form_id": form, "leadgen_id": "l", "created_time": 1}
    body: Json = {"object": "page", "entry": [{"id": page, "changes": [{"field": "leadgen", "value": value}]}]}
    signature = hmac.new(secret.encode(), dumps(body), "sha256").hexdigest()
    return Event(body, {"X-Hub-Signature-256": f"sha256={signature}"}, refused=secret != SECRET)


LEAD: Json = {
    "id": "l",
    "created_time": "2026-01-01T00:00:00+0000",
    "ad_id": "a",
    "form_id": "f",
    "field_data": [{"name": "email", "values": ["a@x.example"]}, {"name": "none", "values": []}],
}
LEAD_CASES = [
    TriggerCase(
        "facebookLeadAdsTrigger",
        {
            "page": {"__rl": True, "mode": "id", "value": "p"},
            "form": {"__rl": True, "mode": "id", "value": "f"},
            "options": options,
        },
        credentials={
            "facebookLeadAdsOAuth2Api": {
                "clientId": "9",
                "clientSecret": SECRET,
                "accessTokenUrl": "https://graph.facebook.com/v21.0/oauth/access_token",
            }
        },
        base="/v21.0",
        replies=[
            Reply("/v21.0/oauth/access_token", {"access_token": "app"}),
            Reply("/v21.0/9/subscriptions", {"success": True}),
            Reply("/v21.0/p", {"id": "p", "access_token": "page"}),
            Reply("/v21.0/p/subscribed_apps", {"success": True}),
            Reply("/v21.0/l", LEAD),
            Reply("/v21.0/f", {"id": "f", "name": "Form", "locale": "en_US", "page": {"id": "p"}, "questions": []}),
        ],
        events=[lead(), lead(form="other"), lead(page="other"), lead(secret="wrong")],
        hidden=frozenset({"verify_token", "include_values"}),
        name=name,
    )
    for name, options in (("simple", {}), ("whole", {"simplifyOutput": False}))
]
PAID: Json = {"id": "WH-1", "event_type": "PAYMENT.SALE.COMPLETED", "resource": {"id": "s"}}
FROM_PAYPAL = {
    f"paypal-{name}": name
    for name in ("auth-algo", "cert-url", "transmission-id", "transmission-sig", "transmission-time")
}
PAYPAL_CASES = [
    TriggerCase(
        "payPalTrigger",
        {"events": ["PAYMENT.SALE.COMPLETED", "*"]},
        credentials={"payPalApi": {"clientId": "c", "secret": "s", "env": "live"}},
        base="/v1",
        replies=[
            Reply("/v1/oauth2/token", {"access_token": "t"}),
            Reply("/v1/notifications/webhooks", {"id": "w"}, "POST"),
            Reply("/v1/notifications/webhooks/w", status=204),
            Reply("/v1/notifications/verify-webhook-signature", {"verification_status": status}),
        ],
        state={"webhookId": "w"},
        events=[Event(PAID, FROM_PAYPAL), Event(PAID)],
        name=status,
    )
    for status in ("SUCCESS", "FAILURE")
]
JOTFORM: Json = {
    "submissionID": "1",
    "formTitle": "",
    "rawRequest": '{"slug": "x", "q3_email": "a@x.example", "q4_full_name": {"first": "Ada"}, "q5_unknown": "5"}',
}
QUESTIONS: Json = {"1": {"name": "email", "text": "E-mail"}, "2": {"name": "full_name", "text": "Name"}}
JOTFORM_CASES = [
    TriggerCase(
        "jotFormTrigger",
        {"form": "7", **parameters},
        credentials={"jotFormApi": {"apiKey": "k"}},
        replies=[
            Reply("/form/7/webhooks", {"content": {"0": f"{URL}?secret={SECRET}"}}, "POST"),
            Reply("/form/7/webhooks/0", {"message": "success"}, "DELETE"),
            Reply("/form/7/questions", {"content": QUESTIONS}),
        ],
        state={"webhookId": "0"},
        events=[
            Event(JOTFORM, ours=PROVEN, inside="data"),
            Event(JOTFORM, inside="data", refused=True),
        ],
        hidden=frozenset({"webhookURL"}),
        name=str(parameters),
    )
    for parameters in (
        {},
        {"onlyAnswers": False},
        {"resolveData": False},
        {"resolveData": False, "onlyAnswers": False},
    )
]
CASES = [
    *JOTFORM_CASES,
    *FACEBOOK_CASES,
    *LEAD_CASES,
    *PAYPAL_CASES,
    *STRAVA_CASES,
    *TEAMS_CASES,
    *TWILIO_CASES,
    *ZENDESK_CASES,
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
