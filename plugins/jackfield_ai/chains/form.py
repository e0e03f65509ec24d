"""How chains show their parameters."""

from __future__ import annotations

from jackfield.api.nodes.ui import Ui, UiFields
from jackfield.api.nodes.wording import SCHEMA_TYPES
from jackfield_ai.form import DEFINED, PROMPT, prompt_fields

CHAIN: UiFields = {
    **prompt_fields(1.4),
    "text": Ui(when={**DEFINED, "@version": {"_cnd": {"gte": 1.4}}}).over(PROMPT),
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
        help="The one who says the message.",
    ),
    "messageType": Ui(
        label="Content",
        when={"type": "HumanMessagePromptTemplate"},
        choices={"text": "Text", "imageBinary": "Image (file)", "imageUrl": "Image (URL)"},
    ),
    "message": Ui(hide={"messageType": ["imageBinary", "imageUrl"]}, help="The text of the message."),
    "imageUrl": Ui("text", when={"messageType": "imageUrl"}),
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
    "description": Ui(help="Tells the model which value to find."),
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
    "enableAutoFixing": Ui(label="Repair answers", help="Asks again when an answer does not have the right form."),
}

SENTIMENT_OPTIONS: UiFields = {
    "categories": Ui(help="The sentiments, separated by commas."),
    "includeDetailedResults": Ui(label="Detailed results", help="Gives strength and confidence, too."),
    "enableAutoFixing": Ui(label="Repair answers", help="Asks again when an answer does not have the right form."),
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
    "prompt": Ui("textarea", label="Final prompt", when={"summarizationMethod": ["map_reduce", "stuff"]}),
    "combineMapPrompt": Ui("textarea", label="Prompt for a chunk", when={"summarizationMethod": "map_reduce"}),
    "refineQuestionPrompt": Ui("textarea", label="First prompt", when={"summarizationMethod": "refine"}),
    "refinePrompt": Ui("textarea", label="Further prompts", when={"summarizationMethod": "refine"}),
}

QA: UiFields = {
    **prompt_fields(1.3),
    "text": Ui(when={**DEFINED, "@version": {"_cnd": {"gte": 1.3}}}).over(PROMPT),
    "query": Ui("textarea", label="Question", when={"@version": {"_cnd": {"lt": 1.3}}}),
}
