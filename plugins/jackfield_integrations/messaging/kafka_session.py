"""Connections to Kafka. A cluster tells the addresses of its brokers itself: each is checked before it is reached."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.client import AIOKafkaClient, ConnectionGroup
from aiokafka.errors import IllegalStateError, KafkaError

from jackfield.api.nodes import NodeError
from jackfield.api.records import record
from jackfield_integrations.messaging.tls import client_tls
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.targets import Targets

_PORT = 9092
_FAILURES = (KafkaError, OSError, TimeoutError, ValueError, RuntimeError)
_LONGEST_WORK_MS = 2**31 - 1
"""Between two looks for messages, while an execution runs. The lease of the daemon, and the session with the broker,
tell that somebody else is to read."""
_LOOK_MS = 1000
_MECHANISMS = {"plain": "PLAIN", "scram-sha-256": "SCRAM-SHA-256", "scram-sha-512": "SCRAM-SHA-512"}


@record
class TopicReading:
    """How a topic is read. group: empty: of a test, which leaves nothing at the broker. Times in milliseconds, sizes in
    bytes."""

    topic: str
    group: str
    from_beginning: bool
    session_timeout: int
    heartbeat: int
    rebalance_timeout: int
    most_bytes: int
    least_bytes: int


class KafkaMessage(NamedTuple):
    """The message that is sent."""

    topic: str
    value: bytes
    key: bytes | None
    headers: list[tuple[str, bytes]]


class BrokerGuard:
    """Takes the place of the two methods by which aiokafka's client opens connections: the library has no way to give
    it one's own. See `test_a_broker_elsewhere_is_not_reached`."""

    def __init__(
        self, client: AIOKafkaClient, targets: Targets, values: DriverCredential, settings: IntegrationSettings
    ) -> None:
        self._client = client
        self._limit = settings.connect_timeout
        self._targets = targets
        self._values = values
        self._begin = client.bootstrap
        self._open = client._get_conn
        self._known = client.cluster.broker_metadata
        self._addresses: dict[str, str] = {}
        self._opening = asyncio.Lock()
        self.refusal: NodeError | None = None
        self._refused = asyncio.Event()
        client.bootstrap = self._bootstrap
        client._get_conn = self._connection
        client.cluster.broker_metadata = self._broker

    async def _bootstrap(self) -> None:
        problem: Exception | None = None
        for host, port in brokers(self._values):
            try:
                addresses = await self._targets.checked(self._values, host, port)
            except NodeError as exc:
                problem = exc
                continue
            for address in addresses:
                await self._named(host)
                self._client._bootstrap_servers = [f"[{address}]:{port}" if ":" in address else f"{address}:{port}"]
                try:
                    async with asyncio.timeout(self._limit):
                        await self._begin()
                except (KafkaError, TimeoutError):
                    problem = NodeError(
                        f"No connection to {host}, port {port}; look whether the broker answers, whether it wants TLS, "
                        "and at user and password."
                    )
                else:
                    return
        raise problem or NodeError("The credential kafka has no brokers; fill it in.")

    async def _named(self, host: str) -> None:
        """TLS verifies this name with the next connection."""
        if self._values.flag("ssl", default=True):
            verify = not self._values.flag("allowUnauthorizedCerts")
            self._client._ssl_context = await client_tls(self._values, host, verify=verify)

    async def _connection(
        self, node_id: Any, *, group: Any = ConnectionGroup.DEFAULT, no_hint: bool = False
    ) -> Any:  # Any: the library has no types
        there = self._client._conns.get((node_id, group))
        if there is not None and there.connected():
            return there
        async with self._opening:
            broker = self._known(node_id)
            if broker is not None:
                try:
                    self._addresses[broker.host] = (
                        await self._targets.checked(self._values, broker.host, broker.port)
                    )[0]
                    await self._named(broker.host)
                except NodeError as exc:
                    self.refusal = exc
                    self._refused.set()
                    return None
            return await self._open(node_id, group=group, no_hint=no_hint)

    async def through(self, work: Coroutine[Any, Any, Any]) -> Any:  # Any: as above
        """The result of this work of the library, which tries forever to reach what the guard refuses. Raises
        `NodeError`."""
        begun, refused = asyncio.ensure_future(work), asyncio.ensure_future(self._refused.wait())
        try:
            await asyncio.wait({begun, refused}, return_when=asyncio.FIRST_COMPLETED)
            if self.refusal is not None and not begun.done():
                raise self.refusal
            if begun.cancelled():
                raise NodeError("Kafka: the connection ended meanwhile.")
            return await begun
        finally:
            refused.cancel()
            begun.cancel()
            await asyncio.gather(begun, return_exceptions=True)

    @property
    def connected(self) -> bool:
        return any(there.connected() for there in self._client._conns.values())

    def _broker(self, node_id: Any) -> Any:
        """With the address that was checked, which alone is connected to."""
        broker = self._known(node_id)
        return broker if broker is None else broker._replace(host=self._addresses.get(broker.host, "unchecked.invalid"))


