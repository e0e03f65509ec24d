"""How the nodes for databases, mail and other machines show their parameters."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.nodes.ui import Case, Scalar, Ui, UiFields, Words
from jackfield.api.triggers.poll_form import POLL_TIMES_FORM

LOCATOR = Ui(
    "locator",
    options={"modes": [{"name": "list", "label": "From list"}, {"name": "name", "label": "By name"}]},
)
_DIRECTIONS: Mapping[Scalar, Words] = {"ASC": "Ascending", "DESC": "Descending"}
_COMPARED: Mapping[Scalar, Words] = {
    "equal": "Is equal to",
    "!=": "Is not equal to",
    "LIKE": "Is like",
    ">": "Is greater than",
    "<": "Is less than",
    ">=": "Is greater than or equal to",
    "<=": "Is less than or equal to",
    "IS NULL": "Is null",
    "IS NOT NULL": "Is not null",
}
_TABLE: Case = {"operation": ["insert", "update", "upsert", "select", "deleteTable"]}
_ROWS: Case = {"operation": ["insert", "update", "upsert"]}
_MATCHED: Case = {"operation": ["update", "upsert"]}
_BEFORE_MAPPERS: Case = {"@version": {"_cnd": {"lt": 2.2}}}
_MAPPERS: Case = {"@version": {"_cnd": {"gte": 2.2}}}
_BATCHING: Mapping[Scalar, Words] = {
    "single": ("One query", "All items go in one query."),
    "independently": ("One query per item", "The queries succeed or fail by themselves."),
    "transaction": ("One transaction", "When a query fails, none counts."),
}
SQL: UiFields = {
    "operation": Ui(
        choices={
            "executeQuery": "Execute a query",
            "insert": "Insert rows",
            "update": "Update rows",
            "upsert": "Insert or update rows",
            "select": "Select rows",
            "deleteTable": "Delete rows or the table",
        },
        help="The work that the node does in the database.",
    ),
    "schema": Ui(when=_TABLE, help="The schema that holds the table.").over(LOCATOR),
    "table": Ui(when=_TABLE, help="The table to work on.").over(LOCATOR),
    "query": Ui(
        "code",
        when={"operation": "executeQuery"},
        options={"language": "sql"},
        placeholder="SELECT * FROM users WHERE id = $1",
        help="SQL with $1, $2 and so on where values go.",
    ),
    "dataMode": Ui(
        label="Map columns",
        when={**_ROWS, **_BEFORE_MAPPERS},
        choices={"autoMapInputData": "By the names of fields", "defineBelow": "One by one"},
        help="Where the values of the columns come from.",
    ),
    "valuesToSend": Ui(label="Values", when={**_ROWS, **_BEFORE_MAPPERS, "dataMode": "defineBelow"}),
    "columns": Ui("mapper", when={**_ROWS, **_MAPPERS}, help="The values of the columns."),
    "columnToMatchOn": Ui(when={**_MATCHED, **_BEFORE_MAPPERS}, help="The column that finds the rows.").over(LOCATOR),
    "valueToMatchOn": Ui(
        when={**_MATCHED, **_BEFORE_MAPPERS, "dataMode": "defineBelow"}, help="The value of that column."
    ),
    "deleteCommand": Ui(
        label="Delete",
        when={"operation": "deleteTable"},
        choices={"truncate": "All rows (TRUNCATE)", "delete": "Some rows (DELETE)", "drop": "The table (DROP)"},
        help="The rows, or the table itself.",
    ),
    "restartSequences": Ui(when={"operation": "deleteTable", "deleteCommand": "truncate"}, help="Counters begin anew."),
    "returnAll": Ui(when={"operation": "select"}),
    "limit": Ui(when={"operation": "select", "returnAll": False}),
    "where": (
        Ui(
            label="Conditions", when={"operation": "select"}, options={"add": "Add condition"}, help="The rows to take."
        ),
        Ui(
            label="Conditions",
            when={"operation": "deleteTable", "deleteCommand": "delete"},
            options={"add": "Add condition"},
            help="The rows to delete.",
        ),
    ),
    "combineConditions": Ui(
        when={"operation": ["select", "deleteTable"]},
        choices={"AND": "All conditions hold", "OR": "Any condition holds"},
        help="How several conditions go together.",
    ),
    "sort": Ui(when={"operation": "select"}, options={"add": "Add column"}, help="The order of the rows."),
}
CONDITION: UiFields = {
    "column": LOCATOR,
    "condition": Ui(label="Operator", choices=_COMPARED),
    "value": Ui(hide={"condition": ["IS NULL", "IS NOT NULL"]}),
}
SORTED: UiFields = {"column": LOCATOR, "direction": Ui(choices=_DIRECTIONS)}
SENT: UiFields = {"column": LOCATOR}
SQL_OPTIONS: UiFields = {
    "queryBatching": Ui(choices=_BATCHING),
    "queryReplacement": Ui(
        label="Query parameters",
        when={"/operation": "executeQuery"},
        help="Values for $1, $2 and so on, comma separated.",
    ),
    "outputColumns": Ui(hide={"/operation": "executeQuery"}, help="The columns that are given back; else all."),
    "skipOnConflict": Ui(when={"/operation": "insert"}, help="Leaves out rows that are there already."),
    "replaceEmptyStrings": Ui(label="Replace empty texts by NULL"),
    "largeNumbersOutput": Ui(label="Large numbers", choices={"text": "As texts", "numbers": "As numbers"}),
    "selectDistinct": Ui(when={"/operation": "select"}, help="Leaves out rows that are the same."),
    "priority": Ui(
        when={"/operation": "insert"}, choices={"": "Not set", "LOW_PRIORITY": "Low", "HIGH_PRIORITY": "High"}
    ),
    "cascade": Ui(when={"/operation": "deleteTable"}, help="Deletes what depends on it, too."),
    "connectionTimeout": Ui(label="Connection timeout (s)"),
}
LEGACY_SQL: UiFields = {
    "operation": Ui(choices={"executeQuery": "Execute a query", "insert": "Insert rows", "update": "Update rows"}),
    "query": Ui("code", when={"operation": "executeQuery"}, options={"language": "sql"}),
    "schema": Ui(when={"operation": ["insert", "update"]}).over(LOCATOR),
    "table": Ui(when={"operation": ["insert", "update"]}).over(LOCATOR),
    "columns": Ui(when={"operation": ["insert", "update"]}, multiple=False, help="Names of columns, comma separated."),
    "updateKey": Ui(when={"operation": "update"}, help="The column that finds the rows."),
    "returnFields": Ui(
        when={"operation": ["insert", "update"]},
        multiple=False,
        default="*",
        help="The columns that are given back, comma separated; * is all.",
    ),
}
LEGACY_OPTIONS: UiFields = {
    "mode": Ui(choices=_BATCHING),
    "ignore": Ui(label="Skip rows that are there"),
    "largeNumbersOutput": Ui(label="Large numbers", choices={"text": "As texts", "numbers": "As numbers"}),
    "priority": Ui(choices={"": "Not set", "LOW_PRIORITY": "Low", "HIGH_PRIORITY": "High"}),
    "connectionTimeout": Ui(label="Connection timeout (s)"),
    "queryParams": Ui(label="Query parameters"),
}
SQLITE_UI: UiFields = {
    "database": Ui(label="Database file"),
    "schema": Ui("hidden"),
    "columns": Ui("mapper", when=_ROWS, help="The values of the columns."),
    **{name: Ui("hidden") for name in ("dataMode", "valuesToSend", "columnToMatchOn", "valueToMatchOn")},
}

_MAIL_OPERATION = Ui(choices={"send": "Send", "sendAndWait": "Send and wait for the answer"}, help="The kind of mail.")
_SENDS: Case = {"operation": "send"}
MAIL: UiFields = {
    "operation": _MAIL_OPERATION,
    "fromEmail": Ui(label="From", placeholder="Ada <ada@example.com>", help="The sender's address."),
    "toEmail": Ui(label="To", placeholder="bob@example.com", help="The recipients, separated by commas."),
    "subject": Ui(help="The subject of the mail."),
    "emailFormat": Ui(
        label="Format",
        when=_SENDS,
        choices={"text": "Text", "html": "HTML", "both": "Text and HTML"},
        help="The parts of the mail.",
    ),
    "text": Ui(
        "textarea",
        when={**_SENDS, "emailFormat": ["text", "both"]},
        options={"rows": 5},
        help="The mail as plain text.",
    ),
    "html": Ui(
        "textarea",
        label="HTML",
        when={**_SENDS, "emailFormat": ["html", "both"]},
        options={"rows": 5},
        help="The mail as HTML.",
    ),
}
FIRST_MAIL: UiFields = {
    "operation": Ui(choices={"send": "Send"}, help="The kind of mail."),
    "fromEmail": Ui(label="From", placeholder="Ada <ada@example.com>", help="The sender's address."),
    "toEmail": Ui(label="To", placeholder="bob@example.com", help="The recipients, separated by commas."),
    "ccEmail": Ui(label="Cc", help="Further recipients, separated by commas."),
    "bccEmail": Ui(label="Bcc", help="Recipients that nobody else sees, separated by commas."),
    "subject": Ui(help="The subject of the mail."),
    "text": Ui("textarea", options={"rows": 5}, help="The mail as plain text."),
    "html": Ui("textarea", label="HTML", options={"rows": 5}, help="The mail as HTML."),
}
MAIL_OPTIONS: UiFields = {
    "ccEmail": Ui(label="Cc"),
    "bccEmail": Ui(label="Bcc"),
    "replyTo": Ui(label="Reply to"),
    "appendAttribution": Ui(label="Attribution", help="n8n's own line; Jackfield adds none."),
}

_KEYS: Case = {"operation": ["delete", "get", "incr", "set"]}
REDIS_UI: UiFields = {
    "operation": Ui(
        choices={
            "delete": "Delete a key",
            "get": "Get a key's value",
            "incr": "Count a key up",
            "info": "Server information",
            "keys": "Find keys",
            "llen": "Length of a list",
            "pop": "Take from a list",
            "publish": "Publish a message",
            "push": "Add to a list",
            "set": "Set a key's value",
        },
        help="The command that is sent.",
    ),
    "key": Ui(when=_KEYS, help="The name of the key."),
    "propertyName": Ui(label="Output field", when={"operation": ["get", "pop"]}, help="The field for the value."),
    "keyType": Ui(
        label="Type",
        when={"operation": ["get", "set"]},
        choices={"automatic": "Detect", "hash": "Hash", "list": "List", "sets": "Set", "string": "Text"},
        help="The type of the key's value.",
    ),
    "value": Ui(when={"operation": "set"}, help="The value to set."),
    "valueIsJSON": Ui(label="Value is JSON", when={"operation": "set", "keyType": "hash"}),
    "expire": Ui(when={"operation": ["set", "incr"]}, help="Deletes the key after a time."),
    "ttl": Ui(label="Time to live (s)", when={"operation": ["set", "incr"], "expire": True}),
    "keyPattern": Ui(when={"operation": "keys"}, placeholder="user:*", help="A pattern of names, such as user:*."),
    "getValues": Ui(when={"operation": "keys"}, help="Gives the values, too."),
    "channel": Ui(when={"operation": "publish"}, help="The channel of the message."),
    "messageData": (
        Ui(label="Message", when={"operation": "publish"}, help="The message's text."),
        Ui(label="Value", when={"operation": "push"}, help="The value to add."),
    ),
    "list": Ui(when={"operation": ["llen", "pop", "push"]}, help="The name of the list."),
    "tail": Ui(label="At the end", when={"operation": ["pop", "push"]}, help="Takes the end instead of the beginning."),
}

_METHODS: Mapping[Scalar, Words] = {"GET": "GET", "POST": "POST"}
GRAPHQL: UiFields = {
    "authentication": Ui(
        choices={
            "none": "None",
            "basicAuth": "Basic auth",
            "bearerAuth": "Bearer token",
            "customAuth": "Custom auth",
            "digestAuth": "Digest auth",
            "headerAuth": "Header auth",
            "oAuth1": "OAuth1",
            "oAuth2": "OAuth2",
            "queryAuth": "Query auth",
        }
    ),
    "requestMethod": Ui(label="Method", choices=_METHODS, help="The HTTP method of the request."),
    "endpoint": Ui(placeholder="https://api.example.com/graphql", help="The address of the GraphQL service."),
    "requestFormat": Ui(
        when={"requestMethod": "POST"},
        choices={"graphql": "GraphQL", "json": "JSON"},
        help="How the query is sent; most services take JSON.",
    ),
    "query": Ui("code", options={"language": "graphql"}, help="The query or mutation."),
    "variables": Ui("json", when={"requestMethod": "POST", "requestFormat": "json"}, help="An object of variables."),
    "operationName": Ui(
        when={"requestMethod": "POST", "requestFormat": "json"}, help="The one that runs, where there are several."
    ),
    "responseFormat": Ui(choices={"json": "JSON", "string": "Text"}, help="How the answer is read."),
    "dataPropertyName": Ui(label="Output field", when={"responseFormat": "string"}),
    "headerParametersUi": Ui(label="Headers", options={"add": "Add header"}, help="Headers of the request."),
}

FTP_UI: UiFields = {
    "protocol": Ui(choices={"ftp": "FTP", "sftp": "SFTP"}),
    "operation": Ui(
        choices={
            "delete": "Delete a file or folder",
            "download": "Download a file",
            "list": "List a folder",
            "rename": "Rename or move",
            "upload": "Upload a file",
        }
    ),
    "path": Ui(when={"operation": ["delete", "download", "list", "upload"]}, placeholder="/data/report.pdf"),
    "oldPath": Ui(label="Present path", when={"operation": "rename"}),
    "newPath": Ui(when={"operation": "rename"}),
    "recursive": Ui(when={"operation": "list"}, help="With all folders inside."),
    "binaryData": Ui(label="Upload a file", when={"operation": "upload"}),
    "binaryPropertyName": (
        Ui(label="Output file field", when={"operation": "download"}),
        Ui(label="Input file field", when={"operation": "upload", "binaryData": True}),
    ),
    "fileContent": Ui("textarea", when={"operation": "upload", "binaryData": False}),
}
FTP_OPTIONS: UiFields = {
    "folder": Ui(when={"/operation": "delete"}),
    "recursive": Ui(when={"/operation": "delete"}),
    "createDirectories": Ui(label="Make folders", when={"/operation": "rename"}),
}
_FILE: Case = {"resource": "file"}
SSH: UiFields = {
    "options": Ui(when=_FILE),
    "authentication": Ui(choices={"password": "Password", "privateKey": "Private key"}, help="How the node logs in."),
    "resource": Ui(choices={"command": "Command", "file": "File"}, help="The thing to work on."),
    "operation": (
        Ui(when={"resource": "command"}, choices={"execute": "Execute"}, default="execute", help="The work to do."),
        Ui(
            when=_FILE,
            choices={"download": "Download", "upload": "Upload"},
            default="upload",
            help="The direction of the file.",
        ),
    ),
    "command": Ui("textarea", when={"resource": "command"}, help="The command for the other machine's shell."),
    "cwd": Ui(label="Working directory", when={"resource": "command"}, help="The directory to run the command in."),
    "path": (
        Ui(when={**_FILE, "operation": "download"}, required=True, help="The file to download."),
        Ui(label="Target directory", when={**_FILE, "operation": "upload"}, help="The directory to upload to."),
    ),
    "binaryPropertyName": (
        Ui(label="Output file field", when={**_FILE, "operation": "download"}),
        Ui(label="Input file field", when={**_FILE, "operation": "upload"}),
    ),
}
RSS: UiFields = {"url": Ui(placeholder="https://example.com/feed.xml", help="The address of the feed.")}
RSS_TRIGGER: UiFields = {
    **POLL_TIMES_FORM,
    "feedUrl": Ui(label="Feed URL", placeholder="https://example.com/feed.xml", help="The address of the feed."),
}
RSS_OPTIONS: UiFields = {
    "customFields": Ui(placeholder="author, contentSnippet"),
    "ignoreSSL": Ui(label="Ignore TLS problems"),
}
COMMAND: UiFields = {
    "executeOnce": Ui(label="Run once", help="Runs once for all items, with the first one's command."),
    "command": Ui("textarea", placeholder="echo hello", help="The command for the shell of this machine."),
}
