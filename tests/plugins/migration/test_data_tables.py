"""Data tables move in from n8n's database, with their ids, rows and times, once."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sealing import sealed

from jackfield.testing.daemon import Daemon

TABLES = """
CREATE TABLE x_workflow_entity (id TEXT, name TEXT, active INTEGER, nodes TEXT, connections TEXT, settings TEXT);
CREATE TABLE x_credentials_entity (id TEXT, name TEXT, type TEXT, data TEXT);
CREATE TABLE x_data_table (id TEXT, name TEXT, projectId TEXT, createdAt TEXT, updatedAt TEXT);
CREATE TABLE x_data_table_column (id TEXT, dataTableId TEXT, name TEXT, type TEXT, "index" INTEGER);
CREATE TABLE x_data_table_user_Table00000000001 (id INTEGER PRIMARY KEY, name TEXT, age REAL, open BOOLEAN,
    born DATETIME, createdAt DATETIME, updatedAt DATETIME);
CREATE TABLE x_data_table_user_Empty00000000001 (id INTEGER PRIMARY KEY, createdAt DATETIME, updatedAt DATETIME);
INSERT INTO x_data_table VALUES ('Table00000000001', 'Moved', 'p', '', ''), ('Empty00000000001', 'Empty', 'p', '', '');
INSERT INTO x_data_table_column VALUES ('c2', 'Table00000000001', 'age', 'number', 1),
    ('c1', 'Table00000000001', 'name', 'string', 0), ('c3', 'Table00000000001', 'open', 'boolean', 2),
    ('c4', 'Table00000000001', 'born', 'date', 3);
"""
TIME = "2025-02-03 04:05:06.789"
COUNT = 1203
NODE = {
    "id": "n", "name": "Rows", "type": "n8n-nodes-base.dataTable", "typeVersion": 1.1, "position": [200, 0],
    "parameters": {
        "operation": "get", "limit": 1, "dataTableId": {"__rl": True, "mode": "list", "value": "Table00000000001"},
    },
}  # fmt: skip
START = {
    "id": "s", "name": "Start", "type": "n8n-nodes-base.manualTrigger", "typeVersion": 1, "position": [0, 0],
    "parameters": {},
}  # fmt: skip


@pytest.fixture
def database(tmp_path: Path) -> Path:
    file = tmp_path / "database.sqlite"
    links = json.dumps({"Start": {"main": [[{"node": "Rows", "type": "main", "index": 0}]]}})
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(TABLES)
        rows = [(n, f"name {n}", n / 2, n % 2, TIME, TIME, TIME) for n in range(3, COUNT + 3)]
        connection.executemany("INSERT INTO x_data_table_user_Table00000000001 VALUES (?,?,?,?,?,?,?)", rows)
        workflow = ("MovedWorkflow001", "Reads", 0, json.dumps([START, NODE]), links, "{}")
        connection.execute("INSERT INTO x_workflow_entity VALUES (?,?,?,?,?,?)", workflow)
        connection.commit()
    return file


def moved(daemon: Daemon, *arguments: str) -> dict[str, Any]:
    program = str(Path(sys.executable).with_name("jackfield"))
    where = ["--config-dir", str(daemon.config_dir), "--url", daemon.base_url, "--json"]
    done = subprocess.run(
        [program, "import", "n8n", *arguments, *where], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def statuses(report: dict[str, Any]) -> dict[str, str]:
    return {row["name"]: row["status"] for row in report["results"] if row["kind"] == "dataTable"}


def test_tables_come_with_their_rows_once(daemon: Daemon, database: Path) -> None:
    api = daemon.admin()
    assert statuses(moved(daemon, str(database), "--dry-run")) == {"Moved": "created", "Empty": "created"}
    assert api.get("/data-tables/Table00000000001").status_code == 404
    report = moved(daemon, str(database))
    assert statuses(report) == {"Moved": "created", "Empty": "created"}
    table = api.get("/data-tables/Table00000000001").json()
    assert (table["name"], table["rows"]) == ("Moved", COUNT)
    assert [(each["name"], each["type"]) for each in table["columns"]] == [
        ("name", "string"), ("age", "number"), ("open", "boolean"), ("born", "date"),
    ]  # fmt: skip
    time = "2025-02-03T04:05:06.789Z"
    first = {"id": 3, "name": "name 3", "age": 1.5, "open": True, "born": time, "createdAt": time, "updatedAt": time}
    assert api.get("/data-tables/Table00000000001/rows", params={"limit": 1}).json()["data"] == [first]
    workflow = next(row["id"] for row in report["results"] if row["kind"] == "workflow")
    ran = api.post(f"/workflows/{workflow}/execute", json={}).json()
    assert ran["status"] == "success", ran
    assert '"name 3"' in json.dumps(ran)
    assert api.delete("/data-tables/Table00000000001/rows/clear").json() == {"deletedCount": COUNT}
    assert statuses(moved(daemon, str(database))) == {"Moved": "unchanged", "Empty": "unchanged"}
    assert api.get("/data-tables/Table00000000001").json()["rows"] == 0


def test_a_table_whose_name_is_taken_gets_a_number(daemon: Daemon, database: Path) -> None:
    api = daemon.admin()
    api.post("/data-tables", json={"name": "Other", "columns": []})
    body = {"dataTables": [{"id": "Other00000000001", "name": "Other", "columns": [], "rows": [], "last": True}]}
    (result,) = api.post("/import", json=body).json()["results"]
    assert (result["status"], result["id"]) == ("created", "Other00000000001")
    assert api.get("/data-tables/Other00000000001").json()["name"] == "Other 2"


SECRET = "key-of-the-instance"
LEFT_OUT = "This export has no rows of data tables; import n8n's database, or the tables as CSV."


def archive(place: Path, rows: list[list[dict[str, Any]]]) -> Path:
    """As `n8n export:entities` writes it. rows: of each file of the first table's."""
    table, column = {"name": "Packed", "projectId": "p"}, {"dataTableId": "Packed0000000001", "name": "age"}
    files: dict[str, list[dict[str, Any]]] = {
        "workflowentity": [],
        "datatable": [
            {"id": "Packed0000000001", **table},
            {"id": "Packed0000000002", **table, "name": "Packed, empty"},
        ],
        "datatablecolumn": [{"id": "c", **column, "type": "number", "index": 0}],
    }
    for number, part in enumerate(rows, 1):
        files["data_table_user_Packed0000000001" + (f".{number}" if number > 1 else "")] = part
    file = place / "entities.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, lines in files.items():
            made.writestr(f"{name}.jsonl", sealed("\n".join(map(json.dumps, lines)), SECRET) if lines else "")
    return file


