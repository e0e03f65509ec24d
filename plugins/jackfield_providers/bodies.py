"""The body of a provider that is added, in the shape of its manifest."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from jackfield.api.manifests import ManifestId
from jackfield.api.providers import HeaderName

EndpointName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
Line = Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$", strip_whitespace=True)]
Address = Annotated[str, StringConstraints(max_length=2048, pattern=r"^[^\x00-\x20\x7f]*$", strip_whitespace=True)]
ModelName = Annotated[str, StringConstraints(min_length=1, max_length=256, pattern=r"^[^\x00-\x1f\x7f]*$")]


class _ProviderInput(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)


class CustomAuth(_ProviderInput):
    """`kind`: `bearer`, the key as `Authorization: Bearer`; `api-key`, the key in `header`; null: as the vendor of the
    family has it. `required`: whether a profile needs a key.
    """

    kind: Literal["bearer", "api-key"] | None = None
    header: HeaderName = "api-key"
    required: bool = True


class CustomModels(_ProviderInput):
    available: list[ModelName] = Field(default_factory=list, max_length=1000)
    default: ModelName | None = None


class CustomProviderBody(_ProviderInput):
    """endpoints: name -> URL, or `default`: the name of another one."""

    id: ManifestId
    name: Line = ""
    type: Literal["anthropic-compatible", "openai-compatible", "gemini-compatible"]
    endpoints: dict[EndpointName, Address] = Field(min_length=1, max_length=32)
    auth: CustomAuth = CustomAuth()
    models: CustomModels = CustomModels()
