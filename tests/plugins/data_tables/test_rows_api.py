"""Rows over the API: pages that follow one another, rows that come back, and the workflows that name a table."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

COLUMNS = [{"name": "item", "type": "string"}, {"name": "count", "type": "number"}, {"name": "day", "type": "date"}]


def made(api: httpx.Client, name: str, count: int = 0) -> str:
    answer = api.post("/data-tables", json={"name": name, "columns": COLUMNS}).raise_for_status()
    path = f"/data-tables/{answer.json()['id']}"
    if count:
        rows = [{"item": f"n {n}", "count": n % 5 or None, "day": "2026-01-31"} for n in range(count)]
        api.post(f"{path}/rows", json={"data": rows}).raise_for_status()
    return path


def page(api: httpx.Client, path: str, **query: object) -> dict[str, Any]:
    return dict(api.get(f"{path}/rows", params={"limit": 7, **query}).raise_for_status().json())  # type: ignore[dict-item]  # what a test says


@pytest.mark.parametrize("sort", ["id", "item", "count", "day", "createdAt"])
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_pages_follow_one_another(api: httpx.Client, sort: str, order: str) -> None:
    path = made(api, f"followed {sort} {order}", 30)
    query = {"sortBy": sort, "order": order}
    whole = [row["id"] for row in page(api, path, limit=100, **query)["data"]]
    found, after = [], None
    while True:
        got = page(api, path, **query, **({"after": after} if after else {}))
        assert got["total"] == (None if after else 30)
        if not got["data"]:
            break
        found += [row["id"] for row in got["data"]]
        after = got["after"]
    assert found == whole


def test_rows_that_go_shift_no_page_that_follows(api: httpx.Client) -> None:
    path = made(api, "shifted", 20)
    first = page(api, path)
    where = json.dumps({"filters": [{"columnName": "id", "condition": "lte", "value": 7}]})
    api.delete(f"{path}/rows/delete", params={"filter": where}).raise_for_status()
    assert [row["id"] for row in page(api, path, after=first["after"])["data"]] == list(range(8, 15))


@pytest.mark.parametrize("after", ["x", "[]", "[1]", '["1",null]', "[true,null]", '[1,"text"]', "[1,1.5e999]", "{}"])
def test_a_place_that_is_none_is_refused(api: httpx.Client, after: str) -> None:
    found = api.get("/data-tables", params={"search": "no place"}).json()["data"]
    path = f"/data-tables/{found[0]['id']}" if found else made(api, "no place", 3)
    answer = api.get(f"{path}/rows", params={"after": after, "sortBy": "count"})
    assert (answer.status_code, list(answer.json()["details"])) == (400, ["after"])


def test_a_cell_that_is_too_long_is_no_place(api: httpx.Client) -> None:
    path = made(api, "long cells")
    api.post(f"{path}/rows", json={"data": [{"item": "x" * 3000}]}).raise_for_status()
    assert page(api, path, sortBy="item")["after"] is None
    assert page(api, path)["after"] == "[1,1]"


def test_deleted_rows_come_back_with_their_ids_and_times(api: httpx.Client) -> None:
    path = made(api, "restored", 9)
    whole = page(api, path, limit=100)["data"]
    where = json.dumps({"filters": [{"columnName": "count", "condition": "eq", "value": 3}]})
    gone = api.delete(f"{path}/rows/delete", params={"filter": where, "returnData": "true"}).json()
    assert [row["id"] for row in gone] == [4, 9]
    assert api.post(f"{path}/rows/restore", json={"data": gone}).json() == {"restoredCount": 2}
    assert page(api, path, limit=100)["data"] == whole
    assert api.post(f"{path}/rows/restore", json={"data": gone}).json() == {"restoredCount": 0}
    assert api.post(f"{path}/rows", json={"data": [{}], "returnType": "id"}).json() == [{"id": 10}]
    for row_id in (11, 0, "4", True, None):
        answer = api.post(f"{path}/rows/restore", json={"data": [{**gone[0], "id": row_id}]})
        assert (answer.status_code, list(answer.json()["details"])) == (400, ["data"])


def test_the_rows_that_a_search_finds_are_deleted(api: httpx.Client) -> None:
    path = made(api, "searched", 12)
    nothing = api.delete(f"{path}/rows/delete", params={"filter": "{}"})
    assert "Filter is required" in nothing.json()["message"]
    api.delete(f"{path}/rows/delete", params={"filter": "{}", "search": "n 1"}).raise_for_status()
    assert [row["item"] for row in page(api, path, limit=100)["data"]] == [f"n {n}" for n in (0, *range(2, 10))]


def test_workflows_that_name_a_table_are_listed(api: httpx.Client) -> None:
    path = made(api, "Named (by) %_ workflows")
    table = path.rpartition("/")[2]

    def saved(name: str, chosen: object, kind: str = "n8n-nodes-base.dataTable") -> str:
        node = {"id": "a", "name": "Rows", "type": kind, "typeVersion": 1, "position": [0, 0]}
        node["parameters"] = {"dataTableId": chosen}
        body = {"name": name, "nodes": [node], "connections": {}, "settings": {}}
        return str(api.post("/workflows", json=body).raise_for_status().json()["id"])

    by_id = saved("By id", {"__rl": True, "mode": "list", "value": table})
    by_name = saved("By name", {"__rl": True, "mode": "name", "value": "Named (by) %_ workflows"})
    plain = saved("Plain", table)
    for other in ({"__rl": True, "mode": "id", "value": "other"}, {"mode": "id", "value": "Named (by) %_ workflows"}):
        saved("Other", other)
    saved("No such node", table, "n8n-nodes-base.noOp")
    found = api.get(f"{path}/workflows").raise_for_status().json()
    assert {each["id"]: (each["name"], each["active"], each["nodes"]) for each in found["data"]} == {
        by_id: ("By id", False, ["Rows"]), by_name: ("By name", False, ["Rows"]), plain: ("Plain", False, ["Rows"]),
    }  # fmt: skip
    assert found["truncated"] is False
    assert api.get("/data-tables/nope/workflows").status_code == 404
