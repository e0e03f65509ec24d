"""How models, and nodes that ask one by themselves, show their parameters."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.nodes.forms import LoadedList
from jackfield.api.nodes.ui import Case, Scalar, Ui, UiFields, Words

MODELS = "models"
"""The list of a provider's models."""
_LIST = LoadedList(name=MODELS, searchable=True)
_MODEL = Ui(label="Model", load=_LIST)
_NAMED: Case = {"modelName": {"_cnd": {"exists": True}}}


def _model(help: str) -> UiFields:
    """Documents have the model under one of two names; the form shows the one that is set."""
    return {
        "model": Ui(hide=_NAMED, help=help, load=_LIST),
        "modelName": Ui(label="Model", when=_NAMED, help=help, load=_LIST),
    }


CHAT_MODEL: UiFields = {
    **_model("The model that answers."),
    "responsesApiEnabled": Ui("hidden"),
    "builtInTools": Ui("hidden"),
}
_DEPLOYMENT = Ui(label="Deployment", help="The name of the deployment that answers.")
DEPLOYED_MODEL: UiFields = {
    **CHAT_MODEL,
    "model": Ui(hide=_NAMED).over(_DEPLOYMENT),
    "modelName": Ui(when=_NAMED).over(_DEPLOYMENT),
}
"""Of a provider that has no list of models."""

MODEL_OPTIONS: UiFields = {
    "timeout": Ui(label="Timeout (ms)", help="How long a request may take, in milliseconds."),
    "responseFormat": Ui(
        choices={"text": "Text", "json_object": "JSON", "json_schema": "JSON by a schema"},
        help="The form of the answer.",
    ),
    "baseURL": Ui(placeholder="https://api.example.com/v1", help="Takes the place of the credential's URL."),
    "reasoningEffort": Ui(choices={"minimal": "Minimal", "low": "Low", "medium": "Medium", "high": "High"}),
    "thinking": Ui(label="Extended thinking", help="Lets the model think before it answers."),
    "thinkingBudget": Ui(label="Thinking tokens", when={"thinking": True}, help="How many tokens the model may think."),
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
    "role": Ui(choices=_ROLES, help="The one who says the message."),
    "content": Ui("textarea", hide={"type": "image"}, options={"rows": 3}, help="The text of the message."),
    "type": Ui(choices={"text": "Text", "image": "Image"}),
    "imageUrl": Ui("text", when={"type": "image"}, help="The address of the image."),
}

STANDALONE_ROLES: UiFields = {
    "role": Ui(
        choices={"user": "User", "assistant": "Assistant", "model": "Model", "system": "System"},
        help="The one who says the message.",
    ),
    "content": Ui("textarea", options={"rows": 3}, help="The text of the message."),
}

_TEXT: Case = {"resource": "text"}

_IMAGE: Case = {"resource": "image"}

_ANALYZE: Case = {**_IMAGE, "operation": "analyze"}

_IMAGE_URLS = Ui(
    "text", label="Image URLs", when={**_ANALYZE, "inputType": "url"}, help="Addresses, separated by commas."
)

_IMAGE_FILE = Ui(label="Input file field", when={**_ANALYZE, "inputType": ["base64", "binary"]})

_OTHERWISE: Case = {"operation": ["generate", "transcribe", "translate"]}

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
        Ui(when={**_TEXT, "operation": ["message", "response"]}, help="The model that answers.").over(_MODEL),
        Ui(when=_ANALYZE, help="The model that looks at the image.").over(_MODEL),
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
    "simplify": Ui(hide={**_OTHERWISE, "simplifyOutput": False}),
    "simplifyOutput": Ui(when={"simplifyOutput": False}, hide=_OTHERWISE),
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
        label="Image",
        when=_ANALYZE,
        choices={"url": "By URL", "base64": "A file of the item"},
        help="The place of the image.",
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
    "detail": Ui(
        choices={"auto": "Automatic", "low": "Low", "high": "High"}, help="How closely the model looks at images."
    ),
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
        Ui(
            when=_IMAGE,
            choices={"analyze": "Analyze an image"},
            default="analyze",
            help="The work that the model does.",
        ),
    ),
    "modelId": Ui(label="Model", help="The model that answers.", load=_LIST),
    "messages": Ui(when=_TEXT, options={"add": "Add message"}, help="The conversation so far."),
    "simplify": Ui(help="Gives the essential fields instead of the whole answer."),
    "jsonOutput": Ui(label="Output as JSON", when=_TEXT, help="Makes the model answer with JSON."),
    "builtInTools": Ui("hidden"),
    "text": Ui(label="Question", when=_ANALYZE, help="The question about the image."),
    "inputType": Ui(
        label="Image",
        when=_ANALYZE,
        choices={"url": "By URL", "binary": "A file of the item"},
        help="The place of the image.",
    ),
    "imageUrls": _IMAGE_URLS,
    "binaryPropertyName": _IMAGE_FILE,
}

STANDALONE_OPTIONS: UiFields = {"system": Ui(label="System message", help="The model's instructions.")}
