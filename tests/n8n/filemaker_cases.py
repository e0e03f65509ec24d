"""FileMaker."""

from __future__ import annotations

from typing import Any

from .action_cases import ActionCase, Answer

CREDENTIALS = {"fileMaker": {"host": "service.example", "db": "Shop", "login": "ada", "password": "pass-of-ada"}}
BASE = "/fmi/data/v1/databases/Shop"
LAYOUT = f"{BASE}/layouts/People"
FIELDS = {"fields": [{"name": "Name", "value": "N"}, {"name": "City", "value": ""}]}
SORTED = {"setSort": True, "sortParametersUi": {"rules": [{"name": "Name", "value": "descend"}]}}
SCRIPTS = {
    "setScriptBefore": True,
    "scriptBefore": "Prepare",
    "scriptBeforeParam": "a",
    "setScriptSort": True,
    "scriptSort": "Arrange",
    "scriptSortParam": "b",
    "setScriptAfter": True,
    "scriptAfter": "Finish",
    "scriptAfterParam": "c",
}
QUERIES = {
    "query": [
        {"fields": {"field": [{"name": "Name", "value": "N*"}, {"name": "City", "value": "x"}]}},
        {"fields": {"field": [{"name": "Age", "value": ">3"}]}, "omit": True},
    ]
}
FOUND = {
    "response": {"dataInfo": {"returnedCount": 1}, "data": [{"fieldData": {"Name": "N"}, "recordId": "7"}]},
    "messages": [{"code": "0", "message": "OK"}],
}


def filemaker(action: str, path: str, name: str = "", **more: Any) -> ActionCase:
    """n8n sends the login's user and password a second time, as if for a source outside of the server; and where a
    script comes last, its name once more as its parameter."""
    hidden = frozenset({"fmDataSource", *more.pop("hidden", ())})
    session = {"response": {"token": "token-of-session"}, "messages": [{"code": "0", "message": "OK"}]}
    answers = [
        Answer(f"{BASE}/sessions", session, "POST"),
        Answer(path, FOUND),
        Answer(f"{BASE}/sessions/token-of-session", {"response": {}, "messages": []}, "DELETE"),
    ]
    given = {"action": action, "layout": "People", **more}
    label = " ".join(filter(None, (action, name)))
    return ActionCase("filemaker", given, answers, credentials=CREDENTIALS, hidden=hidden, name=label)


CASES = [
    filemaker("create", f"{LAYOUT}/records", fieldsParametersUi=FIELDS),
    filemaker("create", f"{LAYOUT}/records", "empty"),
    filemaker("delete", f"{LAYOUT}/records/7", recid=7),
    filemaker("duplicate", f"{LAYOUT}/records/7", recid=7),
    filemaker("edit", f"{LAYOUT}/records/7", recid=7, fieldsParametersUi=FIELDS, modId=3, hidden=["modId"]),
    filemaker("find", f"{LAYOUT}/_find", queries=QUERIES, responseLayout="Short", limit=5, **SORTED),
    filemaker("find", f"{LAYOUT}/_find", "scripts", queries=QUERIES, **SCRIPTS, hidden=["script.param"]),
    filemaker("records", f"{LAYOUT}/records", offset=11, limit=5),
    filemaker("records", f"{LAYOUT}/records", "portals", getPortals=True, portals=["Orders", "Bills"]),
    filemaker("records", f"{LAYOUT}/records", "scripts", **SCRIPTS, hidden=["script.param"]),
    filemaker("record", f"{LAYOUT}/records/7", recid=7),
    filemaker("record", f"{LAYOUT}/records/7", "portals", recid=7, getPortals=True, portals=["Orders"]),
    filemaker("performscript", f"{LAYOUT}/script/Count%20all", script="Count all", scriptParam="x"),
]
