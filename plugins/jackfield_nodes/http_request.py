"""HTTP Request: one request per item.

Only public addresses are reached unless the settings allow others; see `http_guard`. A run that a crash interrupts
sends its requests again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import ParamSpec, Self, TypeVar

from pydantic import ModelWrapValidatorHandler, model_validator

from jackfield.api.binary import stream_of
from jackfield.api.context import PluginContext
from jackfield.api.http_client import Authorization, HttpClient
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun
from jackfield.api.nodes.items import error_item, goes_on
from jackfield.api.records import replace
from jackfield.api.workflows import Items, Node
from jackfield_nodes.http_body import sent_files
from jackfield_nodes.http_call import Call, Expect, Reply
from jackfield_nodes.http_client import load
from jackfield_nodes.http_keeping import FileKeeper
from jackfield_nodes.http_legacy_parameters import KINDS, LegacyHttpRequest
from jackfield_nodes.http_parameters import HttpParameters, HttpRequest, HttpRequest3, HttpRequest43
from jackfield_nodes.http_response import file_item, form_of, items_of, raise_for_status
from jackfield_nodes.settings import HttpSettings

WorkArguments = ParamSpec("WorkArguments")
Result = TypeVar("Result")

LARGE = 256 * 1024
"""Bodies from this size on, in bytes, are read on a thread."""


def modernised(raw: Mapping[str, object]) -> dict[str, object]:
    """A document without typeVersion may have `headers` as an object and `body` as it is."""
    made = dict(raw)
    if isinstance(raw.get("headers"), dict) and "sendHeaders" not in raw:
        made |= {"sendHeaders": True, "specifyHeaders": "json", "jsonHeaders": raw["headers"]}
    body = raw.get("body")
    if body not in (None, "") and "sendBody" not in raw:
        made |= {"sendBody": True}
        if isinstance(body, dict | list):
            made |= {"contentType": "json", "specifyBody": "json", "jsonBody": body}
        else:
            made |= {"contentType": "raw"}
    return made


class UnversionedHttpRequest(HttpRequest43):
    """A document without typeVersion: either generation, told apart by its keys."""

    @model_validator(mode="wrap")
    @classmethod
    def _choose(cls, raw: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if not isinstance(raw, dict):
            return handler(raw)
        legacy = "requestMethod" in raw or any(str(key).endswith("ParametersUi") for key in raw)
        return LegacyHttpRequest.model_validate(raw) if legacy else handler(modernised(raw))  # type: ignore[return-value]


class HttpRequestNode:
    """Items are sent side by side, in batches; the first that fails fails the node, unless it goes on after errors."""

    kind = "httpRequest"
    versions: Sequence[float] = (1, 2, 3, 4, 4.1, 4.2, 4.3, 4.4)
    description = NodeDescription(
        "HTTP Request",
        "Sends HTTP requests and reads the answers.",
        "network",
        credentials=(
            NodeCredential(parameter="genericAuthType", when={"authentication": ("genericCredentialType",)}),
            NodeCredential(parameter="nodeCredentialType", when={"authentication": ("predefinedCredentialType",)}),
            *(NodeCredential(kind, when={"authentication": (how,)}) for how, kind in KINDS.items()),
        ),
    )
    effect = True

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def parameters(self, version: float | None) -> type[NodeParameters]:
        if version is None:
            return UnversionedHttpRequest
        if version < 3:
            return LegacyHttpRequest
        if version < 4:
            return HttpRequest3
        return HttpRequest if version < 4.3 else HttpRequest43

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[HttpParameters] = await run.resolve()
        if not resolved:
            return [[]]
        await load()
        settings = self._context.settings(HttpSettings)
        requests = Requests(run, self._context, settings.max_pages, resolved)
        batch = resolved[0].batch()
        size = settings.max_connections
        if batch and batch.batch_size > 0:
            size = min(size, batch.batch_size)
        made: Items = []
        for start in range(0, len(resolved), size):
            if start and batch and batch.batch_interval:
                await self._context.clock.sleep(batch.batch_interval / 1000)
            made += await requests.batch(range(start, min(start + size, len(resolved))))
        return [made]


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

    async def batch(self, indexes: range) -> Items:
        """The items of these input items, sent side by side. Raises the first item's `NodeError`."""
        results = await asyncio.gather(*(self._one(index) for index in indexes), return_exceptions=True)
        made: Items = []
        for index, result in zip(indexes, results, strict=True):
            made += self._accepted(result, index)
        return made

    def _accepted(self, result: Items | BaseException, index: int) -> Items:
        if isinstance(result, NodeError):
            if goes_on(self._run):
                return [error_item(result, index)]
            result.item = index
        if isinstance(result, BaseException):
            raise result
        return result

    async def _one(self, index: int) -> Items:
        from jackfield_nodes.http_send import checked_url

        parameters, item = self._resolved[index], self._run.items[index]
        files = await sent_files(self._run, item, parameters.file_fields(), index)
        call = await _off_loop(bool(files), parameters.call, files)
        host = checked_url(call.url).host
        kind = parameters.credential_kind()
        authorization = await self._authorization(kind) if kind else None
        if (templates := parameters.pagination()) is not None:
            return await self._pages(parameters, call, authorization, templates, index)
        expect = parameters.expect()
        reply = await self._context.port(HttpClient).send(
            replace(call, keeper=FileKeeper(self._run, expect)), authorization
        )
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
        from jackfield_nodes.http_pages import PageFetch, pages

        context, request = self._context, parameters.request_view(call)
        fetch = PageFetch(
            self._run,
            context.port(HttpClient),
            context.clock,
            # What pagination reads of an answer, it reads in memory.
            replace(call, keeper=FileKeeper(self._run, Expect())),
            parameters.expect(),
            authorization,
            templates,
            request,
            index,
            self._most_pages,
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


def node(context: PluginContext) -> HttpRequestNode:
    return HttpRequestNode(context)
