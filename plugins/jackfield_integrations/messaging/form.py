"""How the nodes of this room show their parameters."""

from __future__ import annotations

from jackfield.api.nodes.ui import Case, Ui, UiFields

MQTT_UI: UiFields = {
    "topic": Ui(placeholder="kilns/1/temperature", help="The topic to publish to."),
    "sendInputData": Ui(label="Send the item", help="The item's JSON is the message."),
    "message": Ui(when={"sendInputData": False}, help="The message's text."),
}
MQTT_OPTIONS: UiFields = {
    "qos": Ui(
        label="Quality of service",
        choices={0: "0: at most once", 1: "1: at least once", 2: "2: exactly once"},
        help="The care that the broker takes.",
    ),
    "retain": Ui(label="Retain", help="The broker keeps the message for later subscribers."),
}

PAIR: UiFields = {"key": Ui(label="Name", help="The name."), "value": Ui(help="The value.")}
RABBIT_DECLARED: UiFields = {
    "arguments": Ui(label="Arguments", options={"add": "Add argument"}, help="Arguments in the broker's words."),
    "assertExchange": Ui(label="Make the exchange", help="Makes an exchange that is not there."),
    "assertQueue": Ui(label="Make the queue", help="Makes a queue that is not there."),
    "autoDelete": Ui(label="Delete with the last consumer", help="The broker deletes a queue without readers."),
    "durable": Ui(label="Durable", help="The queue or exchange outlives a restart of the broker."),
    "exclusive": Ui(label="Exclusive", help="The queue belongs to the connection."),
    "headers": Ui(label="Headers", options={"add": "Add header"}, help="Headers of the message."),
}
_SENDS: Case = {"operation": "sendMessage"}
_QUEUE: Case = {**_SENDS, "mode": "queue"}
_EXCHANGE: Case = {**_SENDS, "mode": "exchange"}
RABBIT: UiFields = {
    "operation": Ui(
        choices={
            "sendMessage": "Send a message",
            "deleteMessage": ("Delete from queue", "Acknowledges the message that has started the workflow."),
        },
        help="The work that the node does.",
    ),
    "mode": Ui(label="Send to", when=_SENDS, choices={"queue": "A queue", "exchange": "An exchange"}),
    "queue": Ui(when=_QUEUE, placeholder="orders", help="The queue's name."),
    "exchange": Ui(when=_EXCHANGE, placeholder="events", help="The exchange's name."),
    "exchangeType": Ui(
        label="Type",
        when=_EXCHANGE,
        choices={"direct": "Direct", "topic": "Topic", "headers": "Headers", "fanout": "Fanout"},
        help="The exchange's type.",
    ),
    "routingKey": Ui(label="Routing key", when=_EXCHANGE, help="The key of the message."),
    "sendInputData": Ui(label="Send the item", when=_SENDS, help="The item's JSON is the message."),
    "message": Ui(when={**_SENDS, "sendInputData": False}, help="The message's text."),
    "options": Ui(when=_SENDS),
}
RABBIT_OPTIONS: UiFields = {
    **RABBIT_DECLARED,
    "alternateExchange": Ui(
        label="Alternate exchange", when={"/mode": "exchange"}, help="For messages that fit nowhere."
    ),
}

_REGISTRY: Case = {"useSchemaRegistry": True}
KAFKA_UI: UiFields = {
    "topic": Ui(placeholder="orders", help="The topic to send to."),
    "sendInputData": Ui(label="Send the item", help="The item's JSON is the message."),
    "message": Ui(when={"sendInputData": False}, help="The message's text."),
    "jsonParameters": Ui(label="Headers as JSON", help="Headers are one JSON object."),
    "useSchemaRegistry": Ui(label="Use a schema registry", help="Encodes messages in Avro."),
    "schemaRegistryUrl": Ui(
        label="Schema registry",
        when=_REGISTRY,
        placeholder="https://registry.example.com:8081",
        help="The registry's URL, which a credential goes before.",
    ),
    "useKey": Ui(label="With a key", help="Messages of one key go to one partition."),
    "key": Ui(when={"useKey": True}, required=True, help="The message's key."),
    "eventName": Ui(label="Subject", when=_REGISTRY, required=True, help="The subject of the schema in the registry."),
    "headersUi": Ui(
        label="Headers", when={"jsonParameters": False}, options={"add": "Add header"}, help="The message's headers."
    ),
    "headerParametersJson": Ui(
        label="Headers (JSON)", control="json", when={"jsonParameters": True}, help="A flat object of texts."
    ),
}
KAFKA_OPTIONS: UiFields = {
    "acks": Ui(label="All replicas", help="Waits for all replicas that are in sync, not for the leader alone."),
    "compression": (
        Ui(
            label="Compression",
            when={"@version": {"_cnd": {"gte": 2}}},
            choices={"gzip": "gzip", "lz4": "LZ4", "snappy": "Snappy", "zstd": "Zstandard", "none": "None"},
            default="none",
            help="The form in which messages travel.",
        ),
        Ui(label="Compression", control="switch", default=False, help="Messages travel in gzip."),
    ),
    "timeout": Ui(label="Timeout (ms)", help="The longest time of sending."),
}
