"""Kafka: sends messages, all of a run together, and waits for the broker's word."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field, JsonValue

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.http_client import HttpClient
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeError, NodeResult, NodeRun, Parameters, needed
from jackfield.api.nodes.items import all_failed, new_item, pairs
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.nodes.ui import UiFields
from jackfield_integrations.kinds import KAFKA, SCHEMA_REGISTRY
from jackfield_integrations.libraries import load
from jackfield_integrations.messaging.form import KAFKA_OPTIONS, KAFKA_UI, PAIR
from jackfield_integrations.node import IntegrationNode
from jackfield_integrations.parameters import Text
from jackfield_integrations.secret_values import credential

if TYPE_CHECKING:
    from jackfield_integrations.messaging.kafka_session import KafkaMessage, KafkaSession
    from jackfield_integrations.messaging.schema_registry import SchemaRegistry


class KafkaHeader(Parameters):
    ui_fields: ClassVar[UiFields] = PAIR

    key: Text = ""
    value: Text = ""


class KafkaHeaders(Parameters):
    header_values: list[KafkaHeader] = Field(default_factory=list)


class KafkaOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = KAFKA_OPTIONS

    acks: bool = Field(False, description="Whether all replicas in sync must have the message, not the leader alone.")
    compression: bool | Literal["gzip", "lz4", "snappy", "zstd", "none"] = Field(
        False, description="How messages travel; true is gzip."
    )
    timeout: float = Field(30_000, gt=0, description="Longest time of sending, in milliseconds.")

    @property
    def codec(self) -> str | None:
        if isinstance(self.compression, bool):
            return "gzip" if self.compression else None
        return None if self.compression == "none" else self.compression


class KafkaParameters(Parameters):
    ui_fields: ClassVar[UiFields] = KAFKA_UI

    topic: Text = Field("", json_schema_extra=needed())
    send_input_data: bool = Field(True, description="Whether the item's JSON is the message.")
    message: Text = ""
    json_parameters: bool = False
    use_schema_registry: bool = False
    schema_registry_url: Text = ""
    use_key: bool = False
    key: Text = Field("", json_schema_extra=needed({"useKey": [True]}))
    event_name: Text = Field("", json_schema_extra=needed({"useSchemaRegistry": [True]}))
    headers_ui: KafkaHeaders = Field(default_factory=KafkaHeaders)
    header_parameters_json: JsonValue = Field("", description="Headers, as JSON text or an object.")
    options: KafkaOptions = Field(default_factory=KafkaOptions)

    def headers(self) -> Mapping[str, str]:
        """Raises `NodeError`."""
        if not self.json_parameters:
            return {one.key: one.value for one in self.headers_ui.header_values}
        found: object = self.header_parameters_json
        if isinstance(found, str):
            try:
                found = loads(found.encode())
            except InvalidInput:
                raise NodeError("Headers must be valid JSON.") from None
        if not isinstance(found, dict):
            raise NodeError("Headers must be one JSON object.")
        for name, value in found.items():
            if not isinstance(value, str):
                raise NodeError(f"Header {name!r} must be a text.")
        return {name: str(value) for name, value in found.items()}


class KafkaNode(IntegrationNode):
    """Of the first item: the options, whether the item is sent, and the schema registry, as in n8n."""

    kind = "kafka"
    versions: Sequence[float] = (1, 2)
    description = NodeDescription(
        "Kafka",
        "Sends messages to Kafka.",
        "network",
        credentials=(NodeCredential(KAFKA.name), NodeCredential(SCHEMA_REGISTRY.name, required=False)),
        missing=lacking_library("aiokafka", "kafka"),
    )
    model = KafkaParameters

    async def execute(self, run: NodeRun) -> NodeResult:
        try:
            return await self._all(run)
        except NodeError as exc:
            return [all_failed(run, exc)]  # all are sent or, as far as the node can tell, none

    async def _all(self, run: NodeRun) -> NodeResult:
        resolved: list[KafkaParameters] = await run.resolve()
        if not resolved:
            return [[]]
        first = resolved[0]
        values = await credential(run, KAFKA)
        sessions = await load("messaging.kafka_session", "kafka")
        registry, schema = await self._schema(run, first)
        messages = [
            await _message(sessions.KafkaMessage, run.items[index]["json"], wanted, first, registry, schema, index)
            for index, wanted in enumerate(resolved)
        ]
        options = first.options
        acks: int | str = "all" if options.acks else 1
        async with (
            self.slot(),
            sessions.opened(self.targets, values, self.settings, acks, options.codec) as session,
        ):
            rows = await _sent(session, messages, options.timeout / 1000)
        origin = pairs(range(len(resolved)))
        told: list[dict[str, Json]] = rows if options.acks else [{"success": True}]
        return [[new_item(row, origin) for row in told]]

    async def _schema(self, run: NodeRun, wanted: KafkaParameters) -> tuple[SchemaRegistry | None, int]:
        """Raises `NodeError`."""
        if not wanted.use_schema_registry:
            return None, 0
        if not wanted.event_name:
            raise NodeError("The parameter eventName is empty; name the schema's subject.")
        registries = await load("messaging.schema_registry", "kafka")
        selected = SCHEMA_REGISTRY.name in (run.node.credentials or {})
        http = self._context.port(HttpClient)
        registry: SchemaRegistry = await registries.registry(http, run, selected, wanted.schema_registry_url)
        return registry, await registry.latest(wanted.event_name)


async def _message(
    made: type[KafkaMessage],
    item: dict[str, Json],
    wanted: KafkaParameters,
    first: KafkaParameters,
    registry: SchemaRegistry | None,
    schema: int,
    index: int,
) -> KafkaMessage:
    """Raises `NodeError` with the item's index."""
    try:
        if not wanted.topic:
            raise NodeError("The parameter topic is empty.")
        value = dumps(item) if first.send_input_data else wanted.message.encode()
        if registry is not None:
            try:
                read = loads(value)
            except InvalidInput:
                raise NodeError("The message is no JSON, which the schema registry encodes.") from None
            value = await registry.encoded(schema, read)
        headers = [(name, text.encode()) for name, text in wanted.headers().items()]
        return made(wanted.topic, value, wanted.key.encode() if wanted.use_key else None, headers)
    except NodeError as exc:
        exc.item = index
        raise


