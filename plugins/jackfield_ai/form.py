"""How agents, memories, parsers and chats show their parameters, and what all AI nodes share."""

from __future__ import annotations

from typing import ClassVar

from jackfield.api.nodes import Parameters
from jackfield.api.nodes.ui import Case, Ui, UiFields
from jackfield.api.nodes.wording import SCHEMA_TYPES

MODEL = Ui(
    "locator",
    options={"modes": [{"name": "list", "label": "From list"}, {"name": "id", "label": "By ID"}]},
)

DEFINED: Case = {"promptType": "define"}

_PROMPT_TYPE = Ui(
    choices={
        "auto": ("The chat message", "Takes the item's field `chatInput`, as a Chat Trigger gives it."),
        "define": ("Defined below", "Takes the text that you write, with expressions."),
        "guardrails": ("Checked by guardrails", "Takes the item's field `guardrailsInput`."),
    },
    help="Where the prompt comes from.",
)

PROMPT = Ui("textarea", label="Prompt", options={"rows": 3}, help="The text for the model.")


def prompt_fields(since: float) -> UiFields:
    """With the version that the choice of a prompt came with."""
    version: Case = {"@version": {"_cnd": {"gte": since}}}
    before: Case = {"@version": {"_cnd": {"lt": since}}}
    return {
        "promptType": Ui(when=version).over(_PROMPT_TYPE),
        "text": (Ui(when={**DEFINED, **version}).over(PROMPT), Ui(when=before).over(PROMPT)),
    }


AGENT: UiFields = {
    "agent": Ui("hidden"),
    **prompt_fields(1.6),
    "hasOutputParser": Ui(help="Lets you attach an output parser that checks the answer."),
    "needsFallback": Ui(
        help="Adds a second model that stands in when the first one fails.", when={"@version": {"_cnd": {"gte": 2.1}}}
    ),
}

AGENT_OPTIONS: UiFields = {
    "systemMessage": Ui(options={"rows": 6}, help="The model's instructions, before the conversation."),
    "maxIterations": Ui(help="How many requests to the model one item may take."),
    "humanMessage": Ui("hidden"),
    "returnIntermediateSteps": Ui(label="Return steps", help="Gives the tools that were called and their results."),
    "passthroughBinaryImages": Ui(label="Pass images on", help="Shows the model the images of the item."),
    "prefix": Ui(label="Text before", help="Stands before the instructions of agents of old versions."),
    "suffix": Ui(label="Text after", help="Stands after the instructions of agents of old versions."),
    "enableStreaming": Ui(
        label="Stream",
        when={"@version": {"_cnd": {"gte": 2.1}}},
        help="Sends the answer to the caller while it is written.",
    ),
}

WINDOW: UiFields = {
    "sessionIdType": Ui(
        choices={"fromInput": ("The chat's session", "Takes the field `sessionId`."), "customKey": "Defined below"},
    ),
    "sessionKey": Ui(
        "text", when={"sessionIdType": "customKey"}, help="The text that tells sessions apart, such as a user's ID."
    ),
}

KNOWN_MEMORY: UiFields = {**WINDOW, "tableName": Ui(help="The table that holds the messages.")}

POSTGRES_MEMORY: UiFields = {
    **WINDOW,
    "tableName": Ui(label="Table", help="The table that holds the messages; a missing one is made."),
}

_TTL = Ui(label="Time to live (s)", help="Seconds until a silent session is forgotten; 0 keeps it.")

OLD_REDIS_MEMORY: UiFields = {
    "sessionKey": Ui("text", help="The key of Redis that holds the messages."),
    "sessionTTL": _TTL,
}

REDIS_MEMORY: UiFields = {
    **WINDOW,
    "sessionTTL": _TTL,
    "contextWindowLength": Ui(when={"@version": {"_cnd": {"gte": 1.3}}}),
}

MONGO_MEMORY: UiFields = {
    **WINDOW,
    "collectionName": Ui(label="Collection", help="The collection that holds the sessions; a missing one is made."),
    "databaseName": Ui(label="Database"),
}

STRUCTURED: UiFields = {
    "schemaType": Ui(label="Define the output by", choices=SCHEMA_TYPES, help="How you give the form of the answer."),
    "jsonSchemaExample": Ui("json", when={"schemaType": "fromJson"}, help="An example; its types make the schema."),
    "inputSchema": Ui("json", when={"schemaType": "manual"}, help="The schema that the answer must follow."),
    "jsonSchema": Ui("json", label="JSON Schema", help="The schema that the answer must follow."),
    "autoFix": Ui(label="Repair answers", help="Lets an attached model repair answers that do not fit."),
    "customizeRetryPrompt": Ui(
        label="Own prompt to repair", when={"autoFix": True}, help="Lets you write that prompt."
    ),
    "prompt": Ui(
        "textarea", when={"autoFix": True, "customizeRetryPrompt": True}, help="Asks for the repaired answer."
    ),
}

