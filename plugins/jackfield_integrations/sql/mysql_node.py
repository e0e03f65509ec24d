"""MySQL: queries and changes of rows."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeParameters, NodeRun
from jackfield.api.nodes.libraries import lacking_library
from jackfield_integrations.kinds import MYSQL as CREDENTIAL
from jackfield_integrations.sql.node import SqlNode
from jackfield_integrations.sql.parameters import AnySqlParameters, LegacySqlParameters, SqlParameters
from jackfield_integrations.sql.session import SqlSession
from jackfield_integrations.sql.statements import MYSQL


class MySqlNode(SqlNode):
    """MySQL and MariaDB. A statement that changes rows gives `{"success": true}`: MySQL gives no rows back."""

    kind = "mySql"
    versions: Sequence[float] = (1, 2, 2.1, 2.2, 2.3, 2.4, 2.5)
    description = NodeDescription(
        "MySQL",
        "Reads and changes data in MySQL.",
        "network",
        credentials=(NodeCredential(CREDENTIAL.name),),
        missing=lacking_library("aiomysql", "mysql"),
    )
    dialect = MYSQL

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return LegacySqlParameters if version == 1 else SqlParameters

    async def session(self, run: NodeRun, first: AnySqlParameters) -> AbstractAsyncContextManager[SqlSession]:
        return await self.opening(run, CREDENTIAL)


def node(context: PluginContext) -> MySqlNode:
    return MySqlNode(context)
