"""`jackfield data-table`: list, show, create, delete, rows, add, import, export."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import click

from jackfield.api.cli import CommandGroup, echo_json
from jackfield.api.daemon_commands import DaemonCall, completed, confirmed, daemon_command, segment
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json

PIECE = 500
"""Rows of one request."""
LARGEST = 16 * 1024 * 1024
"""Characters of standard input or a file of JSON."""
TYPES = ("string", "number", "boolean", "date")
SYSTEM = ("id", "createdAt", "updatedAt")
table_argument = click.argument("table", shell_complete=completed("/data-tables"))


@click.group("data-table", cls=CommandGroup)
def data_table() -> None:
    """Data tables, which workflows read and write: list, show, create, delete, rows, add, import, export."""


@data_table.command("list")
@daemon_command
def list_tables(call: DaemonCall) -> None:
    """List the data tables."""
    columns = {"ID": "id", "NAME": "name", "ROWS": "rows", "BYTES": "sizeBytes", "CHANGED": "updatedAt"}
    call.table(columns, call.daemon.rows("/data-tables", {"sortBy": "name", "order": "asc"}), "There is no data table.")


@data_table.command()
@table_argument
@daemon_command
def show(call: DaemonCall, table: str) -> None:
    """Show the data TABLE, by its name or id, with its columns."""
    found = call.ask("GET", _path(call, table))
    if call.as_json:
        echo_json(found)
        return
    call.fields(found, {"id": "id", "name": "name", "rows": "rows", "bytes": "sizeBytes", "changed": "updatedAt"})
    call.table({"COLUMN": "name", "TYPE": "type"}, found["columns"], "The table has no columns.")


@data_table.command()
@click.argument("name")
@click.option("-c", "--column", "columns", multiple=True, metavar="NAME:TYPE", help="A column; may be repeated.")
@daemon_command
def create(call: DaemonCall, name: str, columns: Sequence[str]) -> None:
    """Create a data table NAME. Types of columns are string, number, boolean and date."""
    made = call.ask("POST", "/data-tables", body={"name": name, "columns": [_column(each) for each in columns]})
    call.say(f"The data table {made['name']} was created with the id {made['id']}.", made)


@data_table.command()
@table_argument
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@daemon_command
def delete(call: DaemonCall, table: str, yes: bool) -> None:
    """Delete the data TABLE with its rows."""
    path = _path(call, table)
    confirmed(f"Delete the data table {table} with all its rows?", yes=yes)
    call.ask("DELETE", path)
    call.say(f"The data table {table} was deleted.", {"id": path.rpartition("/")[2], "deleted": True})


@data_table.command()
@table_argument
@click.option("--search", default="", help="Only rows with a cell that holds this text.")
@click.option(
    "--filter", "where", help='JSON such as {"filters": [{"columnName": "age", "condition": "gt", "value": 3}]}.'
)
@click.option("--sort", "sort", default="id", help="The column to sort by.")
@click.option("--desc", is_flag=True, help="Sort downwards.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="Rows at most.")
@daemon_command
def rows(call: DaemonCall, table: str, search: str, where: str | None, sort: str, desc: bool, limit: int) -> None:
    """List rows of the data TABLE."""
    path = _path(call, table)
    query = {"search": search, "sortBy": sort, "order": "desc" if desc else "asc", "limit": str(limit)}
    found = call.ask("GET", f"{path}/rows", query={**query, **({"filter": where} if where else {})})
    columns = call.ask("GET", f"{path}/columns")
    names = ["id", *(each["name"] for each in columns), "createdAt", "updatedAt"]
    call.table({name: name for name in names}, found["data"], "There is no such row.")
    if not call.as_json and found["total"] > len(found["data"]):
        click.echo(f"{len(found['data'])} of {found['total']} rows; --limit shows more.", err=True)


@data_table.command()
@table_argument
@click.argument("values", nargs=-1, metavar="[COLUMN=VALUE]...")
@click.option(
    "--file", "file", type=click.File(encoding="utf-8"), help="A JSON object, or a list of them; - is standard input."
)
@daemon_command
def add(call: DaemonCall, table: str, values: Sequence[str], file: Any) -> None:  # click opens what text it is given
    """Add a row to the data TABLE from COLUMN=VALUE, or rows from a file of JSON."""
    given = _pairs(values) if values else _json_rows(file)
    path = _path(call, table)
    call.say(*_said(table, sum(_added(call, path, iter(given)))))


@data_table.command("import")
@table_argument
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@daemon_command
def import_rows(call: DaemonCall, table: str, file: Path) -> None:
    """Add the rows of a CSV FILE to the data TABLE. The first line names the columns."""
    path = _path(call, table)
    try:
        if str(file) == "-":
            call.say(*_said(table, _imported(call, path, sys.stdin)))
        else:
            with file.open(encoding="utf-8-sig", newline="") as text:
                call.say(*_said(table, _imported(call, path, text)))
    except (OSError, UnicodeDecodeError, csv.Error) as exc:
        raise InvalidInput(f"The file {file} cannot be read as CSV in UTF-8: {exc}") from None


@data_table.command()
@table_argument
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="The file; default: standard output."
)
@click.option("--own-columns", is_flag=True, help="Without id, createdAt and updatedAt.")
@daemon_command
def export(call: DaemonCall, table: str, output: Path | None, own_columns: bool) -> None:
    """Write the data TABLE as CSV, or with --json as JSON."""
    path = _path(call, table)
    own = [each["name"] for each in call.ask("GET", f"{path}/columns")]
    names = own if own_columns else ["id", *own, "createdAt", "updatedAt"]
    found = ({name: row[name] for name in names} for row in call.daemon.rows(f"{path}/rows"))
    if output is None:
        _write(sys.stdout, names, found, as_json=call.as_json)
        return
    try:
        with output.open("w", encoding="utf-8", newline="") as text:
            _write(text, names, found, as_json=call.as_json)
    except OSError as exc:
        raise InvalidInput(f"The file {output} cannot be written: {exc.strerror}.") from None


def _path(call: DaemonCall, table: str) -> str:
    return f"/data-tables/{segment(call.identify('/data-tables', table, 'data table'))}"


def _column(text: str) -> dict[str, str]:
    name, _, kind = text.partition(":")
    if kind and kind not in TYPES:
        raise InvalidInput(f"The type {kind} of the column {name} is none of {', '.join(TYPES)}.")
    return {"name": name, "type": kind or "string"}


def _pairs(values: Sequence[str]) -> list[dict[str, Json]]:
    row: dict[str, Json] = {}
    for value in values:
        name, sign, text = value.partition("=")
        if not sign:
            raise InvalidInput(f"{value} is no COLUMN=VALUE.")
        row[name] = text or None
    return [row]


def _json_rows(file: Any) -> list[dict[str, Json]]:  # a text that click has opened
    if file is None:
        raise InvalidInput("Give COLUMN=VALUE, or --file with rows as JSON.")
    text = file.read(LARGEST + 1)
    if len(text) > LARGEST:
        raise InvalidInput(f"Rows as JSON have at most {LARGEST} characters; import them as CSV.")
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    found = [found] if isinstance(found, dict) else found
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise InvalidInput("The file is neither a JSON object nor a list of them.")
    return found


def _imported(call: DaemonCall, path: str, text: Any) -> int:  # lines of an open file
    lines = csv.reader(text, strict=True)
    names = [name.strip() for name in next(lines, [])]
    if not names:
        raise InvalidInput("The CSV file is empty; its first line names the columns.")
    given = (
        {name: cell or None for name, cell in zip(names, line, strict=False) if name not in SYSTEM}
        for line in lines
        if line
    )
    count = 0
    for added in _added(call, path, given):
        count += added
        if not call.as_json:
            click.echo(f"{count} rows ...", err=True)
    return count


def _added(call: DaemonCall, path: str, given: Iterator[Mapping[str, Json]]) -> Iterator[int]:
    while piece := list(islice(given, PIECE)):
        yield int(call.ask("POST", f"{path}/rows", body={"data": piece})["insertedRows"])


def _said(table: str, count: int) -> tuple[str, dict[str, int]]:
    return f"{count} {'row was' if count == 1 else 'rows were'} added to {table}.", {"insertedRows": count}


def _write(text: Any, names: Sequence[str], found: Iterator[Mapping[str, Json]], *, as_json: bool) -> None:
    """text: an open file."""
    if as_json:
        json.dump(list(found), text, ensure_ascii=False, indent=2)
        text.write("\n")
        return
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_cell(row[name]) for name in names] for row in found)


def _cell(value: Json) -> object:
    return ("true" if value else "false") if isinstance(value, bool) else value
