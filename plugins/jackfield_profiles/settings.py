"""The tables `profiles` and `defaults`. Those that scripts see (`hooks`, `mcp_servers`, `custom`) are in
`preferences`; how agents are started (`profiles.run`) is in `running_settings`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints


class ProfilesSettings(BaseModel):
    """Where profiles' keys and commands are, and the limits of changing them."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    key_store: Literal["auto", "keyring", "file"] = Field(
        "auto",
        description="Where API keys are kept: `keyring` is the operating system's, `file` an encrypted file for each "
        "below `keys/`, `auto` the first where one answers.",
    )
    keyring_timeout: float = Field(
        3, gt=0, le=60, description="Longest time the operating system's keyring may take, in seconds."
    )
    lock_timeout: float = Field(
        10,
        gt=0,
        le=600,
        description="How long a change waits for another one of the same profile to end, in seconds; then it is 409.",
    )
    limit: int = Field(10_000, ge=1, le=100_000, description="Most profiles that there may be.")
    body_limit: int = Field(
        2**20, ge=1024, le=2**26, description="Largest body of a request to `/api/profiles`, in bytes."
    )
    sweep_after: float = Field(
        60,
        ge=0,
        le=86_400,
        description="How long after the start keys are removed whose profile is gone, in seconds.",
    )
    bin_dir: str = Field(
        "",
        description="Where commands of profiles are installed; empty is `~/.local/bin`, or `~/bin` where only that is "
        "there.",
    )


class DirectorySettings(BaseModel):
    """Which directories the browser interface offers to choose from, to the daemon's own user."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    roots: tuple[Annotated[str, StringConstraints(pattern=r"^[/~]")], ...] = Field(
        ("~",), description="Only what is below these is listed; absolute paths, or `~` for the user's home."
    )
    limit: int = Field(1000, ge=1, le=100_000, description="Most directories of one listing.")
    scan_limit: int = Field(
        100_000, ge=1, le=10_000_000, description="Most entries of a directory that are looked at for one listing."
    )


class DefaultsSettings(BaseModel):
    """The values that apply when nothing else is set."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        defer_build=True,
        json_schema_extra={"foreign": {"bin_dir": "the setting is profiles.bin_dir"}},
    )

    provider: str = Field("", description="Provider of `jackfield profiles create` that names none; empty is none.")
