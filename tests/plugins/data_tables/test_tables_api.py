"""`/data-tables` of a real daemon, for our own clients and for n8n's."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon

COLUMNS = [
    {"name": "name", "type": "string"},
    {"name": "age", "type": "number"},
    {"name": "open", "type": "boolean"},
    {"name": "born", "type": "date"},
]
PEOPLE = [
    {"name": "Ada", "age": 36, "open": True, "born": "1815-12-10"},
    {"name": "Bob", "age": "7.5", "open": "false", "born": "2020-02-03T04:05:06+02:00"},
    {"name": "", "age": None},
]


def made(api: httpx.Client, name: str, rows: list[dict[str, Any]] | None = None) -> str:
    answer = api.post("/data-tables", json={"name": name, "columns": COLUMNS})
    assert answer.status_code == 201, answer.text
    path = f"/data-tables/{answer.json()['id']}"
    if rows:
        done = api.post(f"{path}/rows", json={"data": rows})
        assert done.json() == {"success": True, "insertedRows": len(rows)}, done.text
    return path


def where(*conditions: tuple[str, str, Any], kind: str = "and") -> str:
    filters = [{"columnName": name, "condition": each, "value": value} for name, each, value in conditions]
    return json.dumps({"type": kind, "filters": filters})


def test_rows_come_back_typed_filtered_sorted_and_in_pages(api: httpx.Client) -> None:
    path = made(api, "typed", PEOPLE)
    page = api.get(f"{path}/rows").json()
    assert (page["total"], page["offset"], page["limit"]) == (3, 0, 100)
    first, second, third = page["data"]
    assert {key: first[key] for key in ("id", "name", "age", "open", "born")} == {
        "id": 1, "name": "Ada", "age": 36, "open": True, "born": "1815-12-10T00:00:00.000Z",
    }  # fmt: skip
    assert (second["age"], second["open"], second["born"]) == (7.5, False, "2020-02-03T02:05:06.000Z")
    assert (third["name"], third["age"], third["open"], third["born"]) == ("", None, None, None)
    assert first["createdAt"] == first["updatedAt"]
    adult = api.get(f"{path}/rows", params={"filter": where(("age", "gt", 10))}).json()
    assert [row["name"] for row in adult["data"]] == ["Ada"]
    either = where(("age", "gt", 10), ("name", "isEmpty", None), kind="or")
    assert [row["id"] for row in api.get(f"{path}/rows", params={"filter": either}).json()["data"]] == [1, 3]
    sort = {"sortBy": "age", "order": "desc", "limit": "1", "offset": "1"}
    sorted_page = api.get(f"{path}/rows", params=sort).json()
    assert ([row["id"] for row in sorted_page["data"]], sorted_page["total"]) == ([2], 3)
    assert [row["id"] for row in api.get(f"{path}/rows", params={"search": "AD"}).json()["data"]] == [1]


def test_rows_are_changed_and_deleted_by_filter(api: httpx.Client) -> None:
    path = made(api, "changed", PEOPLE)
    grown = {"filter": json.loads(where(("name", "eq", "Ada"))), "data": {"age": 37}}
    before, after = api.patch(f"{path}/rows/update", json={**grown, "dryRun": True}).json()
    assert (before["age"], before["dryRunState"], after["age"], after["dryRunState"]) == (36, "before", 37, "after")
    assert api.get(f"{path}/rows").json()["data"][0]["age"] == 36
    assert api.patch(f"{path}/rows/update", json=grown).json() is True
    (shown,) = api.patch(f"{path}/rows/update", json={**grown, "returnData": True}).json()
    assert shown["age"] == 37
    fresh = {"filter": json.loads(where(("name", "eq", "Eve"))), "data": {"name": "Eve"}, "returnData": True}
    assert [api.post(f"{path}/rows/upsert", json=fresh).json()[0]["id"] for _ in range(2)] == [4, 4]
    gone = {"filter": where(("id", "gte", 3)), "returnData": "true"}
    dry = api.delete(f"{path}/rows/delete", params={**gone, "dryRun": "true"}).json()
    assert [(row["id"], row["dryRunState"]) for row in dry] == [
        (3, "before"), (None, "after"), (4, "before"), (None, "after"),
    ]  # fmt: skip
    assert [row["id"] for row in api.delete(f"{path}/rows/delete", params=gone).json()] == [3, 4]
    assert api.delete(f"{path}/rows/clear").json() == {"deletedCount": 2}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"age": "old"}, "'age' expects a number but we got 'old'"),
        ({"open": "perhaps"}, "'open' expects a boolean but we got 'perhaps'"),
        ({"born": "some day"}, "'born' expects a dateTime but we got 'some day'"),
        ({"height": 1}, "unknown column name 'height'"),
        ({"id": 9}, "unknown column name 'id'"),
        ({"age": "1e999"}, "'age' expects a number"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_and_nothing_is_added(
    api: httpx.Client, row: dict[str, Any], words: str
) -> None:
    path = made(api, f"refused {row}")
    answer = api.post(f"{path}/rows", json={"data": [{"name": "fits"}, row]})
    assert answer.status_code == 400
    assert words in answer.json()["message"]
    assert api.get(f"{path}/rows").json()["total"] == 0


@pytest.mark.parametrize(
    ("method", "below", "given", "words"),
    [
        ("GET", "/rows", {"params": {"filter": "[1]"}}, "Invalid filter format"),
        ("GET", "/rows", {"params": {"filter": where(("nope", "eq", 1))}}, "unknown column name 'nope'"),
        ("GET", "/rows", {"params": {"filter": where(("age", "like", 1))}}, "LIKE filter value must be a string"),
        ("GET", "/rows", {"params": {"filter": where(("age", "gt", None))}}, "GT filter value cannot be null"),
        ("GET", "/rows", {"params": {"sortBy": "nope"}}, "unknown column name 'nope'"),
        ("GET", "/rows", {"params": {"nope": "1"}}, "nope"),
        ("DELETE", "/rows/delete", {"params": {"filter": "{}"}}, "Filter is required"),
        ("PATCH", "/rows/update", {"json": {"filter": {}, "data": {"age": 1}}}, "Filter must not be empty"),
        ("POST", "/columns", {"json": {"name": "1st", "type": "string"}}, "name"),
        ("POST", "/columns", {"json": {"name": "x", "type": "json"}}, "type"),
        ("POST", "/csv", {"content": b"name\n\xff\n", "headers": {"content-type": "text/csv"}}, "UTF-8"),
        ("POST", "/csv", {"content": b"nope\n1\n", "headers": {"content-type": "text/csv"}}, "nope"),
        ("POST", "/csv", {"content": b"age\nx\n", "headers": {"content-type": "text/csv"}}, "expects a number"),
        (
            "POST",
            "/csv",
            {"content": b'name,age\n"a\nb",1\n\nc,x\n', "headers": {"content-type": "text/csv"}},
            "line 5",
        ),
        ("POST", "/csv", {"content": b"name\na,b\n", "headers": {"content-type": "text/csv"}}, "line 2"),
    ],
)
def test_bad_requests_say_what_is_wrong(
    api: httpx.Client, method: str, below: str, given: dict[str, Any], words: str
) -> None:
    path = api.get("/data-tables", params={"search": "bad requests"}).json()["data"]
    found = f"/data-tables/{path[0]['id']}" if path else made(api, "bad requests", PEOPLE)
    answer = api.request(method, found + below, **given)
    assert answer.status_code == 400, answer.text
    assert words in answer.text
    assert api.get(f"{found}/rows").json()["total"] == 3


def test_columns_come_move_and_go(api: httpx.Client) -> None:
    path = made(api, "columns", PEOPLE)
    added = api.post(f"{path}/columns", json={"name": "note", "type": "string", "index": 0})
    assert (added.status_code, added.json()["index"]) == (201, 0)
    moved = api.patch(f"{path}/columns/{added.json()['id']}", json={"name": "remark", "index": 2}).json()
    assert (moved["name"], moved["index"]) == ("remark", 2)
    assert [each["name"] for each in api.get(f"{path}/columns").json()] == ["name", "age", "remark", "open", "born"]
    assert api.post(f"{path}/columns", json={"name": "age", "type": "string"}).status_code == 409
    assert api.post(f"{path}/columns", json={"name": "createdAt", "type": "string"}).status_code == 409
    assert api.delete(f"{path}/columns/{moved['id']}").status_code == 204
    assert api.delete(f"{path}/columns/{moved['id']}").status_code == 404
    assert "remark" not in api.get(f"{path}/rows").json()["data"][0]


def test_tables_are_listed_renamed_and_deleted(api: httpx.Client) -> None:
    path = made(api, "first of list")
    made(api, "second of list", PEOPLE)
    query = {"search": "OF LIST", "sortBy": "name", "order": "asc"}
    page = api.get("/data-tables", params=query).json()
    assert ([each["name"] for each in page["data"]], page["total"]) == (["first of list", "second of list"], 2)
    assert page["data"][1]["rows"] == 3
    assert api.post("/data-tables", json={"name": "first of list", "columns": []}).status_code == 409
    assert api.patch(path, json={"name": "second of list"}).status_code == 409
    assert api.patch(path, json={"name": "other"}).json()["name"] == "other"
    assert api.delete(path).status_code == 204
    assert [api.request(method, path).status_code for method in ("GET", "DELETE")] == [404, 404]


def test_csv_has_the_rows_that_are_asked_for_in_their_order(api: httpx.Client) -> None:
    path = made(api, "csv of some", PEOPLE)
    asked = {"filter": where(("age", "gt", 1)), "sortBy": "age", "systemColumns": "false"}
    lines = api.get(f"{path}/csv", params=asked).text.splitlines()
    assert [line.split(",")[0] for line in lines] == ["name", "Bob", "Ada"]
    found = api.get(f"{path}/csv", params={"search": "AD", "order": "desc"}).text.splitlines()
    assert [line.split(",")[0] for line in found] == ["id", "1"]
    refused = api.get(f"{path}/csv", params={"sortBy": "nope"})
    assert (refused.status_code, refused.json()["details"]) == (400, {"sortBy": "name a column"})


def test_csv_goes_out_and_comes_in(api: httpx.Client) -> None:
    path = made(api, "csv", [*PEOPLE, {"name": 'a "b", c\nd'}])
    written = api.get(f"{path}/csv")
    assert written.headers["content-type"].startswith("text/csv")
    assert written.text.splitlines()[0] == "id,name,age,open,born,createdAt,updatedAt"
    own = api.get(f"{path}/csv", params={"systemColumns": "false"}).content
    assert own.splitlines()[1] == b"Ada,36,true,1815-12-10T00:00:00.000Z"
    headers = {"content-type": "text/csv"}
    into = api.post(f"{path}/csv", content=written.content, headers=headers).json()
    assert (into["importedRowCount"], into["systemColumnsIgnored"]) == (4, ["id", "createdAt", "updatedAt"])
    fresh = api.post("/data-tables/csv", params={"name": "from csv"}, content=own, headers=headers)
    assert fresh.status_code == 201
    assert [each["type"] for each in fresh.json()["table"]["columns"]] == ["string", "number", "boolean", "date"]
    again = api.get(f"/data-tables/{fresh.json()['table']['id']}/csv", params={"systemColumns": "false"}).content
    assert again == own
    bad = api.post("/data-tables/csv", params={"name": "half"}, content=b"n\n" + b"1\n" * 200 + b"x\n", headers=headers)
    assert bad.status_code == 400
    assert api.get("/data-tables", params={"search": "half"}).json()["total"] == 0


def test_a_viewer_reads_and_a_key_needs_its_scope(daemon: Daemon, api: httpx.Client) -> None:
    path = made(api, "scoped", PEOPLE)
    key = api.post("/api-keys", json={"name": "reader", "scopes": ["data-tables:read"]}).json()["key"]
    with httpx.Client(base_url=api.base_url, headers={"X-API-Key": key}, trust_env=False) as reader:
        assert reader.get(f"{path}/rows").status_code == 200
        assert reader.post(f"{path}/rows", json={"data": []}).status_code == 403
        assert reader.get("/workflows").status_code == 403


def test_the_sizes_of_tables_are_bounded(tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("bounded")
    small = Daemon(place, settings="[data_tables]\nmax_size = 2048\nmax_tables = 1\nmax_columns = 4\n")
    try:
        api = small.start().admin()
        path = made(api, "small")
        answer = api.post(f"{path}/rows", json={"data": [{"name": "x" * 3000}]})
        assert (answer.status_code, "size limit exceeded" in answer.text) == (400, True)
        assert api.post(f"{path}/rows", json={"data": [{"name": "x" * 900}]}).status_code == 200
        assert api.post(f"{path}/columns", json={"name": "more", "type": "string"}).status_code == 400
        assert "max_tables" in api.post("/data-tables", json={"name": "more"}).text
    finally:
        small.close()


def test_a_hundred_thousand_rows_are_paged_at_once(api: httpx.Client) -> None:
    path = made(api, "large")
    for start in range(0, 100_000, 10_000):
        rows = [{"name": f"name {n}", "age": n, "open": n % 2 == 0} for n in range(start, start + 10_000)]
        assert api.post(f"{path}/rows", json={"data": rows}, timeout=60).status_code == 200
    deep = {"offset": "99900", "sortBy": "age", "order": "desc", "filter": where(("open", "eq", True))}
    for query in ({"offset": "99900"}, deep, {"search": "name 9999"}):
        answer = api.get(f"{path}/rows", params=query)
        assert answer.elapsed.total_seconds() < 2, query
        assert answer.json()["total"] in (100_000, 50_000, 11)


def test_n8ns_clients_get_n8ns_shapes(daemon: Daemon, api: httpx.Client) -> None:
    key = api.post("/api-keys", json={"name": "n8n"}).json()["key"]
    with httpx.Client(base_url=api.base_url, headers={"X-N8N-API-KEY": key}, trust_env=False, timeout=30) as n8n:
        table = n8n.post("/data-tables", json={"name": "n8n one", "columns": COLUMNS})
        assert (table.status_code, table.json()["projectId"], table.json()["sizeBytes"]) == (201, "jackfield", 0)
        path = f"/data-tables/{table.json()['id']}"
        rows = n8n.post(f"{path}/rows", json={"data": PEOPLE, "returnType": "all"}).json()
        assert [row["id"] for row in rows] == [1, 2, 3]
        assert n8n.post(f"{path}/rows", json={"data": [{}], "returnType": "id"}).json() == [{"id": 4}]
        first = n8n.get(f"{path}/rows", params={"limit": "3", "sortBy": "id:desc"}).json()
        assert [row["id"] for row in first["data"]] == [4, 3, 2]
        rest = n8n.get(f"{path}/rows", params={"cursor": first["nextCursor"], "sortBy": "id:desc"}).json()
        assert ([row["id"] for row in rest["data"]], rest["nextCursor"]) == ([1], None)
        listed = n8n.get("/data-tables", params={"filter": json.dumps({"name": "N8N"}), "sortBy": "name:asc"}).json()
        assert ([each["name"] for each in listed["data"]], listed["nextCursor"]) == (["n8n one"], None)
        assert n8n.get("/data-tables", params={"filter": '{"projectId": "other"}'}).json()["data"] == []
        assert n8n.get("/data-tables", params={"filter": '{"nope": 1}'}).status_code == 400
        assert n8n.get("/data-tables", params={"sortBy": "nope:asc"}).status_code == 400
        assert n8n.delete(path).status_code == 204
