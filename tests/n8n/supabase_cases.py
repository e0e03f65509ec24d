"""Supabase."""

from __future__ import annotations

from typing import Any

from .action_cases import ActionCase, Answer

CREDENTIALS = {"supabaseApi": {"host": "{service}", "serviceRole": "role-of-supabase"}}
ROWS = [{"id": 1, "name": "N", "note": None}]
CONDITIONS = [
    {"keyName": "id", "condition": "eq", "keyValue": "1"},
    {"keyName": "name", "condition": "ilike", "keyValue": "%n%"},
]
FIELDS = {"fieldValues": [{"fieldId": "name", "fieldValue": "N"}, {"fieldId": "n", "fieldValue": "5"}]}


def supabase(operation: str, method: str, name: str = "", fails: str = "", **more: Any) -> ActionCase:
    given = {"resource": "row", "operation": operation, "tableId": "people", **more}
    hidden = frozenset({"offset", "limit"} if more.get("returnAll") else {"offset"})
    answers = [Answer("/rest/v1/people", ROWS, method)]
    items = [{"json": {"name": "N", "n": 5, "other": "x"}}]
    return ActionCase("supabase", given, answers, 1, CREDENTIALS, items, hidden=hidden, name=name, fails=fails)


CASES = [
    supabase("create", "POST", fieldsUi=FIELDS),
    supabase("create", "POST", "automatic", dataToSend="autoMapInputData", inputsToIgnore="other"),
    supabase("delete", "DELETE", filters={"conditions": CONDITIONS}, matchType="allFilters"),
    supabase("delete", "DELETE", "any", filters={"conditions": CONDITIONS}),
    supabase("delete", "DELETE", "text", filterType="string", filterString="id=eq.1&name=like.a*"),
    *(
        supabase(one, "", f"nothing {match}", matchType=match, fails="at least one select condition")
        for one in ("delete", "update")
        for match in ("anyFilter", "allFilters")
    ),
    supabase("get", "GET", filters={"conditions": [{"keyName": "id", "keyValue": "1"}]}),
    supabase("getAll", "GET", "any", filterType="manual", filters={"conditions": CONDITIONS}, limit=5),
    supabase("getAll", "GET", filterType="manual", matchType="allFilters", filters={"conditions": CONDITIONS}, limit=5),
    supabase("getAll", "GET", "text", filterType="string", filterString="id=eq.1&name=like.a*", limit=5),
    supabase("getAll", "GET", "all of them", filterType="none", returnAll=True),
    supabase("update", "PATCH", fieldsUi=FIELDS, matchType="allFilters", filters={"conditions": CONDITIONS}),
    supabase("update", "PATCH", "any", fieldsUi=FIELDS, filters={"conditions": CONDITIONS}),
]
