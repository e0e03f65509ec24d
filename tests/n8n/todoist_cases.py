"""Todoist: projects, sections, comments, labels, reminders."""

from __future__ import annotations

from typing import Any

from .action_cases import ActionCase, Answer

CREDENTIALS = {"todoistApi": {"apiKey": "key-of-todoist"}}
API = "/api/v1"


def todoist(
    resource: str, operation: str, path: str, method: str, body: Any, name: str = "", **more: Any
) -> ActionCase:
    if (named := more.pop("named", None)) is not None:
        more["name"] = named
    given = {"authentication": "apiKey", "resource": resource, "operation": operation, **more}
    return ActionCase(
        "todoist",
        given,
        [Answer(f"{API}{path}", body, method)],
        2.2,
        CREDENTIALS,
        hidden=frozenset({"uuid", "temp_id"}),
        name=name,
    )


def rows(resource: str, ident: str, changes: str) -> list[ActionCase]:
    plural, one = f"/{resource}s", {"id": "7", "name": "N", "note": None}
    return [
        todoist(resource, "delete", f"{plural}/7", "DELETE", {}, **{ident: "7"}),
        todoist(resource, "get", f"{plural}/7", "GET", one, **{ident: "7"}),
        todoist(resource, "getAll", plural, "GET", {"results": [one, one], "next_cursor": None}),
        todoist(
            resource,
            "update",
            f"{plural}/7",
            "POST",
            one,
            **{ident: "7", changes: {"content" if resource == "comment" else "name": "M"}},
        ),
    ]


CASES = [
    *rows("project", "projectId", "projectUpdateFields"),
    *rows("section", "sectionId", "sectionUpdateFields"),
    *rows("comment", "commentId", "commentUpdateFields"),
    *rows("label", "labelId", "labelUpdateFields"),
    todoist(
        "project",
        "create",
        "/projects",
        "POST",
        {"id": "7"},
        named="P",
        projectOptions={"color": "red", "is_favorite": True},
    ),
    todoist("project", "archive", "/projects/7/archive", "POST", {}, projectId="7"),
    todoist("project", "unarchive", "/projects/7/unarchive", "POST", {}, projectId="7"),
    todoist(
        "project", "getCollaborators", "/projects/7/collaborators", "GET", {"results": [{"id": "1"}]}, projectId="7"
    ),
    todoist(
        "section",
        "create",
        "/sections",
        "POST",
        {"id": "7"},
        sectionName="S",
        sectionProject={"__rl": True, "mode": "id", "value": "7"},
        sectionOptions={"order": 3},
    ),
    todoist(
        "section",
        "getAll",
        "/sections",
        "GET",
        {"results": []},
        name="of a project",
        sectionFilters={"project_id": "7"},
    ),
    todoist("comment", "create", "/comments", "POST", {"id": "7"}, commentTaskId="7", commentContent="x"),
    todoist(
        "comment",
        "getAll",
        "/comments",
        "GET",
        {"results": [{"id": "1"}]},
        name="of a task",
        commentFilters={"task_id": "7"},
    ),
    todoist(
        "label", "create", "/labels", "POST", {"id": "7"}, labelName="L", labelOptions={"color": "red", "order": 2}
    ),
    todoist(
        "task",
        "quickAdd",
        "/tasks/quick",
        "POST",
        {"id": "7", "content": "x"},
        text="Buy milk tomorrow",
        options={"note": "n", "auto_reminder": True},
    ),
    *(
        todoist(
            "reminder",
            "create",
            "/sync",
            "POST",
            {"ok": 1},
            name=kind,
            itemId="7",
            dueDateType=kind,
            reminderOptions={"type": "absolute"},
            **due,
        )
        for kind, due in (
            ("natural_language", {"natural_language_representation": "tomorrow"}),
            ("full_day", {"date": "2026-01-01"}),
            ("fixed_timezone", {"datetime": "2026-01-01T10:00:00", "timezone": "Europe/Berlin"}),
        )
    ),
    todoist(
        "reminder", "update", "/sync", "POST", {"ok": 1}, reminderId="7", reminderUpdateFields={"minute_offset": 5}
    ),
    todoist("reminder", "delete", "/sync", "POST", {"ok": 1}, reminderId="7"),
    todoist("reminder", "getAll", "/sync", "POST", {"reminders": [{"id": "1"}]}),
]
