"""The content of a file of the kind `dialects`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

from jackfield.api.manifests import Manifest
from jackfield.api.providers import Dialect

VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]


class DialectManifest(Manifest):
    """The names of the environment variables that agents of a family read, and the address of the vendor's own API; its
    id is the family's."""

    base_url: VariableName
    token: VariableName
    api_key: VariableName
    model: VariableName
    native_url: str = ""
    headers: VariableName | Literal[""] = ""

    @property
    def dialect(self) -> Dialect:
        return Dialect(**self.model_dump(exclude={"id", "name"}))
