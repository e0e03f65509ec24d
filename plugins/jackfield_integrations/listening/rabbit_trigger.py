"""RabbitMQ Trigger: starts the workflow with messages of a queue.

The queue keeps a message until it is acknowledged: after its execution is stored (`immediately`), after its end, or by
a RabbitMQ node. RabbitMQ gives messages no ids: one that is sent again after a crash starts the workflow again."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Parameters, needed
from jackfield.api.nodes.files import kept_file
from jackfield.api.nodes.ui import UiFields
from jackfield.api.triggers.listening import EventFiles, Heard, ListenRun, event_items
from jackfield.api.workflows import Item, Node, Problem
from jackfield_integrations.kinds import RABBITMQ
from jackfield_integrations.libraries import load
from jackfield_integrations.listening.form import BINDING, RABBIT_TRIGGER, RABBIT_TRIGGER_OPTIONS
from jackfield_integrations.listening.node import ConnectionTrigger, json_or_text
from jackfield_integrations.messaging.open_deliveries import OpenDeliveries
from jackfield_integrations.messaging.rabbit_node import Headers, QueueArguments
from jackfield_integrations.parameters import Text

if TYPE_CHECKING:
    from aio_pika.abc import AbstractIncomingMessage

    from jackfield_integrations.messaging.rabbit_session import RabbitSession

Acknowledge = Literal["executionFinishes", "executionFinishesSuccessfully", "immediately", "laterMessageNode"]


class Binding(Parameters):
    ui_fields: ClassVar[UiFields] = BINDING

    exchange: Text = ""
    routing_key: Text = ""


class Bindings(Parameters):
    bindings: list[Binding] = Field(default_factory=list)


class RabbitTriggerOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = RABBIT_TRIGGER_OPTIONS

    acknowledge: Acknowledge = Field("immediately", description="When the queue forgets a message.")
    arguments: QueueArguments = Field(default_factory=QueueArguments)
    assert_exchange: bool = Field(False, description="Nothing: the trigger needs no exchange.")
    assert_queue: bool = Field(False, description="Whether a queue that is not there is made.")
    auto_delete: bool = Field(False, description="Whether the queue goes with its last consumer.")
    binding: Bindings = Field(default_factory=Bindings)
    content_is_binary: bool = Field(False, description="Whether the content becomes a file of the item.")
    durable: bool = Field(True, description="Whether the queue outlives a restart of the broker.")
    exclusive: bool = Field(False, description="Whether the queue belongs to the connection.")
    headers: Headers = Field(default_factory=Headers)
    json_parse_body: bool = Field(False, description="Whether content that is JSON is read.")
    only_content: bool = Field(False, description="Whether the item has the content alone.")
    parallel_messages: int = Field(-1, ge=-1, description="Executions at a time; -1: any number.")

    @property
    def mode(self) -> Acknowledge:
        """With a number of executions at a time a message is acknowledged after its execution, as in n8n."""
        limited = self.parallel_messages > 0 and self.acknowledge == "immediately"
        return "executionFinishes" if limited else self.acknowledge


class RabbitTrigger(Parameters):
    ui_fields: ClassVar[UiFields] = RABBIT_TRIGGER

    queue: Text = Field("", description="The queue to read from.", json_schema_extra=needed())
    options: RabbitTriggerOptions = Field(default_factory=RabbitTriggerOptions)


class RabbitTriggerNode(ConnectionTrigger):
    """`ListeningNode`."""

    def __init__(self, context: PluginContext) -> None:
        words = ("RabbitMQ Trigger", "Starts the workflow with messages of a queue.")
        library = ("aio_pika", "rabbitmq")
        super().__init__(context, "rabbitmqTrigger", (1,), words, RABBITMQ, library, RabbitTrigger)

    def listen(self, run: ListenRun) -> AbstractAsyncContextManager[AsyncIterator[Heard]]:
        return self._opened(run, RabbitTrigger.model_validate(dict(run.node.parameters)))

    @contextlib.asynccontextmanager
    async def _opened(self, run: ListenRun, wanted: RabbitTrigger) -> AsyncIterator[AsyncIterator[Heard]]:
        values = await self.values(run)
        sessions = await load("messaging.rabbit_session", "rabbitmq")
        options = wanted.options
        arguments = {pair.key: pair.value for pair in options.arguments.argument if pair.key}
        declared = sessions.Declared(
            options.assert_queue, options.durable, options.exclusive, options.auto_delete, arguments
        )
        bindings = [(one.exchange, one.routing_key) for one in options.binding.bindings if one.exchange]
        ahead = min(options.parallel_messages, run.prefetch) if options.parallel_messages > 0 else run.prefetch
        async with (
            sessions.opened(self.targets(), values, self.settings) as session,
            session.consumed(wanted.queue, declared, bindings, ahead) as messages,
        ):
            yield (await self._heard(run, options, session, message) async for message in messages)

    async def _heard(
        self, run: ListenRun, options: RabbitTriggerOptions, session: RabbitSession, message: AbstractIncomingMessage
    ) -> Heard:
        files = run.files()
        item = await _item(options, message, files)
        later = options.mode == "laterMessageNode" and not run.test
        deliveries = self._context.port(OpenDeliveries)
        asked = deliveries.begin(files.id) if later else None
        early = asyncio.ensure_future(_when_asked(asked, session, message)) if asked is not None else None

        async def settle(became: str) -> None:
            if asked is not None and early is not None:
                deliveries.end(files.id)
                if asked.is_set():
                    await early
                    return
                early.cancel()
            fails = became == "failed" and options.mode != "executionFinishes"
            if became == "left" or fails:
                await session.give_back(message)
            else:
                await session.acknowledge(message)

        return Heard([item], files=files, settle=settle, until_end=options.mode != "immediately")

    def listen_problems(self, node: Node) -> Sequence[Problem]:
        wanted = RabbitTrigger.model_validate(dict(node.parameters))
        if not wanted.queue:
            return [Problem("parameters.queue", "The parameter queue is empty; name one.")]
        if wanted.options.parallel_messages == 0:
            return [Problem("parameters.options.parallelMessages", "Give a number above zero, or -1 for no limit.")]
        return []


async def _when_asked(asked: asyncio.Event, session: RabbitSession, message: AbstractIncomingMessage) -> None:
    await asked.wait()
    await session.acknowledge(message)


async def _item(options: RabbitTriggerOptions, message: AbstractIncomingMessage, files: EventFiles) -> Item:
    about = _about(message)
    if options.content_is_binary:
        return {"json": about, "binary": {"data": await kept_file(files, message.body, mime_type="")}}
    text = message.body.decode("utf-8", "replace")
    content = await json_or_text(text) if options.json_parse_body else text
    if options.only_content:
        return event_items([content])[0]
    return {"json": {**about, "content": content}}


def _about(message: AbstractIncomingMessage) -> dict[str, Json]:
    """Fields and properties, in n8n's names."""
    stamp = message.timestamp
    properties: dict[str, object] = {
        "contentType": message.content_type,
        "contentEncoding": message.content_encoding,
        "headers": {name: _plain(value) for name, value in message.headers.items()},
        "deliveryMode": int(message.delivery_mode) if message.delivery_mode else None,
        "priority": message.priority,
        "correlationId": message.correlation_id,
        "replyTo": message.reply_to,
        "expiration": None if message.expiration is None else f"{float(str(message.expiration)) * 1000:g}",
        "messageId": message.message_id,
        "timestamp": None if stamp is None else round(stamp.timestamp()),
        "type": message.type,
        "userId": message.user_id,
        "appId": message.app_id,
        "clusterId": message.cluster_id or None,
    }
    fields: dict[str, Json] = {
        "consumerTag": message.consumer_tag,
        "deliveryTag": message.delivery_tag,
        "redelivered": bool(message.redelivered),
        "exchange": message.exchange or "",
        "routingKey": message.routing_key or "",
    }
    told = {name: _plain(value) for name, value in properties.items() if value is not None}
    return {"fields": fields, "properties": told}


def _plain(value: object) -> Json:
    if isinstance(value, dict):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode("utf-8", "replace")
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def node(context: PluginContext) -> RabbitTriggerNode:
    return RabbitTriggerNode(context)
