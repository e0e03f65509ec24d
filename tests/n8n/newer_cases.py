"""Newer versions of nodes: Slack 2.5 to 2.7, Airtable 2.2, Salesforce 1.1."""

from __future__ import annotations

from typing import Any

from .action_cases import ActionCase, Answer, Row
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


def noco(
    resource: str, operation: str, path: str, method: str, body: Any, *others: Answer, name: str = "", **more: Any
) -> ActionCase:
    place = {"projectId": row("p1"), "table": row("t1"), "workspaceId": row("none")}
    given = {"authentication": "nocoDbApiToken", "resource": resource, "operation": operation, **place, **more}
    items = [{"json": {"fields": {"a": 1, "b": "x"}}}]
    answers = [Answer(path, body, method), *others]
    hidden = frozenset({"offset"})
    return ActionCase("nocoDb", given, answers, 4, NOCO, items, hidden=hidden, name=name)


def row(value: str) -> Row:
    return {"__rl": True, "mode": "id", "value": value}


NOCO = {"nocoDbApiToken": {"host": "{service}", "apiToken": "token-of-noco"}}
DATA, META = "/api/v3/data/p1/t1", "/api/v3/meta/bases/p1"
WRITTEN = {"records": [{"id": 7, "fields": {"a": 1, "empty": None}}]}
MAPPED = {
    "fieldsMapper": {
        "mappingMode": "defineBelow",
        "value": {"a": 1, "l": '["x", "y"]'},
        "schema": [{"id": "a", "type": "number"}, {"id": "l", "type": "array"}],
    }
}
AUTOMATIC = {"dataToSend": "autoMapInputData", "inputsToIgnore": "b"}
SORTED = {"property": [{"field": row("a"), "direction": "desc"}]}
LINKS = f"{DATA}/links/l1/7"
NOCO_CASES = [
    noco("row", "create", f"{DATA}/records", "POST", WRITTEN, **MAPPED),
    noco("row", "create", f"{DATA}/records", "POST", WRITTEN, name="automatic", **AUTOMATIC),
    noco("row", "update", f"{DATA}/records", "PATCH", WRITTEN, id="7", **MAPPED),
    noco("row", "upsert", f"{DATA}/records", "PATCH", WRITTEN, id="7", **MAPPED),
    noco("row", "upsert", f"{DATA}/records", "POST", WRITTEN, name="new", **AUTOMATIC),
    noco("row", "delete", f"{DATA}/records", "DELETE", WRITTEN, id="7"),
    noco("row", "get", f"{DATA}/records/7", "GET", WRITTEN["records"][0], id="7"),
    noco(
        "row",
        "search",
        f"{DATA}/records",
        "GET",
        WRITTEN,
        limit=5,
        options={"where": "(a,eq,1)", "fields": ["a", "b"], "sort": SORTED, "viewId": row("v1"), "shuffle": True},
    ),
    noco("row", "search", f"{DATA}/records", "GET", WRITTEN, name="all", returnAll=True),
    noco("row", "count", f"{DATA}/count", "GET", {"count": 5}, options={"where": "(a,eq,1)"}),
    noco(
        "row",
        "upload",
        f"{DATA}/records/7/fields/f1/upload",
        "POST",
        WRITTEN["records"][0],
        id="7",
        uploadFieldName=row("f1"),
        filename="a.txt",
        contentType="text/plain",
        base64value="eA==",
    ),
    noco(
        "row",
        "upload",
        f"{DATA}/records",
        "PATCH",
        WRITTEN,
        Answer(f"{DATA}/records/7", {"id": 7, "fields": {"f1": [{"url": "https://old.example"}]}}, "GET"),
        name="address",
        id="7",
        uploadMode="url",
        uploadFieldName=row("f1"),
        url="https://new.example",
    ),
    noco(
        "linkrow",
        "list",
        LINKS,
        "GET",
        WRITTEN,
        id="7",
        linkFieldName=row("l1"),
        limit=5,
        options={"fields": {"items": [{"field": row("a")}]}, "sort": SORTED, "where": "(a,eq,1)"},
    ),
    noco("linkrow", "link", LINKS, "POST", {"success": True}, id="7", linkFieldName=row("l1"), linkId=["8", "9"]),
    noco("linkrow", "unlink", LINKS, "DELETE", {"success": True}, id="7", linkFieldName=row("l1"), linkId=["8"]),
    noco(
        "base",
        "get",
        META,
        "GET",
        {"id": "p1", "title": "B"},
        Answer(f"{META}/tables", {"list": [{"id": "t1"}, {"id": "t2"}]}, "GET"),
        Answer(f"{META}/tables/t1", {"id": "t1", "fields": []}, "GET"),
        Answer(f"{META}/tables/t2", {"id": "t2", "fields": []}, "GET"),
    ),
    noco("base", "getAll", "/api/v2/meta/bases/", "GET", {"list": [{"id": "p1"}]}),
    noco(
        "base",
        "getAll",
        "/api/v3/meta/workspaces/w1/bases",
        "GET",
        {"list": [{"id": "p1"}]},
        name="workspace",
        workspaceId=row("w1"),
    ),
]
POST = {"select": "channel", "channelId": CHANNEL, "text": "Hi", "otherOptions": {"includeLinkToWorkflow": False}}
OPTIONS = {"conditionsUi": {"conditionValues": CONDITIONS}}
CASES = [
    *NOCO_CASES,
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
