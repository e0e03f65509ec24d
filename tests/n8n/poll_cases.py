"""Polls that are compared with n8n's own nodes."""

from __future__ import annotations

from dataclasses import replace

from .trigger_cases import Reply, TriggerCase

SINCE = "2026-01-01T00:00:00Z"
"""When both have asked before; the events of the cases come later."""
GOOGLE = {"access_token": "t"}
EVENTS = "/calendar/v3/calendars/c%40x.example/events"
FILES = "/drive/v3/files"


def event(name: str, created: str, updated: str = "", **more: object) -> dict[str, object]:
    return {"id": name, "created": created, "updated": updated or created, "summary": name, **more}


CALENDAR = TriggerCase(
    "googleCalendarTrigger",
    {
        "calendarId": {"__rl": True, "mode": "id", "value": "c@x.example"},
        "pollTimes": {"item": [{"mode": "everyMinute"}]},
    },
    credentials={"googleCalendarOAuth2Api": GOOGLE},
    base="/calendar/v3",
)
MADE = event("new", "2026-01-01T00:00:30.000Z", start={"dateTime": "2026-01-01T00:00:40Z"})
CHANGED = event(
    "changed", "2025-01-01T00:00:00.000Z", "2026-01-01T00:00:20.000Z", end={"dateTime": "2026-01-01T00:00:45Z"}
)
OLD = event("old", "2025-01-01T00:00:00.000Z")
GONE = event("gone", "2025-02-01T00:00:00.000Z", "2026-01-01T00:00:25.000Z", status="cancelled")
LATER = event(
    "later",
    "2025-02-01T00:00:00.000Z",
    start={"dateTime": "2099-01-01T00:00:00Z"},
    end={"dateTime": "2099-01-01T01:00:00Z"},
)
DRIVE = TriggerCase(
    "googleDriveTrigger",
    {"triggerOn": "specificFolder", "folderToWatch": {"__rl": True, "mode": "id", "value": "f1"}},
    credentials={"googleDriveOAuth2Api": GOOGLE},
    base="/drive/v3",
)
NEW_FILES = {
    "files": [
        {"id": "a", "name": "a.txt", "createdTime": "2026-01-01T00:00:10Z", "modifiedTime": "2026-01-01T00:00:20Z"},
        {"id": "b", "name": "b.txt", "createdTime": "2026-01-01T00:00:30Z", "modifiedTime": "2026-01-01T00:00:30Z"},
    ]
}


def with_more(case: TriggerCase, name: str, replies: list[Reply], **parameters: object) -> TriggerCase:
    return replace(case, name=name, replies=replies, parameters={**case.parameters, **parameters})


CASES = [
    *(
        with_more(CALENDAR, on, [Reply(EVENTS, {"items": [MADE, CHANGED, OLD, GONE, LATER]})], triggerOn=on)
        for on in ("eventCreated", "eventUpdated", "eventCancelled")
    ),
    with_more(
        CALENDAR,
        "begins",
        [Reply(EVENTS, {"items": [MADE, LATER]})],
        triggerOn="eventStarted",
    ),
    with_more(CALENDAR, "ends", [Reply(EVENTS, {"items": [CHANGED, LATER]})], triggerOn="eventEnded"),
    *(
        with_more(DRIVE, on, [Reply(FILES, NEW_FILES)], event=on)
        for on in ("fileCreated", "fileUpdated", "folderCreated", "folderUpdated")
    ),
    with_more(
        DRIVE, "of a type", [Reply(FILES, NEW_FILES)], event="fileCreated", options={"fileType": "application/pdf"}
    ),
]
