"""MCP Client and MCP Client Tool beside servers that the official SDK makes: over Streamable HTTP, SSE and stdio."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

import mcp_servers
from ai_lab import AiLab, LabContext, flow, model, node
from hypothesis import given
from hypothesis import strategies as st
from loopback import Loopback, reply
from mcp_servers import ToolServer, served
from test_ai_tools import agent

from jackfield.api.auth import MACHINE_WRITE
from jackfield.api.http_client import Authorization, HttpCall, HttpClient
from jackfield.api.nodes import NodeError, NodeUnavailable
from jackfield.api.nodes.lists import ListQuestion, ValuesMissing
from jackfield.api.records import replace
from jackfield.api.workflows import Node
from jackfield.testing.node_runs import FakeNodeRun, items
from jackfield_ai.mcp_client.columns import columns_of
from jackfield_ai.mcp_client.node import McpClientNode
from jackfield_ai.mcp_client.results import told
from jackfield_ai.mcp_client.sessions import session
from jackfield_ai.mcp_client.targets import McpResult, McpTarget
from jackfield_ai.mcp_client.tool import McpClientToolNode, tool_name_of
from jackfield_ai.settings import AiSettings, McpCommand
from jackfield_nodes.http.client import GuardedClient
from jackfield_nodes.http.settings import HttpSettings

TRANSPORTS = ("httpStreamable", "sse")
LIMIT = 20


@pytest.fixture
async def context(tmp_path: Path) -> AsyncIterator[LabContext]:
    commands = {
        "tools": McpCommand(command=mcp_servers.program(), pass_environment=["MCP_TOKEN"]),
        "silent": McpCommand(command=mcp_servers.program("silent")),
        "absent": McpCommand(command=["/there/is/no/such/program"]),
    }
    settings = AiSettings(mcp_commands=commands, mcp_message_bytes=65_536, mcp_connect_timeout=10)
    made = LabContext(tmp_path, tables=[HttpSettings(allowed_networks=["127.0.0.0/8"]), settings])
    made.ports["HttpClient"] = GuardedClient(made)
    yield made
    for task in made.tasks:
        task.cancel()
    await asyncio.gather(*made.tasks, return_exceptions=True)


def client(context: LabContext, where: Mapping[str, Any], tool: str, **more: Any) -> FakeNodeRun:
    arguments = more.pop("arguments", {})
    options = more.pop("options", {})
    given = {**where, "tool": {"__rl": True, "mode": "list", "value": tool}, "inputMode": "json", "options": options}
    return FakeNodeRun(McpClientNode(context), {**given, "jsonInput": arguments}, **more)


def at(server: ToolServer, transport: str) -> dict[str, Any]:
    return {"serverTransport": transport, "endpointUrl": server.url}


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_items_have_what_the_tool_gave(context: LabContext, transport: str) -> None:
    async with served(transport) as server:
        where = at(server, transport)
        added = await client(context, where, "add", arguments={"a": 1}).outcome()
        assert added.json() == [[{"structuredContent": {"result": 2}, "content": [{"type": "text", "text": 2}]}]]
        said = await client(context, where, "say", arguments='{"text": "not json {"}').outcome()
        assert said.json() == [[{"content": [{"type": "text", "text": "not json {"}]}]]


async def test_one_session_serves_all_items_and_is_ended(context: LabContext) -> None:
    async with served("httpStreamable") as server:
        where = at(server, "httpStreamable")
        outcome = await client(context, where, "say", arguments={"text": "x"}, first=items(*[{}] * 5)).outcome()
        assert [origin[0].item for origin in outcome.origins()] == [0, 1, 2, 3, 4]
        assert len(server.targets) == 6, "one request to begin, and one for each item"


async def test_a_session_lists_the_tools(context: LabContext) -> None:
    async with served("httpStreamable") as server, session(context, McpTarget("httpStreamable", server.url)) as found:
        assert [tool.name for tool in await found.tools()][:2] == ["add", "say"]


async def test_images_and_audio_become_files_or_stay(context: LabContext) -> None:
    async with served("httpStreamable") as server:
        where = at(server, "httpStreamable")
        run = client(context, where, "picture")
        (made,) = (await run.outcome()).outputs[0]
        assert made["json"] == {"content": [{"type": "text", "text": "a pixel"}]}
        assert [(file["mimeType"], file["fileExtension"]) for file in made["binary"].values()] == [
            ("image/png", "png"),
            ("audio/wav", "wav"),
        ]
        assert await run.binary.read(made["binary"]["data_0"]) == mcp_servers.PIXEL
        kept = await client(context, where, "picture", options={"convertToBinary": False}).outcome()
        assert [block["type"] for block in kept.json()[0][0]["content"]] == ["text", "image", "audio"]  # type: ignore[index, union-attr, call-overload]


async def test_what_a_tool_calls_an_error_fails_the_item_since_1_1(context: LabContext) -> None:
    async with served("httpStreamable") as server:
        where = at(server, "httpStreamable")
        with pytest.raises(NodeError, match="it is broken"):
            await client(context, where, "fail").outcome()
        old = await client(context, where, "fail", version=1).outcome()
        assert old.json() == [[{"content": [{"type": "text", "text": "it is broken "}]}]]
        going_on = await client(context, where, "fail", on_error="continueRegularOutput").outcome()
        assert going_on.errors() == {0: "it is broken "}
        with pytest.raises(NodeError, match="does not run the tool refuse: not for you"):
            await client(context, where, "refuse").outcome()


async def test_arguments_come_from_fields_too_and_must_be_an_object(context: LabContext) -> None:
    async with served("httpStreamable") as server:
        given = {**at(server, "httpStreamable"), "tool": "add"}
        fields = {"mappingMode": "defineBelow", "value": {"a": 4, "b": 2}}
        outcome = await FakeNodeRun(McpClientNode(context), {**given, "parameters": fields}).outcome()
        assert outcome.json()[0][0]["structuredContent"] == {"result": 6}
        for wrong, told in (("[1]", "must be an object"), ("{", "not valid JSON")):
            with pytest.raises(NodeError, match=told):
                await client(context, at(server, "httpStreamable"), "add", arguments=wrong).outcome()


async def test_a_call_that_takes_too_long_is_cancelled_at_the_server(context: LabContext) -> None:
    async with served("httpStreamable") as server:
        run = client(context, at(server, "httpStreamable"), "wait", options={"timeout": 300})
        with pytest.raises(NodeError, match=r"took longer than 0\.3 seconds"):
            await run.outcome()
        await asyncio.wait_for(server.cancelled.wait(), LIMIT)
        assert run.logs == ["langchain.mcpClient: wait: 1 of 3 begun"]


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_cancelling_the_run_cancels_the_call(context: LabContext, transport: str) -> None:
    async with served(transport) as server:
        running = asyncio.create_task(client(context, at(server, transport), "wait").outcome())
        await asyncio.wait_for(server.waiting.wait(), LIMIT)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await asyncio.wait_for(server.cancelled.wait(), LIMIT)


async def test_a_long_message_is_refused(context: LabContext) -> None:
    for json_response in (True, False):
        async with served("httpStreamable", json_response=json_response) as server:
            run = client(context, at(server, "httpStreamable"), "long", arguments={"size": 100_000})
            with pytest.raises(NodeError, match="65536"):
                await run.outcome()


async def test_servers_that_do_not_answer_as_they_should(context: LabContext, server: Loopback) -> None:
    where = {"endpointUrl": server.url("/mcp")}
    answers: list[bytes] = []
    server.answer = lambda _: answers[-1]
    for answer, words in (
        (reply("no", "401 Unauthorized"), "wants a credential"),
        (reply("no", "403 Forbidden"), "denies access"),
        (reply("I am a page", content_type="text/html"), "begins no session"),
    ):
        answers.append(answer)
        with pytest.raises(NodeError, match=words):
            await client(context, where, "x").outcome()
    with pytest.raises(NodeError, match="No connection to 127"):
        await client(context, {"endpointUrl": "http://127.0.0.1:9/mcp"}, "x").outcome()
    with pytest.raises(NodeError, match="not on the public internet"):
        await client(context, {"endpointUrl": "http://10.1.2.3/mcp"}, "x").outcome()
    with pytest.raises(NodeError, match="endpointUrl is empty"):
        await client(context, {}, "x").outcome()


class Bearer:
    """`Authorization` with a token."""

    kind = "httpBearerAuth"
    allowed_hosts = ""

    async def apply(self, call: Any) -> Any:
        return replace(call, headers=[*call.headers, ("authorization", "Bearer canary")], secrets=["canary"])

    async def again(self, sent: Any, reply: Any) -> Any:
        return None


async def test_requests_carry_the_credential_and_its_value_is_masked(context: LabContext) -> None:
    bearer: Authorization = Bearer()
    async with served("httpStreamable") as server:
        where = {**at(server, "httpStreamable"), "authentication": "bearerAuth"}
        run = client(context, where, "fail", arguments={"secret": "canary"}, authorizations={"httpBearerAuth": bearer})
        with pytest.raises(NodeError, match=r"it is broken \*\*\*"):
            await run.outcome()
        assert {seen.get("authorization") for seen in server.headers} == {"Bearer canary"}


def limited(context: LabContext, **http: Any) -> None:
    """Other limits of all requests of nodes."""
    context.tables = [HttpSettings(allowed_networks=["127.0.0.0/8"], **http), context.settings(AiSettings)]
    context.ports["HttpClient"] = GuardedClient(context)


async def test_a_session_over_sse_lasts_longer_than_a_request(context: LabContext) -> None:
    limited(context, timeout=0.4)
    async with served("sse") as server, session(context, McpTarget("sse", server.url)) as found:
        loop = asyncio.get_running_loop()
        begun, calls = loop.time(), 0
        while loop.time() < begun + 0.6:  # nodes.http.timeout has passed
            assert (await found.call("say", {"text": "x"}, 5, ignored)).text == "x"
            calls += 1
        assert calls > 1
        assert sum("GET" in target for target in server.targets) == 1


async def test_a_streamed_call_lasts_longer_than_a_request(context: LabContext) -> None:
    limited(context, timeout=0.3)
    async with served("httpStreamable") as server, session(context, McpTarget("httpStreamable", server.url)) as found:
        with pytest.raises(NodeError, match=r"longer than 0\.6 seconds"):
            await found.call("wait", {}, 0.6, ignored)


async def test_sessions_over_sse_leave_connections_to_others(context: LabContext) -> None:
    limited(context, max_connections=1)
    async with served("sse") as server, contextlib.AsyncExitStack() as stack:
        target = McpTarget("sse", server.url)
        opened = [await stack.enter_async_context(session(context, target)) for _ in range(3)]
        for one in opened:
            assert (await one.call("say", {"text": "x"}, 5, ignored)).text == "x"
        plain = await context.port(HttpClient).send(HttpCall("GET", server.url.replace("/sse", "/none"), timeout=5))
        assert plain.status == 404


async def test_more_answers_that_last_than_allowed_are_refused_by_name(context: LabContext) -> None:
    limited(context, max_streams=1)
    async with served("sse") as server:
        with pytest.raises(NodeError, match=r"nodes\.http\.max_streams"):
            async with session(context, McpTarget("sse", server.url)):
                pass


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_calls_that_fail_at_once_keep_their_messages(context: LabContext, transport: str) -> None:
    async with served(transport) as server, session(context, McpTarget(transport, server.url)) as found:  # type: ignore[arg-type]
        server.refusals = {b"FORBIDDEN": 403, b"TEAPOT": 418, b"UNKNOWN": 401}

        async def call(text: str) -> str:
            try:
                return (await found.call("say", {"text": text}, 10, ignored)).text
            except NodeError as exc:
                return exc.message

        wanted = {"FORBIDDEN": "denies access", "TEAPOT": "418", "UNKNOWN": "wants a credential", "fine": "fine"}
        if transport == "sse":  # the SDK sends them one after another, and none after one that fails
            wanted = {"TEAPOT": "418"}
        told = await asyncio.wait_for(asyncio.gather(*map(call, wanted)), 5)
        assert [words in said for words, said in zip(wanted.values(), told, strict=True)] == [True] * len(wanted), told


async def test_a_message_that_the_server_does_not_take_fails_at_once(
    context: LabContext, caplog: pytest.LogCaptureFixture
) -> None:
    """Over SSE the answer comes on another connection, on which nothing would ever come."""
    async with served("sse") as server:
        server.refusals = {b"TEAPOT": 418}
        where = {**at(server, "sse"), "endpointUrl": f"{server.url}?key=of-the-address"}
        run = client(context, where, "say", arguments={"text": "TEAPOT"}, options={"timeout": 60_000})
        with pytest.raises(NodeError, match="status 418"):
            await asyncio.wait_for(run.outcome(), 10)
    assert "of-the-address" not in caplog.text
    assert not [row for row in caplog.records if row.name.startswith("mcp")]


async def test_a_message_that_is_sent_on_within_the_origin_arrives(context: LabContext) -> None:
    async with served("sse") as server:
        server.moved = True
        async with session(context, McpTarget("sse", server.url)) as found:
            assert (await found.call("say", {"text": "x"}, 5, ignored)).text == "x"


async def test_the_longest_message_over_sse_is_the_sdks(context: LabContext) -> None:
    context.tables = [HttpSettings(allowed_networks=["127.0.0.0/8"]), AiSettings()]
    async with served("sse") as server:
        run = client(context, at(server, "sse"), "long", arguments={"size": 1_100_000})
        with pytest.raises(NodeError, match="at most 1,048,576 bytes"):
            await asyncio.wait_for(run.outcome(), 10)


async def ignored(text: str) -> None:
    """Progress that nobody wants."""


async def test_a_session_that_the_server_has_forgotten_begins_anew(context: LabContext) -> None:
    async with served("httpStreamable") as server:
        run = client(context, at(server, "httpStreamable"), "say", arguments={"text": "x"})
        target = McpTarget("httpStreamable", server.url)

        async def said() -> object:
            async with run.kept_open("s", lambda: session(context, target)) as found:
                return (await found.call("say", {"text": "x"}, LIMIT, _quiet)).text

        assert await said() == "x"
        server.refusal = 404
        with pytest.raises(NodeError):
            await said()
        server.refusal = 0
        assert await said() == "x"
        await run._kept.close()


async def _quiet(_: str) -> None:
    """Nothing."""


# -- commands


STDIO = {"serverTransport": "stdio", "command": "tools"}


async def test_a_command_of_the_operator_serves_and_nothing_of_it_is_left(
    context: LabContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCP_TOKEN", "t")
    monkeypatch.setenv("JACKFIELD_SECRET", "s")
    run = client(context, STDIO, "environment")
    seen = (await run.outcome()).json()[0][0]["content"][0]["text"].split()  # type: ignore[index, union-attr, call-overload]
    assert "MCP_TOKEN" in seen
    assert "JACKFIELD_SECRET" not in seen
    pid = int((await client(context, STDIO, "pid").outcome()).json()[0][0]["content"][0]["text"])  # type: ignore[index, union-attr, call-overload, arg-type]
    assert not Path(f"/proc/{pid}").exists()


async def test_a_command_that_leaves_is_started_again_for_the_next_call(context: LabContext) -> None:
    given = [
        {**STDIO, "tool": tool, "inputMode": "json", "jsonInput": {"text": "x"}} for tool in ("say", "leave", "say")
    ]
    run = FakeNodeRun(McpClientNode(context), given, items({}, {}, {}), on_error="continueRegularOutput")
    outcome = await run.outcome()
    assert list(outcome.errors()) == [1]
    assert outcome.json()[0][2] == {"content": [{"type": "text", "text": "x"}]}


async def test_commands_that_do_not_serve(context: LabContext) -> None:
    with pytest.raises(NodeError, match="begins no session: I do not know the protocol"):
        await client(context, {**STDIO, "command": "silent"}, "x").outcome()
    with pytest.raises(NodeError, match="cannot be started"):
        await client(context, {**STDIO, "command": "absent"}, "x").outcome()
    with pytest.raises(NodeUnavailable, match=r"no command rm in ai\.mcp_commands"):
        await client(context, {**STDIO, "command": "rm"}, "x").outcome()
    with pytest.raises(NodeError, match="command is empty"):
        await client(context, {**STDIO, "command": ""}, "x").outcome()


async def test_a_command_that_writes_without_end_is_given_up(context: LabContext) -> None:
    run = client(context, STDIO, "long", arguments={"size": 100_000})
    with pytest.raises(NodeError, match="more than 65536 bytes"):
        await run.outcome()


def test_whoever_stores_a_node_with_a_command_may_reach_the_machine(context: LabContext) -> None:
    def scopes(**parameters: Any) -> list[str]:
        made = Node("n", "n", "t", "langchain.mcpClient", 1.1, parameters)
        return [*McpClientNode(context).scopes(made)]

    assert scopes() == scopes(serverTransport="sse") == []
    assert scopes(serverTransport="stdio") == scopes(serverTransport="={{ $json.x }}") == [MACHINE_WRITE]


# -- forms


class NoCredential:
    async def credential(self, kind: str) -> Mapping[str, str]:
        raise NodeError("none")

    async def authorization(self, kind: str) -> Authorization:
        raise NodeError("none")


async def test_forms_list_tools_and_the_arguments_of_one(context: LabContext) -> None:
    kind = McpClientNode(context)
    async with served("httpStreamable") as server:
        values = at(server, "httpStreamable")
        page = await kind.listed(ListQuestion("tools", 1.1, values, search="A"), NoCredential())
        assert page is not None
        assert [row.value for row in page.rows] == ["add", "say", "fail", "wait"]
        asked = ListQuestion("toolParameters", 1.1, {**values, "tool": {"mode": "list", "value": "add"}})
        columns = await kind.listed(asked, NoCredential())
        assert columns is not None
        assert [(row.value, row.label, row.type) for row in columns.rows] == [
            ("a", "A *", "number"),
            ("b", "B", "number"),
        ]
        with pytest.raises(ValuesMissing):
            await kind.listed(ListQuestion("toolParameters", 1.1, values), NoCredential())
    with pytest.raises(ValuesMissing):
        await kind.listed(ListQuestion("tools", 1.1, {"endpointUrl": "={{ 1 }}"}), NoCredential())
    assert await kind.listed(ListQuestion("else", 1.1), NoCredential()) is None


# -- an agent's tools


async def test_an_agent_calls_tools_by_the_nodes_name(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    async with served("httpStreamable") as server:
        given = {"endpointUrl": server.url, "include": "selected", "includeTools": ["add", "picture"]}
        tool = node("My Server", "mcpClientTool", given, typeVersion=1.4)
        lab.says = [
            {"calls": [("My_Server_add", {"a": 2}), ("My_Server_picture", {})]},
            {"calls": [("My_Server_add", {"a": "x"})]},
            {"text": "done"},
        ]
        assert await lab.items(agent(tool), {"x": 1}) == [{"output": "done"}]
        assert [one["function"]["name"] for one in lab.asked[0]["tools"]] == ["My_Server_add", "My_Server_picture"]
        first, second, third = [one["content"] for one in lab.asked[-1]["messages"] if one["role"] == "tool"]
        assert first == '{"result":3.0}'
        assert "96 characters of base64 left out" in second
        assert "Error: The arguments do not fit" in third
        assert server.targets.count("POST /mcp") == len(server.targets) <= 6, "one session for all calls"


async def test_old_versions_speak_sse(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    async with served("sse") as server:
        for version, field in ((1, "sseEndpoint"), (1.1, "endpointUrl")):
            tool = node("Server", "mcpClientTool", {field: server.url}, typeVersion=version)
            lab.says = [{"calls": [("Server_say", {"text": "hey"})]}, {"text": "done"}]
            assert await lab.items(agent(tool), {"x": 1}) == [{"output": "done"}]
            assert lab.asked[-1]["messages"][-1]["content"] == '[{"type":"text","text":"hey"}]'


async def test_a_server_without_tools_fails_the_agent(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    async with served("httpStreamable") as server:
        given = {"endpointUrl": server.url, "include": "selected", "includeTools": ["none"]}
        tool = node("Server", "mcpClientTool", given, typeVersion=1.2)
        assert await lab.failure(agent(tool), {"x": 1}) == "MCP Server returned no tools"


@pytest.mark.parametrize(
    ("server", "tool", "name"),
    [
        ("My Server", "add", "My_Server_add"),
        ("x" * 70, "add", "x" * 60 + "_add"),
        ("s", "t" * 70, "t" * 70),
        ("s", "t" * 63, "t" * 63),
    ],
)
def test_names_of_tools_as_n8n_makes_them(server: str, tool: str, name: str) -> None:
    assert tool_name_of(server, tool) == name


def test_a_node_that_only_serves_is_no_step(context: LabContext) -> None:
    assert McpClientToolNode(context).description.inputs == 0
    assert flow(model())["name"] == "W"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "properties", "required", "title", "format", "data", "blob", "a"]), inner
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["type", "properties", "required", "a"]), JSON))
def test_any_schema_has_columns_or_none(schema: dict[str, Any]) -> None:
    for row in columns_of({**schema, "type": "object"}):
        assert row.label.strip(" *") or not str(row.value).strip(" *")
        assert row.type in ("string", "number", "boolean", "array", "object", "dateTime")


@given(st.lists(st.dictionaries(st.sampled_from(["type", "text", "data", "resource"]), JSON), max_size=3), JSON)
def test_any_result_can_be_told_to_a_model(content: list[dict[str, Any]], structured: Any) -> None:
    result = McpResult(content, structured)
    found = told(result)
    assert found == structured if isinstance(structured, dict) else isinstance(found, list)
    assert isinstance(result.text, str)


async def agent_failure(lab: AiLab, server: ToolServer) -> str:
    await lab.credential("openAiApi")
    return await lab.failure(agent(node("S", "mcpClientTool", {"endpointUrl": server.url}, typeVersion=1.4)), {"x": 1})


async def test_servers_that_offer_too_much_are_refused(lab: AiLab) -> None:
    async with served("httpStreamable") as server:
        server.server.add_tool(lambda: "x", name="big", description="x" * 300_000)
        assert "describes the tool big with more than" in await agent_failure(lab, server)
    async with served("httpStreamable") as server:
        for number in range(130):
            server.server.add_tool(lambda: "x", name=f"tool{number}")
        assert "more than ai.max_tools" in await agent_failure(lab, server)


async def test_a_list_without_an_end_is_given_up(context: LabContext, server: Loopback) -> None:
    """The server speaks the protocol of 2025-06-18, as many do."""
    results: dict[str, Any] = {
        "initialize": {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "endless", "version": "1"},
        },
        "tools/list": {"tools": [{"name": "a", "inputSchema": {"type": "object"}}], "nextCursor": "more"},
    }

    def answer(seen: Any) -> bytes:
        message = seen.json
        if "id" not in message:
            return reply("", "202 Accepted")
        found = results.get(message["method"])
        more = {"result": found} if found else {"error": {"code": -32601, "message": "Method not found"}}
        return reply({"jsonrpc": "2.0", "id": message["id"], **more})

    server.answer = answer
    async with session(context, McpTarget("httpStreamable", server.url("/mcp"))) as found:
        with pytest.raises(NodeError, match="more than 20 pages"):
            await found.tools()
    assert sum(b"tools/list" in seen.body for seen in server.seen) == 20
