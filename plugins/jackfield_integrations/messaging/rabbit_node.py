"""RabbitMQ: sends messages, through one connection per run, and acknowledges the message that has started the
execution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import dumps
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeError, NodeResult, NodeRun, Parameters, needed
from jackfield.api.nodes.items import new_items, pass_all
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Items
from jackfield_integrations.kinds import RABBITMQ
from jackfield_integrations.libraries import sessions_of
from jackfield_integrations.messaging.form import PAIR, RABBIT, RABBIT_OPTIONS
from jackfield_integrations.messaging.open_deliveries import OpenDeliveries
from jackfield_integrations.node import IntegrationNode
from jackfield_integrations.parameters import Text

if TYPE_CHECKING:
    from jackfield_integrations.messaging.rabbit_session import Declared, RabbitSession


class Pair(Parameters):
    ui_fields: ClassVar[UiFields] = PAIR

    key: Text = ""
    value: Text = ""


class QueueArguments(Parameters):
    argument: list[Pair] = Field(default_factory=list)


class Headers(Parameters):
    header: list[Pair] = Field(default_factory=list)


class RabbitOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = RABBIT_OPTIONS

    alternate_exchange: Text = ""
    arguments: QueueArguments = Field(default_factory=QueueArguments)
    assert_exchange: bool = Field(False, description="Whether an exchange that is not there is made.")
    assert_queue: bool = Field(False, description="Whether a queue that is not there is made.")
    auto_delete: bool = Field(False, description="Whether it goes with its last consumer.")
    durable: bool = Field(True, description="Whether it outlives a restart of the broker.")
    exclusive: bool = Field(False, description="Whether the queue belongs to the connection.")
    headers: Headers = Field(default_factory=Headers)

    def pairs(self, of: Literal["arguments", "headers"]) -> Mapping[str, str]:
        found = self.arguments.argument if of == "arguments" else self.headers.header
        return {pair.key: pair.value for pair in found if pair.key}


class RabbitParameters(Parameters):
    ui_fields: ClassVar[UiFields] = RABBIT

    operation: Literal["sendMessage", "deleteMessage"] = "sendMessage"
    mode: Literal["queue", "exchange"] = "queue"
    queue: Text = ""
    exchange: Text = ""
    exchange_type: Literal["direct", "topic", "headers", "fanout"] = "fanout"
    routing_key: Text = ""
    send_input_data: bool = Field(True, description="Whether the item's JSON is the message.")
    message: Text = Field("", json_schema_extra=needed({"operation": ["sendMessage"], "sendInputData": [False]}))
    options: RabbitOptions = Field(default_factory=RabbitOptions)


class RabbitNode(IntegrationNode):
    """Of the first item: queue or exchange, and before version 1.2 the routing key, as in n8n."""

    kind = "rabbitmq"
    versions: Sequence[float] = (1, 1.1, 1.2)
    description = NodeDescription(
        "RabbitMQ",
        "Sends messages to RabbitMQ.",
        "network",
        credentials=(NodeCredential(RABBITMQ.name),),
        missing=lacking_library("aio_pika", "rabbitmq"),
    )
    model = RabbitParameters

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[RabbitParameters] = await run.resolve()
        if not resolved:
            return [[]]
        first = resolved[0]
        if first.operation == "deleteMessage":
            self._context.port(OpenDeliveries).acknowledge(run.execution.id)
            return pass_all(run.items)
        opened = await self.opening(run, RABBITMQ)
        declared = (await sessions_of(RABBITMQ)).Declared
        named: list[str] = []

        async def one(session: RabbitSession, index: int, wanted: RabbitParameters) -> Items:
            if not named:
                named.append(await _target(session, first, declared))
            text = dumps(run.items[index]["json"]).decode() if first.send_input_data else wanted.message
            keyed = wanted if (run.node.version or 1) >= 1.2 else first
            key = keyed.routing_key if first.mode == "exchange" else first.queue
            headers, properties = wanted.options.pairs("headers"), first.options.pairs("arguments")
            await session.publish(named[0], key, text, headers, properties)
            return new_items([{"success": True}], index)

        return [await self.through(run, resolved, opened, one)]


async def _target(session: RabbitSession, wanted: RabbitParameters, declared: type[Declared]) -> str:
    """The exchange, empty for a queue, after it was looked at or made. Raises `NodeError`."""
    options = wanted.options
    if wanted.mode == "queue":
        if not wanted.queue:
            raise NodeError("The parameter queue is empty.")
        await session.queue(
            wanted.queue, declared(options.assert_queue, options.durable, options.exclusive, options.auto_delete)
        )
        return ""
    if not wanted.exchange:
        raise NodeError("The parameter exchange is empty.")
    other = {"alternate-exchange": options.alternate_exchange} if options.alternate_exchange else {}
    await session.exchange(
        wanted.exchange,
        wanted.exchange_type,
        declared(options.assert_exchange, options.durable, False, options.auto_delete, other),
    )
    return wanted.exchange


def node(context: PluginContext) -> RabbitNode:
    return RabbitNode(context)
