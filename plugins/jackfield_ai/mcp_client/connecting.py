"""A session of an MCP server through the official SDK. Loaded when a node wants the first one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any, NoReturn, TypeVar

import httpx2
import mcp_types
from mcp.client.client import Client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from jackfield.api.context import PluginContext
from jackfield.api.hiding import masked
from jackfield.api.http_client import HttpClient
from jackfield.api.json_schemas import problems
from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import KeptBroken, NodeError, NodeUnavailable
from jackfield_ai.mcp_client.programs import Program, Streams, running
from jackfield_ai.mcp_client.targets import MAX_PAGES, McpResult, McpSession, McpTarget, Progress, ServerTool
from jackfield_ai.mcp_client.traffic import GuardedTransport, NotedSecrets, Trouble, trouble_of_call
from jackfield_ai.settings import AiSettings

logging.getLogger("mcp").setLevel(logging.CRITICAL)  # its errors quote addresses and messages; a node tells its own
logging.getLogger("httpx2").setLevel(logging.WARNING)  # it would tell of each request
T = TypeVar("T")
MAX_TOOL = 256 * 1024
"""Bytes of one tool's description; models read it with every request, and arguments are checked against it."""
_LONGEST = 500
"""Characters of a server's message that an error quotes."""
_UNKNOWN_SESSION = 404
_STAND_IN = "Server returned an error response"
"""The SDK's words for an answer of which it knows the status alone."""
_SSE_CLOSED = "The connection of the session has ended; over SSE a message has at most 1,048,576 bytes."
"""The SDK keeps to itself whether the server ended it or sent too much."""
_REFUSED = {401: "wants a credential that the node does not have, or one that is still valid", 403: "denies access"}


class ServerLine:
    """How the server is reached, and what is known of it when something fails."""

    def __init__(self, target: McpTarget) -> None:
        self.target = target
        self.noted = NotedSecrets(target.authorization) if target.authorization is not None else None
        self.session = Trouble()
        self.program: Program | None = None

    def hide(self, text: str) -> str:
        for secret in sorted(self.noted.secrets, key=len, reverse=True) if self.noted else ():
            text = text.replace(secret, "***")
        return text

    def failed(self, what: str, error: BaseException, call: Trouble | None = None) -> NoReturn:
        """call: what its requests met; None: the session has no call yet. Raises the `NodeError` that says most."""
        met = [self.session] if call is None else [call, self.session]
        status = next((one.status for one in met if one.status), 0)
        leaves = [*_leaves(error), *(one.failure for one in met)]
        own = next((one for one in leaves if isinstance(one, NodeError)), None)
        if own is not None:
            raise own from None
        if status in _REFUSED:
            raise NodeError(f"The MCP server {_REFUSED[status]} (status {status}).") from None
        told = next((one.message for one in leaves if isinstance(one, MCPError)), "")
        if status and told in ("", _STAND_IN):
            told = f"status {status}"
        if self.target.transport == "sse" and any(_closed(one) for one in leaves):
            told = _SSE_CLOSED
        said = self.hide(self._last_words() or told)[:_LONGEST]
        raise NodeError(f"{_sentence(self.target.where)} {what}{f': {said}' if said else '.'}") from None

    def _last_words(self) -> str:
        """The words of a program before it left."""
        program = self.program
        if program is None or not (program.problem or program.gone):
            return ""
        return program.problem or " / ".join(program.errors)


