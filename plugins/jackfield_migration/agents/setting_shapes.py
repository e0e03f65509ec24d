"""Whether values of another tool fit into config.toml: one that does not would stop the daemon's next start."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, StringConstraints
from pydantic import ValidationError as ShapeError

from jackfield_migration.agents.wanted import WantedSetting

SERVERS = "mcp_servers.custom"
_ServerName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
_Line = Annotated[StrictStr, StringConstraints(max_length=131_072, pattern=r"^[^\x00]*$")]
_Variable = Annotated[StrictStr, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]
_Header = Annotated[StrictStr, StringConstraints(pattern=r"^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$")]
_HeaderValue = Annotated[StrictStr, StringConstraints(max_length=8192, pattern=r"^[^\x00\r\n]*$")]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", defer_build=True)


class ServerCommandShape(_Shape):
    command: StrictStr = Field(min_length=1)
    args: list[_Line] = Field(default_factory=list, max_length=1000)
    env: dict[_Variable, _Line] = Field(default_factory=dict, max_length=256)


class ServerAddressShape(_Shape):
    url: Annotated[StrictStr, StringConstraints(pattern=r"^https?://[^\s]+$")]
    type: Literal["http", "sse"] = "http"
    headers: dict[_Header, _HeaderValue] = Field(default_factory=dict, max_length=64)


class HookShape(_Shape):
    matcher: StrictStr = "*"
    type: Literal["command"] = "command"
    command: StrictStr = Field(min_length=1)
    timeout: StrictInt | None = Field(None, ge=1, le=3600)


class SettingShapes(BaseModel):
    """Those that are brought over, by table and key; any other has a free form."""

    model_config = ConfigDict(extra="ignore", defer_build=True)

    provider: StrictStr = Field("", alias="defaults.provider")
    bin_dir: StrictStr = Field("", alias="profiles.bin_dir")
    port: StrictInt = Field(0, alias="server.port", ge=0, le=65535)
    auto_format: StrictBool = Field(False, alias="hooks.auto_format")
    auto_lint: StrictBool = Field(False, alias="hooks.auto_lint")
    hooks: dict[str, list[HookShape]] = Field(default_factory=dict, alias="hooks.custom")
    servers: dict[_ServerName, ServerCommandShape | ServerAddressShape] = Field(default_factory=dict, alias=SERVERS)


def fits(wanted: WantedSetting) -> bool:
    """Whether the daemon starts with it."""
    given = {f"{wanted.table}.{wanted.key}": wanted.value}
    try:
        SettingShapes.model_validate({SERVERS: {wanted.key: wanted.value}} if wanted.table == SERVERS else given)
    except ShapeError:
        return False
    return True
