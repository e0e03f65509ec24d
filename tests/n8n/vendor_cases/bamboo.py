"""Documents of BambooHR's employees and files of its company."""

from __future__ import annotations

from typing import Any

from ..action_cases import ActionCase, Answer

KEY = {"bambooHrApi": {"subdomain": "acme", "apiKey": "key-of-bamboo"}}
FILES = [{"id": number, "name": f"f{number}.pdf", "shareWithEmployee": "no"} for number in range(4)]
CATEGORIES = {
    "employee": {"id": 5},
    "categories": [
        {"id": 1, "name": "A", "files": FILES[:3]},
        {"id": 2, "name": "none"},
        {"id": 3, "name": "B", "files": FILES[3:]},
        {"id": 4, "name": "empty", "files": []},
    ],
}
UNSENT = frozenset({"name", "categoryId"})
"""Fields of a file of the company that n8n offers and never sends."""


def _case(
    resource: str, operation: str, method: str, path: str, body: Any = None, name: str = "", **more: Any
) -> ActionCase:
    given = {"resource": resource, "operation": operation, "fileId": "7", **more}
    place = "/employees/5/files" if resource == "employeeDocument" else "/files"
    at = f"/api/gateway.php/acme/v1{place}{path}"
    file = operation == "download"
    answers = [Answer(at, body, method, file=file), Answer(at.removesuffix("/"), body, method, file=file)]
    return ActionCase(
        "bambooHr",
        {**given, "employeeId": "5"} if resource == "employeeDocument" else given,
        answers,
        credentials=KEY,
        hidden=UNSENT if resource == "file" else frozenset(),
        name=name,
    )


CASES: list[ActionCase] = [
    one
    for kind in ("employeeDocument", "file")
    for one in (
        _case(kind, "delete", "DELETE", "/7"),
        _case(kind, "download", "GET", "/7/", "the content", output="file"),
        _case(kind, "getAll", "GET", "/view/", CATEGORIES, limit=2),
        _case(kind, "getAll", "GET", "/view/", CATEGORIES, "all", returnAll=True),
        _case(kind, "getAll", "GET", "/view/", CATEGORIES, "whole", simplifyOutput=False, limit=3),
        _case(kind, "update", "POST", "/7", None, "shared", updateFields={"shareWithEmployee": True, "name": "N"}),
        _case(kind, "update", "POST", "/7", None, "not shared", updateFields={"shareWithEmployee": False}),
        _case(kind, "update", "POST", "/7", None, "no word of it", updateFields={"name": "N", "categoryId": "3"}),
    )
]
