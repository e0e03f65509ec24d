"""How the triggers of this room show their parameters."""

from __future__ import annotations

from jackfield.api.nodes.ui import Case, Ui, UiFields
from jackfield_integrations.form import LOCATOR
from jackfield_integrations.messaging.form import RABBIT_DECLARED

REDIS_TRIGGER: UiFields = {
    "channels": Ui(placeholder="orders, news.*", help="Channels, comma separated; * stands for anything.")
}
REDIS_TRIGGER_OPTIONS: UiFields = {
    "jsonParseBody": Ui(label="Read JSON", help="Reads messages that are JSON."),
    "onlyMessage": Ui(label="Only the message", help="Leaves the channel out."),
}

_TABLE: Case = {"triggerMode": "createTrigger"}
POSTGRES_TRIGGER: UiFields = {
    "triggerMode": Ui(
        label="Listen for",
        choices={
            "createTrigger": ("Changes of a table", "Makes a function and a trigger in the database."),
            "listenTrigger": ("A channel", "Listens to notices that others send."),
        },
        help="The source of the events.",
    ),
    "schema": Ui(when=_TABLE, help="The schema that holds the table.").over(LOCATOR),
    "tableName": Ui(label="Table", when=_TABLE, help="The table whose rows count.").over(LOCATOR),
    "channelName": Ui(
        label="Channel", when={"triggerMode": "listenTrigger"}, placeholder="orders", help="The channel's name."
    ),
    "firesOn": Ui(
        label="Event",
        when=_TABLE,
        choices={"INSERT": "A new row", "UPDATE": "A changed row", "DELETE": "A deleted row"},
        help="The change that starts the workflow.",
    ),
    "additionalFields": Ui(label="Names", when=_TABLE, help="Names in the database in place of those made up."),
}
POSTGRES_TRIGGER_FIELDS: UiFields = {
    "channelName": Ui(label="Channel", placeholder="orders", help="The channel on which the trigger tells."),
    "functionName": Ui(label="Function", placeholder="tell_orders()", help="The function to make."),
    "replaceIfExists": Ui(label="Replace", help="Replaces a function and trigger of the same names."),
    "triggerName": Ui(label="Trigger", placeholder="tell_orders", help="The trigger to make."),
}
POSTGRES_TRIGGER_OPTIONS: UiFields = {
    "connectionTimeout": Ui(label="Time to connect (s)", help="The setting integrations.connect_timeout counts."),
    "delayClosingIdleConnection": Ui(label="Keep an idle connection (s)", help="The connection is never idle."),
}

IMAP_TRIGGER: UiFields = {
    "mailbox": Ui(label="Mailbox", help="The mailbox's name."),
    "postProcessAction": Ui(
        label="Action",
        choices={"read": "Mark as read", "nothing": "Nothing"},
        help="Done with a mail once its execution is stored.",
    ),
    "downloadAttachments": Ui(when={"format": "simple"}, help="Keeps attachments with the item."),
    "format": Ui(
        choices={
            "raw": ("Raw", "The mail's body as it came."),
            "resolved": ("Resolved", "All that the mail says, with its attachments."),
            "simple": ("Simple", "Texts and headers."),
        },
        help="The form of the item.",
    ),
    "dataPropertyAttachmentsPrefixName": (
        Ui(label="Prefix of file fields", when={"format": "resolved"}, help="The first attachment gets a 0 behind it."),
        Ui(
            label="Prefix of file fields",
            when={"format": "simple", "downloadAttachments": True},
            help="The first attachment gets a 0 behind it.",
        ),
    ),
}
IMAP_OPTIONS: UiFields = {
    "customEmailConfig": Ui(
        label="Rules", placeholder='["UNSEEN", ["SINCE", "May 20, 2026"]]', help="Mails that count, as a JSON list."
    ),
    "allowUnauthorizedCerts": Ui(
        label="Accept any certificate", when={"@version": 1}, help="Insecure: anybody between can read all mails."
    ),
    "forceReconnect": Ui(
        label="Connect anew (min)", default=60, help="Minutes after which the connection is made anew."
    ),
    "trackLastMessageId": Ui(
        label="New mails only", when={"@version": {"_cnd": {"gte": 2.1}}}, help="Tells each mail once."
    ),
}

MQTT_TRIGGER: UiFields = {
    "topics": Ui(placeholder="kilns/+/temperature:1", help="Topics, comma separated; :1 or :2 asks for that quality.")
}
MQTT_TRIGGER_OPTIONS: UiFields = {
    "jsonParseBody": Ui(label="Read JSON", help="Reads messages that are JSON."),
    "onlyMessage": Ui(label="Only the message", help="Leaves the topic out."),
    "parallelProcessing": Ui(label="Side by side", help="Executions do not wait for each other."),
}