def test_tables_come_with_the_rows_of_an_export_of_entities(
    daemon: Daemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("N8N_ENCRYPTION_KEY", SECRET)
    without = moved(daemon, str(archive(tmp_path, [])))
    assert (statuses(without), [row["reason"] for row in without["notImported"]]) == ({}, [LEFT_OUT])
    own = [{"id": n, "age": n / 2, "createdAt": TIME, "updatedAt": TIME} for n in range(1, 1101)]
    whole = archive(tmp_path, [own[:500], own[500:1000], own[1000:]])
    assert statuses(moved(daemon, str(whole))) == {"Packed": "created", "Packed, empty": "created"}
    api = daemon.admin()
    assert [api.get(f"/data-tables/Packed000000000{n}").json()["rows"] for n in (1, 2)] == [1100, 0]
    last = api.get("/data-tables/Packed0000000001/rows", params={"offset": 1099}).json()["data"]
    assert [(row["id"], row["age"], row["createdAt"]) for row in last] == [(1100, 550, "2025-02-03T04:05:06.789Z")]
    assert statuses(moved(daemon, str(whole))) == {"Packed": "unchanged", "Packed, empty": "unchanged"}


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"columns": [{"name": "a", "type": "json"}]}, "a type that data tables do not have"),
        ({"columns": [{"name": "a", "type": "number"}], "rows": [{"id": 1, "a": "x"}]}, "expects a number"),
        ({"columns": [], "rows": [{"id": -1}]}, "no whole number"),
        ({"columns": [], "rows": [], "part": 3}, "first rows"),
        ({"id": "../x", "columns": []}, "letters and digits"),
    ],
)
def test_a_table_that_does_not_fit_is_told_and_nothing_stays(daemon: Daemon, table: dict[str, Any], words: str) -> None:
    api = daemon.admin()
    body = {"dataTables": [{"id": "Odd0000000000001", "name": "Odd table", **table}]}
    (result,) = api.post("/import", json=body).json()["results"]
    assert (result["status"], words in str(result["problems"])) == ("refused", True), result
    assert api.get("/data-tables", params={"search": "Odd table"}).json()["total"] == 0