def brokers(values: DriverCredential) -> list[tuple[str, int]]:
    """Hosts and ports of the credential. Raises `NodeError`."""
    found = []
    for text in values.needed("brokers").split(","):
        host, colon, port = text.strip().rpartition(":")
        if not colon:
            host, port = port, str(_PORT)
        if not host or not port.isdigit() or not 0 < int(port) < 65536:
            raise NodeError(f"The broker {text.strip()!r} of the credential kafka is not host:port.")
        found.append((host.strip("[]"), int(port)))
    return found


def _common(values: DriverCredential) -> dict[str, Any]:
    """The options that producers and consumers share. Raises `NodeError`."""
    tls = values.flag("ssl", default=True)
    if tls and bool(values.text("cert")) != bool(values.text("key")):
        raise NodeError("The credential kafka needs a client certificate and its key, or neither.")
    given: dict[str, Any] = {
        "bootstrap_servers": "127.0.0.1:0",
        "client_id": values.text("clientId", "jackfield"),
        "security_protocol": "SSL" if tls else "PLAINTEXT",
    }
    if tls:
        given["ssl_context"] = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # the guard gives the one that is used
    if values.flag("authentication"):
        mechanism = values.text("saslMechanism", "plain")
        if mechanism not in _MECHANISMS:
            raise NodeError(f"The SASL mechanism {mechanism!r} is unknown; use one of {', '.join(_MECHANISMS)}.")
        given["security_protocol"] = "SASL_SSL" if tls else "SASL_PLAINTEXT"
        given["sasl_mechanism"] = _MECHANISMS[mechanism]
        given["sasl_plain_username"] = values.needed("username")
        given["sasl_plain_password"] = values.needed("password")
    return given


@contextlib.contextmanager
def told(values: DriverCredential, guard: BrokerGuard | None = None) -> Iterator[None]:
    """Failures of the library as `NodeError`, without secrets."""
    try:
        yield
    except NodeError:
        raise
    except _FAILURES as exc:
        if guard is not None and guard.refusal is not None:
            raise guard.refusal from None
        raise NodeError(f"Kafka: {values.shown(exc)}.") from None


async def _stopped(stop: Coroutine[Any, Any, None]) -> None:
    """Of a broker that went away the library tells with a cancellation, which is none of whoever waits here."""
    ended = asyncio.ensure_future(stop)
    try:
        await asyncio.wait({ended})
    finally:
        ended.cancel()
    if not ended.cancelled():
        ended.exception()  # nobody is there any more whom a failure would help


