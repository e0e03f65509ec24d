"""Answers of the kernel's own routes, for OpenAPI."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class PluginShown(BaseModel):
    """One plugin."""

    name: str
    status: Literal["loaded", "failed", "disabled"]
    distribution: str = Field(description="The package that brings it; empty when none does.")
    version: str
    error: str = Field(description="What is wrong; empty when nothing is.")


class PluginsAnswer(BaseModel):
    """In the envelope."""

    success: Literal[True]
    data: list[PluginShown]