_ENDS: Case = {"acknowledge": ["executionFinishes", "executionFinishesSuccessfully", "laterMessageNode"]}
RABBIT_TRIGGER: UiFields = {"queue": Ui(placeholder="orders", help="The queue to read from.")}
RABBIT_TRIGGER_OPTIONS: UiFields = {
    **RABBIT_DECLARED,
    "acknowledge": Ui(
        label="Delete from the queue",
        choices={
            "immediately": ("At once", "After the execution is stored."),
            "executionFinishes": ("After the execution", "However it has ended."),
            "executionFinishesSuccessfully": ("After a good execution", "After a failure the message comes again."),
            "laterMessageNode": ("By a RabbitMQ node", "With its operation Delete from queue."),
        },
        help="The moment at which the queue forgets a message.",
    ),
    "binding": Ui(label="Bindings", options={"add": "Add binding"}, help="Exchanges whose messages the queue gets."),
    "contentIsBinary": Ui(label="Content is a file", help="The content becomes a file of the item."),
    "jsonParseBody": Ui(label="Read JSON", hide={"contentIsBinary": True}, help="Reads content that is JSON."),
    "onlyContent": Ui(label="Only the content", hide={"contentIsBinary": True}, help="Leaves out all else."),
    "parallelMessages": Ui(label="Executions at a time", when=_ENDS, help="-1 for any number."),
}
BINDING: UiFields = {
    "exchange": Ui(help="The exchange's name."),
    "routingKey": Ui(label="Routing key", help="The key of the messages."),
}

_FROM_1_2: Case = {"@version": {"_cnd": {"gte": 1.2}}}
_FROM_1_3: Case = {"@version": {"_cnd": {"gte": 1.3}}}
_BEFORE_2: Case = {"@version": {"_cnd": {"lt": 2}}}
KAFKA_TRIGGER: UiFields = {
    "topic": Ui(placeholder="orders", required=True, help="The topic to read from."),
    "groupId": Ui(
        label="Group", required=True, placeholder="jackfield", help="The consumer group, which shares the messages."
    ),
    "resolveOffset": Ui(
        label="Commit",
        when=_FROM_1_3,
        choices={
            "onCompletion": ("After the execution", "However it has ended."),
            "onSuccess": ("After a good execution", "After a failure the messages come again."),
            "onStatus": ("After some ends", "After others the messages come again."),
            "immediately": ("At once", "After the execution is stored."),
        },
        help="The moment from which on the group goes on behind a message.",
    ),
    "allowedStatuses": Ui(
        label="Ends",
        when={**_FROM_1_3, "resolveOffset": "onStatus"},
        help="Ends of the execution after which the group goes on.",
    ),
    "useSchemaRegistry": Ui(label="Use a schema registry", help="Decodes messages in Avro."),
    "schemaRegistryUrl": Ui(
        label="Schema registry",
        when={"useSchemaRegistry": True},
        placeholder="https://registry.example.com:8081",
        help="The registry's URL, which a credential goes before.",
    ),
}
KAFKA_TRIGGER_OPTIONS: UiFields = {
    "allowAutoTopicCreation": Ui(label="Make the topic", when=_BEFORE_2, help="The broker's own setting counts."),
    "autoCommitThreshold": Ui(label="Commit after messages", when=_BEFORE_2, help="Each commit happens at once."),
    "autoCommitInterval": Ui(label="Commit after (ms)", help="Each commit happens at once."),
    "batchSize": Ui(label="Messages at a time", help="The most messages that start one execution."),
    "eachBatchAutoResolve": Ui(
        label="Commit whole batches", when={"@version": 1.3}, help="Only what has started executions is committed."
    ),
    "fetchMaxBytes": Ui(label="Most bytes", help="The most that the broker sends of a partition at a time."),
    "fetchMinBytes": Ui(label="Least bytes", help="The broker gathers that much for half a second."),
    "heartbeatInterval": (
        Ui(label="Heartbeat (ms)", when=_FROM_1_3, default=10000, help="At most a third of the session."),
        Ui(label="Heartbeat (ms)", default=3000, help="At most a third of the session."),
    ),
    "maxInFlightRequests": Ui(label="Requests at a time", default=1, help="The library's own number counts."),
    "fromBeginning": Ui(label="From the beginning", default=True, help="A new group begins with the oldest message."),
    "jsonParseMessage": Ui(label="Read JSON", help="Reads messages that are JSON."),
    "keepBinaryData": Ui(label="Keep the bytes", when=_FROM_1_2, help="The message becomes a file of the item."),
    "parallelProcessing": Ui(
        label="Side by side", when={"@version": [1.1, 1.2]}, default=True, help="Executions do not wait for each other."
    ),
    "partitionsConsumedConcurrently": Ui(label="Partitions side by side", help="0 for one after the other."),
    "onlyMessage": Ui(label="Only the message", when={"jsonParseMessage": True}, help="Leaves out all else."),
    "returnHeaders": Ui(label="Headers", help="The item has the message's headers."),
    "rebalanceTimeout": Ui(label="Time to join (ms)", help="The longest time of a member to join the group."),
    "errorRetryDelay": Ui(
        label="Wait after a failure (ms)",
        when=_FROM_1_3,
        hide={"/resolveOffset": "immediately"},
        help="The time after which messages come again.",
    ),
    "sessionTimeout": Ui(label="Session (ms)", help="The group takes a member for dead after so long a silence."),
}