class KafkaReader:
    """Reads one topic. Every method raises `NodeError`."""

    def __init__(self, consumer: AIOKafkaConsumer, guard: BrokerGuard, values: DriverCredential) -> None:
        self._consumer = consumer
        self._guard = guard
        self._values = values

    def assigned(self) -> set[TopicPartition]:
        """Partitions that this member of the group reads now."""
        return set(self._consumer.assignment())

    async def fetched(self, of: set[TopicPartition], most: int) -> Mapping[TopicPartition, Sequence[Any]]:
        """The next messages of these partitions, `most` in all; after a second without any, none. Any: aiokafka's
        `ConsumerRecord`."""
        with told(self._values, self._guard):
            found: Mapping[TopicPartition, Sequence[Any]] = await self._consumer.getmany(
                *of, timeout_ms=_LOOK_MS, max_records=most
            )
        if not found and self._guard.refusal is not None:
            raise self._guard.refusal
        if not found and not self._guard.connected:
            raise NodeError("The connection to Kafka is lost.")
        return found

    async def commit(self, partition: TopicPartition, offset: int) -> None:
        """The group goes on behind this offset."""
        with told(self._values, self._guard):
            await self._consumer.commit({partition: offset + 1})

    def again(self, partition: TopicPartition, offset: int) -> None:
        """The next messages of the partition are those from this offset on, if it is still read here."""
        with contextlib.suppress(IllegalStateError):
            self._consumer.seek(partition, offset)


@contextlib.asynccontextmanager
async def reading(
    targets: Targets, values: DriverCredential, settings: IntegrationSettings, wanted: TopicReading
) -> AsyncIterator[KafkaReader]:
    """A member of the group. Raises `NodeError`."""
    with told(values):
        consumer = AIOKafkaConsumer(
            wanted.topic,
            group_id=wanted.group or None,
            auto_offset_reset="earliest" if wanted.from_beginning else "latest",
            enable_auto_commit=False,
            session_timeout_ms=wanted.session_timeout,
            heartbeat_interval_ms=min(wanted.heartbeat, max(wanted.session_timeout // 3, 1)),
            rebalance_timeout_ms=wanted.rebalance_timeout,
            max_poll_interval_ms=_LONGEST_WORK_MS,
            max_partition_fetch_bytes=wanted.most_bytes,
            fetch_min_bytes=wanted.least_bytes,
            **_common(values),
        )
    guard = BrokerGuard(consumer._client, targets, values, settings)
    try:
        with told(values, guard):
            await guard.through(consumer.start())
            if not consumer.partitions_for_topic(wanted.topic):
                raise NodeError(f"Kafka has no topic {wanted.topic}, or does not show it to this user.")
            if not wanted.from_beginning:
                for partition in consumer.assignment():
                    await consumer.position(partition)  # so that the end counts as it is now
        yield KafkaReader(consumer, guard, values)
    finally:
        await _stopped(consumer.stop())


class KafkaSession:
    """Sends messages. Raises `NodeError`."""

    def __init__(self, producer: AIOKafkaProducer, guard: BrokerGuard, values: DriverCredential) -> None:
        self._producer = producer
        self._guard = guard
        self._values = values

    async def send(self, message: KafkaMessage) -> Any:
        """Waits for the acknowledgement. Any: aiokafka's `RecordMetadata`."""
        with told(self._values, self._guard):
            return await self._guard.through(
                self._producer.send_and_wait(message.topic, message.value, key=message.key, headers=message.headers)
            )


@contextlib.asynccontextmanager
async def opened(
    targets: Targets,
    values: DriverCredential,
    settings: IntegrationSettings,
    acks: int | str = 1,
    compression: str | None = None,
) -> AsyncIterator[KafkaSession]:
    """acks: 1: the leader has the message; "all": all replicas in sync. Raises `NodeError`."""
    with told(values):
        producer = AIOKafkaProducer(
            acks=acks, compression_type=compression, max_request_size=settings.max_bytes, **_common(values)
        )
    guard = BrokerGuard(producer.client, targets, values, settings)
    try:
        with told(values, guard):
            await guard.through(producer.start())
        yield KafkaSession(producer, guard, values)
    finally:
        await _stopped(producer.stop())
