"""HTTP Request: one request per item.

Only public addresses are reached unless the settings allow others; see `http.guard`. A run that a crash interrupts
sends its requests again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Self, cast

from pydantic import ModelWrapValidatorHandler, model_validator

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeParameters, NodeResult, NodeRun
from jackfield.api.nodes.running import made_side_by_side
from jackfield.api.nodes.unresolved import first_resolved
from jackfield.api.workflows import Node
from jackfield_nodes.http.client import loaded
from jackfield_nodes.http.legacy_parameters import KINDS, LegacyHttpRequest
from jackfield_nodes.http.parameters import HttpParameters, HttpRequest, HttpRequest3, HttpRequest43
from jackfield_nodes.http.settings import HttpSettings

if TYPE_CHECKING:
    from jackfield_nodes.http.requests import Requests

REQUESTS = "jackfield_nodes.http.requests:Requests"
"""Needs aiohttp."""


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
        settings = self._context.settings(HttpSettings)
        make = cast("type[Requests]", await loaded(REQUESTS))
        requests = make(run, self._context, settings.max_pages, resolved)
        first = first_resolved(resolved)
        batch = None if first is None else first.batch()
        size = settings.max_connections
        if batch and batch.batch_size > 0:
            size = min(size, batch.batch_size)

        async def pause() -> None:
            if batch and batch.batch_interval:
                await self._context.clock.sleep(batch.batch_interval / 1000)

        return [await made_side_by_side(run, range(len(resolved)), requests.items, size=size, pause=pause)]


def node(context: PluginContext) -> HttpRequestNode:
    return HttpRequestNode(context)
