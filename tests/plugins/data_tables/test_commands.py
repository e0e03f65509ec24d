"""`jackfield data-table` beside a running daemon."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jackfield.testing.daemon import Daemon


def run(daemon: Daemon, *arguments: str, given: str = "", status: int = 0) -> str:
    program = str(Path(sys.executable).with_name("jackfield"))
    command = [program, "data-table", *arguments, "--config-dir", str(daemon.config_dir), "--url", daemon.base_url]
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout if status == 0 else done.stderr


def found(daemon: Daemon, *arguments: str, given: str = "") -> Any:
    return json.loads(run(daemon, *arguments, "--json", given=given))


def test_a_table_is_made_filled_written_and_deleted(daemon: Daemon, tmp_path: Path) -> None:
    made = found(daemon, "create", "Stock", "-c", "item", "-c", "count:number", "-c", "seen:date")
    assert [each["type"] for each in made["columns"]] == ["string", "number", "date"]
    assert "1 row was added" in run(daemon, "add", "Stock", "item=Nails", "count=12")
    rows = json.dumps([{"item": "Screws", "count": 3}, {"item": "Nuts"}])
    assert found(daemon, "add", made["id"], "--file", "-", given=rows) == {"insertedRows": 2}
    file = tmp_path / "more.csv"
    file.write_text('id,item,count,seen\n9,"a ""b"", c",5,2026-01-02\n9,,,\n', encoding="utf-8")
    assert found(daemon, "import", "Stock", str(file)) == {"insertedRows": 2}
    shown = found(daemon, "rows", "Stock", "--sort", "count", "--desc", "--limit", "2")
    assert [row["item"] for row in shown] == ["Nails", 'a "b", c']
    where = json.dumps({"filters": [{"columnName": "count", "condition": "lt", "value": 4}]})
    assert [row["item"] for row in found(daemon, "rows", "Stock", "--filter", where)] == ["Screws"]
    output = tmp_path / "out.csv"
    run(daemon, "export", "Stock", "--own-columns", "-o", str(output))
    assert output.read_text().splitlines() == [
        "item,count,seen", "Nails,12,", "Screws,3,", "Nuts,,", '"a ""b"", c",5,2026-01-02T00:00:00.000Z', ",,",
    ]  # fmt: skip
    assert len(found(daemon, "export", "Stock")) == 5
    assert next(row["rows"] for row in found(daemon, "list") if row["name"] == "Stock") == 5
    assert "Stock" in run(daemon, "list")
    assert "item" in run(daemon, "show", "Stock")
    assert found(daemon, "delete", "Stock", "--yes")["deleted"] is True
    assert "There is no data table" in run(daemon, "show", "Stock", status=1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("create", "X", "-c", "a:json"), "json"),
        (("add", "Odd", "nothing"), "COLUMN=VALUE"),
        (("add", "Odd", "n=many"), "expects a number"),
        (("add", "Odd"), "--file"),
        (("rows", "Odd", "--sort", "nope"), "nope"),
    ],
)
def test_mistakes_are_told(daemon: Daemon, arguments: tuple[str, ...], words: str) -> None:
    if not any(row["name"] == "Odd" for row in found(daemon, "list")):
        run(daemon, "create", "Odd", "-c", "n:number")
    assert words in run(daemon, *arguments, status=1)
