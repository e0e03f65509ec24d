"""The table `[terminal]`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

_TOOLS = (
    ".gitconfig", ".config/git", ".local/bin", ".local/lib", ".local/share/claude", ".local/share/mise",
    ".local/share/uv", ".local/share/pnpm", ".npm-global", ".nvm", ".volta", ".fnm", ".asdf", ".pyenv", ".cargo/bin",
    ".rustup", ".bun/bin", ".deno/bin", ".opencode/bin", "go/bin", "bin",
)  # fmt: skip
"""Programs and what they need; nothing that holds a key."""


class TerminalSettings(BaseModel):
    """Terminal sessions."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    spawner: Literal["posix_spawn", "ptyprocess"] = Field(
        "posix_spawn",
        description="How agents are started in their terminals; ptyprocess is the Python package of that name (extra "
        "`ptyprocess`).",
    )
    max_sessions: int = Field(64, ge=1, le=10_000, description="Sessions that may run at the same time.")
    keep_ended: int = Field(
        200, ge=0, le=10_000, description="Ended sessions whose scrollback is kept; older ones are forgotten."
    )
    scrollback: int = Field(
        1024 * 1024, ge=4096, le=64 * 1024 * 1024, description="Output that is kept of a session, in bytes."
    )
    input_limit: int = Field(
        256 * 1024, ge=1024, le=1024 * 1024, description="Largest frame that a client may send, in bytes."
    )
    input_timeout: float = Field(
        10.0, gt=0, le=600, description="Time within which an agent must go on reading what is typed, in seconds."
    )
    max_clients: int = Field(64, ge=1, le=1000, description="Clients that may be attached to one session.")
    hang_up_grace: float = Field(
        1.0, gt=0, le=60, description="Time between hanging up a session and terminating it, in seconds."
    )
    kill_grace: float = Field(
        3.0, gt=0, le=300, description="Time between hanging up a session and killing it, in seconds."
    )
    stall: float = Field(
        1.0,
        gt=0,
        le=60,
        description="Time without progress after which a client no longer holds the output back, in seconds.",
    )
    resync: int = Field(
        256 * 1024,
        ge=4096,
        le=64 * 1024 * 1024,
        description="Output that a client gets after it has missed some, in bytes.",
    )
    recording_limit: int = Field(
        64 * 1024 * 1024,
        ge=64 * 1024,
        le=16 * 1024**3,
        description="Size at which a recording ends, in bytes.",
    )
    keep_recordings: int = Field(
        100, ge=1, le=100_000, description="Recordings that are kept; with a new one the oldest are deleted."
    )

    ready_timeout: float = Field(
        60.0,
        gt=0,
        le=600,
        description="Time for which a message waits until the agent is ready, where its manifest says how that looks, "
        "in seconds.",
    )
    typing_timeout: float = Field(
        5.0, gt=0, le=60, description="Time within which the agent must show what is typed in its input, in seconds."
    )
    reaction_timeout: float = Field(
        15.0, gt=0, le=600, description="Time within which the agent must show that it has taken a message, in seconds."
    )
    answer_wait: float = Field(
        30.0,
        ge=0,
        le=600,
        description="Time for which a message waits for its answer when the request does not say so, in seconds.",
    )
    waiting_messages: int = Field(
        16, ge=0, le=1000, description="Messages to one session that may wait until those before them are answered."
    )
    network_sandbox: Literal["off", "standard", "strict"] = Field(
        "standard",
        description="Least sandbox of a session that a caller from another machine, or through a proxy, starts.",
    )
    persist: bool = Field(
        False, description="Whether sessions survive the daemon when neither the request nor the profile says so."
    )
    persist_lifetime: float = Field(
        86_400.0,
        gt=0,
        le=365 * 86_400,
        description="Time for which a session that survives waits for a daemon before it is hung up, in seconds.",
    )


class SandboxSettings(BaseModel):
    """Settings of the sandboxes of profiles: the places that they show, and the actions that they allow."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    visible: tuple[str, ...] = Field(
        _TOOLS,
        description="`standard`: what an agent may read of the user's home directory; also other paths, absolute.",
    )
    strict_visible: tuple[str, ...] = Field(
        (), description="`strict`: what an agent may read beside the system's directories; paths from the home or /."
    )
    tmp_size: int = Field(1024**3, ge=1024**2, le=1024**4, description="Size of the sandbox's own /tmp, in bytes.")
    processes: int = Field(
        4096,
        ge=0,
        le=1_000_000,
        description="Processes and threads that may be in a sandbox; 0: no limit. It does not hold for root.",
    )
    memory: int = Field(
        16 * 1024**3,
        ge=0,
        le=1024**5,
        description="Memory that one process in a sandbox may have for data, in bytes; 0: no limit.",
    )
