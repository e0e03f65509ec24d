"""Zoom and Webflow."""

from __future__ import annotations

from typing import Any

from .action_cases import ActionCase, Answer

AT = "2026-01-01T10:00:00.000Z"
SETTINGS = {
    "audio": "both",
    "joinBeforeHost": True,
    "autoRecording": "cloud",
    "registrationType": 2,
    "alternativeHosts": "a@a.example",
}


def zoom(operation: str, path: str, method: str, body: Any, name: str = "", **more: Any) -> ActionCase:
    given = {"authentication": "accessToken", "resource": "meeting", "operation": operation, **more}
    return ActionCase(
        "zoom",
        given,
        [Answer(f"/v2{path}", body, method)],
        credentials={"zoomApi": {"accessToken": "token-of-zoom"}},
        name=name,
    )


def webflow(
    operation: str, path: str, method: str, body: Any, name: str = "", status: int = 200, **more: Any
) -> ActionCase:
    given = {"resource": "item", "operation": operation, "siteId": "s1", "collectionId": "c1", **more}
    return ActionCase(
        "webflow",
        given,
        [Answer(f"/v2/collections/c1/items{path}", body, method, status)],
        2,
        {"webflowOAuth2Api": {"oauthTokenData": {"access_token": "t"}}},
        hidden=frozenset({"offset"}),
        name=name,
    )


FIELDS = {"fieldsUi": {"fieldValues": [{"fieldId": "name", "fieldValue": "N"}, {"fieldId": "slug", "fieldValue": "n"}]}}
CASES = [
    zoom(
        "create",
        "/users/me/meetings",
        "POST",
        {"id": 7},
        topic="T",
        additionalFields={"startTime": AT, "duration": 30, "settings": SETTINGS, "agenda": "A"},
    ),
    zoom(
        "create",
        "/users/me/meetings",
        "POST",
        {"id": 7},
        name="in a zone",
        topic="T",
        additionalFields={"startTime": "2026-01-01T10:00:00", "timeZone": "Europe/Berlin"},
    ),
    zoom(
        "get",
        "/meetings/7",
        "GET",
        {"id": 7, "agenda": None},
        meetingId="7",
        additionalFields={"showPreviousOccurrences": True, "occurrenceId": "o"},
    ),
    zoom("getAll", "/users/me/meetings", "GET", {"meetings": [{"id": 7}]}, limit=5, filters={"type": "live"}),
    zoom("delete", "/meetings/7", "DELETE", {}, meetingId="7", additionalFields={"scheduleForReminder": True}),
    zoom(
        "update",
        "/meetings/7",
        "PATCH",
        {},
        meetingId="7",
        updateFields={"topic": "N", "startTime": AT, "settings": SETTINGS},
    ),
    webflow("create", "", "POST", {"id": "i1", "note": None}, **FIELDS),
    webflow("create", "/live", "POST", {"id": "i1"}, name="live", live=True, **FIELDS),
    webflow("update", "/i1", "PATCH", {"id": "i1"}, itemId="i1", **FIELDS),
    webflow("update", "/i1/live", "PATCH", {"id": "i1"}, name="live", itemId="i1", live=True, **FIELDS),
    webflow("get", "/i1", "GET", {"id": "i1"}, itemId="i1"),
    webflow("getAll", "", "GET", {"items": [{"id": "i1"}], "pagination": {"total": 1}}, limit=5),
    webflow("deleteItem", "/i1", "DELETE", None, status=204, itemId="i1"),
]
