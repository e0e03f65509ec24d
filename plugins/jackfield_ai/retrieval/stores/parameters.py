"""Parameters that all vector stores share."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, JsonValue

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeError, Parameters
from jackfield.api.nodes.ui import Ui, UiFields
from jackfield_ai.parameters import Text
from jackfield_ai.retrieval.form import METADATA, NO_UPDATES, STORE, STORE_OPTIONS
from jackfield_ai.retrieval.stores.port import Condition

EMBEDDED_AT_ONCE = 200


def _json(value: object) -> object:
    """A text of JSON is what it says."""
    if not isinstance(value, str):
        return value
    if not value.strip():
        return None
    try:
        return loads(value)
    except InvalidInput:
        raise ValueError("it is not valid JSON") from None


JsonObject = Annotated[dict[str, JsonValue] | None, BeforeValidator(_json), Ui("json")]
"""An object, or its text; nothing where the text is empty."""
JsonRows = Annotated[list[dict[str, JsonValue]] | None, BeforeValidator(_json), Ui("json")]
"""A list of objects, or its text."""


class FilterRow(Parameters):
    name: str = ""
    value: Text = ""


class FilterRows(Parameters):
    ui_fields: ClassVar[UiFields] = METADATA

    metadata_values: list[FilterRow] = Field(default_factory=list)


class StoreOptions(Parameters):
    def condition(self) -> Condition:
        """Which documents count."""
        return {}


class FilteringOptions(StoreOptions):
    """Of stores that compare properties."""

    ui_fields: ClassVar[UiFields] = STORE_OPTIONS

    metadata: FilterRows = Field(default_factory=FilterRows)

    def condition(self) -> Condition:
        found: dict[str, Json] = {row.name: row.value for row in self.metadata.metadata_values if row.name}
        return found


class StoreParameters(Parameters):
    ui_fields: ClassVar[UiFields] = NO_UPDATES

    mode: Literal["retrieve", "insert", "load", "update", "retrieve-as-tool"] = "retrieve"
    embedding_batch_size: int = Field(
        EMBEDDED_AT_ONCE, ge=1, le=10_000, description="insert: documents that are embedded and sent at once."
    )
    prompt: Text = Field("", description="load: what to look for.")
    top_k: int = Field(4, ge=1, le=10_000)
    tool_name: str = ""
    tool_description: Text = ""
    include_document_metadata: bool = True
    use_reranker: bool = False

    @property
    def clears(self) -> bool:
        """Whether the collection is emptied before documents are inserted."""
        return False

    def condition(self) -> Condition:
        """Which documents count when some are looked for."""
        return {}


class UpdatingParameters(StoreParameters):
    """Of stores with the mode update."""

    ui_fields: ClassVar[UiFields] = STORE

    id: Text = Field("", description="update: the document's ID.")


def needed(text: str, name: str) -> str:
    """Raises `NodeError` when the name of a collection is empty."""
    if not text.strip():
        raise NodeError(f"The parameter {name} is empty; choose one.")
    return text.strip()
