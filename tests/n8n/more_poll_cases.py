"""Polls of further services that are compared with n8n's own nodes, by their names."""

from __future__ import annotations

from jackfield.api.jsontext import Json

from .poll_cases import GOOGLE
from .trigger_cases import Reply, TriggerCase

BASE, TABLE = "app" + "b" * 14, "tbl" + "t" * 14
PHOTO: Json = {"id": "att1", "url": "https://files.example/p", "filename": "p.png", "type": "image/png"}
RECORDS: Json = {
    "records": [
        {"id": "rec1", "createdTime": "2026-01-01T00:00:20.000Z", "fields": {"At": "2026-01-01T00:00:20.000Z", "N": 1}},
        {"id": "rec2", "createdTime": "2025-01-01T00:00:00.000Z", "fields": {"At": "2026-01-01T00:00:20.000Z"}},
    ]
}
AIRTABLE_CASES = [
    TriggerCase(
        "airtableTrigger",
        {
            "authentication": "airtableTokenApi",
            "baseId": {"__rl": True, "mode": "url", "value": f"https://airtable.com/{BASE}/{TABLE}/viw1"},
            "tableId": {"__rl": True, "mode": "id", "value": TABLE},
            "triggerField": "At",
            "additionalFields": more,
        },
        credentials={"airtableTokenApi": {"accessToken": "k"}},
        base="/v0",
        replies=[Reply(f"/v0/{BASE}/{TABLE}", RECORDS)],
        hidden=frozenset({"fields[]"}),
        name=", ".join(more),
    )
    for more in ({}, {"viewId": "viw1", "formula": "{N} > 0"}, {"fields": "At,N"})
]
TEXTS: Json = [{"type": "text", "plain_text": "Ada "}, {"type": "text", "plain_text": "L"}]
PROPERTIES: dict[str, Json] = {
    "Name": {"type": "title", "title": TEXTS},
    "Note": {"type": "rich_text", "rich_text": []},
    "Amount": {"type": "number", "number": None},
    "Done": {"type": "checkbox", "checkbox": False},
    "Stage": {"type": "select", "select": None},
    "State": {"type": "status", "status": {"name": "Open"}},
    "Tags": {"type": "multi_select", "multi_select": [{"name": "a"}, {"name": "b"}]},
    "Who": {"type": "people", "people": [{"person": {"email": "a@x.example"}}, {"id": "bot"}]},
    "Links": {"type": "relation", "relation": [{"id": "p2"}]},
    "Files": {"type": "files", "files": [{"type": "external", "external": {"url": "https://f.example"}}]},
    "When": {"type": "date", "date": {"start": "2026-01-01", "end": None}},
    "Sum": {"type": "formula", "formula": {"type": "number", "number": 3}},
    "Count": {"type": "rollup", "rollup": {"type": "number", "function": "count", "number": 2}},
    "Share": {"type": "rollup", "rollup": {"type": "number", "function": "percent_empty", "number": 0.5}},
    "Shown": {
        "type": "rollup",
        "rollup": {"type": "array", "function": "show_original", "array": [{"type": "number", "number": 5}]},
    },
    "Apart": {
        "type": "rollup",
        "rollup": {
            "type": "array",
            "function": "show_unique",
            "array": [{"type": "multi_select", "multi_select": [{"name": "a"}, {"name": "a"}, {"name": "b"}]}],
        },
    },
    "Maker": {"type": "created_by", "created_by": {"name": "Ada"}},
    "Number": {"type": "unique_id", "unique_id": {"number": 4}},
}
PAGE: Json = {
    "object": "page",
    "id": "p1",
    "created_time": "2026-01-01T00:00:00.000Z",
    "last_edited_time": "2026-01-01T00:01:00.000Z",
    "parent": {"type": "database_id", "database_id": "d"},
    "properties": PROPERTIES,
}
DATABASE = "a" * 32
NOTION_CASES = [
    TriggerCase(
        "notionTrigger",
        {"event": event, "databaseId": {"__rl": True, "mode": "id", "value": DATABASE}, "simple": simple}
        if version == 1
        else {"event": event, "dataSourceId": {"__rl": True, "mode": "id", "value": DATABASE}, "simple": simple},
        version=version,
        credentials={"notionApi": {"apiKey": "k"}},
        base="/v1",
        replies=[
            Reply(
                f"/v1/{'databases' if version == 1 else 'data_sources'}/{DATABASE}/query",
                {"results": [PAGE], "has_more": False, "next_cursor": None},
            )
        ],
        unlike="n8n asks for one page before it asks for ten at a time",
        name=f"{version} {event} {simple}",
    )
    for version in (1, 1.1)
    for event in ("pageAddedToDatabase", "pagedUpdatedInDatabase")
    for simple in (True, False)
]
MAIL: dict[str, Json] = {
    "id": "m1",
    "conversationId": "c",
    "subject": "",
    "bodyPreview": "Hi",
    "from": {"emailAddress": {"name": "Ada", "address": "a@x.example"}},
    "toRecipients": [{"emailAddress": {"address": "b@x.example"}}],
    "categories": [],
    "hasAttachments": False,
    "receivedDateTime": "2026-01-01T00:00:30Z",
}
FOLDERS = {"foldersToInclude": ["f1"]}
FILTERS = {
    "sender": "o'neil",
    "readStatus": "unread",
    "hasAttachments": True,
    "foldersToExclude": ["f2"],
    "custom": "x",
}
OUTLOOK_CASES = [
    TriggerCase(
        "microsoftOutlookTrigger",
        parameters,
        credentials={"microsoftOutlookOAuth2Api": {}},
        base="/v1.0/me",
        replies=[
            Reply("/v1.0/me/messages", {"value": [MAIL]}),
            Reply("/v1.0/me/mailFolders/f1/messages", {"value": [MAIL]}),
        ],
        hidden=frozenset({"$select"}),
        name=name,
    )
    for name, parameters in (
        ("simple", {}),
        ("raw", {"output": "raw", "filters": FILTERS}),
        ("in a folder", {"output": "raw", "filters": FOLDERS}),
    )
]
SALESFORCE_CASES = [
    TriggerCase(
        "salesforceTrigger",
        {"triggerOn": on, **more},
        version=1.1,
        credentials={"salesforceOAuth2Api": {"oauthTokenData": {"instance_url": "https://s.example"}}},
        base="/services/data/v59.0",
        replies=[
            Reply(
                "/services/data/v59.0/query",
                {"records": [{"Id": "001", "Name": None, "LastModifiedDate": "2026-01-01T00:00:30.000+0000"}]},
            )
        ],
        name=on,
    )
    for on, more in (
        ("accountCreated", {}),
        ("leadUpdated", {}),
        ("customObjectCreated", {"customObject": "Thing__c"}),
        ("userUpdated", {}),
    )
]
ENTRY: Json = {"id": "e1", "description": "", "timeInterval": {"start": "2026-01-01T00:00:10Z", "end": None}}
CLOCKIFY_CASES = [
    TriggerCase(
        "clockifyTrigger",
        {"workspaceId": "w"},
        credentials={"clockifyApi": {"apiKey": "k"}},
        base="/api/v1",
        replies=[
            Reply("/api/v1/user", {"id": "u"}),
            Reply("/api/v1/workspaces/w/user/u/time-entries", [ENTRY]),
        ],
        hidden=frozenset({"page", "page-size"}),
    )
]
REVIEW: Json = {"reviewId": "r1", "starRating": "FIVE", "comment": None}
REVIEW_CASES = [
    TriggerCase(
        "googleBusinessProfileTrigger",
        {
            "account": {"__rl": True, "mode": "name", "value": "accounts/1"},
            "location": {"__rl": True, "mode": "name", "value": "locations/2"},
        },
        credentials={"googleBusinessProfileOAuth2Api": GOOGLE},
        base="/v4",
        replies=[Reply("/v4/accounts/1/locations/2/reviews", {"reviews": [REVIEW], "totalReviewCount": 3})],
        state={"totalReviewCountLastTimeChecked": 2},
    )
]
CASES = [*AIRTABLE_CASES, *CLOCKIFY_CASES, *NOTION_CASES, *OUTLOOK_CASES, *REVIEW_CASES, *SALESFORCE_CASES]
