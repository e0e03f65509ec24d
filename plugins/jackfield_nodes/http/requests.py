"""The requests of one run of HTTP Request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import ParamSpec, TypeVar

from jackfield.api.binary import stream_of
from jackfield.api.context import PluginContext
from jackfield.api.http_client import Authorization, HttpClient
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeRun
from jackfield.api.records import replace
from jackfield.api.workflows import Items
from jackfield_nodes.http.body import sent_files
from jackfield_nodes.http.call import Call, Expect, Reply
from jackfield_nodes.http.idempotency import with_key
from jackfield_nodes.http.keeping import FileKeeper
from jackfield_nodes.http.pages import PageFetch, pages
from jackfield_nodes.http.parameters import HttpParameters
from jackfield_nodes.http.response import file_item, form_of, items_of, raise_for_status
from jackfield_nodes.http.urls import checked_url

WorkArguments = ParamSpec("WorkArguments")
Result = TypeVar("Result")

LARGE = 256 * 1024
"""Bodies from this size on, in bytes, are read on a thread."""


class Requests:
    """All requests of one run."""

    def __init__(
        self, run: NodeRun, context: PluginContext, most_pages: int, resolved: Sequence[HttpParameters]
    ) -> None:
        self._run = run
        self._context = context
        self._most_pages = most_pages
        self._resolved = resolved
        self._authorizations: dict[str, Authorization] = {}
        self._reading = asyncio.Lock()

    async def items(self, index: int) -> Items:
        """The output of the requests for this input item. Raises `NodeError`."""
        parameters, item = self._resolved[index], self._run.items[index]
        files = await sent_files(self._run, item, parameters.file_fields(), index)
        call = await _off_loop(bool(files), parameters.call, files)
        host = checked_url(call.url).unicode_host
        kind = parameters.credential_kind()
        authorization = await self._authorization(kind) if kind else None
        if (templates := parameters.pagination()) is not None:
            return await self._pages(parameters, call, authorization, templates, index)
        expect = parameters.expect()
        sent = replace(with_key(call, self._run, parameters.key_header(), index), keeper=FileKeeper(self._run, expect))
        reply = await self._context.port(HttpClient).send(sent, authorization)
        raise_for_status(reply, expect, host)
        return await self._items(reply, index)

    async def _pages(
        self,
        parameters: HttpParameters,
        call: Call,
        authorization: Authorization | None,
        templates: Mapping[str, Json],
        index: int,
    ) -> Items:
        context, request = self._context, parameters.request_view(call)
        fetch = PageFetch(
            self._run,
            context.port(HttpClient),
            context.clock,
            # Pagination reads its part of an answer in memory.
            replace(call, keeper=FileKeeper(self._run, Expect())),
            parameters.expect(),
            authorization,
            templates,
            request,
            index,
            self._most_pages,
            parameters.key_header(),
        )
        made: Items = []
        async for reply in pages(fetch):
            made += await self._items(reply, index)
        return made

    async def _items(self, reply: Reply, index: int) -> Items:
        expect, item = self._resolved[index].expect(), self._run.items[index]
        if form_of(reply, expect) == "file":
            file = reply.file or await FileKeeper(self._run, expect).keep(reply, stream_of(reply.body))
            return [file_item(reply, expect, item, index, file)]
        return await _off_loop(len(reply.body) >= LARGE, items_of, reply, expect, index)

    async def _authorization(self, kind: str) -> Authorization:
        async with self._reading:
            if kind not in self._authorizations:
                self._authorizations[kind] = await self._run.authorization(kind)
        return self._authorizations[kind]


async def _off_loop(
    large: bool, work: Callable[WorkArguments, Result], *args: WorkArguments.args, **kwargs: WorkArguments.kwargs
) -> Result:
    """Large work goes to a thread; for small work a thread costs more than it saves."""
    return await asyncio.to_thread(work, *args, **kwargs) if large else work(*args, **kwargs)
