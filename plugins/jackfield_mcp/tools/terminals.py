"""Terminal sessions: their screens, and words to their agents."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from jackfield.api.auth import AGENTS_READ, AGENTS_WRITE
from jackfield.api.json_values import Json
from jackfield_mcp.caller import segment
from jackfield_mcp.tool import AnyTool, McpTool, ToolArguments, ToolRun
from jackfield_mcp.tools.paging import Ident, Nothing


class TerminalArguments(ToolArguments):
    session_id: Ident


class SendTerminalMessageArguments(TerminalArguments):
    text: Annotated[str, Field(min_length=1, max_length=65_536)]
    wait: Annotated[float, Field(ge=0, le=600)] | None = Field(
        None, description="Seconds to wait until the agent is idle again."
    )


async def _list(run: ToolRun, given: Nothing) -> Json:
    return await run.api.ask("GET", "/api/terminal/sessions")


async def _screen(run: ToolRun, given: TerminalArguments) -> Json:
    return await run.api.ask("GET", f"/api/terminal/sessions/{segment(given.session_id)}/screen")


async def _messages(run: ToolRun, given: TerminalArguments) -> Json:
    return await run.api.ask("GET", f"/api/terminal/sessions/{segment(given.session_id)}/messages")


async def _send(run: ToolRun, given: SendTerminalMessageArguments) -> Json:
    body: Json = {"content": given.text, "type": "user", "wait": given.wait}
    return await run.api.ask("POST", f"/api/terminal/sessions/{segment(given.session_id)}/message", body=body)


_LOOK = (AGENTS_READ,)
TERMINAL_TOOLS: tuple[AnyTool, ...] = (
    McpTool(
        "list_terminal_sessions", "List terminal sessions", "List terminal sessions.", _LOOK, Nothing, _list, reads=True
    ),
    McpTool(
        "read_terminal_screen",
        "Read a terminal's screen",
        "Read the screen of a terminal session as text.",
        _LOOK,
        TerminalArguments,
        _screen,
        reads=True,
    ),
    McpTool(
        "list_terminal_messages",
        "Read a terminal's conversation",
        "Read the conversation of a terminal session so far.",
        _LOOK,
        TerminalArguments,
        _messages,
        reads=True,
    ),
    McpTool(
        "send_terminal_message",
        "Say something in a terminal",
        "Say something to the agent of a terminal session. The agent works with the rights of the daemon's user.",
        (AGENTS_WRITE,),
        SendTerminalMessageArguments,
        _send,
        destroys=True,
        outward=True,
    ),
)
