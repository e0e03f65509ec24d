"""Kafka Trigger: starts the workflow with messages of a topic.

The group goes on behind a message after its execution is stored (`immediately`) or has ended, never before. A message
comes again after a crash when the group did not hear of it yet. It starts nothing: the node remembers what came last of
each partition, in the transaction that stores the execution.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.http_client import HttpClient
from jackfield.api.nodes import NodeCredential, Parameters, needed
from jackfield.api.nodes.ui import UiFields
from jackfield.api.triggers.listening import Heard, ListenRun
from jackfield.api.workflows import Node, Problem
from jackfield_integrations.kinds import KAFKA, SCHEMA_REGISTRY
from jackfield_integrations.libraries import load
from jackfield_integrations.listening.form import KAFKA_TRIGGER, KAFKA_TRIGGER_OPTIONS
from jackfield_integrations.listening.kafka_messages import KafkaItems, KafkaMessages, Settling
from jackfield_integrations.listening.node import ConnectionTrigger
from jackfield_integrations.parameters import Text

if TYPE_CHECKING:
    from jackfield_integrations.messaging.kafka_session import TopicReading

Status = Literal["canceled", "crashed", "error", "new", "running", "success", "unknown", "waiting"]
Commit = Literal["onCompletion", "onSuccess", "onStatus", "immediately"]
_NOTHING = "Nothing: offsets are committed as executions are stored or end."


class KafkaTriggerOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = KAFKA_TRIGGER_OPTIONS

    allow_auto_topic_creation: bool = Field(False, description="Nothing: the broker's own setting counts.")
    auto_commit_threshold: int = Field(0, description=_NOTHING)
    auto_commit_interval: int = Field(0, description=_NOTHING)
    batch_size: int = Field(1, ge=1, le=10_000, description="Most messages of one execution.")
    each_batch_auto_resolve: bool = Field(False, description=_NOTHING)
    fetch_max_bytes: int = Field(1_048_576, ge=1, description="Most bytes of a partition at a time.")
    fetch_min_bytes: int = Field(1, ge=1, description="Bytes that the broker gathers, for half a second at most.")
    heartbeat_interval: int | None = Field(None, ge=1, description="Milliseconds; at most a third of the session.")
    max_in_flight_requests: int | None = Field(None, description="Nothing: the library's own number counts.")
    from_beginning: bool = Field(False, description="Whether a new group begins with the oldest message.")
    json_parse_message: bool = Field(False, description="Whether messages that are JSON are read.")
    keep_binary_data: bool = Field(False, description="From version 1.2: whether the message becomes a file.")
    parallel_processing: bool = Field(False, description="Version 1.1: whether executions do not wait for each other.")
    partitions_consumed_concurrently: int = Field(0, ge=0, le=1000, description="Partitions side by side; 0: one.")
    only_message: bool = Field(False, description="Whether the item has the message alone.")
    return_headers: bool = Field(False, description="Whether the item has the headers.")
    rebalance_timeout: int = Field(600_000, ge=1, description="Longest time of a member to join, in milliseconds.")
    error_retry_delay: int = Field(
        5000, ge=0, le=3_600_000, description="Milliseconds after which messages of a failed execution come again."
    )
    session_timeout: int = Field(30_000, ge=1, description="Milliseconds of silence after which a member is dead.")


class KafkaTrigger(Parameters):
    ui_fields: ClassVar[UiFields] = KAFKA_TRIGGER

    topic: Text = Field("", description="The topic to read from.", json_schema_extra=needed())
    group_id: Text = Field("", description="The consumer group.", json_schema_extra=needed())
    resolve_offset: Commit = Field("onCompletion", description="From version 1.3: when the offset is committed.")
    allowed_statuses: list[Status] = Field(
        default=["success"],
        description="Ends after which the offset is committed. A failed, crashed or canceled execution is `error`.",
    )
    use_schema_registry: bool = Field(False, description="Whether a schema registry decodes messages.")
    schema_registry_url: Text = Field("", description="The registry, when no credential is selected.")
    options: KafkaTriggerOptions = Field(default_factory=KafkaTriggerOptions)

    def mode(self, version: float) -> Commit:
        """As n8n's versions have it: 1.2 commits at once although its form offers something else."""
        if version >= 1.3:
            return self.resolve_offset
        return "onCompletion" if version == 1.1 and not self.options.parallel_processing else "immediately"

    def settling(self, version: float) -> Settling:
        mode = self.mode(version)
        after = {
            "immediately": {"success", "failed"},
            "onCompletion": {"success", "failed"},
            "onSuccess": {"success"},
            "onStatus": {"failed" if one == "error" else one for one in self.allowed_statuses},
        }[mode]
        return Settling(mode != "immediately", frozenset(after), self.options.error_retry_delay / 1000)


