"""How the AI nodes show their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from jackfield.api.nodes import Parameters
from jackfield.api.nodes.ui import Case, Scalar, Ui, UiFields, Words
from jackfield.api.nodes.wording import AUTHENTICATION, GENERIC_CREDENTIALS, METHODS, SCHEMA_TYPES

MODEL = Ui(
    "locator",
    options={"modes": [{"name": "list", "label": "From list"}, {"name": "id", "label": "By ID"}]},
)
WORKFLOW = Ui("workflow", label="Workflow", when={"source": "database"}, help="The saved workflow that is run.")
_DEFINED: Case = {"promptType": "define"}
_PROMPT_TYPE = Ui(
    choices={
        "auto": ("The chat message", "Takes the item's field `chatInput`, as a Chat Trigger gives it."),
        "define": ("Defined below", "Takes the text that you write, with expressions."),
        "guardrails": ("Checked by guardrails", "Takes the item's field `guardrailsInput`."),
    }
)
_PROMPT = Ui("textarea", label="Prompt", options={"rows": 3}, help="The text for the model.")


def _prompt(since: float) -> UiFields:
    """With the version that the choice of a prompt came with."""
    version: Case = {"@version": {"_cnd": {"gte": since}}}
    before: Case = {"@version": {"_cnd": {"lt": since}}}
    return {
        "promptType": Ui(when=version).over(_PROMPT_TYPE),
        "text": (Ui(when={**_DEFINED, **version}).over(_PROMPT), Ui(when=before).over(_PROMPT)),
    }


AGENT: UiFields = {
    "agent": Ui("hidden"),
    **_prompt(1.6),
    "needsFallback": Ui(when={"@version": {"_cnd": {"gte": 2.1}}}),
}
AGENT_OPTIONS: UiFields = {
    "systemMessage": Ui(options={"rows": 6}),
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
CHAIN: UiFields = {
    **_prompt(1.4),
    "text": Ui(when={**_DEFINED, "@version": {"_cnd": {"gte": 1.4}}}).over(_PROMPT),
    "prompt": Ui("textarea", when={"@version": {"_cnd": {"lt": 1.4}}}, help="The text for the model."),
    "messages": Ui(options={"add": "Add message"}, help="Messages that the model gets before the prompt."),
}
CHAIN_MESSAGE: UiFields = {
    "type": Ui(
        label="Role",
        choices={
            "AIMessagePromptTemplate": "AI",
            "SystemMessagePromptTemplate": "System",
            "HumanMessagePromptTemplate": "User",
        },
        help="The one who says it.",
    ),
    "messageType": Ui(
        label="Content",
        when={"type": "HumanMessagePromptTemplate"},
        choices={"text": "Text", "imageBinary": "Image (file)", "imageUrl": "Image (URL)"},
    ),
    "message": Ui(hide={"messageType": ["imageBinary", "imageUrl"]}, help="The text of the message."),
    "imageUrl": Ui(when={"messageType": "imageUrl"}),
    "binaryImageDataKey": Ui(label="Image file field", when={"messageType": "imageBinary"}),
    "imageDetail": Ui(
        when={"messageType": ["imageBinary", "imageUrl"]},
        choices={"auto": "Automatic", "low": "Low", "high": "High"},
    ),
}
EXTRACTOR: UiFields = {
    "text": Ui(help="The text that the data is taken from."),
    "schemaType": Ui(
        label="Define the data by",
        choices={"fromAttributes": ("Attributes", "You name the data one by one."), **SCHEMA_TYPES},
        help="How you say which data you want.",
    ),
    "attributes": Ui(
        when={"schemaType": "fromAttributes"}, options={"add": "Add attribute"}, help="The data that you want."
    ),
    "jsonSchemaExample": Ui("json", when={"schemaType": "fromJson"}),
    "inputSchema": Ui("json", when={"schemaType": "manual"}),
}
ATTRIBUTE: UiFields = {
    "type": Ui(choices={"string": "Text", "number": "Number", "boolean": "True or false", "date": "Date"}),
    "description": Ui(help="Tells the model what it should find."),
}
CATEGORY: UiFields = {
    "category": Ui(label="Name", help="The name of the category."),
    "description": Ui(help="Tells the model what belongs there."),
}
CLASSIFIER_UI: UiFields = {
    "inputText": Ui(label="Text to classify"),
    "categories": Ui(options={"add": "Add category"}, help="Each category has an output."),
}
CLASSIFIER_OPTIONS: UiFields = {
    "multiClass": Ui(label="Several categories", help="An item may go to several outputs."),
    "fallback": Ui(
        label="When nothing fits",
        choices={"discard": "Drop the item", "other": "Use an extra output"},
        help="Where items go that fit no category.",
    ),
    "enableAutoFixing": Ui(label="Mend answers", help="Asks again when an answer does not have the right form."),
}
SENTIMENT_OPTIONS: UiFields = {
    "categories": Ui(help="The sentiments, separated by commas."),
    "includeDetailedResults": Ui(label="Detailed results", help="Gives strength and confidence, too."),
    "enableAutoFixing": Ui(label="Mend answers", help="Asks again when an answer does not have the right form."),
}
SUMMARY_UI: UiFields = {
    "operationMode": Ui(
        label="Text to summarise",
        choices={
            "nodeInputJson": "The item's fields",
            "nodeInputBinary": "The item's file",
            "documentLoader": "Documents of a loader",
        },
    ),
    "chunkingMode": Ui(
        label="Chunks",
        when={"operationMode": ["nodeInputJson", "nodeInputBinary"]},
        choices={"simple": "By characters", "advanced": "By a text splitter", "none": "None"},
    ),
    "chunkSize": Ui(when={"chunkingMode": "simple"}),
    "chunkOverlap": Ui(when={"chunkingMode": "simple"}),
}
SUMMARY_METHOD: UiFields = {
    "summarizationMethod": Ui(
        label="Method",
        choices={
            "map_reduce": "Summarise each chunk, then all summaries",
            "refine": "Improve one summary chunk by chunk",
            "stuff": "Everything at once",
        },
    ),
    "prompt": Ui("textarea", when={"summarizationMethod": "stuff"}),
    "combineMapPrompt": Ui("textarea", label="Prompt for a chunk", when={"summarizationMethod": "map_reduce"}),
    "refineQuestionPrompt": Ui("textarea", label="First prompt", when={"summarizationMethod": "refine"}),
    "refinePrompt": Ui("textarea", label="Further prompts", when={"summarizationMethod": "refine"}),
}
QA: UiFields = {
    **_prompt(1.3),
    "text": Ui(when={**_DEFINED, "@version": {"_cnd": {"gte": 1.3}}}).over(_PROMPT),
    "query": Ui("textarea", label="Question", when={"@version": {"_cnd": {"lt": 1.3}}}),
}

_NAMED: Case = {"modelName": {"_cnd": {"exists": True}}}


def _model(help: str) -> UiFields:
    """Documents have the model under one of two names; the form shows the one that is set."""
    return {"model": Ui(hide=_NAMED, help=help), "modelName": Ui(label="Model", when=_NAMED, help=help)}


CHAT_MODEL: UiFields = {
    **_model("The model that answers."),
    "responsesApiEnabled": Ui(label="Responses API", help="Has no effect: chat completions are used either way."),
    "builtInTools": Ui("hidden"),
}
MODEL_OPTIONS: UiFields = {
    "responseFormat": Ui(
        choices={"text": "Text", "json_object": "JSON", "json_schema": "JSON by a schema"},
        help="The form of the answer.",
    ),
    "baseURL": Ui(placeholder="https://api.example.com/v1", help="Takes the place of the credential's URL."),
    "reasoningEffort": Ui(choices={"minimal": "Minimal", "low": "Low", "medium": "Medium", "high": "High"}),
    "thinking": Ui(label="Extended thinking", help="Lets the model think before it answers."),
    "thinkingBudget": Ui(label="Thinking tokens", when={"thinking": True}, help="How many tokens it may think."),
    "safetySettings": Ui(options={"add": "Add setting"}, help="How strictly harmful content is held back."),
    "numCtx": Ui(label="Context length"),
    "numPredict": Ui(label="Most output tokens"),
    "numGpu": Ui(label="Layers on the GPU"),
    "numThread": Ui(label="Threads"),
    "numBatch": Ui(label="Batch size"),
    "mainGpu": Ui(label="Main GPU"),
    "repeatLastN": Ui(label="Repetition window"),
    "useMLock": Ui(label="Lock memory"),
    "useMMap": Ui(label="Map memory"),
    "vocabOnly": Ui(label="Vocabulary only"),
    "lowVram": Ui(label="Low VRAM mode"),
    "keepAlive": Ui(label="Keep loaded", placeholder="5m", help="How long the model stays in memory."),
    "format": Ui(label="Output format", choices={"default": "Text", "json": "JSON"}),
    "think": Ui(label="Thinking", help="Lets the model think before it answers."),
}
SAFETY: UiFields = {
    "category": Ui(
        choices={
            "HARM_CATEGORY_HARASSMENT": "Harassment",
            "HARM_CATEGORY_HATE_SPEECH": "Hate speech",
            "HARM_CATEGORY_SEXUALLY_EXPLICIT": "Sexually explicit",
            "HARM_CATEGORY_DANGEROUS_CONTENT": "Dangerous content",
        },
        default="HARM_CATEGORY_HARASSMENT",
    ),
    "threshold": Ui(
        choices={
            "HARM_BLOCK_THRESHOLD_UNSPECIFIED": "The provider's",
            "BLOCK_LOW_AND_ABOVE": "Block low and above",
            "BLOCK_MEDIUM_AND_ABOVE": "Block medium and above",
            "BLOCK_ONLY_HIGH": "Block only high",
            "BLOCK_NONE": "Block nothing",
        },
        default="HARM_BLOCK_THRESHOLD_UNSPECIFIED",
    ),
}
EMBEDDING_UI: UiFields = _model("The model that makes the vectors.")
EMBEDDING_OPTIONS: UiFields = {
    "baseURL": Ui(placeholder="https://api.example.com/v1", help="Takes the place of the credential's URL."),
    "dimensions": Ui(help="How many numbers a vector has."),
    "batchSize": Ui(label="Batch size", help="How many texts go in one request."),
    "stripNewLines": Ui(label="Drop line breaks", help="Replaces line breaks by blanks."),
    "timeout": Ui(label="Timeout (s)", help="How long a request may take, in seconds."),
}

_ROLES: Mapping[Scalar, Words] = {"user": "User", "system": "System", "assistant": "Assistant"}
MESSAGE: UiFields = {
    "role": Ui(choices=_ROLES, help="The one who says it."),
    "content": Ui("textarea", hide={"type": "image"}, options={"rows": 3}, help="The text of the message."),
    "type": Ui(choices={"text": "Text", "image": "Image"}),
    "imageUrl": Ui(when={"type": "image"}),
}
STANDALONE_ROLES: UiFields = {
    "role": Ui(
        choices={"user": "User", "assistant": "Assistant", "model": "Model", "system": "System"},
        help="The one who says it.",
    ),
    "content": Ui("textarea", options={"rows": 3}, help="The text of the message."),
}
_TEXT: Case = {"resource": "text"}
_IMAGE: Case = {"resource": "image"}
_ANALYZE: Case = {**_IMAGE, "operation": "analyze"}
_IMAGE_URLS = Ui(label="Image URLs", when={**_ANALYZE, "inputType": "url"}, help="Addresses, separated by commas.")
_IMAGE_FILE = Ui(label="Input file field", when={**_ANALYZE, "inputType": ["base64", "binary"]})
OPENAI: UiFields = {
    "resource": Ui(
        choices={"text": "Text", "image": "Image", "audio": "Audio"}, help="The kind of content to work on."
    ),
    "operation": (
        Ui(
            when={**_TEXT, "@version": {"_cnd": {"lt": 2}}},
            choices={"message": "Ask a model", "classify": "Find violations"},
            default="message",
            help="The work that the model does.",
        ),
        Ui(
            when={**_TEXT, "@version": {"_cnd": {"gte": 2}}},
            choices={"response": "Ask a model", "classify": "Find violations", "message": "Ask a model (older API)"},
            default="response",
            help="The work that the model does.",
        ),
        Ui(
            when=_IMAGE,
            choices={"generate": "Generate an image", "analyze": "Analyze an image"},
            default="generate",
            help="The work that the model does.",
        ),
        Ui(
            when={"resource": "audio"},
            choices={
                "generate": "Generate speech",
                "transcribe": "Transcribe a recording",
                "translate": "Translate a recording",
            },
            default="generate",
            help="The work that the model does.",
        ),
    ),
    "modelId": (
        Ui(label="Model", when={**_TEXT, "operation": ["message", "response"]}, help="The model that answers."),
        Ui(label="Model", when=_ANALYZE, help="The model that looks at the image."),
    ),
    "model": (
        Ui(label="Model", when={**_IMAGE, "operation": "generate"}, help="The model that makes the image."),
        Ui(label="Model", when={"resource": "audio", "operation": "generate"}, help="The model that speaks."),
    ),
    "messages": Ui(
        when={**_TEXT, "operation": "message"}, options={"add": "Add message"}, help="The conversation so far."
    ),
    "responses": Ui(
        label="Messages",
        when={**_TEXT, "operation": "response", "@version": {"_cnd": {"gte": 2}}},
        options={"add": "Add message"},
        help="The conversation so far.",
    ),
    "simplify": Ui(when={**_TEXT, "operation": ["message", "response", "classify"]}),
    "simplifyOutput": Ui(when={**_TEXT, "operation": ["message", "classify"]}),
    "jsonOutput": Ui(
        label="Output as JSON", when={**_TEXT, "operation": "message"}, help="Makes the model answer with JSON."
    ),
    "builtInTools": Ui("hidden"),
    "prompt": Ui(when={**_IMAGE, "operation": "generate"}, help="Describes the image."),
    "text": (
        Ui(label="Question", when=_ANALYZE, help="The question about the image."),
        Ui(label="Text", when={**_TEXT, "operation": "classify"}, help="The text that is judged."),
    ),
    "input": (
        Ui(label="Text", when={"resource": "audio", "operation": "generate"}, help="The text that is spoken."),
        Ui(label="Text", when={**_TEXT, "operation": "classify"}, help="The text that is judged."),
    ),
    "voice": Ui(
        when={"resource": "audio", "operation": "generate"},
        choices={name: name.capitalize() for name in ("alloy", "echo", "fable", "nova", "onyx", "shimmer")},
        help="The voice that speaks.",
    ),
    "inputType": Ui(
        label="Image", when=_ANALYZE, choices={"url": "By URL", "base64": "A file of the item"}, help="Its place."
    ),
    "imageUrls": _IMAGE_URLS,
    "binaryPropertyName": (
        _IMAGE_FILE,
        Ui(label="Input file field", when={"resource": "audio", "operation": ["transcribe", "translate"]}),
    ),
}
OPENAI_OPTIONS: UiFields = {
    "n": Ui(label="Number of answers", help="How many answers or images are made."),
    "instructions": Ui("textarea", help="The model's instructions, before the messages."),
    "detail": Ui(choices={"auto": "Automatic", "low": "Low", "high": "High"}, help="How closely it looks at images."),
    "binaryPropertyOutput": Ui(label="Output file field", help="The field for the file that is made."),
    "size": Ui(placeholder="1024x1024", help="Width and height of the image."),
    "quality": Ui(placeholder="high", help="The quality of the image."),
    "dalleQuality": Ui(
        label="Quality (DALL-E 3)", choices={"standard": "Standard", "hd": "High"}, help="The quality of the image."
    ),
    "style": Ui(choices={"natural": "Natural", "vivid": "Vivid"}, help="The style of the image."),
    "returnImageUrls": Ui(label="Return URLs", help="Gives addresses instead of files."),
    "language": Ui(placeholder="en", help="The language of the recording."),
    "responseFormat": Ui(help="The form of the answer, such as text, json_object or mp3."),
    "speed": Ui(help="The speed of the speech, from 0.25 to 4."),
    "reasoningEffort": Ui(choices={"minimal": "Minimal", "low": "Low", "medium": "Medium", "high": "High"}),
}
STANDALONE: UiFields = {
    "resource": Ui(choices={"text": "Text", "image": "Image"}, help="The kind of content to work on."),
    "operation": (
        Ui(when=_TEXT, choices={"message": "Ask a model"}, default="message", help="The work that the model does."),
        Ui(when=_IMAGE, choices={"analyze": "Analyze an image"}, default="analyze", help="The work that it does."),
    ),
    "modelId": Ui(label="Model", help="The model that answers."),
    "messages": Ui(when=_TEXT, options={"add": "Add message"}, help="The conversation so far."),
    "simplify": Ui(help="Gives the essential fields instead of the whole answer."),
    "jsonOutput": Ui(label="Output as JSON", when=_TEXT, help="Makes the model answer with JSON."),
    "builtInTools": Ui("hidden"),
    "text": Ui(label="Question", when=_ANALYZE, help="The question about the image."),
    "inputType": Ui(
        label="Image", when=_ANALYZE, choices={"url": "By URL", "binary": "A file of the item"}, help="Its place."
    ),
    "imageUrls": _IMAGE_URLS,
    "binaryPropertyName": _IMAGE_FILE,
}
STANDALONE_OPTIONS: UiFields = {"system": Ui(label="System message", help="The model's instructions.")}

WINDOW: UiFields = {
    "sessionIdType": Ui(
        choices={"fromInput": ("The chat's session", "Takes the field `sessionId`."), "customKey": "Defined below"},
    ),
    "sessionKey": Ui(
        when={"sessionIdType": "customKey"}, help="The text that tells sessions apart, such as a user's ID."
    ),
}
KNOWN_MEMORY: UiFields = {**WINDOW, "tableName": Ui(help="The table that holds the messages.")}
STRUCTURED: UiFields = {
    "schemaType": Ui(label="Define the output by", choices=SCHEMA_TYPES, help="How you give the form of the answer."),
    "jsonSchemaExample": Ui("json", when={"schemaType": "fromJson"}, help="An example; its types make the schema."),
    "inputSchema": Ui("json", when={"schemaType": "manual"}, help="The schema that the answer must follow."),
    "jsonSchema": Ui("json", label="JSON Schema", help="The schema that the answer must follow."),
    "autoFix": Ui(label="Mend answers", help="Lets an attached model mend answers that do not fit."),
    "customizeRetryPrompt": Ui(label="Own prompt to mend", when={"autoFix": True}, help="Lets you write that prompt."),
    "prompt": Ui("textarea", when={"autoFix": True, "customizeRetryPrompt": True}, help="Asks for the mended answer."),
}
OLD_STRUCTURED: UiFields = {"prompt": Ui("textarea", when={"autoFix": True})}
FIXING: UiFields = {"prompt": Ui("textarea", help="Asks for the mended answer.")}
ITEM_LIST: UiFields = {
    "numberOfItems": Ui(help="How many entries are wanted; -1 is any number."),
    "separator": Ui(help="The text between two entries."),
}

LOADER: UiFields = {
    "dataType": Ui(label="Data", choices={"json": "The item's fields", "binary": "A file"}, help="The text's source."),
    "jsonMode": Ui(
        label="Fields",
        when={"dataType": "json"},
        choices={"allInputData": "All of the item", "expressionData": "Defined below"},
        help="The part of the item that is loaded.",
    ),
    "jsonData": Ui(
        label="Text", when={"dataType": "json", "jsonMode": "expressionData"}, help="The text that is loaded."
    ),
    "binaryMode": Ui(
        label="Files",
        when={"dataType": "binary"},
        choices={"allInputData": "All files of the item", "specificField": "The file of a field"},
        help="The files that are loaded.",
    ),
    "binaryDataKey": Ui(when={"dataType": "binary", "binaryMode": "specificField"}),
    "loader": Ui(
        label="File format",
        when={"dataType": "binary"},
        choices={
            "auto": "Detect",
            "csvLoader": "CSV",
            "docxLoader": "DOCX",
            "epubLoader": "EPUB",
            "jsonLoader": "JSON",
            "pdfLoader": "PDF",
            "textLoader": "Text",
        },
    ),
    "textSplittingMode": Ui(
        label="Text splitting",
        when={"@version": {"_cnd": {"gte": 1.1}}},
        choices={"simple": "By characters", "custom": "By an attached splitter"},
        help="How long texts become chunks.",
    ),
}
LOADER_OPTIONS: UiFields = {"metadata": Ui(options={"add": "Add property"}, help="Properties of every document.")}
METADATA: UiFields = {"metadataValues": Ui(label="Property")}
SPLITTER: UiFields = {
    "separator": Ui(help="The text at which the splitter cuts."),
}
SPLITTER_KIND: UiFields = {"splitCode": Ui(label="Split for", help="The language of the text, such as markdown.")}


class KnownCollectionValues(Parameters):
    use_collection: bool = False
    collection_name: str = ""


class KnownCollection(Parameters):
    values: KnownCollectionValues = KnownCollectionValues()


class KnownStoreOptions(Parameters):
    """Options of stores that cannot run; a form shows them."""

    clear_collection: bool = False
    clear_namespace: bool = False
    collection: KnownCollection = KnownCollection()
    pinecone_namespace: str = ""
    query_name: str = ""


_MODES: Mapping[Scalar, Words] = {
    "load": ("Find documents", "Gives the documents that are nearest to a text."),
    "insert": ("Insert documents", "Adds documents to the store."),
    "retrieve": ("Store for a chain", "Serves a chain or a vector store tool."),
    "retrieve-as-tool": ("Store as a tool", "Serves an AI Agent as a tool."),
    "update": ("Update documents", "Replaces documents by their ID."),
}
_FINDS: Case = {"mode": ["load", "retrieve-as-tool"]}
STORE: UiFields = {
    "mode": Ui(label="Operation", choices=_MODES, help="The work that the store does.", expression=False),
    "memoryKey": Ui(label="Store", help="Stores with one key in one workflow are one."),
    "clearStore": Ui(when={"mode": "insert"}),
    "prompt": Ui(when={"mode": "load"}, help="The text that documents are compared with."),
    "topK": Ui(label="Most documents", when=_FINDS, help="How many documents are found at most."),
    "toolName": Ui(when={"mode": "retrieve-as-tool"}),
    "toolDescription": Ui("textarea", label="Description", when={"mode": "retrieve-as-tool"}),
    "includeDocumentMetadata": Ui(label="Include metadata", when=_FINDS, help="Gives the documents' properties, too."),
    "useReranker": Ui(label="Rerank results", when=_FINDS, help="Lets an attached model sort the results."),
}
KNOWN_STORE: UiFields = {
    **STORE,
    "options": Ui("collection", fields=KnownStoreOptions),
    "tableName": Ui(help="The table that holds the documents."),
    "qdrantCollection": Ui(label="Collection", help="The collection that holds the documents."),
    "pineconeIndex": Ui(label="Index", help="The index that holds the documents."),
}
TOP_K: UiFields = {"topK": Ui(label="Most documents", help="How many documents are found at most.")}

NAMED_TOOL: UiFields = {
    "name": Ui(help="The name by which the model calls the tool."),
    "description": Ui(help="Tells the model what the tool does and when to use it."),
}
_SPECIFIED: Case = {"specifyInputSchema": True}
SCHEMED_TOOL: UiFields = {
    **NAMED_TOOL,
    "specifyInputSchema": Ui(label="Define the input", help="Tells the model which arguments the tool takes."),
    "schemaType": Ui(label="Define it by", when=_SPECIFIED, choices=SCHEMA_TYPES, help="How you give the arguments."),
    "jsonSchemaExample": Ui("json", when={**_SPECIFIED, "schemaType": "fromJson"}),
    "inputSchema": Ui("json", when={**_SPECIFIED, "schemaType": "manual"}),
}
CODE_TOOL: UiFields = {
    **SCHEMED_TOOL,
    "language": Ui(
        choices={"javaScript": "JavaScript", "python": "Python"}, help="The language of the program.", expression=False
    ),
    "jsCode": Ui(
        "code",
        label="JavaScript",
        when={"language": "javaScript"},
        options={"language": "javascript"},
        help="The program: `query` holds the arguments; return a text.",
    ),
    "pythonCode": Ui(
        "code",
        label="Python",
        when={"language": "python"},
        options={"language": "python"},
        help="The program: `query` holds the arguments; return a text.",
    ),
}
_OLD_TOOL: Case = {"@version": {"_cnd": {"lt": 2}}}
WORKFLOW_TOOL: UiFields = {
    **SCHEMED_TOOL,
    "name": Ui(when={"@version": {"_cnd": {"lt": 2.2}}}, help="The name by which the model calls the tool."),
    "specifyInputSchema": Ui(label="Define the input", when=_OLD_TOOL),
    "schemaType": Ui(label="Define it by", when={**_SPECIFIED, **_OLD_TOOL}, choices=SCHEMA_TYPES),
    "jsonSchemaExample": Ui("json", when={**_SPECIFIED, **_OLD_TOOL, "schemaType": "fromJson"}),
    "inputSchema": Ui("json", when={**_SPECIFIED, **_OLD_TOOL, "schemaType": "manual"}),
    "source": Ui(choices={"database": "A saved workflow", "parameter": "JSON below"}, help="Where the workflow is."),
    "workflowId": WORKFLOW,
    "workflowJson": Ui("json", label="Workflow as JSON", when={"source": "parameter"}, help="The whole document."),
    "responsePropertyName": Ui(
        label="Field to return", when={"@version": {"_cnd": {"lt": 1.3}}}, help="The field that the model gets."
    ),
    "fields": Ui(label="Further inputs", when=_OLD_TOOL, options={"add": "Add value"}, help="Values for the workflow."),
    "workflowInputs": Ui("mapper", when={"@version": {"_cnd": {"gte": 2}}}),
}
FIELD_VALUE: UiFields = {
    "type": Ui(
        choices={
            "stringValue": "Text",
            "numberValue": "Number",
            "booleanValue": "True or false",
            "arrayValue": "List",
            "objectValue": "Object",
        }
    ),
    "stringValue": Ui(label="Value", when={"type": "stringValue"}),
    "numberValue": Ui(label="Value", when={"type": "numberValue"}),
    "booleanValue": Ui(label="Value", when={"type": "booleanValue"}),
    "arrayValue": Ui("json", label="Value", when={"type": "arrayValue"}),
    "objectValue": Ui("json", label="Value", when={"type": "objectValue"}),
}
MCP: UiFields = {
    "sseEndpoint": Ui(label="Address", when={"@version": {"_cnd": {"lt": 1.1}}}, help="The server's address."),
    "endpointUrl": Ui(
        label="Address",
        when={"@version": {"_cnd": {"gte": 1.1}}},
        placeholder="https://mcp.example.com/mcp",
        help="The server's address.",
    ),
    "serverTransport": Ui(
        label="Transport",
        when={"@version": {"_cnd": {"gte": 1.1}}},
        choices={"httpStreamable": "Streamable HTTP", "sse": "Server-sent events (older)"},
    ),
    "authentication": Ui(
        choices={
            "none": "None",
            "bearerAuth": "Bearer token",
            "headerAuth": "Header auth",
            "mcpOAuth2Api": "OAuth2",
        }
    ),
    "include": Ui(
        label="Tools",
        choices={"all": "All", "selected": "Selected tools", "except": "All except some"},
        help="The server's tools that the model may call.",
    ),
    "includeTools": Ui(label="Tools to include", when={"include": "selected"}, help="Names of tools."),
    "excludeTools": Ui(label="Tools to exclude", when={"include": "except"}, help="Names of tools."),
    "operation": Ui("hidden"),
}
_AS: Mapping[Scalar, Words] = {"keypair": "Fields below", "json": "JSON", "model": "Let the model decide"}


def _part(switch: str, specify: str, rows: str, json: str, what: str) -> UiFields:
    on: Case = {switch: True}
    return {
        switch: Ui(label=f"Send {what}", help="Adds them to the request."),
        specify: Ui(label=f"{what.capitalize()} as", when=on, choices=_AS, help="How you give them."),
        rows: Ui(
            label=what.capitalize(),
            when={**on, specify: "keypair"},
            options={"add": "Add value"},
            help="Names, and where their values come from.",
        ),
        json: Ui(
            "json",
            label=what.capitalize(),
            when={**on, specify: "json"},
            help="JSON; the model fills in {names} in braces.",
        ),
    }


_OPTIMIZED: Case = {"optimizeResponse": True}
HTTP_TOOL: UiFields = {
    "name": Ui(when={"@version": 1}, help="The name by which the model calls the tool."),
    "method": Ui(choices=METHODS),
    "url": Ui(placeholder="https://api.example.com/{item}", help="The address; {names} are filled in by the model."),
    "authentication": Ui(choices=AUTHENTICATION),
    "genericAuthType": Ui(choices=GENERIC_CREDENTIALS, when={"authentication": "genericCredentialType"}),
    "nodeCredentialType": Ui("credential", when={"authentication": "predefinedCredentialType"}),
    **_part("sendQuery", "specifyQuery", "parametersQuery", "jsonQuery", "query parameters"),
    **_part("sendHeaders", "specifyHeaders", "parametersHeaders", "jsonHeaders", "headers"),
    **_part("sendBody", "specifyBody", "parametersBody", "jsonBody", "body"),
    "placeholderDefinitions": Ui(
        label="Placeholders", options={"add": "Add placeholder"}, help="Tells the model what the {names} mean."
    ),
    "optimizeResponse": Ui(label="Shorten the response", help="Gives the model only what it needs."),
    "responseType": Ui(
        when=_OPTIMIZED, choices={"json": "JSON", "html": "HTML", "text": "Text"}, help="The form of it."
    ),
    "dataField": Ui(
        label="Field with the data",
        when={**_OPTIMIZED, "responseType": "json"},
        help="The part of the response to take.",
    ),
    "fieldsToInclude": Ui(
        label="Fields",
        when={**_OPTIMIZED, "responseType": "json"},
        choices={"all": "All", "selected": "Selected fields", "except": "All except some"},
        help="The fields that the model gets.",
    ),
    "fields": Ui(
        label="Names of fields",
        help="Separated by commas.",
        when={**_OPTIMIZED, "responseType": "json", "fieldsToInclude": ["selected", "except"]},
    ),
    "cssSelector": Ui(when={**_OPTIMIZED, "responseType": "html"}),
    "onlyContent": Ui(label="Text only", when={**_OPTIMIZED, "responseType": "html"}, help="Drops all markup."),
    "elementsToOmit": Ui(
        help="CSS selectors, separated by commas.", when={**_OPTIMIZED, "responseType": "html", "onlyContent": True}
    ),
    "truncateResponse": Ui(
        label="Cut long responses",
        help="Gives the model only the beginning.",
        when={**_OPTIMIZED, "responseType": ["html", "text"]},
    ),
    "maxLength": Ui(
        label="Most characters",
        help="How long the text may be.",
        when={**_OPTIMIZED, "responseType": ["html", "text"], "truncateResponse": True},
    ),
}
HTTP_TOOL_FIELD: UiFields = {
    "valueProvider": Ui(
        label="Value from",
        choices={
            "modelRequired": "The model (required)",
            "modelOptional": "The model (optional)",
            "fieldValue": "Defined below",
        },
    ),
    "value": Ui(when={"valueProvider": "fieldValue"}),
}
PLACEHOLDER: UiFields = {
    "type": Ui(
        choices={
            "not specified": "Not specified",
            "string": "Text",
            "number": "Number",
            "boolean": "True or false",
            "json": "JSON",
        }
    )
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
            label="Allowed origins (CORS)", help="Web pages that may call it, comma separated; * is all."
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
        choices={"hostedChat": ("Page", "With a page of its own."), "webhook": ("API only", "Without a page.")},
    ),
    "authentication": Ui(
        when={"public": True}, choices={"none": "None", "basicAuth": "Basic auth"}, help="Who may use the chat."
    ),
    "options": Ui("collection", fields=ChatOptions),
    "initialMessages": Ui(
        "textarea", label="First messages", when={"public": True, "mode": "hostedChat"}, help="One message a line."
    ),
}
