"""A trigger that asks its service again and again, as the table `trigger.poll` says."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias, cast

from jackfield.api.jsontext import Json
from jackfield.api.object_references import load
from jackfield.api.triggers.failures import ServiceRefusal
from jackfield.api.triggers.newness import Newness, of_source
from jackfield.api.triggers.polling import Polled, PollRun
from jackfield.api.workflows import Item, Node, Problem
from jackfield_vendors.dates import iso_time
from jackfield_vendors.described.triggers import DescribedTrigger
from jackfield_vendors.operations import Check
from jackfield_vendors.requests.calls import answer_of
from jackfield_vendors.requests.paging import pages
from jackfield_vendors.requests.sending import ServiceSteps, with_special
from jackfield_vendors.results import shaped, with_attachments
from jackfield_vendors.shapes import Shape, matches
from jackfield_vendors.templates import Missing, TemplateScope, at, unwrapped, value_of
from jackfield_vendors.triggering.compiled import CompiledPoll, check_source, chosen, compile_poll, of_row
from jackfield_vendors.triggering.row_files import with_files
from jackfield_vendors.triggering.trigger_node import VendorTriggerNode, no_variant

PollCode: TypeAlias = "Callable[[PollRun, ServiceSteps, TemplateScope], Awaitable[Polled]]"

_TOO_LONG_AGO = 410
"""Of a service that does not tell any more what came since then, such as Google Calendar after some weeks."""
_LATE_S = 86_400
"""Seconds by which what is new may turn up late."""


class VendorPollNode(VendorTriggerNode):
    """`PollingNode`."""

    def take(self, trigger: DescribedTrigger, check: Check) -> None:
        self._polls = []
        for index, one in enumerate(trigger.poll):
            try:
                check_source(one, self.text.parameters)
                self._polls.append((one, compile_poll(one, check)))
            except ValueError as exc:
                raise ValueError(f"trigger.poll{_place(index, trigger.poll)}.{exc}") from None

    def poll_problems(self, node: Node) -> Sequence[Problem]:
        return self.parameter_problems(node)

    async def poll(self, run: PollRun) -> Polled:
        index = chosen(self._polls, self.given(run.node), self.version_of(run.node))
        if index is None:
            raise no_variant(run.node)
        found = self._polls[index][1]
        given = self.given(run.node)
        newness = _newness(found, given)
        if found.described.new.source and not run.test:
            of_source(run.state, [unwrapped(given.get(name)) for name in found.described.new.source])
        special = {**self.times(run.now, run.timezone), "$test": run.test, "$limit": run.limit}
        begins = found.described.new.start == "now" and newness.is_first(run.state) and not run.test
        if begins:
            newness.begin(run.state, run.now / 1000)
            if not newness.overlap:
                return Polled()
        since = None if run.test else newness.since(run.state)
        if since is not None:
            special["$since"] = iso_time(round(since * 1000))
        steps, scope = await self.asking(run.node, run.credentials, special)
        if found.described.code:
            scope = await steps.stepped(found.steps, scope)
            return await cast("PollCode", load(found.described.code))(run, steps, scope)
        asked = _Asked(self, run, found, newness, steps, scope)
        if begins:
            return await asked.seen()
        try:
            polled = await asked.polled()
        except ServiceRefusal as exc:
            if exc.status != _TOO_LONG_AGO or since is None or found.described.new.start != "now":
                raise
            newness.begin(run.state, run.now / 1000)
            return Polled(left_out=f"{exc.message} What happened since {special['$since']} is not looked at.")
        if found.described.new.start == "now" and not (run.test or polled.more or polled.left_out):
            newness.advance(run.state, run.now / 1000 - _LATE_S)
        return polled


class _Asked:
    """One poll by tables."""

    def __init__(
        self,
        node: VendorPollNode,
        run: PollRun,
        poll: CompiledPoll,
        newness: Newness,
        steps: ServiceSteps,
        scope: TemplateScope,
    ) -> None:
        self._node = node
        self._run = run
        self._poll = poll
        self._described = poll.described
        self._newness = newness
        self._steps = steps
        self._scope = scope
        self._left_out = ""

    async def polled(self) -> Polled:
        self._scope = await self._steps.stepped(self._poll.steps, self._scope)
        rows = [row for row in await self._rows() if self._counts(row)]
        if self._run.test:
            taken = [await self._detailed(row) for row in rows[: self._described.tested]]
            return Polled(await self._items(taken))
        first = self._newness.is_first(self._run.state)
        if not first:  # what is listed then is not looked at any closer
            known = [self._newness.is_known(row, self._run.state) for row in rows]
            rows = [row if seen else await self._detailed(row) for row, seen in zip(rows, known, strict=True)]
        new, more = self._newness.new(rows, self._run.state, self._run.limit, self._run.now / 1000)
        return Polled(await self._items(new), more, "" if first else self._left_out)

    async def seen(self) -> Polled:
        """Rows that are listed are taken as seen."""
        self._scope = await self._steps.stepped(self._poll.steps, self._scope)
        rows = [row for row in await self._rows() if self._counts(row)]
        self._newness.new(rows, self._run.state, len(rows), self._run.now / 1000)
        return Polled()

    async def _rows(self) -> list[Json]:
        if self._poll.found is not None:
            value = value_of(self._poll.found, self._scope)
            return value if isinstance(value, list) else []
        call = await self._steps.call(self._poll.request, self._scope)
        text, paging, path = self._steps.node, self._described.paging, self._described.rows
        if paging is None:
            answer = answer_of(await self._steps.exchange.send(call), text.errors, text.title)
            found = at(answer, path.split(".")) if path else answer
            return found if isinstance(found, list) else []
        rows: list[Json] = []
        read = 0
        async for page in pages(self._steps.exchange, text, paging, path, call, None):
            if read == self._run.pages:
                self._left_out = f"{text.title} has more than {read} pages; what stands behind them is not looked at."
                break
            rows += page
            read += 1
            known = bool(page) and self._newness.is_known(page[-1], self._run.state)
            if self._run.test or (self._described.newest_first and known):
                break
        return rows

    def _counts(self, row: Json) -> bool:
        where, scope = dict(self._described.where), of_row(self._scope, row)
        if any(condition.holds(scope) for condition in self._poll.ignore):
            return False
        return not where or (isinstance(row, dict) and matches(where, row))  # type: ignore[arg-type]  # scalars are JSON

    async def _detailed(self, row: Json) -> Json:
        if self._poll.detail is None:
            return row
        return await self._steps.ask(self._poll.detail, of_row(self._scope, row))

    async def _items(self, rows: Sequence[Json]) -> list[Item]:
        return [await self._item(row) for row in rows]

    async def _item(self, row: Json) -> Item:
        scope = of_row(with_special(self._scope, "$row", row), row)
        for step in self._poll.each:
            scope = of_row(await self._steps.stepped([step], scope), row)
        shape = self._poll.item
        if shape is not None and shape.slow:
            json = await asyncio.to_thread(shaped, shape.shape, row, scope)
        else:
            json = shaped(None if shape is None else shape.shape, row, scope)
        item: Item = {"json": json}
        item = await with_files(item, self._poll.fetch, self._steps, scope, self._run)
        key = self._described.attachments
        return await with_attachments(self._run, item, key) if key else item


def _newness(poll: CompiledPoll, given: Mapping[str, Json]) -> Newness:
    described = poll.described.new
    parameters = TemplateScope(given, {})

    def told(shape: Shape) -> Callable[[Json], Json]:
        def value(row: Json) -> Json:
            found = shape(of_row(parameters, row))
            return None if isinstance(found, Missing) else found

        return value

    time = told(poll.time) if poll.time is not None else None
    return Newness(described.by, told(poll.id), time, described.most, described.overlap)


def _place(index: int, listed: Sequence[object]) -> str:
    return f"[{index}]" if len(listed) > 1 else ""
