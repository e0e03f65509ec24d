"""The parameters of the MongoDB node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeError, Parameters, needed
from jackfield.api.nodes.ui import Case, Ui, UiFields
from jackfield.api.nodes.wording import JsonText
from jackfield_integrations.parameters import Text, names

READS = ("aggregate", "delete", "find")
UPDATES = ("update", "findOneAndReplace", "findOneAndUpdate")
_DOCUMENT: Case = {"resource": ["document"]}
_INDEX: Case = {"resource": ["searchIndexes"]}
_PLACEHOLDERS = "Write $1, $2 and so on for the values below."


def _values(label: str, operations: tuple[str, ...] = ()) -> Ui:
    when: Case = {"operation": [*operations], **_DOCUMENT} if operations else {}
    return Ui(
        "json", label=label, when=when, placeholder='["Ada", 30]', help="A list: the values for $1, $2 and so on."
    )


class MongoOptions(Parameters):
    ui_fields: ClassVar[UiFields] = {
        "limit": Ui(when={"/operation": ["find"]}, help="How many documents you get at most; 0 for all."),
        "skip": Ui(when={"/operation": ["find"]}, help="How many documents are left out at the beginning."),
        "sort": Ui(when={"/operation": ["find"]}, placeholder='{ "born": -1 }', help=_PLACEHOLDERS),
        "sortParameters": _values("Values of sort").over(Ui(when={"/operation": ["find"]})),
        "projection": Ui(when={"/operation": ["find"]}, placeholder='{ "_id": 0, "name": 1 }', help=_PLACEHOLDERS),
        "projectionParameters": _values("Values of projection").over(Ui(when={"/operation": ["find"]})),
        "dateFields": Ui(
            when={"/operation": ["insert", *UPDATES]}, help="Fields that are stored as dates, separated by commas."
        ),
        "useDotNotation": Ui(
            when={"/operation": ["insert", *UPDATES]}, help="Takes `a.b` as the field `b` inside of `a`."
        ),
    }

    limit: int = Field(0, ge=0)
    skip: int = Field(0, ge=0)
    sort: JsonText = "{}"
    sort_parameters: JsonText = Field(default_factory=list)
    projection: JsonText = "{}"
    projection_parameters: JsonText = Field(default_factory=list)
    date_fields: Text = ""
    use_dot_notation: Flag = False


class MongoParameters(Parameters):
    ui_fields: ClassVar[UiFields] = {
        "resource": Ui(choices={"searchIndexes": "Search index", "document": "Document"}),
        "operation": (
            Ui("select", when=_DOCUMENT, default="find").over(
                Ui(
                    choices={
                        "aggregate": "Aggregate",
                        "delete": "Delete",
                        "find": "Find",
                        "findOneAndReplace": "Find and replace",
                        "findOneAndUpdate": "Find and update",
                        "insert": "Insert",
                        "update": "Update",
                    }
                )
            ),
            Ui("select", when=_INDEX, default="createSearchIndex").over(
                Ui(
                    choices={
                        "createSearchIndex": "Create",
                        "dropSearchIndex": "Drop",
                        "listSearchIndexes": "List",
                        "updateSearchIndex": "Update",
                    }
                )
            ),
        ),
        "collection": Ui(help="The collection of the credential's database."),
        "query": (
            Ui(
                label="Pipeline",
                when={"operation": ["aggregate"], **_DOCUMENT},
                placeholder='[{ "$match": { "name": "$1" } }]',
                help=f"A list of stages. {_PLACEHOLDERS}",
                required=True,
            ),
            Ui(
                when={"operation": ["delete", "find"], **_DOCUMENT},
                placeholder='{ "name": "$1" }',
                help=f"A filter. {_PLACEHOLDERS}",
            ),
        ),
        "queryParameters": _values("Values of the query", READS),
        "updateKey": Ui(
            when={"operation": [*UPDATES], **_DOCUMENT}, help="The field that tells which document is meant."
        ),
        "fields": Ui(
            when={"operation": ["insert", *UPDATES], **_DOCUMENT},
            placeholder="name,born",
            help="The item's fields that go into the document, separated by commas.",
        ),
        "upsert": Ui(when={"operation": [*UPDATES], **_DOCUMENT}, help="Inserts the document where none is found."),
        "indexName": Ui(when={"operation": ["listSearchIndexes"], **_INDEX}, help="Only the index of this name."),
        "indexNameRequired": Ui(
            label="Index name",
            when={"operation": ["createSearchIndex", "dropSearchIndex", "updateSearchIndex"], **_INDEX},
        ),
        "indexDefinition": Ui(
            when={"operation": ["createSearchIndex", "updateSearchIndex"], **_INDEX}, help=_PLACEHOLDERS
        ),
        "indexDefinitionParameters": Ui(
            "json",
            label="Values of the definition",
            when={"operation": ["createSearchIndex", "updateSearchIndex"], **_INDEX},
            placeholder='["embedding", 1536]',
            help="A list: the values for $1, $2 and so on.",
        ),
        "indexType": Ui(
            when={"operation": ["createSearchIndex"], **_INDEX},
            choices={"vectorSearch": "Vector search", "search": "Search"},
        ),
        "options": Ui(when={"operation": ["find", "insert", *UPDATES], **_DOCUMENT}),
    }

    resource: Literal["searchIndexes", "document"] = "document"
    operation: Literal[
        "",
        "aggregate",
        "delete",
        "find",
        "findOneAndReplace",
        "findOneAndUpdate",
        "insert",
        "update",
        "createSearchIndex",
        "dropSearchIndex",
        "listSearchIndexes",
        "updateSearchIndex",
    ] = ""
    collection: Text = Field("", json_schema_extra=needed())
    query: JsonText = Field("{}", json_schema_extra=needed({"operation": READS, "resource": ["document"]}))
    query_parameters: JsonText = Field(default_factory=list)
    fields_named: Text = Field("", alias="fields")
    update_key: Text = Field("id", json_schema_extra=needed({"operation": UPDATES, "resource": ["document"]}))
    upsert: Flag = False
    index_name: Text = ""
    index_name_required: Text = Field(
        "",
        json_schema_extra=needed(
            {
                "operation": ["createSearchIndex", "dropSearchIndex", "updateSearchIndex"],
                "resource": ["searchIndexes"],
            }
        ),
    )
    index_definition: JsonText = "{}"
    index_definition_parameters: JsonText = Field(default_factory=list)
    index_type: Literal["vectorSearch", "search"] = "vectorSearch"
    options: MongoOptions = Field(default_factory=MongoOptions)

    @classmethod
    def json_templates(cls, parameters: Mapping[str, Json]) -> tuple[str, ...]:
        return ("query", "options.sort", "options.projection", "indexDefinition")

    @property
    def work(self) -> str:
        """The operation; without one, the resource's first."""
        return self.operation or ("find" if self.resource == "document" else "createSearchIndex")

    @property
    def key(self) -> str:
        return self.update_key.strip()

    def place(self) -> str:
        """The collection. Raises `NodeError`."""
        if not self.collection.strip():
            raise NodeError("The parameter collection is empty.")
        return self.collection

    def taken(self, *, key: bool) -> list[str]:
        """The item's fields that count. key: with the one that tells which document is meant."""
        found = names(self.fields_named)
        return [*found, self.key] if key and self.key and self.key not in found else found

    def index(self) -> str:
        """Raises `NodeError`."""
        if not self.index_name_required:
            raise NodeError("The parameter indexNameRequired is empty.")
        return self.index_name_required
