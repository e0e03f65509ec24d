"""The settings of community nodes."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class CommunityNodesSettings(BaseModel):
    """Nodes from npm packages: where they come from, and what bounds them. Times in seconds, sizes in MiB."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    changes: Literal["api", "none"] = Field(
        "api",
        description="Whether administrators may add, update and remove packages, by the commands, the API and the "
        "browser; `none` keeps what is there.",
    )
    registry: str = Field(
        "",
        pattern=r"^$|^https?://[^\s?#]+$",
        description="URL of the registry that packages come from. Empty: the one that npm is set up for, which is "
        "asked with `npm config get registry`.",
    )
    registry_token: str = Field(
        "", description="Token for the registry, sent to its host alone.", json_schema_extra={"secret": True}
    )
    node: str = Field("node", min_length=1, description="The program Node.js, version 20 or later.")
    sandbox: Literal["bubblewrap", "permissions"] = Field(
        "bubblewrap",
        description="The sandbox of packages: `bubblewrap` shows it nothing but itself, without a network. "
        "`permissions` is Node's own permission model, for machines without bubblewrap: no files and no "
        "programs, but sockets to any address.",
    )
    workers: int = Field(2, ge=1, le=32, description="Processes of one package at a time.")
    memory: int = Field(512, ge=64, le=32_768, description="MiB that the JavaScript of such a process may hold.")
    buffers: int = Field(
        512,
        ge=128,
        le=32_768,
        description="MiB that such a process may hold beside: files, and Node.js itself.",
    )
    processes: int = Field(
        64, ge=24, le=4096, description="Processes and threads that may be in the sandbox of a package."
    )
    timeout: float = Field(300.0, gt=0, le=86_400, description="Seconds that one run of a node may take.")
    start_timeout: float = Field(20.0, gt=0, le=300, description="Seconds that a process may take to start.")
    idle: float = Field(60.0, gt=0, le=86_400, description="Seconds after which a process without work ends.")
    uses: int = Field(1000, ge=1, description="Runs after which a process is replaced.")
    max_message: int = Field(
        64, ge=1, le=1024, description="MiB that items, files or an answer may have on their way to or from a process."
    )
    max_calls: int = Field(16, ge=1, le=256, description="Requests and files of one run under way at once.")
    max_files: int = Field(1000, ge=1, le=100_000, description="Files that one run of a node may make.")
    max_waiting: int = Field(256, ge=1, le=100_000, description="Runs that may wait for a process.")
    max_wait: float = Field(30.0, gt=0, le=3600, description="Seconds that one waits before it fails.")
    download_timeout: float = Field(60.0, gt=0, le=3600, description="Seconds of silence of the registry.")
    install_timeout: float = Field(600.0, gt=0, le=7200, description="Seconds that adding a package may take.")
    max_size: int = Field(
        300, ge=1, le=8192, description="MiB that a package may have with all its dependencies, unpacked."
    )
    max_dependencies: int = Field(600, ge=0, le=10_000, description="Packages that one may bring along.")
