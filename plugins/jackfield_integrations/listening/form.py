"""How the triggers of this room show their parameters."""

from __future__ import annotations

from jackfield.api.nodes.ui import Case, Ui, UiFields
from jackfield_integrations.form import LOCATOR

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
