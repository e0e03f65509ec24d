"""The table `nodes.images`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class ImageSettings(BaseModel):
    """Limits of Edit Image nodes."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    max_pixels: int = Field(
        40_000_000,
        ge=10_000,
        le=89_000_000,
        description="Most pixels of a picture that is read or made, all its frames together. A pixel takes about 12 "
        "bytes of memory while it is edited.",
    )
    max_bytes: int = Field(32 * 2**20, ge=1024, le=2**30, description="Largest file of a picture, in bytes.")
    at_once: int = Field(2, ge=1, le=64, description="Pictures that are edited at a time; others wait.")
