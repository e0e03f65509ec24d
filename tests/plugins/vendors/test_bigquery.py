"""Google BigQuery: jobs that take time, pages, batches, and what n8n's own node cannot show."""

from __future__ import annotations

from typing import Any

import pytest
from loopback import Loopback, Seen, reply
from service_lab import Services
from vendor_lab import Lab

from jackfield.api.nodes import NodeError
from jackfield.testing.node_runs import items
from jackfield_vendors.functions import bigquery

GOOGLE = ("googleBigQueryOAuth2Api", {"accessToken": "token-of-google"})
PLACE = {"projectId": "p1", "datasetId": "d1", "tableId": "t1"}
SCHEMA: Any = {"fields": [{"name": "id", "type": "INTEGER", "mode": "REQUIRED"}, {"name": "more", "type": "RECORD"}]}


@pytest.fixture
def services(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Services:
    return Services(lab, monkeypatch)


async def test_all_pages_of_a_slow_job_come(services: Services, server: Loopback) -> None:
    schema = {"fields": [{"name": "n", "type": "INTEGER"}]}
    waits = [{"jobComplete": False}]

    def answer(seen: Seen) -> bytes:
        if seen.method == "POST":
            return reply({"jobReference": {"jobId": "j1", "location": "EU"}})
        if waits:
            return reply(waits.pop())
        page = int(seen.target.partition("pageToken=")[2].partition("&")[0] or 0)
        rows = [{"f": [{"v": str(page * 100 + n)}]} for n in range(100)]
        return reply(
            {"jobComplete": True, "schema": schema, "rows": rows, **({"pageToken": str(page + 1)} if page < 2 else {})}
        )

    server.answer = answer
    wanted = {
        "resource": "database",
        "operation": "executeQuery",
        "projectId": "p1",
        "sqlQuery": "SELECT 1",
        "options": {"returnAsNumbers": True},
    }
    made = await services.run("googleBigQuery", 2.1, wanted, credential=GOOGLE)
    assert [one["json"] for one in made] == [{"n": n} for n in range(300)]
    assert len(server.seen) == 5


async def test_rows_go_in_batches(services: Services, server: Loopback) -> None:
    server.answer = lambda seen: reply({"schema": SCHEMA} if seen.method == "GET" else {"kind": "k"})
    wanted = {
        "resource": "database",
        "operation": "insert",
        **PLACE,
        "dataMode": "autoMap",
        "options": {"batchSize": 2},
    }
    made = await services.run(
        "googleBigQuery", 2.1, wanted, *items(*({"id": n, "more": {}} for n in range(5))), credential=GOOGLE
    )
    assert [len(one.json["rows"]) for one in server.seen[1:]] == [2, 2, 1]
    assert len({one.json["traceId"] for one in server.seen[1:]}) == 1
    assert [one["json"] for one in made] == [{"kind": "k"}] * 3


@pytest.mark.parametrize(
    ("row", "told"), [({"more": {}}, "'id' is required"), ({"id": 1, "more": "x{"}, "'more' is a record")]
)
def test_a_row_that_the_schema_forbids(row: Any, told: str) -> None:
    with pytest.raises(NodeError, match=told):
        bigquery.batches({"schema": SCHEMA, "items": [row], "parameters": [{"dataMode": "autoMap"}]})


def test_a_table_without_a_schema() -> None:
    with pytest.raises(NodeError, match="no defined schema"):
        bigquery.batches({"items": [], "parameters": []})


def test_rows_that_were_refused_are_named() -> None:
    errors = [
        {"index": 1, "errors": [{"reason": "invalid", "message": "bad"}]},
        {"index": 0, "errors": [{"reason": "stopped", "message": ""}]},
    ]
    answers: Any = [{}, {"insertErrors": errors}]
    with pytest.raises(NodeError, match=r"item\(s\) \[101\]: bad"):
        bigquery.inserted({"answers": answers})
    assert bigquery.inserted({"answers": answers, "skip": True}) == answers


def test_raw_answers_have_the_rows_of_all_pages() -> None:
    given: Any = {"answer": {"jobComplete": True, "rows": [1]}, "more": [2], "raw": True}
    assert bigquery.rows(given) == {"jobComplete": True, "rows": [1, 2]}
    assert bigquery.rows({"answer": {}}) == {"success": True}
