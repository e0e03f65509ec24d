"""The table `registry`."""

from __future__ import annotations

import base64
import binascii
import re

from pydantic import BaseModel, ConfigDict, Field, field_validator

from jackfield.api.registry import TOKEN_FORM

MIB = 1024 * 1024
PUBLIC_KEY_SIZE = 32


def decoded(text: str, size: int) -> bytes:
    """That many bytes, given as hex or base64. Raises ValueError."""
    text = "".join(text.split())
    if re.fullmatch(rf"[0-9A-Fa-f]{{{size * 2}}}", text):
        return bytes.fromhex(text)
    try:
        found = base64.b64decode(text, validate=True)
    except binascii.Error:
        found = b""
    if len(found) != size:
        raise ValueError(f"must be {size} bytes as base64 or hex")
    return found


class RegistrySettings(BaseModel):
    """Where manifests, scripts and prices are synced from."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    url: str = Field(
        "",
        description="Where the registry is: https://..., file://... or an absolute directory; {channel} in it is "
        "replaced. Empty: there is none.",
    )
    channel: str = Field(
        "stable", pattern=f"^{TOKEN_FORM}$", description="Which channel is synced; the index must be of this channel."
    )
    public_key: str = Field(
        "",
        description="Ed25519 public key, 32 bytes as base64 or hex. With it an index without a good signature is "
        "refused.",
    )
    allow_http: bool = Field(False, description="Whether http:// may be used beyond loopback addresses.")
    auto_sync: bool = Field(False, description="Whether the daemon syncs by itself, at its start and then regularly.")
    auto_sync_interval: float = Field(
        3600, ge=60, le=604_800, description="How often auto_sync looks whether the content is still fresh, in seconds."
    )
    fresh_for: float = Field(
        86_400,
        ge=0,
        le=31_536_000,
        description="How long synced content is not fetched again unless forced, in seconds.",
    )
    timeout: float = Field(30, gt=0, le=600, description="How long a source may be silent, in seconds.")
    sync_timeout: float = Field(
        900, gt=0, le=86_400, description="Longest time of all downloads of a sync, in seconds."
    )
    parallel: int = Field(4, ge=1, le=32, description="Files that are fetched side by side.")
    keep: int = Field(3, ge=1, le=1000, description="Commits that are kept on the disk, the current one included.")
    index_limit: int = Field(4 * MIB, ge=1024, le=64 * MIB, description="Largest index, in bytes.")
    artifact_limit: int = Field(
        64 * MIB,
        ge=1024,
        le=1024 * MIB,
        description="Largest file of prices or models, in bytes; manifests and scripts may have 1 MiB.",
    )
    total_limit: int = Field(256 * MIB, ge=1024, le=4096 * MIB, description="All files of one commit, in bytes.")

    @field_validator("public_key")
    @classmethod
    def _is_key(cls, value: str) -> str:
        if value:
            decoded(value, PUBLIC_KEY_SIZE)
        return value
