"""Credentials without secrets, variables without values, data tables without rows."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence

import orjson

from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext
from jackfield.api.credentials import CredentialValues, CredentialWriter
from jackfield.api.errors import InvalidInput
from jackfield.api.ids import is_uuid, new_id
from jackfield.api.jsontext import Json
from jackfield.api.records import replace
from jackfield.api.secret_references import refers_to_secrets
from jackfield.api.storage import Credential, Variable
from jackfield.api.storage.tables import COLUMN_TYPES, DataColumn, DataTable, DataTableFilter
from jackfield_git.settings import GitSettings
from jackfield_git.tracked.files import TrackedFile, word

_PAGE = 100
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""Others are in no expression, and no API takes them."""


class TrackedCredentials:
    """Stubs: id, name, kind, and references to external secrets; values stay where they are. A pull makes what lacks,
    renames, and touches no value that is here."""

    folder = "credential_stubs"
    word = "credential"
    removes = False

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def read(self) -> Sequence[TrackedFile]:
        found: list[TrackedFile] = []
        while True:
            page = await self._context.store.credentials(len(found), _PAGE)
            stubs = await asyncio.to_thread(self._stubs, page.rows)
            found += stubs
            if not page.rows or len(found) >= page.total:
                return found

    def _stubs(self, rows: Sequence[Credential]) -> list[TrackedFile]:
        return [self._stub(row) for row in rows]

    def _stub(self, credential: Credential) -> TrackedFile:
        try:
            values: dict[str, str] = orjson.loads(self._context.secrets.open(credential.sealed))
        except ValueError:
            values = {}
        data: dict[str, Json] = {name: text for name, text in values.items() if refers_to_secrets(text)}
        document: dict[str, Json] = {
            "id": credential.id,
            "name": credential.name,
            "type": credential.kind,
            "data": data,
        }
        return TrackedFile(f"credential_stubs/{credential.id}.json", credential.name, document)

    async def write(self, name: str, document: Mapping[str, Json], author: Principal) -> None:
        path = f"credential_stubs/{name}.json"
        if not is_uuid(name):
            raise InvalidInput(f"{path}: the name of a credential's file is its id, a UUID.")
        title, kind = word(document, "name", path), word(document, "type", path)
        present = await self._context.store.credential(name)
        if present is not None:
            if present.kind != kind:
                raise InvalidInput(f"{path}: the credential here is of the kind {present.kind}.")
            renamed = replace(present, name=title, updated_at=self._context.clock.now_ms())
            await self._context.store.put_credential(renamed, present)
            return
        data = document.get("data")
        given = data if isinstance(data, dict) else {}
        values = {key: text for key, text in given.items() if isinstance(text, str) and refers_to_secrets(text)}
        writer = self._context.port(CredentialWriter)
        fitting, _ = await writer.fitted(CredentialValues(name, title, kind, values))
        await writer.put(fitting)

    async def remove(self, name: str, author: Principal) -> None:
        """It stays: its values would be lost."""


class TrackedVariables:
    """By key. Values are there where the settings say so."""

    folder = "variable_stubs"
    word = "variable"
    removes = False

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._values = context.settings(GitSettings).variable_values

    async def read(self) -> Sequence[TrackedFile]:
        return [self._stub(each) for each in await self._context.store.variables()]

    def _stub(self, variable: Variable) -> TrackedFile:
        value = variable.value if self._values else ""
        document: dict[str, Json] = {"key": variable.key, "type": "string", "value": value}
        return TrackedFile(f"variable_stubs/{variable.key}.json", variable.key, document)

    async def write(self, name: str, document: Mapping[str, Json], author: Principal) -> None:
        if not _KEY.fullmatch(name):
            raise InvalidInput(f"variable_stubs/{name}.json: the key of a variable has letters, digits and _ alone.")
        value = document.get("value")
        text = value if self._values and isinstance(value, str) else ""
        present = next((each for each in await self._context.store.variables() if each.key == name), None)
        now = self._context.clock.now_ms()
        if present is None:
            await self._context.store.put_variable(Variable(new_id(), name, text, now, now))
        elif self._values and present.value != text:
            await self._context.store.put_variable(replace(present, value=text, updated_at=now))

    async def remove(self, name: str, author: Principal) -> None:
        """It stays: its value would be lost."""


class TrackedTables:
    """Names and columns. A pull adds tables and columns, and removes none: rows are the environment's own."""

    folder = "data_tables"
    word = "data table"
    removes = False

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def read(self) -> Sequence[TrackedFile]:
        found: list[TrackedFile] = []
        while True:
            page = await self._context.store.data_tables(
                DataTableFilter(), order="name", descending=False, offset=len(found), limit=_PAGE
            )
            found += [_table(each) for each in page.rows]
            if not page.rows or len(found) >= page.total:
                return found

    async def write(self, name: str, document: Mapping[str, Json], author: Principal) -> None:
        path = f"data_tables/{name}.json"
        if not is_uuid(name):
            raise InvalidInput(f"{path}: the name of a table's file is its id, a UUID.")
        store, now = self._context.store, self._context.clock.now_ms()
        title, columns = word(document, "name", path), list(_columns(document, path, now))
        present = await store.data_table(name)
        if present is None:
            await store.add_data_table(DataTable(name, title, columns, now, now))
            return
        if present.name != title:
            await store.rename_data_table(name, title, now=now)
        there = {column.name for column in present.columns}
        for index, column in enumerate(columns):
            if column.name not in there:
                await store.add_data_column(name, column, index=min(index, len(there)), now=now)
                there.add(column.name)

    async def remove(self, name: str, author: Principal) -> None:
        """It stays: its rows would be lost."""


def _table(table: DataTable) -> TrackedFile:
    columns: list[Json] = [{"name": each.name, "type": each.type} for each in table.columns]
    document: dict[str, Json] = {"id": table.id, "name": table.name, "columns": columns}
    return TrackedFile(f"data_tables/{table.id}.json", table.name, document)


def _columns(document: Mapping[str, Json], path: str, now: int) -> list[DataColumn]:
    rows = document.get("columns")
    found = []
    for row in rows if isinstance(rows, list) else ():
        name, kind = (row.get("name"), row.get("type")) if isinstance(row, dict) else (None, None)
        if not isinstance(name, str) or kind not in COLUMN_TYPES:
            raise InvalidInput(f"{path} in the repository has a column without a name or a type that there is.")
        found.append(DataColumn(new_id(), name, kind, now, now))
    return found
