"""Snowflake: queries and changes of rows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from jackfield.api.binary import DEFAULT_TYPE
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeResult, NodeRun
from jackfield.api.nodes.files import kept_file
from jackfield.api.nodes.items import new_item
from jackfield.api.nodes.running import made_at_once
from jackfield.api.nodes.unresolved import first_resolved, unresolved_items
from jackfield.api.workflows import Item, Items, Outputs
from jackfield_integrations.kinds import SNOWFLAKE, SNOWFLAKE_OAUTH2
from jackfield_integrations.node import IntegrationNode
from jackfield_integrations.secret_values import credential
from jackfield_integrations.snowflake.parameters import SnowflakeParameters
from jackfield_integrations.snowflake.session import Row, SnowflakeSession, key_session
from jackfield_integrations.snowflake.statements import batches, bindings, row_bindings

_FILES_SINCE = 1.1
"""The version from which BINARY becomes the item's files."""


class SnowflakeNode(IntegrationNode):
    """Through the SQL API, so `nodes.http` says where requests may go. A query runs once per item. Rows are inserted
    together, and changed one after another; the first failure there is that of all items, as in n8n."""

    kind = "snowflake"
    versions: Sequence[float] = (1, 1.1)
    description = NodeDescription(
        "Snowflake",
        "Reads and changes data in Snowflake.",
        "network",
        credentials=(
            NodeCredential(SNOWFLAKE.name, when={"authentication": ("credentials",)}),
            NodeCredential(SNOWFLAKE_OAUTH2.name, when={"authentication": ("oAuth2",)}),
        ),
    )
    model = SnowflakeParameters

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[SnowflakeParameters] = await run.resolve()
        first = first_resolved(resolved)
        if first is None:
            return [unresolved_items(resolved)]

        async def query(session: SnowflakeSession, index: int, wanted: SnowflakeParameters) -> Items:
            rows = await session.run(wanted.needed_query(), bindings(wanted.bound()))
            return [await _item(run, row, index) for row in rows]

        async def rows() -> Outputs:
            async with self.slot(), self._opened(run, first) as session:
                return [await _changed(session, first, run.items)]

        if first.operation == "executeQuery":
            return [await self.through(run, resolved, self._opened(run, first), query)]
        return await made_at_once(run, rows)

    @asynccontextmanager
    async def _opened(self, run: NodeRun, first: SnowflakeParameters) -> AsyncIterator[SnowflakeSession]:
        """Raises `NodeError`."""
        if first.authentication == "oAuth2":
            values = await credential(run, SNOWFLAKE_OAUTH2)
            yield SnowflakeSession(self._context, values, await run.authorization(SNOWFLAKE_OAUTH2.name), "")
        else:
            yield await key_session(self._context, await credential(run, SNOWFLAKE))


async def _changed(session: SnowflakeSession, wanted: SnowflakeParameters, items: Items) -> Items:
    """The rows that were written, by the parameters of the first item."""
    names = wanted.names()
    rows: list[dict[str, Json]] = [{name: item["json"].get(name) for name in names} for item in items]
    if wanted.operation == "insert":
        for some in batches([list(row.values()) for row in rows]):
            await session.run(wanted.insertion(names, len(some)), row_bindings(some))
    else:
        statement = wanted.change(names)
        for row in rows:
            await session.run(statement, bindings([*row.values(), row[wanted.update_key]]))
    return [new_item(row, index) for index, row in enumerate(rows)]


async def _item(run: NodeRun, row: Row, index: int) -> Item:
    json: dict[str, Json] = {}
    files: dict[str, bytes] = {}
    old = run.node.version is not None and run.node.version < _FILES_SINCE
    for name, value in row.items():
        if not isinstance(value, bytes):
            json[name] = value
        elif old:
            json[name] = {"type": "Buffer", "data": list(value)}
        else:
            files[name] = value
    made = new_item(json, index)
    for name, content in files.items():
        kept = await kept_file(run, content, mime_type=DEFAULT_TYPE, file_name=name)
        made.setdefault("binary", {})[name] = kept
    return made


def node(context: PluginContext) -> SnowflakeNode:
    return SnowflakeNode(context)
