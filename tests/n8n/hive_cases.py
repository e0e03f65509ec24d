"""TheHive 5."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .action_cases import ActionCase, Answer, Row

HIVE = {"theHiveProjectApi": {"url": "{service}", "ApiKey": "key-of-hive"}}
FILES = "n8n gives the files beside the body"
FILTERS = {
    "values": [
        {"field": "title", "value": "T"},
        {"field": "tags", "operator": "_in", "values": "a, b"},
        {"field": "severity", "operator": "_between", "from": "1", "to": "3"},
    ]
}
SORT = {"fields": [{"field": "title", "direction": "desc"}]}
TEXT = {"file": {"data": "eA==", "mimeType": "text/plain", "fileName": "x.txt"}}
COLUMNS = [{"id": "title", "required": True}, {"id": "customFields.site"}, {"id": "startDate"}]


def row(mode: str, value: str) -> Row:
    return {"__rl": True, "mode": mode, "value": value}


def hive(
    resource: str,
    operation: str,
    *answers: Answer,
    name: str = "",
    items: Sequence[Row] = (),
    hidden: Sequence[str] = (),
    unlike: str = "",
    fails: str = "",
    **more: Any,
) -> ActionCase:
    given = {"resource": resource, "operation": operation, **more}
    return ActionCase(
        "theHiveProject",
        given,
        answers,
        credentials=HIVE,
        items=items,
        name=name,
        hidden=frozenset(hidden),
        unlike=unlike,
        fails=fails,
    )


def asked(*bodies: Any) -> list[Answer]:
    return [Answer("/api/v1/query", body, "POST") for body in bodies]


def mapped(name: str, value: Row, *columns: str) -> Row:
    return {name: {"mappingMode": "defineBelow", "value": value, "matchingColumns": list(columns)}}


def automatic(name: str, *columns: str) -> Row:
    return {name: {"mappingMode": "autoMapInputData", "schema": COLUMNS, "matchingColumns": list(columns)}}


def searched(resource: str, name: str = "", **more: Any) -> ActionCase:
    return hive(resource, "search", *asked([{"_id": "~1"}]), name=name, limit=5, **more)


def deleted(resource: str) -> ActionCase:
    operation = f"delete{resource.capitalize()}"
    answer = Answer(f"/api/v1/{resource}/~1", None, "DELETE", 204)
    return hive(resource, operation, answer, **{f"{resource}Id": row("id", "~1")})


def responded(resource: str) -> ActionCase:
    begun = Answer("/api/connector/cortex/action", {"cortexId": "c", "objectId": "~1", "startDate": 5}, "POST")
    done = asked([{"status": "Success"}])
    of = row("id", "~1") if resource in ("alert", "case") else "~1"  # n8n sends the others' locator as it is
    return hive(resource, "executeResponder", begun, *done, id=of, responder="r1")


def changed(resource: str, name: str, count: int, *columns: str, **value: Any) -> ActionCase:
    answers = [Answer(f"/api/v1/{resource}/{place}", None, "PATCH", 204) for place in ("~1", "_bulk")]
    found = asked([{"_id": f"~{one}"} for one in range(count)])
    field = f"{resource}UpdateFields"
    body = mapped(field, value, *columns)
    return hive(resource, "update", *answers, *found, name=name, hidden=["id"], **body)


ITEM = {"json": {"title": "T", "customFields": {"site": "S"}, "startDate": "2026-01-01T00:00:00Z", "other": 1}}
TITLED = {"title": "T", "tags": "a, b", "date": "2026-01-01T00:00:00.000Z", "customFields.site": "S"}
OBSERVABLES = {"values": [{"dataType": "ip", "data": "127.0.0.1", "message": "M", "tags": "a, b"}]}
FILE_OBSERVABLES = {"values": [{"dataType": "file", "binaryProperty": "file", "message": "M"}]}
ATTACHED = {"values": [{"field": "file"}]}
CASE = row("url", "https://hive.example/cases/~12/details")
MADE = {"_id": "~1", "title": "T"}
FILED: Row = {"items": [{"json": {}, "binary": TEXT}], "unlike": FILES}

ALERTS = [
    hive(
        "alert",
        "create",
        Answer("/api/v1/alert", MADE, "POST"),
        observableUi=OBSERVABLES,
        **mapped("alertFields", TITLED),
    ),
    hive(
        "alert",
        "create",
        Answer("/api/v1/alert", MADE, "POST"),
        name="automatic",
        items=[ITEM],
        **automatic("alertFields"),
    ),
    hive(
        "alert",
        "create",
        Answer("/api/v1/alert", MADE, "POST"),
        name="file",
        observableUi=FILE_OBSERVABLES,
        **FILED,
        **mapped("alertFields", TITLED),
    ),
    deleted("alert"),
    responded("alert"),
    hive(
        "alert",
        "get",
        Answer("/api/v1/alert/~1", MADE, "GET"),
        *asked([{"_id": "~2"}], [{"_id": "~3"}]),
        alertId=row("url", "https://hive.example/alerts/~1/details"),
        options={"includeSimilarAlerts": True, "includeSimilarCases": True},
    ),
    hive("alert", "get", Answer("/api/v1/alert/~1", MADE, "GET"), name="alone", alertId=row("id", "~1")),
    hive(
        "alert",
        "merge",
        Answer("/api/alert/~1/merge/~12", MADE, "POST"),
        alertId=row("id", "~1"),
        caseId=CASE,
    ),
    hive(
        "alert",
        "promote",
        Answer("/api/v1/alert/~1/case", MADE, "POST"),
        alertId=row("id", "~1"),
        options={"caseTemplate": "t1"},
    ),
    hive(
        "alert",
        "status",
        Answer("/api/v1/alert/~1", None, "PATCH", 204),
        alertId=row("id", "~1"),
        status="Ignored",
    ),
    searched("alert", filters=FILTERS, sort=SORT, options={"extraData": ["status"]}),
    hive("alert", "search", *asked([{"_id": "~1"}], []), name="all", returnAll=True, filters=FILTERS),
    hive("alert", "search", *asked(7), name="count", returnAll=True, sort=SORT, options={"returnCount": True}),
    changed("alert", "id", 0, "id", id="~1", tags="a,b"),
]
CASES_OF_CASES = [
    hive(
        "case",
        "addAttachment",
        Answer("/api/v1/case/~12/attachments", {"attachments": [{"_id": "~5"}]}, "POST"),
        caseId=CASE,
        attachmentsUi=ATTACHED,
        **FILED,
    ),
    hive("case", "create", Answer("/api/v1/case", MADE, "POST"), **mapped("caseFields", TITLED)),
    hive(
        "case",
        "deleteAttachment",
        Answer("/api/v1/case/~12/attachment/~5", None, "DELETE", 204),
        caseId=CASE,
        attachmentId="~5",
    ),
    deleted("case"),
    responded("case"),
    hive("case", "get", *asked([MADE]), caseId=CASE),
    hive("case", "getTimeline", Answer("/api/v1/case/~12/timeline", {"events": [{"date": 5}]}, "GET"), caseId=CASE),
    searched("case", filters=FILTERS, sort=SORT),
    changed("case", "title", 2, "title", title="T", severity=3, customFields={"site": "S"}),
    changed("case", "custom", 1, "customFields.site", severity=3, customFields={"site": "S", "b": 1}),
    hive(
        "case",
        "update",
        *asked([]),
        name="none",
        fails="no matching",
        **mapped("caseUpdateFields", {"title": "T"}, "title"),
    ),
]
TASKS = [
    hive(
        "task",
        "create",
        Answer("/api/v1/case/~12/task", MADE, "POST"),
        caseId=CASE,
        **mapped("taskFields", {"title": "T", "dueDate": "2026-01-01T00:00:00Z"}),
    ),
    deleted("task"),
    responded("task"),
    hive("task", "get", *asked([MADE]), taskId=row("id", "~1")),
    searched("task"),
    searched("task", "of a case", allCases=False, caseId=CASE),
    changed("task", "id", 0, "id", id="~1", title="T"),
    changed("task", "title", 2, "title", title="T", group="G"),
]
OBSERVED = [
    hive(
        "observable",
        "create",
        Answer("/api/v1/case/~12/observable", [MADE], "POST"),
        id=CASE,
        dataType="ip",
        data="127.0.0.1",
        **mapped("observableFields", {"tags": "a, b", "message": "M"}),
    ),
    hive(
        "observable",
        "create",
        Answer("/api/v1/alert/~1/observable", {"failure": [{"message": "No such type"}]}, "POST"),
        name="refused",
        createIn="alert",
        id=row("id", "~1"),
        dataType="ip",
        data="127.0.0.1",
        fails="no such type",
        **mapped("observableFields", {}),
    ),
    hive(
        "observable",
        "create",
        Answer("/api/v1/case/~12/observable", [MADE], "POST"),
        name="file",
        id=CASE,
        dataType="file",
        attachmentsUi=ATTACHED,
        **FILED,
        **mapped("observableFields", {"message": "M"}),
    ),
    deleted("observable"),
    hive(
        "observable",
        "executeAnalyzer",
        Answer("/api/connector/cortex/job", {"id": "j1"}, "POST"),
        Answer("/api/connector/cortex/job/j1", {"id": "j1", "status": "Success"}, "GET"),
        observableId=row("id", "~1"),
        dataType="ip",
        analyzers=["a1::c1"],
        unlike="n8n sends a body with GET",
    ),
    responded("observable"),
    hive("observable", "get", *asked([MADE]), observableId=row("id", "~1")),
    searched("observable", filters=FILTERS),
    searched("observable", "of a case", searchIn="case", caseId=CASE),
    searched("observable", "of an alert", searchIn="alert", alertId=row("id", "~1")),
    changed("observable", "id", 0, "id", id="~1", message="M"),
    changed("observable", "several", 2, "message", message="M", tlp=2),
]
LOGS = [
    hive(
        "log",
        "addAttachment",
        Answer("/api/v1/log/~1/attachments", None, "POST", 204),
        logId=row("id", "~1"),
        attachmentsUi=ATTACHED,
        **FILED,
    ),
    hive(
        "log",
        "create",
        Answer("/api/v1/task/~2/log", MADE, "POST"),
        taskId=row("id", "~2"),
        **mapped("logFields", {"message": "M"}),
    ),
    hive(
        "log",
        "create",
        Answer("/api/v1/task/~2/log", MADE, "POST"),
        name="file",
        taskId=row("id", "~2"),
        attachmentsUi=ATTACHED,
        **FILED,
        **mapped("logFields", {"message": "M"}),
    ),
    hive(
        "log",
        "deleteAttachment",
        Answer("/api/v1/log/~1/attachments/~5", None, "DELETE", 204),
        logId=row("id", "~1"),
        attachmentId="~5",
    ),
    deleted("log"),
    responded("log"),
    hive("log", "get", *asked([MADE]), logId=row("id", "~1")),
    searched("log"),
    searched("log", "of a task", allTasks=False, taskId=row("id", "~2")),
]
COMMENTS = [
    hive("comment", "add", Answer("/api/v1/case/~12/comment", MADE, "POST"), addTo="case", id=CASE, message="M"),
    deleted("comment"),
    searched("comment"),
    searched("comment", "of an alert", searchIn="alert", alertId=row("id", "~1")),
    hive("comment", "update", Answer("/api/v1/comment/~1", None, "PATCH", 204), commentId=row("id", "~1"), message="M"),
]
PAGE = {"title": "T", "category": "C", "content": "X"}
PAGES = [
    hive("page", "create", Answer("/api/v1/case/~12/page", MADE, "POST"), caseId=CASE, **PAGE),
    hive("page", "create", Answer("/api/v1/page", MADE, "POST"), name="base", location="knowledgeBase", **PAGE),
    hive("page", "deletePage", Answer("/api/v1/page/~1", None, "DELETE", 204), pageId=row("id", "~1")),
    searched("page"),
    searched("page", "of a case", searchInKnowledgeBase=False, caseId=CASE),
    hive(
        "page",
        "update",
        Answer("/api/v1/case/~12/page/~1", MADE, "PATCH"),
        caseId=CASE,
        pageId=row("id", "~1"),
        content="X",
        options={"title": "N", "order": 2},
    ),
    hive("query", "executeQuery", *asked([MADE]), queryJson='[{"_name": "listCase"}]'),
    hive("query", "executeQuery", *asked([MADE]), name="object", queryJson='{"query": [{"_name": "listCase"}]}'),
]
CASES = [*ALERTS, *CASES_OF_CASES, *TASKS, *OBSERVED, *LOGS, *COMMENTS, *PAGES]
