"""Postgres: queries and changes of rows."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeParameters, NodeRun
from jackfield.api.nodes.libraries import lacking_library
from jackfield_integrations.kinds import POSTGRES as CREDENTIAL
from jackfield_integrations.sql.node import SqlNode
from jackfield_integrations.sql.parameters import AnySqlParameters, LegacySqlParameters, SqlParameters
from jackfield_integrations.sql.session import SqlSession
from jackfield_integrations.sql.statements import POSTGRES


class PostgresNode(SqlNode):
    """Values are quoted by libpq for the connection they go over."""

    kind = "postgres"
    versions: Sequence[float] = (1, 2, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6)
    description = NodeDescription(
        "Postgres",
        "Reads and changes data in PostgreSQL.",
        "network",
        credentials=(NodeCredential(CREDENTIAL.name),),
        missing=lacking_library("psycopg", "postgres"),
    )
    dialect = POSTGRES

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return LegacySqlParameters if version == 1 else SqlParameters

    async def session(self, run: NodeRun, first: AnySqlParameters) -> AbstractAsyncContextManager[SqlSession]:
        return await self.opening(run, CREDENTIAL)


def node(context: PluginContext) -> PostgresNode:
    return PostgresNode(context)
