"""A connection to RabbitMQ or another broker with AMQP 0-9-1."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, Literal

import aio_pika
from aio_pika.abc import AbstractChannel, AbstractConnection, AbstractExchange, AbstractIncomingMessage
from aio_pika.exceptions import AMQPError

from jackfield.api.nodes import NodeError
from jackfield.api.records import record
from jackfield_integrations.messaging.tls import client_tls
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.targets import Targets

ExchangeType = Literal["direct", "topic", "headers", "fanout"]
_HEARTBEAT_S = 30
_FAILURES = (AMQPError, OSError, ValueError, RuntimeError)
_PROPERTIES = {
    "appId": "app_id",
    "contentEncoding": "content_encoding",
    "contentType": "content_type",
    "correlationId": "correlation_id",
    "messageId": "message_id",
    "replyTo": "reply_to",
    "type": "type",
    "userId": "user_id",
}
"""n8n's name of a property -> the library's."""


@record
class Declared:
    """How a queue or an exchange is to be. asserted: it is made if it is not there."""

    asserted: bool = False
    durable: bool = True
    exclusive: bool = False
    auto_delete: bool = False
    arguments: Mapping[str, str] = {}


class RabbitSession:
    """Every method raises `NodeError`, without secrets."""

    def __init__(self, channel: AbstractChannel, values: DriverCredential) -> None:
        self._channel = channel
        self._values = values
        self._exchanges: dict[str, AbstractExchange] = {}

    @contextlib.contextmanager
    def told(self) -> Iterator[None]:
        """Failures of the broker as `NodeError`."""
        try:
            yield
        except _FAILURES as exc:
            raise NodeError(f"RabbitMQ: {self._values.shown(exc)}.") from None

    async def queue(self, name: str, wanted: Declared) -> aio_pika.abc.AbstractQueue:
        """That is there, or is made."""
        with self.told():
            return await self._channel.declare_queue(
                name,
                passive=not wanted.asserted,
                durable=wanted.durable,
                exclusive=wanted.exclusive,
                auto_delete=wanted.auto_delete,
                arguments=dict(wanted.arguments) or None,
            )

    async def exchange(self, name: str, kind: ExchangeType, wanted: Declared) -> None:
        with self.told():
            self._exchanges[name] = await self._channel.declare_exchange(
                name,
                aio_pika.ExchangeType(kind),
                passive=not wanted.asserted,
                durable=wanted.durable,
                auto_delete=wanted.auto_delete,
                arguments=dict(wanted.arguments) or None,
            )

    async def publish(
        self, exchange: str, key: str, text: str, headers: Mapping[str, str], properties: Mapping[str, str]
    ) -> None:
        """Returns once the broker has confirmed it. exchange: empty: `key` is a queue."""
        with self.told():
            target = self._exchanges[exchange] if exchange else self._channel.default_exchange
            await target.publish(_message(text, headers, properties), key, mandatory=not exchange)

    @contextlib.asynccontextmanager
    async def consumed(
        self, name: str, wanted: Declared, bindings: Sequence[tuple[str, str]], ahead: int
    ) -> AsyncIterator[AsyncIterator[AbstractIncomingMessage]]:
        """Messages of a queue, which the broker keeps until they are acknowledged. bindings: exchange and routing key.
        ahead: messages that it sends before that."""
        queue = await self.queue(name, wanted)
        with self.told():
            for exchange, key in bindings:
                await queue.bind(exchange, key)
            await self._channel.set_qos(ahead)
            cancelled = asyncio.Event()
            underlay = await self._channel.get_underlay_channel()
            underlay.on_consumer_cancel_callbacks.add(lambda _: cancelled.set())
            async with queue.iterator() as messages:
                yield self._each(messages, name, cancelled)

    async def _each(
        self, messages: AsyncIterator[AbstractIncomingMessage], name: str, cancelled: asyncio.Event
    ) -> AsyncIterator[AbstractIncomingMessage]:
        """cancelled: set when the broker sends no more of the queue, which the library's iterator does not tell."""
        ended = asyncio.ensure_future(cancelled.wait())
        try:
            with self.told():
                while True:
                    following = asyncio.ensure_future(anext(messages, None))
                    try:
                        await asyncio.wait({following, ended}, return_when=asyncio.FIRST_COMPLETED)
                    finally:
                        following.cancel()
                    if cancelled.is_set():
                        raise NodeError(f"RabbitMQ sends no more of the queue {name}, which may have been deleted.")
                    if (message := following.result()) is None:
                        return
                    yield message
        finally:
            ended.cancel()

    async def acknowledge(self, message: AbstractIncomingMessage) -> None:
        """The queue forgets it."""
        with self.told():
            await message.ack()

    async def give_back(self, message: AbstractIncomingMessage) -> None:
        """The queue sends it again."""
        with self.told():
            await message.nack(requeue=True)


def _message(text: str, headers: Mapping[str, str], properties: Mapping[str, str]) -> aio_pika.Message:
    given: dict[str, Any] = {_PROPERTIES[name]: value for name, value in properties.items() if name in _PROPERTIES}
    for name in ("priority", "expiration"):
        if properties.get(name):
            given[name] = int(properties[name]) / (1000 if name == "expiration" else 1)
    if "priority" in given:
        given["priority"] = round(given["priority"])
    persistent = properties.get("persistent") in ("true", "1") or properties.get("deliveryMode") == "2"
    mode = aio_pika.DeliveryMode.PERSISTENT if persistent else None
    return aio_pika.Message(text.encode(), headers=dict(headers), delivery_mode=mode, **given)


@contextlib.asynccontextmanager
async def opened(
    targets: Targets, values: DriverCredential, settings: IntegrationSettings
) -> AsyncIterator[RabbitSession]:
    """A channel of a connection that is signed in. Raises `NodeError`."""
    host, port = values.needed("hostname"), values.port(5672)
    tls = await client_tls(values, host, verify=True) if values.flag("ssl") else None
    external = tls is not None and values.flag("passwordless", default=True) and values.text("cert")
    more: dict[str, Any] = {"auth": "external"} if external else {}

    async def connect(address: str) -> AbstractConnection:
        made: AbstractConnection = await aio_pika.connect(
            host=address,
            port=port,
            login=values.text("username", "guest"),
            password=values.text("password", "guest"),
            virtualhost=values.text("vhost", "/"),
            ssl=tls is not None,
            ssl_context=tls,
            timeout=settings.connect_timeout,
            heartbeat=_HEARTBEAT_S,
            **more,
        )
        return made

    connection = await targets.reach(values, host, port, connect, list(_FAILURES))
    try:
        try:
            channel = await connection.channel()
        except _FAILURES as exc:
            raise NodeError(f"RabbitMQ: {values.shown(exc)}.") from None
        yield RabbitSession(channel, values)
    finally:
        with contextlib.suppress(*_FAILURES):
            await connection.close()
