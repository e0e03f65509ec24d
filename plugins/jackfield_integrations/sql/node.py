"""Runs the statements of all items through one connection, as the batching says.

`independently`: each on its own, a failure is the item's. `transaction`: all or nothing. `single`: sent together; on
databases where that is one transaction, all or nothing too. Source: the `queryBatching` option of n8n's nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

from jackfield.api.nodes import NodeError, NodeResult, NodeRun
from jackfield.api.nodes.items import new_items
from jackfield.api.nodes.running import made_at_once
from jackfield.api.nodes.unresolved import first_resolved, unresolved_items
from jackfield.api.workflows import Items, Outputs
from jackfield_integrations.node import IntegrationNode
from jackfield_integrations.sql.parameters import AnySqlParameters
from jackfield_integrations.sql.session import Rows, SqlReading, SqlSession
from jackfield_integrations.sql.statements import SqlDialect, Statement


class SqlNode(IntegrationNode):
    """A database. Subclasses open the session."""

    dialect: SqlDialect

    async def session(self, run: NodeRun, first: AnySqlParameters) -> AbstractAsyncContextManager[SqlSession]:
        """A connection for one run, opened and closed with its context. Raises `NodeError` without a credential."""
        raise NotImplementedError

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[AnySqlParameters] = await run.resolve()
        first = first_resolved(resolved)
        if first is None:
            return [unresolved_items(resolved)]
        reading, batching = self.reading(first), first.batching()
        opened = await self.session(run, first)

        async def one(session: SqlSession, index: int, parameters: AnySqlParameters) -> Items:
            statement = self._statement(run, index, parameters)
            return _answered(await session.run(statement, reading), statement, index)

        async def work() -> Outputs:
            if batching == "independently":
                return [await self.through(run, resolved, opened, one)]
            async with self.slot(), opened as session:
                return [await self._together(run, session, resolved, reading, single=batching == "single")]

        return await made_at_once(run, work)

    def reading(self, first: AnySqlParameters) -> SqlReading:
        options = first.options
        large = options.large_numbers_output
        return SqlReading(self.settings.max_rows, large, large == "numbers" or options.decimal_numbers)

    def _statement(self, run: NodeRun, index: int, parameters: AnySqlParameters) -> Statement:
        return parameters.statement(self.dialect, run.items[index]["json"])

    async def _together(
        self,
        run: NodeRun,
        session: SqlSession,
        resolved: Sequence[AnySqlParameters],
        reading: SqlReading,
        *,
        single: bool,
    ) -> Items:
        """The failure of one item is the failure of all."""
        bare = single and (len(resolved) == 1 or not self.dialect.atomic_single)
        index = 0
        made: Items = []
        statements: list[Statement] = []
        try:
            if bare:
                for index, parameters in enumerate(resolved):
                    statements.append(self._statement(run, index, parameters))
                    made += self._items(await session.run(statements[-1], reading), statements[-1], index, single)
            else:
                async with session.transaction():
                    for index, parameters in enumerate(resolved):
                        statements.append(self._statement(run, index, parameters))
                        made += self._items(await session.run(statements[-1], reading), statements[-1], index, single)
        except NodeError as exc:
            exc.item = index
            raise
        if not made and not all(statement.reads for statement in statements):
            return new_items([{"success": True}], 0)
        return made

    @staticmethod
    def _items(rows: Rows, statement: Statement, index: int, single: bool) -> Items:
        """With `single` the whole run reports success once, when there are no rows at all."""
        return new_items(rows, index) if single else _answered(rows, statement, index)


def _answered(rows: Rows, statement: Statement, index: int) -> Items:
    """The rows, or that there are none because the statement only changes something."""
    return new_items(rows if rows or statement.reads else [{"success": True}], index)
