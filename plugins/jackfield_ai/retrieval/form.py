"""How stores, loaders and splitters show their parameters."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.nodes import Parameters
from jackfield.api.nodes.ui import Case, Scalar, Ui, UiFields, Words

LOADER_FORMAT = Ui(
    label="File format",
    choices={
        "auto": "Detect",
        "csvLoader": "CSV",
        "docxLoader": "DOCX",
        "epubLoader": "EPUB",
        "jsonLoader": "JSON",
        "pdfLoader": "PDF",
        "textLoader": "Text",
    },
)

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
    "loader": Ui(when={"dataType": "binary"}).over(LOADER_FORMAT),
    "textSplittingMode": Ui(
        label="Text splitting",
        when={"@version": {"_cnd": {"gte": 1.1}}},
        choices={"simple": "By characters", "custom": "By an attached splitter"},
        help="How long texts become chunks.",
    ),
}

LOADER_OPTIONS: UiFields = {"metadata": Ui(options={"add": "Add property"}, help="Properties of every document.")}

FILE_LOADER_OPTIONS: UiFields = {
    **LOADER_OPTIONS,
    "pointers": Ui(
        label="JSON pointers", placeholder="/text, /meta/title", help="Pointers to the texts of a JSON file."
    ),
    "splitPages": Ui(label="A document for each page", help="Splits a PDF into its pages."),
    "column": Ui(label="CSV column", help="The column of a CSV file that is read; empty for all of them."),
    "separator": Ui(label="CSV separator", help="The character between the columns of a CSV file."),
}

METADATA: UiFields = {"metadataValues": Ui(label="Property")}

_OF_PDF: Case = {"loader": ["auto", "pdfLoader"]}
_OF_CSV: Case = {"loader": ["auto", "csvLoader"]}
_CSV_FIELDS: UiFields = {
    "column": Ui(when=_OF_CSV, help="The column of a CSV file that is read; empty for all of them."),
    "separator": Ui(when=_OF_CSV, help="The character between the columns of a CSV file."),
}

JSON_INPUT: UiFields = {
    "pointers": Ui(placeholder="/text, /meta/title", help="JSON pointers to the texts; empty for all of them."),
}
BINARY_INPUT: UiFields = {
    **JSON_INPUT,
    "loader": LOADER_FORMAT,
    "binaryDataKey": Ui(label="Input file field"),
    "splitPages": Ui(label="A document for each page", when=_OF_PDF, help="Splits a PDF into its pages."),
    **_CSV_FIELDS,
}

GITHUB: UiFields = {
    "repository": Ui(placeholder="https://github.com/octocat/hello-world", required=True, help="The repository."),
    "branch": Ui(help="The branch whose files are loaded."),
    "textSplittingMode": Ui(
        label="Text splitting",
        when={"@version": {"_cnd": {"gte": 1.1}}},
        choices={"simple": "By characters", "custom": "By an attached splitter"},
        help="How long texts become chunks.",
    ),
}
GITHUB_OPTIONS: UiFields = {
    "recursive": Ui(label="All folders", help="Loads the files of all folders, too."),
    "ignorePaths": Ui(label="Left out", placeholder="docs, *.md", help="Paths and patterns, separated by commas."),
}

MULTI_QUERY: UiFields = {"queryCount": Ui(label="Wordings", help="How many wordings of the question are looked for.")}

WORKFLOW_RETRIEVER: UiFields = {
    "source": Ui(choices={"database": "A saved workflow", "parameter": "JSON below"}, help="Where the workflow is."),
    "workflowId": Ui("workflow", label="Workflow", when={"source": "database"}, help="The saved workflow that is run."),
    "workflowJson": Ui("json", label="Workflow as JSON", when={"source": "parameter"}, help="The whole document."),
    "fields": Ui(label="Further inputs", options={"add": "Add value"}, help="Values for the workflow."),
}

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
}
_UPDATE: Mapping[Scalar, Words] = {"update": ("Update documents", "Replaces documents by their ID.")}

_FINDS: Case = {"mode": ["load", "retrieve-as-tool"]}

NO_UPDATES: UiFields = {
    "mode": Ui(label="Operation", choices=_MODES, help="The work that the store does.", expression=False),
    "embeddingBatchSize": Ui(
        label="Documents at once",
        when={"mode": "insert", "@version": {"_cnd": {"gte": 1.1}}},
        help="How many documents are embedded and sent together.",
    ),
    "prompt": Ui(when={"mode": "load"}, help="The text that documents are compared with."),
    "topK": Ui(label="Most documents", when=_FINDS, help="How many documents are found at most."),
    "toolName": Ui(when={"mode": "retrieve-as-tool", "@version": {"_cnd": {"lte": 1.2}}}),
    "toolDescription": Ui("textarea", label="Description", when={"mode": "retrieve-as-tool"}),
    "includeDocumentMetadata": Ui(label="Include metadata", when=_FINDS, help="Gives the documents' properties, too."),
    "useReranker": Ui(
        label="Rerank results",
        when={"mode": ["load", "retrieve", "retrieve-as-tool"]},
        help="Lets an attached model sort the results.",
    ),
}

STORE: UiFields = {
    **NO_UPDATES,
    "mode": Ui(
        label="Operation", choices={**_MODES, **_UPDATE}, help="The work that the store does.", expression=False
    ),
    "id": Ui(label="Document ID", when={"mode": "update"}, help="The ID of the document that is replaced."),
}

IN_MEMORY: UiFields = {
    **NO_UPDATES,
    "memoryKey": Ui(label="Store", help="Stores with one key in one workflow are one."),
    "clearStore": Ui(when={"mode": "insert"}),
}

STORE_OPTIONS: UiFields = {
    "metadata": Ui(
        label="Metadata filter", options={"add": "Add property"}, help="Properties that documents must have."
    ),
}


def _held(name: str, label: str, help: str) -> Ui:
    """All these stores have one model; a form shows what the document has."""
    return Ui(label=label, when={name: {"_cnd": {"exists": True}}}, help=help)


KNOWN_STORE: UiFields = {
    **STORE,
    "options": Ui("collection", fields=KnownStoreOptions),
    "useReranker": Ui("switch", label="Rerank results", when=_FINDS, help="Lets an attached model sort the results."),
    "includeDocumentMetadata": Ui(
        "switch", label="Include metadata", when=_FINDS, help="Gives the documents' properties, too."
    ),
    "tableName": _held("tableName", "Table", "The table that holds the documents."),
    "qdrantCollection": _held("qdrantCollection", "Collection", "The collection that holds the documents."),
    "pineconeIndex": _held("pineconeIndex", "Index", "The index that holds the documents."),
}

TOP_K: UiFields = {"topK": Ui(label="Most documents", help="How many documents are found at most.")}

RERANKING: UiFields = {
    "modelName": Ui(label="Model"),
    "topN": Ui(label="Most documents", help="How many documents are left at most."),
}