class KafkaTriggerNode(ConnectionTrigger):
    """`ListeningNode`."""

    def __init__(self, context: PluginContext) -> None:
        words = ("Kafka Trigger", "Starts the workflow with messages of a topic.")
        registry = (NodeCredential(SCHEMA_REGISTRY.name, required=False),)
        versions = (1, 1.1, 1.2, 1.3, 2)
        super().__init__(context, "kafkaTrigger", versions, words, KAFKA, ("aiokafka", "kafka"), KafkaTrigger, registry)

    def listen(self, run: ListenRun) -> AbstractAsyncContextManager[AsyncIterator[Heard]]:
        return self._opened(run, KafkaTrigger.model_validate(dict(run.node.parameters)))

    @contextlib.asynccontextmanager
    async def _opened(self, run: ListenRun, wanted: KafkaTrigger) -> AsyncIterator[AsyncIterator[Heard]]:
        version = run.node.version or 1
        values = await self.values(run)
        sessions = await load("messaging.kafka_session", "kafka")
        items = await self._items(run, wanted, version)
        asked = _reading(sessions.TopicReading, wanted, version, test=run.test)
        async with sessions.reading(self.targets(), values, self.settings, asked) as reader:
            options = wanted.options
            messages = KafkaMessages(reader, items, wanted.settling(version), asked.group, self._context.clock)
            width = options.partitions_consumed_concurrently or 1
            async with contextlib.aclosing(messages.heard(run, width, options.batch_size)) as heard:
                yield heard

    async def _items(self, run: ListenRun, wanted: KafkaTrigger, version: float) -> KafkaItems:
        """Raises `NodeError`."""
        registry = None
        if wanted.use_schema_registry:
            registries = await load("messaging.schema_registry", "kafka")
            selected = SCHEMA_REGISTRY.name in (run.node.credentials or {})
            http = self._context.port(HttpClient)
            registry = await registries.registry(http, run.credentials, selected, wanted.schema_registry_url)
        options = wanted.options
        return KafkaItems(
            json=options.json_parse_message,
            files=options.keep_binary_data and version >= 1.2,
            headers=options.return_headers,
            alone=options.only_message,
            registry=registry,
            strict=version >= 2,
        )

    def listen_problems(self, node: Node) -> Sequence[Problem]:
        wanted = KafkaTrigger.model_validate(dict(node.parameters))
        found = []
        if not wanted.topic:
            found.append(Problem("parameters.topic", "The parameter topic is empty; name one."))
        if not wanted.group_id:
            found.append(Problem("parameters.groupId", "The parameter groupId is empty; name a consumer group."))
        if wanted.mode(node.version or 1) == "onStatus" and not wanted.settling(node.version or 1).after:
            found.append(Problem("parameters.allowedStatuses", "Choose one status at least."))
        return found


def _reading(made: type[TopicReading], wanted: KafkaTrigger, version: float, *, test: bool) -> TopicReading:
    """A test reads beside the group, so that it takes nothing away from the live workflow."""
    options = wanted.options
    return made(
        topic=wanted.topic,
        group="" if test else wanted.group_id,
        from_beginning=options.from_beginning and not test,
        session_timeout=options.session_timeout,
        heartbeat=options.heartbeat_interval or (10_000 if version >= 1.3 else 3000),
        rebalance_timeout=options.rebalance_timeout,
        most_bytes=options.fetch_max_bytes,
        least_bytes=options.fetch_min_bytes,
    )


def node(context: PluginContext) -> KafkaTriggerNode:
    return KafkaTriggerNode(context)
