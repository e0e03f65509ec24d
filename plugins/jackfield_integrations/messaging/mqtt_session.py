"""A connection to an MQTT broker (MQTT 3.1.1)."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Literal

import aiomqtt

from jackfield.api.nodes import NodeError
from jackfield_integrations.messaging.tls import client_tls
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.targets import Targets

_KEEP_ALIVE_S = 30
_QUEUED = 1000
"""Messages that wait in memory; more with the quality 0 are lost, as that quality allows. Of others a broker sends
a few at a time."""


class _Client(aiomqtt.Client):
    """Leaves it to us when a message is acknowledged."""

    def __init__(self, **more: Any) -> None:  # as in the base class
        super().__init__(**more)
        self._client.manual_ack_set(True)

    def acknowledge(self, message: aiomqtt.Message) -> None:
        self._client.ack(message.mid, message.qos)


class MqttSession:
    """Every method raises `NodeError`, without secrets."""

    def __init__(self, client: _Client, values: DriverCredential) -> None:
        self._client = client
        self._values = values

    async def publish(self, topic: str, text: str, qos: int, *, retain: bool) -> None:
        """Returns once the broker has confirmed it, as far as the quality asks for that."""
        with self._told():
            await self._client.publish(topic, text.encode(), qos=qos, retain=retain)

    async def subscribe(self, topics: Sequence[tuple[str, int]]) -> None:
        with self._told():
            granted = await self._client.subscribe(list(topics))
        refused = [topic for (topic, _), code in zip(topics, granted, strict=False) if _code(code) >= 128]
        if refused:
            raise NodeError(f"MQTT: the broker refuses the topic {refused[0]}.")

    async def messages(self) -> AsyncIterator[aiomqtt.Message]:
        """From the subscription on; a broker that keeps a session may send some before it."""
        with self._told():
            async for message in self._client.messages:
                yield message

    def acknowledge(self, message: aiomqtt.Message) -> None:
        """The broker need not send it again. Nothing for the quality 0."""
        if message.qos:
            self._client.acknowledge(message)

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (aiomqtt.MqttError, OSError, ValueError) as exc:
            raise NodeError(f"MQTT: {self._values.shown(exc)}.") from None


def _code(found: object) -> int:
    value = getattr(found, "value", found)
    return value if isinstance(value, int) else 0


@contextlib.asynccontextmanager
async def opened(
    targets: Targets, values: DriverCredential, settings: IntegrationSettings, ident: str = "", *, lasting: bool = False
) -> AsyncIterator[MqttSession]:
    """ident: a name of the client where the credential gives none. lasting: whether the broker may keep the client's
    session, as the credential's `clean` says. Raises `NodeError`."""
    host, port = values.needed("host"), values.port(1883)
    protocol = values.text("protocol", "mqtt")
    tls = await client_tls(values, host) if values.flag("ssl") or protocol == "mqtts" else None
    transport: Literal["tcp", "websockets"] = "websockets" if protocol == "ws" else "tcp"
    clean = not lasting or values.flag("clean", default=True)
    name = values.text("clientId") if lasting else ""
    if not name:
        name = f"jackfield-{ident}" if ident and not clean else f"jackfield-{secrets.token_hex(6)}"

    async def connect(address: str) -> _Client:
        client = _Client(
            hostname=address,
            port=port,
            username=values.text("username") or None,
            password=values.text("password") or None,
            identifier=name,
            clean_session=clean,
            transport=transport,
            timeout=settings.connect_timeout,
            keepalive=_KEEP_ALIVE_S,
            tls_context=tls,
            max_queued_incoming_messages=_QUEUED,
        )
        await client.__aenter__()
        return client

    client = await targets.reach(values, host, port, connect, [aiomqtt.MqttError, ValueError])
    try:
        yield MqttSession(client, values)
    finally:
        with contextlib.suppress(aiomqtt.MqttError, OSError):
            await client.__aexit__(None, None, None)
