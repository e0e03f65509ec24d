"""MQTT Trigger: starts the workflow with messages of topics.

A message with the quality 1 or 2 is acknowledged after its execution is stored. A broker keeps messages for whoever is
not connected when the credential's `clean` is off. The client has the credential's name, or one of the node's own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.nodes import Parameters, needed
from jackfield.api.nodes.ui import UiFields
from jackfield.api.triggers.listening import Heard, ListenRun, event_items
from jackfield.api.workflows import Node, Problem
from jackfield_integrations.kinds import MQTT
from jackfield_integrations.libraries import load
from jackfield_integrations.listening.form import MQTT_TRIGGER, MQTT_TRIGGER_OPTIONS
from jackfield_integrations.listening.node import ConnectionTrigger, json_or_text
from jackfield_integrations.parameters import Text

if TYPE_CHECKING:
    from jackfield_integrations.messaging.mqtt_session import MqttSession


class MqttTriggerOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = MQTT_TRIGGER_OPTIONS

    json_parse_body: bool = Field(False, description="Whether a message that is JSON is read.")
    only_message: bool = Field(False, description="Whether the item has the message alone, without its topic.")
    parallel_processing: bool = Field(True, description="Whether executions run side by side.")


class MqttTrigger(Parameters):
    ui_fields: ClassVar[UiFields] = MQTT_TRIGGER

    topics: Text = Field("", description="Topics, comma separated, each with :0, :1 or :2.", json_schema_extra=needed())
    options: MqttTriggerOptions = Field(default_factory=MqttTriggerOptions)

    def asked(self) -> list[tuple[str, int]]:
        """Topic and quality of service; what is none of the three counts as 0, as in n8n."""
        made = []
        for entry in self.topics.split(","):
            topic, _, quality = entry.partition(":")
            if topic.strip():
                made.append((topic.strip(), int(quality) if quality.strip() in ("1", "2") else 0))
        return made


class MqttTriggerNode(ConnectionTrigger):
    """`ListeningNode`."""

    def __init__(self, context: PluginContext) -> None:
        words = ("MQTT Trigger", "Starts the workflow with messages of MQTT topics.")
        super().__init__(context, "mqttTrigger", (1,), words, MQTT, ("aiomqtt", "mqtt"), MqttTrigger)

    def listen(self, run: ListenRun) -> AbstractAsyncContextManager[AsyncIterator[Heard]]:
        return self._opened(run, MqttTrigger.model_validate(dict(run.node.parameters)))

    @contextlib.asynccontextmanager
    async def _opened(self, run: ListenRun, wanted: MqttTrigger) -> AsyncIterator[AsyncIterator[Heard]]:
        values = await self.values(run)
        sessions = await load("messaging.mqtt_session", "mqtt")
        connection = sessions.opened(self.targets(), values, self.settings, run.ident, lasting=not run.test)
        async with connection as session:
            await session.subscribe(wanted.asked())
            yield _heard(session, wanted.options)

    def listen_problems(self, node: Node) -> Sequence[Problem]:
        wanted = MqttTrigger.model_validate(dict(node.parameters))
        return [] if wanted.asked() else [Problem("parameters.topics", "The parameter topics is empty; name one.")]


async def _heard(session: MqttSession, options: MqttTriggerOptions) -> AsyncIterator[Heard]:
    async for message in session.messages():
        settled = asyncio.Event()

        async def settle(became: str, message: object = message, settled: asyncio.Event = settled) -> None:
            if became != "left":
                session.acknowledge(message)  # type: ignore[arg-type]  # a message of the library
            settled.set()

        content = message.payload
        text = bytes(content).decode("utf-8", "replace") if isinstance(content, bytes | bytearray) else str(content)
        value = await json_or_text(text) if options.json_parse_body else text
        told = {"message": value} if options.only_message else {"message": value, "topic": str(message.topic)}
        yield Heard(event_items(told), settle=settle, until_end=not options.parallel_processing)
        if not options.parallel_processing:
            await settled.wait()


def node(context: PluginContext) -> MqttTriggerNode:
    return MqttTriggerNode(context)
