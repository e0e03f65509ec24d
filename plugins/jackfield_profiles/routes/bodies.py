"""Small bodies and queries that the routes read by themselves."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field, JsonValue, RootModel, StringConstraints

from jackfield.api.schemas import Schema

Argument = Annotated[str, StringConstraints(max_length=131_072, pattern=r"^[^\x00]*$")]
Directory = Annotated[str, StringConstraints(min_length=1, max_length=4096, pattern=r"^(/|~)[^\x00]*$")]


class _Input(Schema):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


class DeleteQuery(Schema):
    model_config = ConfigDict(extra="ignore")

    purge: bool = Field(False, description="Whether the home is removed as well.")
    force: bool = Field(False, description="Whether live sessions are ended, and a damaged profile is removed.")


class ProfileRunQuery(Schema):
    """Where a run begins."""

    labels: str = Field(
        "",
        max_length=4096,
        description="Labels of the hosts on which it may begin, with commas between them. Of those that have the "
        "profile and take work it is the one with the most slots free.",
    )


class ProfileRunBody(_Input):
    """A run without a terminal."""

    prompt: Annotated[str, StringConstraints(max_length=1_048_576, pattern=r"^[^\x00]*$")] | None = None
    args: Annotated[list[Argument], Field(max_length=1000)] = Field(default_factory=list)
    timeout: Annotated[float, Field(strict=False, gt=0, le=86_400)] | None = Field(None, description="Seconds.")
    working_dir: Directory | None = None
    key: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00]+$")] | None = Field(
        None,
        description="The same for the same work. A run that a crash, a stop or a lost connection has interrupted goes "
        "on with its agent's session when it is asked for again.",
    )
    depth: int = Field(
        0,
        ge=0,
        le=10_000,
        description="How many executions stand above the run; with too many its agent calls no offered workflow.",
    )


class HookBody(_Input):
    """One hook more."""

    event: str
    matcher: Annotated[str, StringConstraints(max_length=4096)] = "*"
    command: Annotated[str, StringConstraints(min_length=1, max_length=65_536, pattern=r"^[^\x00]*$")]
    timeout: int | None = Field(None, ge=1, le=3600, description="Seconds.")


class HooksBody(RootModel[dict[str, JsonValue]]):
    """All hooks: event to a list of them."""


class ProviderKeyBody(_Input):
    api_key: str = Field(min_length=1, json_schema_extra={"writeOnly": True})
