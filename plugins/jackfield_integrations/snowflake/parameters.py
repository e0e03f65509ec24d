"""The parameters of the Snowflake node, versions 1 and 1.1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, Parameters
from jackfield.api.nodes.ui import Case, Ui, UiFields
from jackfield_integrations.parameters import Text
from jackfield_integrations.snowflake.statements import column_sql, table_sql

_QUERY: Case = {"operation": "executeQuery"}
_ROWS: Case = {"operation": ["insert", "update"]}


class SnowflakeOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = {
        "queryReplacement": Ui(
            "text",
            label="Query parameters",
            placeholder="value1,value2",
            help="Values for ? (in order) or :1, :2 and so on, comma separated, or a list.",
        )
    }

    query_replacement: object = None


class SnowflakeParameters(Parameters):
    ui_fields: ClassVar[UiFields] = {
        "authentication": Ui(choices={"credentials": "Key pair", "oAuth2": "OAuth2"}),
        "operation": Ui(
            choices={"executeQuery": "Execute a query", "insert": "Insert rows", "update": "Update rows"},
            help="The work that the node does in the database.",
        ),
        "query": Ui(
            "code",
            when=_QUERY,
            options={"language": "sql"},
            placeholder="SELECT id, name FROM product WHERE id < ?",
            help="SQL with ? or :1, :2 and so on where query parameters go.",
        ),
        "options": Ui(when=_QUERY),
        "table": Ui(when=_ROWS, help="The table, with its database and schema where they are others."),
        "updateKey": Ui(when={"operation": "update"}, help="The column that finds the rows."),
        "columns": Ui(when=_ROWS, placeholder="id,name", help="Columns, comma separated, with the fields' names."),
    }

    authentication: Literal["credentials", "oAuth2"] = "credentials"
    operation: Literal["executeQuery", "insert", "update"] = "insert"
    query: Text = ""
    table: Text = ""
    update_key: Text = "id"
    columns: Text = ""
    options: SnowflakeOptions = Field(default_factory=SnowflakeOptions)

    def bound(self) -> Sequence[Json]:
        """The query's parameters. Raises `NodeError`."""
        given = self.options.query_replacement
        if given is None or given == "":
            return []
        if isinstance(given, str):
            return [part.strip() for part in given.split(",")]
        if isinstance(given, list):
            return given
        raise NodeError("The option queryReplacement must be a list, or a text of values with commas between them.")

    def needed_query(self) -> str:
        """Raises `NodeError`."""
        if not self.query.strip():
            raise NodeError("The parameter query is empty; write the SQL.")
        return self.query

    def names(self) -> list[str]:
        """The fields that become columns; of an update, its key too. Raises `NodeError`."""
        found = [part.strip() for part in self.columns.split(",")]
        if not all(found):
            raise NodeError("The parameter columns has an empty name; give names with commas between them.")
        if self.operation == "update" and self.update_key not in found:
            return [self.update_key, *found]
        return found

    def insertion(self, names: Sequence[str], rows: int) -> str:
        """The statement for that many rows. Raises `NodeError`."""
        columns = ",".join(map(column_sql, names))
        marks = f"({','.join('?' * len(names))})"
        return f"INSERT INTO {self._table()} ({columns}) VALUES {','.join([marks] * rows)}"  # noqa: S608 - names are quoted

    def change(self, names: Sequence[str]) -> str:
        """The statement for one row, whose last value is that of the key. Raises `NodeError`."""
        if not self.update_key.strip():
            raise NodeError("The parameter updateKey is empty; name the column that finds the rows.")
        columns = ",".join(f"{column_sql(name)} = ?" for name in names)
        return f"UPDATE {self._table()} SET {columns} WHERE {column_sql(self.update_key)} = ?"  # noqa: S608 - as above

    def _table(self) -> str:
        if not self.table.strip():
            raise NodeError("The parameter table is empty; name the table.")
        return table_sql(self.table)
