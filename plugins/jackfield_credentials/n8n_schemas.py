"""Bodies and answers of n8n's API of credentials."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from jackfield.api.n8n_pages import CursorPage, N8nAnswer, SharedShown
from jackfield_credentials.schemas import CredentialRequest, KindName, Name

FieldName = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Data = Annotated[dict[FieldName, Any], Field(max_length=50)]  # texts, numbers, booleans, objects


class N8nCredentialBody(CredentialRequest):
    """projectId: the only one. isResolvable, isGlobal: no credential is either, so false."""

    name: Name
    type: KindName
    data: Data
    projectId: str | None = None  # noqa: N815 - n8n's spelling
    isResolvable: Literal[False] | None = None  # noqa: N815
    isGlobal: Literal[False] | None = None  # noqa: N815


class N8nCredentialChange(CredentialRequest):
    """data: all values, or with isPartialData those that change. type: the present one."""

    name: Name | None = None
    type: KindName | None = None
    data: Data | None = None
    isPartialData: bool = False  # noqa: N815
    isResolvable: Literal[False] | None = None  # noqa: N815
    isGlobal: Literal[False] | None = None  # noqa: N815


class N8nCredential(N8nAnswer):
    id: str
    name: str
    type: str
    isManaged: bool  # noqa: N815
    isGlobal: bool  # noqa: N815
    isResolvable: bool  # noqa: N815
    createdAt: str  # noqa: N815
    updatedAt: str  # noqa: N815
    shared: list[SharedShown]


class N8nCredentialPage(CursorPage):
    data: list[N8nCredential]


class N8nCredentialTest(N8nAnswer):
    status: Literal["OK", "Error"]
    message: str


class N8nCredentialSchema(N8nAnswer):
    """A JSON Schema."""

    type: Literal["object"]
    additionalProperties: bool  # noqa: N815
    properties: dict[str, Any]  # a schema for each field
    required: list[str]