OLD_STRUCTURED: UiFields = {"prompt": Ui("textarea", when={"autoFix": True})}

FIXING: UiFields = {"prompt": Ui("textarea", help="Asks for the repaired answer.")}

ITEM_LIST: UiFields = {
    "numberOfItems": Ui(help="How many entries are wanted; -1 is any number."),
    "separator": Ui(help="The text between two entries."),
}


class ChatOptions(Parameters):
    """The options as a form shows them; the trigger reads them by itself."""

    allowed_origins: str = "*"
    input_placeholder: str = ""
    load_previous_session: str = "notSupported"
    response_mode: str = "lastNode"
    subtitle: str = ""
    title: str = ""

    ui_fields: ClassVar[UiFields] = {
        "allowedOrigins": Ui(
            label="Allowed origins (CORS)", help="Web pages that may call the chat, comma separated; * is all."
        ),
        "inputPlaceholder": Ui(label="Text of the empty input"),
        "loadPreviousSession": Ui(
            label="Earlier messages",
            choices={"notSupported": "Not shown", "memory": "From the memory", "manually": "By the workflow"},
        ),
        "responseMode": Ui(
            label="Respond",
            choices={
                "lastNode": "When the last node ends",
                "responseNode": "By a Respond to Webhook node",
                "streaming": "In chunks",
            },
            help="When the answer is sent.",
        ),
    }


CHAT: UiFields = {
    "public": Ui(label="Public", help="Serves the chat at its address while the workflow is active."),
    "mode": Ui(
        when={"public": True},
        help="The way that people reach the chat.",
        choices={"hostedChat": ("Page", "With its own page."), "webhook": ("API only", "Without a page.")},
    ),
    "authentication": Ui(
        when={"public": True},
        choices={"none": "None", "basicAuth": "Basic auth"},
        help="The people that may use the chat.",
    ),
    "options": Ui("collection", fields=ChatOptions, help=""),
    "initialMessages": Ui(
        "textarea", label="First messages", when={"public": True, "mode": "hostedChat"}, help="One message a line."
    ),
}

MCP_TRIGGER: UiFields = {
    "authentication": Ui(
        choices={"none": "None", "bearerAuth": "Bearer token", "headerAuth": "Header auth"},
        expression=False,
        help="The header that a client must send.",
    ),
    "path": Ui(expression=False, placeholder="tools", help="The server's address below `/mcp`."),
    "instructions": Ui("textarea", help="Guidance for the clients' models."),
    "requireExecuteAccess": Ui("hidden"),
    "includeUserInOutput": Ui("hidden"),
}

LANGCHAIN_CODE: UiFields = {
    "code": Ui(label="Program", expression=False),
    "inputs": Ui(expression=False, help="The kinds of parts that may be attached."),
    "outputs": Ui(expression=False, help="The outputs of the node."),
}

LANGCHAIN_SOURCE: UiFields = {
    "code": Ui("code", label="JavaScript", options={"language": "javascript"}, expression=False, help="Returns items."),
}

LANGCHAIN_INPUT: UiFields = {
    "maxConnections": Ui(label="Most connections", help="How many nodes may be attached; -1 is any number."),
}

MEMORY_MANAGER: UiFields = {
    "mode": Ui(
        label="Operation",
        choices={"load": "Read messages", "insert": "Insert messages", "delete": "Delete messages"},
        help="The work that is done with the memory.",
        expression=False,
    ),
    "insertMode": Ui(
        label="Insert",
        when={"mode": "insert"},
        choices={"insert": "Behind the others", "override": "Instead of the others"},
        help="The place of the new messages.",
        expression=False,
    ),
    "deleteMode": Ui(
        label="Delete",
        when={"mode": "delete"},
        choices={"lastN": "The last ones", "all": "All"},
        help="The messages that are deleted.",
        expression=False,
    ),
    "messages": Ui(when={"mode": "insert"}, options={"add": "Add message"}, help="The new messages."),
    "lastMessagesCount": Ui(
        label="Messages", when={"mode": "delete", "deleteMode": "lastN"}, help="How many of the last ones are deleted."
    ),
    "simplifyOutput": Ui(label="Simplify", when={"mode": "load"}, help="Gives senders and texts alone."),
    "options": Ui(when={"mode": "load"}),
}

MEMORY_READER: UiFields = {"simplifyOutput": Ui(label="Simplify", help="Gives senders and texts alone.")}

MANAGED_MESSAGE: UiFields = {
    "type": Ui(label="Sender", choices={"ai": "Model", "system": "System", "user": "User"}),
    "hideFromUI": Ui("hidden"),
}
