"""MQTT: publishes messages, through one connection per run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import dumps
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeError, NodeResult, NodeRun, Parameters, needed
from jackfield.api.nodes.items import passed_on
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Items
from jackfield_integrations.kinds import MQTT
from jackfield_integrations.messaging.form import MQTT_OPTIONS, MQTT_UI
from jackfield_integrations.node import IntegrationNode
from jackfield_integrations.parameters import Text

if TYPE_CHECKING:
    from jackfield_integrations.messaging.mqtt_session import MqttSession


class MqttOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = MQTT_OPTIONS

    qos: int = Field(0, ge=0, le=2, description="Quality of service, 0 to 2.")
    retain: bool = Field(False, description="Whether the broker keeps the message for later subscribers.")


class MqttParameters(Parameters):
    ui_fields: ClassVar[UiFields] = MQTT_UI

    topic: Text = Field("", json_schema_extra=needed())
    send_input_data: bool = Field(True, description="Whether the item's JSON is the message.")
    message: Text = Field("", json_schema_extra=needed({"sendInputData": [False]}))
    options: MqttOptions = Field(default_factory=MqttOptions)


class MqttNode(IntegrationNode):
    """Items are passed on."""

    kind = "mqtt"
    versions: Sequence[float] = (1,)
    description = NodeDescription(
        "MQTT",
        "Publishes messages to an MQTT broker.",
        "network",
        credentials=(NodeCredential(MQTT.name),),
        missing=lacking_library("aiomqtt", "mqtt"),
    )
    model = MqttParameters

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[MqttParameters] = await run.resolve()
        if not resolved:
            return [[]]
        opened = await self.opening(run, MQTT)

        async def one(session: MqttSession, index: int, wanted: MqttParameters) -> Items:
            if not wanted.topic:
                raise NodeError("The parameter topic is empty.")
            item = run.items[index]
            text = dumps(item["json"]).decode() if wanted.send_input_data else wanted.message
            await session.publish(wanted.topic, text, wanted.options.qos, retain=wanted.options.retain)
            return [passed_on(item, index)]

        return [await self.through(run, resolved, opened, one)]


def node(context: PluginContext) -> MqttNode:
    return MqttNode(context)