def _closed(error: BaseException | None) -> bool:
    return isinstance(error, MCPError) and error.code == mcp_types.CONNECTION_CLOSED


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _leaves(error: BaseException) -> list[BaseException]:
    """The errors of a group of groups."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for one in error.exceptions for leaf in _leaves(one)]
    return [error]


class SdkSession:
    """`McpSession`."""

    def __init__(self, client: Client, line: ServerLine) -> None:
        self._client = client
        self._line = line
        self._outputs: dict[str, Mapping[str, Json]] = {}

    async def page(self, cursor: str = "") -> tuple[Sequence[ServerTool], str]:
        call = Trouble()
        try:
            found = await _asked(self._client.list_tools(cursor=cursor or None), call)
        except Exception as exc:
            self._failed("does not list its tools", exc, call)
        return [self._tool(one) for one in found.tools], found.next_cursor or ""

    async def tools(self) -> Sequence[ServerTool]:
        found: list[ServerTool] = []
        cursor = ""
        for _ in range(MAX_PAGES):
            rows, cursor = await self.page(cursor)
            found += rows
            if not cursor:
                return found
        raise NodeError(f"The MCP server has more than {MAX_PAGES} pages of tools; use one that has fewer.")

    def _tool(self, one: mcp_types.Tool) -> ServerTool:
        row = masked(one.model_dump(mode="json", by_alias=True, exclude_none=True), self._line.hide)
        if len(dumps(row)) > MAX_TOOL:
            raise NodeError(f"The MCP server describes the tool {one.name[:100]} with more than {MAX_TOOL} bytes.")
        given = row if isinstance(row, dict) else {}
        described, output = given.get("inputSchema"), given.get("outputSchema")
        made = ServerTool(
            one.name,
            str(given.get("description") or ""),
            described if isinstance(described, dict) else {"type": "object"},
            output if isinstance(output, dict) else {},
        )
        self._outputs[made.name] = made.output
        return made

    async def call(self, name: str, arguments: Mapping[str, Json], seconds: float, heard: Progress) -> McpResult:
        async def told(progress: float, total: float | None, message: str | None) -> None:
            amount = f"{progress:g}" if total is None else f"{progress:g} of {total:g}"
            await heard(self._line.hide(f"{amount} {message or ''}".strip())[:_LONGEST])

        call = Trouble()
        try:
            found = await _asked(self._client.call_tool(name, dict(arguments), seconds, told), call)
        except Exception as exc:
            if isinstance(exc, MCPError) and exc.code == mcp_types.REQUEST_TIMEOUT:
                raise NodeError(f"The tool {name} took longer than {seconds:g} seconds (options.timeout).") from None
            self._failed(f"does not run the tool {name[:100]}", exc, call)
        blocks = [one.model_dump(mode="json", by_alias=True, exclude_unset=True) for one in found.content]
        content = [one for one in (masked(block, self._line.hide) for block in blocks) if isinstance(one, dict)]
        return McpResult(content, masked(found.structured_content, self._line.hide), found.is_error)

    def _failed(self, what: str, error: Exception, call: Trouble) -> NoReturn:
        """Raises `NodeError`; `KeptBroken` when the session is over, so that the next call begins another."""
        over = call.status == _UNKNOWN_SESSION or not isinstance(error, MCPError | NodeError)
        try:
            self._line.failed(what, error, call)
        except NodeError as exc:
            if over or _closed(error):
                raise KeptBroken(exc.message) from None
            raise

    async def check(self, name: str, result: mcp_types.CallToolResult) -> None:
        """Takes the place of the SDK's own check, whose patterns a server could make to last forever. Only tools that
        were listed are checked, as in n8n. Raises RuntimeError."""
        schema = self._outputs.get(name)
        if not schema or result.is_error:
            return
        value: Json = result.structured_content
        wrong = await asyncio.to_thread(problems, value, dict(schema))
        if wrong:
            raise NodeError(f"The tool {name} gave something else than its output schema says: {'; '.join(wrong)}.")


@asynccontextmanager
async def _until(seconds: float, lost: asyncio.Event) -> AsyncIterator[None]:
    """Raises TimeoutError after that many seconds, and once no answer can come any more."""
    async with asyncio.timeout(seconds) as deadline:

        async def end() -> None:
            await lost.wait()
            deadline.reschedule(asyncio.get_running_loop().time())

        watching = asyncio.create_task(end())
        try:
            yield
        finally:
            watching.cancel()


async def _asked(asking: Coroutine[Any, Any, T], call: Trouble) -> T:
    """The result, with the trouble of its requests noted in `call`. Raises ConnectionError when no answer can come any
    more, and whatever it raises."""
    token = trouble_of_call.set(call)
    try:
        asked, lost = asyncio.create_task(asking), asyncio.create_task(call.lost.wait())
    finally:
        trouble_of_call.reset(token)
    try:
        await asyncio.wait({asked, lost}, return_when=asyncio.FIRST_COMPLETED)
        if asked.done():
            return await asked
        raise ConnectionError("The server did not take the message.")
    finally:
        lost.cancel()
        if not asked.done():
            asked.cancel()
            await asyncio.wait({asked})
            if not asked.cancelled():
                asked.exception()  # it ended for the reason that the error names


@asynccontextmanager
async def connected(context: PluginContext, target: McpTarget) -> AsyncIterator[McpSession]:
    """A session, until it is left or the server ends it. Raises `NodeError`."""
    settings, line = context.settings(AiSettings), ServerLine(target)
    open_ = False
    try:
        async with AsyncExitStack() as stack:
            async with _until(settings.mcp_connect_timeout, line.session.lost):
                streams = await _streams(context, line, settings, stack)
                client = Client(
                    _given(streams),
                    read_timeout_seconds=settings.mcp_connect_timeout,
                    client_info=mcp_types.Implementation(name="jackfield", version=context.service.version),
                    cache=None,
                )
                await stack.enter_async_context(client)
            found = SdkSession(client, line)
            # The public method that the SDK calls with each result.
            client.session.validate_tool_result = found.check  # type: ignore[method-assign]  # there is no other hook
            open_ = True
            line.session.clear()  # of what the SDK has tried in vain to begin with
            yield found
    except TimeoutError as exc:
        if open_:
            raise
        if line.session.lost.is_set():
            line.failed("begins no session", exc)
        seconds = settings.mcp_connect_timeout
        raise NodeError(
            f"{_sentence(line.target.where)} did not begin a session within {seconds:g} seconds "
            "(ai.mcp_connect_timeout)."
        ) from None
    except Exception as exc:
        if open_:
            raise
        line.failed("begins no session", exc)


@asynccontextmanager
async def _given(streams: Streams) -> AsyncIterator[Streams]:
    """The SDK opens transports itself; these are open already, so that its end is not theirs."""
    yield streams


async def _streams(context: PluginContext, line: ServerLine, settings: AiSettings, stack: AsyncExitStack) -> Any:
    """The streams of the transport, of the SDK's own types, hence Any."""
    target, most = line.target, settings.mcp_message_bytes
    if target.transport == "stdio":
        command = settings.mcp_commands.get(target.command)
        if command is None:
            raise NodeUnavailable(
                f"There is no command {target.command[:100]} in ai.mcp_commands, where an administrator names the MCP "
                "servers that nodes may start."
            )
        line.program, streams = await stack.enter_async_context(running(context, command, most))
        return streams
    listens = target.transport == "sse"
    guarded = GuardedTransport(
        context.port(HttpClient), line.noted, line.session, most, settings.mcp_tool_timeout, listens=listens
    )
    if listens:
        return await stack.enter_async_context(sse_client(target.url, httpx_client_factory=partial(_client, guarded)))
    http = await stack.enter_async_context(_client(guarded))
    return await stack.enter_async_context(
        streamable_http_client(target.url, http_client=http, max_sse_event_size=most)
    )


def _client(
    guarded: GuardedTransport, headers: Any = None, timeout: Any = None, auth: Any = None
) -> httpx2.AsyncClient:
    """The requests of the SDK, by its own types, hence Any. The caller who waits for a request limits its time."""
    return httpx2.AsyncClient(transport=guarded, headers=headers, timeout=None, trust_env=False)
