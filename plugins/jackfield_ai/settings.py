"""The settings table `ai`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class McpCommand(BaseModel):
    """A program of this machine that is an MCP server."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    command: list[str] = Field(description="The program and its arguments.", min_length=1, max_length=256)
    directory: str = Field("", description="Where it runs; empty: where the daemon does.")
    pass_environment: list[str] = Field(
        default_factory=list, description="Names of variables of the daemon's environment that it gets, too."
    )


class AiSettings(BaseModel):
    """Agents, models, memories and vector stores."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    timeout: float = Field(
        300, description="Seconds that one request to a model may take; a node may ask for less.", gt=0, le=3600
    )
    max_answer_bytes: int = Field(
        16_777_216, description="Bytes of an answer that a model streams.", ge=65_536, le=1_073_741_824
    )
    retries: int = Field(
        4, description="How often a request that a provider could not serve (429, 5xx) is repeated.", ge=0, le=10
    )
    retry_wait: float = Field(
        1, description="Seconds before the first repetition; each further one waits twice as long.", gt=0, le=60
    )
    max_retry_wait: float = Field(
        30, description="Most seconds to wait before a repetition, also when the provider asks for more.", gt=0, le=600
    )
    max_iterations: int = Field(
        50, description="Most rounds of an agent with its model, whatever its options say.", ge=1, le=1000
    )
    max_parallel_calls: int = Field(8, description="Tools that an agent calls side by side.", ge=1, le=100)
    max_tool_calls: int = Field(64, description="Most tools that a model may call in one round.", ge=1, le=1000)
    max_tool_output: int = Field(
        100_000, description="Characters of a tool's result that a model gets; the rest is cut off.", ge=1000
    )
    max_tools: int = Field(128, description="Most tools of one agent.", ge=1, le=1000)
    memory_messages: int = Field(
        200, description="Messages that a memory keeps of one session, whatever its window.", ge=2, le=10_000
    )
    memory_bytes: int = Field(
        131_072,
        description="Bytes that the sessions of one memory node may have; those used longest ago are forgotten. They "
        "are part of the workflow's static data (executions.max_static_data).",
        ge=1024,
    )
    vector_documents: int = Field(
        2_000, description="Pieces that one in-memory vector store holds; more are refused.", ge=1, le=1_000_000
    )
    vector_stores: int = Field(
        32, description="In-memory vector stores; the one used longest ago is forgotten.", ge=1, le=10_000
    )
    chat_body_limit: int = Field(1_048_576, description="Bytes that a chat message may have.", ge=1024, le=2**30)
    chat_body_timeout: float = Field(20, description="Seconds that a chat message may take to arrive.", gt=0, le=3600)
    chat_response_timeout: float = Field(
        300, description="Seconds that a chat waits for the workflow's answer.", gt=0, le=86_400
    )
    chat_stream_bytes: int = Field(
        65_536,
        description="Bytes of a streamed answer that wait for a slow chat; beyond them the nodes that send wait.",
        ge=1024,
        le=16_777_216,
    )
    chat_keepalive: float = Field(
        30,
        description="Seconds without a chunk after which a streamed chat gets a line of the type keepalive.",
        gt=0,
        le=3600,
    )
    mcp_body_limit: int = Field(
        1_048_576, description="Bytes that a request of an MCP client may have.", ge=1024, le=2**30
    )
    mcp_body_timeout: float = Field(
        20, description="Seconds that a request of an MCP client may take to arrive.", gt=0, le=3600
    )
    mcp_call_timeout: float = Field(
        300, description="Seconds that an MCP client's call waits for its tool; the execution goes on.", gt=0, le=86_400
    )
    mcp_progress: float = Field(
        10, description="Seconds between two reports of progress to an MCP client that asks for them.", gt=0, le=3600
    )
    mcp_tools_age: float = Field(
        60,
        description="Seconds that the list of an MCP server's tools is kept; a saved workflow has a new one at once.",
        ge=0,
        le=86_400,
    )
    mcp_sse_sessions: int = Field(
        100, description="MCP clients that may be connected over SSE at once, for each process.", ge=1, le=100_000
    )
    mcp_sse_idle: float = Field(
        1800, description="Seconds without a message after which a client over SSE is let go.", gt=0, le=86_400
    )
    mcp_commands: dict[str, McpCommand] = Field(
        default_factory=dict,
        description="MCP servers that are programs of this machine, by the names under which MCP Client nodes choose "
        "them. None: nodes start no program.",
    )
    mcp_connect_timeout: float = Field(
        30, description="Seconds in which an MCP server has to begin a session, or to list its tools.", gt=0, le=300
    )
    mcp_tool_timeout: float = Field(
        300, description="Seconds that a tool of an MCP server may take, whatever its node says.", gt=0, le=86_400
    )
    mcp_message_bytes: int = Field(
        8_388_608, description="Bytes that one message of an MCP server may have.", ge=1024, le=2**30
    )
    mcp_test_enabled: bool | None = Field(
        None, description="Whether /mcp-test is served. Unset: only while the daemon listens on loopback."
    )
    chat_test_enabled: bool | None = Field(
        None, description="Whether /chat-test is served. Unset: only while the daemon listens on loopback."
    )