async def _sent(session: KafkaSession, messages: Sequence[KafkaMessage], seconds: float) -> list[dict[str, Json]]:
    """The values that n8n tells of each partition. Raises `NodeError` when a message has not got there."""
    try:
        async with asyncio.timeout(seconds):
            told = await asyncio.gather(*(session.send(message) for message in messages), return_exceptions=True)
    except TimeoutError:
        raise NodeError(f"Kafka has not taken all messages within {seconds:g} seconds (timeout).") from None
    failed = [one for one in told if isinstance(one, BaseException)]
    if failed:
        how_many = Counter(str(one) for one in failed)
        raise NodeError(f"{len(failed)} of {len(messages)} messages were not sent. {next(iter(how_many))}")
    begun: dict[tuple[str, int], Any] = {}  # Any: aiokafka's `RecordMetadata`
    for one in told:
        assert not isinstance(one, BaseException)  # noqa: S101 - raised above
        known = begun.setdefault((one.topic, one.partition), one)
        if one.offset < known.offset:
            begun[one.topic, one.partition] = one
    return [
        {
            "topicName": topic,
            "partition": partition,
            "errorCode": 0,
            "baseOffset": str(one.offset),
            "logAppendTime": str(one.timestamp) if one.timestamp_type == 1 else "-1",
            "logStartOffset": str(getattr(one, "log_start_offset", 0) or 0),
        }
        for (topic, partition), one in begun.items()
    ]


def node(context: PluginContext) -> KafkaNode:
    return KafkaNode(context)
