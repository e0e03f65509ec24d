"""Microsoft Outlook."""

from __future__ import annotations

from typing import Any

from .action_cases import ActionCase, Answer

CREDENTIALS = {"microsoftOutlookOAuth2Api": {"oauthTokenData": {"access_token": "t"}}}
ME = "/v1.0/me"
AT = "2026-01-01T10:00:00"


def ident(value: str) -> dict[str, Any]:
    return {"__rl": True, "mode": "id", "value": value}


def outlook(
    resource: str, operation: str, path: str, method: str, body: Any, name: str = "", **more: Any
) -> ActionCase:
    if (named := more.pop("named", None)) is not None:
        more["name"] = named
    given = {"resource": resource, "operation": operation, **more}
    return ActionCase("microsoftOutlook", given, [Answer(f"{ME}{path}", body, method)], 2, CREDENTIALS, name=name)


MAIL = {
    "id": "m1",
    "subject": "S",
    "conversationId": "c",
    "bodyPreview": "p",
    "from": {"emailAddress": {"address": "a@a.example"}},
    "toRecipients": [{"emailAddress": {"address": "b@a.example"}}],
    "categories": [],
    "hasAttachments": False,
}
PERSON = {
    "businessPhones": "1, 2",
    "emailAddresses": {"values": [{"name": "A", "address": "a@a.example"}]},
    "businessAddress": {"values": {"city": "Paris"}},
    "jobTitle": "Boss",
    "birthday": "2000-01-01T00:00:00",
}
CASES = [
    outlook("draft", "get", "/messages/m1", "GET", MAIL, draftId=ident("m1")),
    outlook(
        "draft",
        "get",
        "/messages/m1",
        "GET",
        MAIL,
        name="fields",
        draftId=ident("m1"),
        output="fields",
        fields=["subject", "from"],
    ),
    outlook("draft", "get", "/messages/m1", "GET", MAIL, name="raw", draftId=ident("m1"), output="raw"),
    outlook(
        "draft",
        "update",
        "/messages/m1",
        "PATCH",
        MAIL,
        draftId=ident("m1"),
        updateFields={
            "subject": "N",
            "toRecipients": "a@a.example, b@a.example",
            "bodyContent": "x",
            "bodyContentType": "html",
            "importance": "High",
            "isRead": True,
        },
    ),
    outlook("draft", "delete", "/messages/m1", "DELETE", {}, draftId=ident("m1")),
    outlook(
        "contact", "create", "/contacts", "POST", {"id": "k1"}, givenName="Ada", surname="L", additionalFields=PERSON
    ),
    outlook("contact", "get", "/contacts/k1", "GET", {"id": "k1", "title": None}, contactId=ident("k1")),
    outlook("contact", "update", "/contacts/k1", "PATCH", {"id": "k1"}, contactId=ident("k1"), additionalFields=PERSON),
    outlook("contact", "delete", "/contacts/k1", "DELETE", {}, contactId=ident("k1")),
    outlook(
        "calendar", "create", "/calendars", "POST", {"id": "c1"}, named="C", additionalFields={"color": "lightBlue"}
    ),
    outlook(
        "calendar",
        "create",
        "/calendarGroups/g1/calendars",
        "POST",
        {"id": "c1"},
        name="in a group",
        named="C",
        additionalFields={"calendarGroup": "g1"},
    ),
    outlook("calendar", "get", "/calendars/c1", "GET", {"id": "c1"}, calendarId=ident("c1")),
    outlook(
        "calendar",
        "update",
        "/calendars/c1",
        "PATCH",
        {"id": "c1"},
        calendarId=ident("c1"),
        updateFields={"name": "N", "isDefaultCalendar": True},
    ),
    outlook("calendar", "delete", "/calendars/c1", "DELETE", {}, calendarId=ident("c1")),
    outlook("event", "get", "/calendar/events/e1", "GET", {"id": "e1"}, calendarId=ident("c1"), eventId=ident("e1")),
    outlook(
        "event",
        "update",
        "/calendar/events/e1",
        "PATCH",
        {"id": "e1"},
        calendarId=ident("c1"),
        eventId=ident("e1"),
        additionalFields={"subject": "N", "start": AT, "body": "x", "showAs": "busy", "timeZone": "Europe/Berlin"},
    ),
    outlook("folder", "update", "/mailFolders/f1", "PATCH", {"id": "f1"}, folderId=ident("f1"), displayName="N"),
    outlook(
        "messageAttachment",
        "get",
        "/messages/m1/attachments/a1",
        "GET",
        {"id": "a1"},
        messageId=ident("m1"),
        attachmentId=ident("a1"),
    ),
]
