"""RSS Read: the entries of a feed, RSS or Atom, as items. Fetched through the guarded client."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.http_client import HttpCall, HttpClient
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeResult, NodeRun, Parameters, needed
from jackfield.api.nodes.items import new_items
from jackfield.api.nodes.running import made_per_item
from jackfield.api.nodes.ui import UiFields
from jackfield.api.triggers.failures import ServiceRefusal, wait_asked
from jackfield.api.workflows import Items
from jackfield_integrations.form import RSS, RSS_OPTIONS
from jackfield_integrations.libraries import load
from jackfield_integrations.node import IntegrationNode
from jackfield_integrations.parameters import Text, names

ACCEPT = "application/rss+xml, application/atom+xml, application/rdf+xml;q=0.8, application/xml;q=0.6, text/xml;q=0.6"


class RssOptions(Parameters):
    ui_fields: ClassVar[UiFields] = RSS_OPTIONS

    custom_fields: Text = Field("", description="Further fields of the entries, comma separated.")
    ignore_ssl: bool = Field(False, alias="ignoreSSL", description="Accept any certificate; insecure.")


class RssFeedRead(Parameters):
    ui_fields: ClassVar[UiFields] = RSS

    url: Text = Field("", description="The feed's URL.", json_schema_extra=needed())
    options: RssOptions = Field(default_factory=RssOptions)


class RssFeedReadNode(IntegrationNode):
    """Version 1 reads the first item's feed only."""

    kind = "rssFeedRead"
    versions: Sequence[float] = (1, 1.1, 1.2)
    description = NodeDescription("RSS Read", "Reads the entries of a feed.", "network")
    model = RssFeedRead
    effect = False

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[RssFeedRead] = await run.resolve()
        if run.node.version == 1:
            resolved = resolved[:1]
        return [await made_per_item(run, resolved, self._one)]

    async def _one(self, index: int, wanted: RssFeedRead) -> Items:
        if not wanted.url.strip():
            raise NodeError("The parameter url is empty.")
        custom, verify = names(wanted.options.custom_fields), not wanted.options.ignore_ssl
        return new_items(await feed_rows(self._context, wanted.url, custom, verify=verify), index)


async def feed_rows(
    context: PluginContext, url: str, custom: Sequence[str] = (), *, verify: bool = True
) -> list[dict[str, Json]]:
    """The entries of the feed at this address. custom: further fields of them. Raises `ServiceRefusal`, `NodeError`."""
    feeds = await load("feeds", "feeds")
    call = HttpCall("GET", url, headers=[("accept", ACCEPT)], verify=verify)
    reply = await context.port(HttpClient).send(call)
    if not 200 <= reply.status < 300:
        message = f"The feed's server answers with status {reply.status}."
        raise ServiceRefusal(message, status=reply.status, retry_after=wait_asked(reply))
    rows: list[dict[str, Json]] = await asyncio.to_thread(
        feeds.entries, reply.body, reply.header("content-type"), custom
    )
    return rows


def node(context: PluginContext) -> RssFeedReadNode:
    return RssFeedReadNode(context)
