"""Settings tables: what a plugin has in config.toml."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from .object_references import load
from .records import record

if TYPE_CHECKING:
    from pydantic import BaseModel


@record
class SettingsTable:
    """One table of config.toml. path: dotted, such as `security.jwt`; unknown keys in it are errors. source: a
    pydantic model, or its object reference. A field's description, default, unit and range are what `jackfield config`
    and the documentation show. `secret=True` in json_schema_extra hides its value, `former={"old_name": "0.3"}` has
    the old key read until version 0.3."""

    path: str
    source: type[BaseModel] | str

    @property
    def model(self) -> type[BaseModel]:
        """Imported on first use. Raises ImportError."""
        return cast("type[BaseModel]", load(self.source)) if isinstance(self.source, str) else self.source
