"""Redis Trigger: starts the workflow with messages of channels. Redis keeps none for whoever is not connected."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import ClassVar

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.nodes import Parameters, needed
from jackfield.api.nodes.ui import UiFields
from jackfield.api.triggers.listening import Heard, ListenRun, event_items
from jackfield.api.workflows import Node, Problem
from jackfield_integrations.kinds import REDIS
from jackfield_integrations.libraries import load
from jackfield_integrations.listening.form import REDIS_TRIGGER, REDIS_TRIGGER_OPTIONS
from jackfield_integrations.listening.node import ConnectionTrigger, json_or_text
from jackfield_integrations.parameters import Text, names


class RedisTriggerOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = REDIS_TRIGGER_OPTIONS

    json_parse_body: bool = Field(False, description="Whether a message that is JSON is read.")
    only_message: bool = Field(False, description="Whether the item has the message alone, without its channel.")


class RedisTrigger(Parameters):
    ui_fields: ClassVar[UiFields] = REDIS_TRIGGER

    channels: Text = Field("", description="Channels or patterns, comma separated.", json_schema_extra=needed())
    options: RedisTriggerOptions = Field(default_factory=RedisTriggerOptions)


class RedisTriggerNode(ConnectionTrigger):
    """`ListeningNode`."""

    def __init__(self, context: PluginContext) -> None:
        words = ("Redis Trigger", "Starts the workflow with messages of Redis channels.")
        super().__init__(context, "redisTrigger", (1,), words, REDIS, ("redis", "redis"), RedisTrigger)

    def listen(self, run: ListenRun) -> AbstractAsyncContextManager[AsyncIterator[Heard]]:
        return self._opened(run, RedisTrigger.model_validate(dict(run.node.parameters)))

    @contextlib.asynccontextmanager
    async def _opened(self, run: ListenRun, wanted: RedisTrigger) -> AsyncIterator[AsyncIterator[Heard]]:
        values = await self.values(run)
        sessions = await load("redis_session", "redis")
        async with (
            sessions.opened(self.targets(), values, self.settings) as session,
            session.messages(names(wanted.channels)) as messages,
        ):
            yield (await _heard(wanted.options, channel, text) async for channel, text in messages)

    def listen_problems(self, node: Node) -> Sequence[Problem]:
        wanted = RedisTrigger.model_validate(dict(node.parameters))
        missing = not names(wanted.channels)
        return [Problem("parameters.channels", "The parameter channels is empty; name one.")] if missing else []


async def _heard(options: RedisTriggerOptions, channel: str, text: str) -> Heard:
    message = await json_or_text(text) if options.json_parse_body else text
    return Heard(
        event_items({"message": message} if options.only_message else {"channel": channel, "message": message})
    )


def node(context: PluginContext) -> RedisTriggerNode:
    return RedisTriggerNode(context)
