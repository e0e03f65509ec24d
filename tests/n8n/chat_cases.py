"""Rocket.Chat, Bitly, and what HubSpot has of late."""

from __future__ import annotations

from typing import Any

from .action_cases import ActionCase, Answer

ROCKET = {"rocketchatApi": {"domain": "{service}", "userId": "u1", "authKey": "token-of-rocket"}}
BITLY = {"bitlyApi": {"accessToken": "token-of-bitly"}}
AT = "2026-01-01T10:00:00.000Z"
BOX: dict[str, Any] = {
    "color": "#ff0000",
    "text": "x",
    "messageLinks": "https://m.example",
    "titleLinkDownload": True,
    "fields": {"fieldsValues": [{"short": True, "title": "T", "value": "V"}]},
}
LINK = {"id": "bit.ly/abc", "link": "https://bit.ly/abc", "title": None}


def rocket(resource: str, operation: str, path: str, method: str, body: Any, name: str = "", **more: Any) -> ActionCase:
    given = {"resource": resource, "operation": operation, **more}
    answer = [Answer(f"/api/v1{path}", body, method)]
    return ActionCase("rocketchat", given, answer, credentials=ROCKET, hidden=frozenset({"offset"}), name=name)


def bitly(operation: str, path: str, method: str, **more: Any) -> ActionCase:
    given = {"authentication": "accessToken", "resource": "link", "operation": operation, **more}
    hidden = frozenset({"group", "group_guid"})  # n8n sends a name that the service does not know
    return ActionCase("bitly", given, [Answer(f"/v4{path}", LINK, method)], credentials=BITLY, hidden=hidden)


CASES = [
    rocket(
        "chat",
        "postMessage",
        "/chat.postMessage",
        "POST",
        {"success": True, "message": {"_id": "m"}},
        channel="#general",
        text="Hi",
        options={"alias": "A", "emoji": ":x:"},
        attachments=[BOX],
    ),
    rocket(
        "chat",
        "postMessage",
        "/chat.postMessage",
        "POST",
        {"success": True},
        name="JSON",
        channel="#general",
        text="Hi",
        jsonParameters=True,
        attachmentsJson='[{"text": "x"}]',
    ),
    rocket("subscriptions", "get", "/subscriptions.get", "GET", {"update": [{"rid": "1"}], "remove": [{"rid": "2"}]}),
    rocket("subscriptions", "read", "/subscriptions.read", "POST", {"success": True}, roomId="r1"),
    rocket("dm", "messages", "/dm.messages", "GET", {"messages": [{"_id": "m"}], "total": 1}, roomId="r1", limit=5),
    bitly(
        "create",
        "/bitlinks",
        "POST",
        longUrl="https://a.example",
        additionalFields={"title": "T", "tags": ["a"], "group": "g1"},
    ),
    bitly("get", "/bitlinks/bit.ly/abc", "GET", id="bit.ly/abc"),
    bitly("update", "/bitlinks/bit.ly/abc", "PATCH", id="bit.ly/abc", updateFields={"title": "N", "archived": False}),
    *(
        ActionCase(
            "hubspot",
            {"authentication": "oAuth2", "resource": resource, "operation": operation, "limit": 5, **more},
            [Answer(path, {"results": [{"id": 1, "note": None}]})],
            version,
            {"hubspotOAuth2Api": {"oauthTokenData": {"access_token": "t"}}},
            hidden=frozenset({"offset"}),
        )
        for version, resource, operation, path, more in (
            (
                2,
                "company",
                "getRecentlyCreatedUpdated",
                "/companies/v2/companies/recent/modified",
                {"additionalFields": {"since": AT}},
            ),
            (
                2,
                "deal",
                "getRecentlyCreatedUpdated",
                "/deals/v1/deal/recent/created",
                {"filters": {"since": AT, "includePropertyVersions": True}},
            ),
            (1, "company", "getRecentlyCreated", "/companies/v2/companies/recent/created", {}),
            (1, "company", "getRecentlyModified", "/companies/v2/companies/recent/modified", {}),
            (1, "deal", "getRecentlyCreated", "/deals/v1/deal/recent/created", {"filters": {"since": AT}}),
            (1, "deal", "getRecentlyModified", "/deals/v1/deal/recent/modified", {"filters": {"since": AT}}),
        )
    ),
]
