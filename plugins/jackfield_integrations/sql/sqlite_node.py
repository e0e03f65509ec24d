"""SQLite: queries and changes of rows in a file below `integrations.sqlite_root`. A kind of Jackfield's own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from jackfield.api.auth import MACHINE_WRITE
from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, NodeError, NodeParameters, NodeRun, NodeUnavailable
from jackfield.api.nodes.ui import UiFields
from jackfield_integrations.form import SQLITE_UI
from jackfield_integrations.parameters import Text
from jackfield_integrations.sql.node import SqlNode
from jackfield_integrations.sql.parameters import AnySqlParameters, SqlParameters
from jackfield_integrations.sql.session import SqlSession
from jackfield_integrations.sql.sqlite_session import opened
from jackfield_integrations.sql.statements import SQLITE


class SqliteParameters(SqlParameters):
    ui_fields: ClassVar[UiFields] = SQLITE_UI
    ui_order: ClassVar[Sequence[str]] = ("database", "operation", "table", "query", "deleteCommand")

    database: Text = Field("", description="The file, relative to integrations.sqlite_root; made when it is not there.")


def database_file(root: str | None, name: str) -> Path:
    """The file of this name, wherever links lead. Raises `NodeError`: there is no root, or it is not below it."""
    if not root:
        raise NodeUnavailable(
            "SQLite nodes are off; an administrator can name their directory with integrations.sqlite_root."
        )
    if not name.strip() or "\0" in name:
        raise NodeError("The parameter database must name a file, such as stock.db.")
    top = Path(root).expanduser().resolve()
    found = (top / name).resolve()
    if top not in found.parents:
        raise NodeError("The parameter database leads out of integrations.sqlite_root; name a file below it.")
    if found.is_dir() or not found.parent.is_dir():
        raise NodeError("The parameter database must name a file in a directory that is there.")
    return found


class SqliteNode(SqlNode):
    """The first item's file is used for all."""

    kind = "sqlite"
    versions: Sequence[float] = (1,)
    description = NodeDescription(
        "SQLite", "Reads and changes data in SQLite files.", "network", scopes=(MACHINE_WRITE,)
    )
    dialect = SQLITE

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return SqliteParameters

    async def session(self, run: NodeRun, first: AnySqlParameters) -> AbstractAsyncContextManager[SqlSession]:
        return self._opened(first.database if isinstance(first, SqliteParameters) else "")

    @contextlib.asynccontextmanager
    async def _opened(self, name: str) -> AsyncIterator[SqlSession]:
        file = await asyncio.to_thread(database_file, self.settings.sqlite_root, name)
        async with opened(file, self.settings) as session:
            yield session


def node(context: PluginContext) -> SqliteNode:
    return SqliteNode(context)
