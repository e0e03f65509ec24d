"""The table `[mcp]`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class McpSettings(BaseModel):
    """The daemon as an MCP server, at /mcp."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    enabled: bool = Field(True, description="Whether the daemon serves /mcp.")
    body_limit: int = Field(
        4_194_304, description="Bytes that a request of an MCP client may have.", ge=1024, le=268_435_456
    )
    body_timeout: float = Field(
        20, description="Seconds that a request of an MCP client may take to arrive.", gt=0, le=3600
    )
    result_bytes: int = Field(
        131_072,
        description="Bytes of JSON that a tool's result may have; long texts and lists in a larger one are cut, and it "
        "says so.",
        ge=4096,
        le=16_777_216,
    )
    calls: int = Field(
        200,
        description="Tool calls and reads of resources under way at once in this process, of one credential three "
        "quarters of them; more are refused.",
        ge=1,
        le=10_000,
    )
    progress: float = Field(
        5, description="Seconds between two reports of progress to a client that asks for them.", gt=0, le=3600
    )
    wait: float = Field(
        60,
        description="Seconds that a tool waits for an execution where its caller names no time.",
        gt=0,
        le=3600,
    )
    wait_most: float = Field(
        600, description="Seconds that a caller may let a tool wait for an execution at most.", gt=0, le=86_400
    )
    profile_tokens: int = Field(
        300,
        description="Runs of profiles' agents that may have a token for tools at once, at all daemons of a store. Of "
        "too many the oldest token ends.",
        ge=1,
        le=1000,
    )
    profile_token_lifetime: int = Field(
        604_800,
        description="Seconds for which the token of a run counts at most; it ends with the run.",
        ge=60,
        le=31_622_400,
    )
    offered_tools: int = Field(
        100, description="Workflows that are offered as tools to agents at most; the newest ones.", ge=1, le=500
    )
    offered_timeout: float = Field(
        300,
        description="Seconds that a call of an offered workflow may take; its execution then goes on.",
        gt=0,
        le=86_400,
    )
    offered_depth: int = Field(
        5,
        description="How deep workflows and the agents that they run may call each other by tools.",
        ge=1,
        le=100,
    )
    oauth: bool = Field(True, description="Whether MCP clients may be let in by OAuth: a browser, a login, a consent.")
    oauth_access_lifetime: int = Field(900, description="Seconds for which an access token counts.", ge=60, le=86_400)
    oauth_refresh_lifetime: int = Field(
        2_592_000, description="Seconds without a refresh after which a client has to ask again.", ge=300, le=31_622_400
    )
    oauth_clients: int = Field(
        80,
        description="Clients that may have registered; the oldest that nobody has let in goes first.",
        ge=1,
        le=100,
    )
    oauth_client_age: int = Field(
        3600, description="Seconds after which a client that nobody has let in is forgotten.", ge=60, le=31_622_400
    )
    oauth_grants: int = Field(
        100,
        description="Clients that are let in at once; of too many the longest unused goes, of the user who has most.",
        ge=1,
        le=150,
    )
    oauth_requests: int = Field(
        200, description="Clients that wait for a decision at once; the oldest is given up.", ge=1, le=10_000
    )
    oauth_request_timeout: int = Field(600, description="Seconds that a decision may take.", ge=10, le=3600)
    oauth_registrations: int = Field(
        20, description="Registrations of clients that pass per window and address.", ge=1, le=10_000
    )
    oauth_attempts: int = Field(
        300, description="Requests to the endpoints of OAuth that pass per window and address.", ge=1, le=100_000
    )
    oauth_window: float = Field(600, description="Length of that window in seconds.", gt=0, le=86_400)
    oauth_schemes: list[str] = Field(
        ["cursor", "vscode", "vscode-insiders"],
        description="Schemes of applications to which a client may have the browser sent, beside https, and http at "
        "this machine.",
        max_length=50,
    )
