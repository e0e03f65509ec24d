"""Bodies and answers of n8n's API of credentials."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from jackfield.api.n8n_pages import CursorPage, N8nAnswer, SharedShown
from jackfield_credentials.http.schemas import CredentialRequest, KindName, Name

FieldName = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Data = Annotated[dict[FieldName, Any], Field(max_length=50)]  # texts, numbers, booleans, objects


class N8nCredentialBody(CredentialRequest):
    """projectId: the only one. isResolvable, isGlobal: no credential is either, so false."""

    name: Name
    type: KindName
    data: Data
    project_id: str | None = None
    is_resolvable: Literal[False] | None = None
    is_global: Literal[False] | None = None


class N8nCredentialChange(CredentialRequest):
    """data: all values, or with isPartialData those that change. type: the current one."""

    name: Name | None = None
    type: KindName | None = None
    data: Data | None = None
    is_partial_data: bool = False
    is_resolvable: Literal[False] | None = None
    is_global: Literal[False] | None = None


class N8nCredential(N8nAnswer):
    id: str
    name: str
    type: str
    is_managed: bool
    is_global: bool
    is_resolvable: bool
    created_at: str
    updated_at: str
    shared: list[SharedShown]


class N8nCredentialPage(CursorPage):
    data: list[N8nCredential]


class N8nCredentialTest(N8nAnswer):
    status: Literal["OK", "Error"]
    message: str


class N8nCredentialSchema(N8nAnswer):
    """A JSON Schema."""

    type: Literal["object"]
    additional_properties: bool
    properties: dict[str, Any]  # a schema for each field
    required: list[str]
