"""The table `secrets`."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

SourceName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]


class SourceSettings(BaseModel):
    """One source. Further keys are those of its kind."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)

    kind: str = Field(min_length=1, max_length=64)
    projects: list[str] = Field(default_factory=list, max_length=1000)
    """Ids of the projects whose credentials may use it; none: all."""
    ttl: float = Field(300, ge=1, le=86_400)
    """Seconds that a value is used before the source is asked again."""
    stale: float = Field(3600, ge=0, le=7 * 86_400)
    """Seconds that a value is used at most while its source does not answer."""


class SecretsSettings(BaseModel):
    """Where secrets of credentials are kept, beside the daemon's own store."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    sources: dict[SourceName, SourceSettings] = Field(
        default_factory=dict,
        description="Sources by the names under which credentials refer to them, such as `vault` for "
        "`{{ $secrets.vault.app.key }}`. A table each; its `kind` says which keys it has.",
    )
    timeout: float = Field(10, gt=0, le=120, description="Seconds that a source has for one request.")
    parallel: int = Field(8, ge=1, le=100, description="Requests to one source at once; more wait.")
    cached: int = Field(
        1000, ge=1, le=100_000, description="Secrets of one source that are kept in memory; the oldest of more is left."
    )
    secret_bytes: int = Field(65_536, ge=256, le=16_777_216, description="Bytes that one secret may have.")
    answer_bytes: int = Field(4_194_304, ge=4096, le=67_108_864, description="Bytes that one answer may have.")
    names: int = Field(1000, ge=1, le=10_000, description="Names of one source that an editor gets at most.")
