"""The parameters of the Elasticsearch node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field

from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeError, Parameters, needed
from jackfield.api.nodes.ui import Case, Ui, UiFields
from jackfield_integrations.elastic import form
from jackfield_integrations.parameters import Text, names

_KEYED = ["delete", "get", "update"]
_FILLED: Case = {"resource": ["document"], "operation": ["create", "update"]}
Options = Annotated[dict[str, object], BeforeValidator(lambda value: value or {})]


class ElasticField(Parameters):
    field_id: Text = ""
    field_value: object = ""


class ElasticFields(Parameters):
    field_values: list[ElasticField] = Field(default_factory=list)


def _when(resource: str, *operations: str) -> Case:
    return {"resource": [resource], "operation": [*operations]}


class ElasticParameters(Parameters):
    ui_fields: ClassVar[UiFields] = {
        "resource": Ui(choices={"document": "Document", "index": "Index"}),
        "operation": (
            Ui("select", when={"resource": ["document"]}, default="get").over(
                Ui(
                    choices={
                        "create": "Create",
                        "delete": "Delete",
                        "get": "Get",
                        "getAll": "Get many",
                        "update": "Update",
                    }
                )
            ),
            Ui("select", when={"resource": ["index"]}, default="create").over(
                Ui(choices={"create": "Create", "delete": "Delete", "get": "Get", "getAll": "Get many"})
            ),
        ),
        "indexId": (
            Ui(when={"resource": ["document"]}, help="The index that has the document."),
            Ui(when=_when("index", "create", "delete", "get"), help="The name of the index."),
        ),
        "documentId": Ui(when=_when("document", *_KEYED)),
        "simple": Ui(label="Simplify output", when=_when("document", "get", "getAll")),
        "returnAll": (Ui(when=_when("document", "getAll")), Ui(when=_when("index", "getAll"))),
        "limit": Ui(when={"operation": ["getAll"], "returnAll": [False]}),
        "dataToSend": Ui(
            label="Fields to send",
            when=_FILLED,
            choices={"defineBelow": "Named below", "autoMapInputData": "Those of the item"},
        ),
        "inputsToIgnore": Ui(
            label="Fields to leave out",
            when={**_FILLED, "dataToSend": ["autoMapInputData"]},
            help="Fields of the item, separated by commas.",
        ),
        "fieldsUi": Ui(label="Fields", when={**_FILLED, "dataToSend": ["defineBelow"]}),
        "options": (
            Ui("collection", when=_when("document", "delete"), fields=form.BULK),
            Ui("collection", when=_when("document", "get"), fields=form.GET),
            Ui("collection", when=_when("document", "getAll"), fields=form.SEARCH),
            Ui("collection", when=_when("document", "create"), fields=form.CREATE),
            Ui("collection", when=_when("document", "update"), fields=form.UPDATE),
        ),
        "additionalFields": (
            Ui("collection", when=_when("document", "create"), fields=form.CREATE_MORE),
            Ui("collection", when=_when("index", "create"), fields=form.INDEX_CREATE),
            Ui("collection", when=_when("index", "get"), fields=form.INDEX_GET),
        ),
    }

    resource: Literal["document", "index"] = "document"
    operation: Literal["", "create", "delete", "get", "getAll", "update"] = ""
    index_id: Text = Field(
        "",
        json_schema_extra=needed(
            {"resource": ["document"]}, {"resource": ["index"], "operation": ["create", "delete", "get"]}
        ),
    )
    document_id: Text = Field("", json_schema_extra=needed({"resource": ["document"], "operation": _KEYED}))
    simple: Flag = True
    return_all: Flag = False
    limit: int = Field(50, ge=1)
    data_to_send: Literal["defineBelow", "autoMapInputData"] = "defineBelow"
    inputs_to_ignore: Text = ""
    fields_ui: ElasticFields = Field(default_factory=ElasticFields)
    options: Options = Field(default_factory=dict)
    additional_fields: Options = Field(default_factory=dict)

    @classmethod
    def json_templates(cls, parameters: Mapping[str, Json]) -> tuple[str, ...]:
        return ("options.query",)

    @property
    def work(self) -> tuple[str, str]:
        """Resource and operation."""
        return self.resource, self.operation or ("get" if self.resource == "document" else "create")

    @property
    def bulk(self) -> bool:
        """Whether the item goes with others, in one request."""
        known = self.resource == "document" and self.work[1] in ("create", "delete", "update")
        return known and self.options.get("bulkOperation") is True

    def needed(self, name: str, value: str) -> str:
        """Raises `NodeError` where it is empty."""
        if not value:
            raise NodeError(f"The parameter {name} is empty.")
        return value

    def document(self, item: Mapping[str, Json]) -> dict[str, object]:
        """The data that the item sends."""
        if self.data_to_send == "defineBelow":
            return {row.field_id: row.field_value for row in self.fields_ui.field_values}
        left_out = names(self.inputs_to_ignore)
        return {name: value for name, value in item.items() if name not in left_out}
