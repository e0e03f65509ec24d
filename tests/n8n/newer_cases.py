"""Newer versions of nodes: Slack 2.5 to 2.7, Airtable 2.2, Salesforce 1.1."""

from __future__ import annotations

from typing import Any

from .action_cases import ActionCase, Answer
from .slack_cases import AT, CHANNEL, ok, slack

FORCE = {"salesforceOAuth2Api": {"instanceUrl": "{service}", "oauthTokenData": {"instance_url": "{service}"}}}
AIR = {"airtableTokenApi": {"accessToken": "token-of-air"}}
BASE = {"__rl": True, "mode": "id", "value": "app12345678901234"}
TABLE = {"__rl": True, "mode": "id", "value": "tbl12345678901234"}
RECORD = {"id": "rec12345678901234", "createdTime": AT, "fields": {"Name": "N", "empty": None}}
CONDITIONS = [
    {"field": "Name", "operation": "equal", "value": "O'Neil\\"},
    {"field": "Amount__c", "operation": ">=", "value": "12"},
    {"field": "CreatedDate", "operation": "<", "value": "last_n_days:7"},
    {"field": "Owner.CreatedDate", "operation": ">", "value": "2026-01-01"},
]


def force(version: float, resource: str, **more: Any) -> ActionCase:
    found = {"records": [{"Id": "1", "Name": None}], "done": True}
    return ActionCase(
        "salesforce",
        {"resource": resource, "operation": "getAll", **more},
        [Answer("/services/data/v59.0/query", found, "GET")],
        version,
        FORCE,
        name="all" if more.get("returnAll") else "",
    )


def air(version: float, operation: str, path: str, body: Any, **more: Any) -> ActionCase:
    given = {"authentication": "airtableTokenApi", "base": BASE, "table": TABLE, "operation": operation, **more}
    place = f"/v0/{BASE['value']}/{TABLE['value']}{path}"
    return ActionCase(
        "airtable",
        {"resource": "record", **given},
        [Answer(place, body, "GET")],
        version,
        AIR,
        hidden=frozenset({"pageSize"}),
    )


def found(**more: Any) -> ActionCase:
    answer = ok("assistant.search.context", results={"messages": [{"content": "Hi"}]})
    return slack(2.7, "message", "search", answer, query="hi", **more)


POST = {"select": "channel", "channelId": CHANNEL, "text": "Hi", "otherOptions": {"includeLinkToWorkflow": False}}
OPTIONS = {"conditionsUi": {"conditionValues": CONDITIONS}}
CASES = [
    *(force(version, "lead", options=OPTIONS, limit=5) for version in (1, 1.1)),
    force(1.1, "contact", returnAll=True, options={"fields": "Id, Name", **OPTIONS}),
    force(1.1, "customObject", customObject="Thing__c", limit=5, options={"fields": ["Id", "A__c"]}),
    *(force(1.1, one, limit=5, options={}) for one in ("account", "opportunity", "case", "task", "attachment", "user")),
    *(air(version, "get", f"/{RECORD['id']}", RECORD, id=RECORD["id"]) for version in (2.1, 2.2)),
    *(air(version, "search", "", {"records": [RECORD]}, returnAll=False, limit=5) for version in (2.1, 2.2)),
    *(slack(version, "message", "post", ok("chat.postMessage", ts="1"), **POST) for version in (2.5, 2.6, 2.7)),
    slack(2.2, "message", "delete", ok("chat.delete", ts="1"), select="channel", channelId=CHANNEL, timestamp=1.5),
    found(sort="relevance", limit=5),
    found(
        name="options",
        limit=5,
        sort="asc",
        options={
            "after": "2026-01-01T00:00:00",
            "before": AT,
            "channelTypes": ["im"],
            "includeBots": True,
            "keywordSearchOnly": True,
            "searchChannel": ["C1", "C2"],
        },
    ),
]
