"""MCP Client with OAuth 2.1: the daemon registers at the SDK's own authorization server, and keeps the tokens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import parse_qs, urlsplit

import pytest

pytest.importorskip("mcp")

import httpx
import orjson
from ai_lab import AiLab, node
from loopback import Loopback, Seen, reply
from mcp_servers import ToolServer, served
from oauth_server import SCOPE, Granting
from test_ai_tools import agent

from jackfield.api.credentials import TOKENS
from jackfield.api.nodes import NodeError
from jackfield_credentials.service import CredentialService

KIND = "mcpOAuth2Api"


@pytest.fixture
async def granting() -> AsyncIterator[tuple[ToolServer, Granting]]:
    provider = Granting()
    async with served("httpStreamable", provider=provider) as server:
        yield server, provider


async def connected(lab: AiLab, url: str, **values: str) -> CredentialService:
    """A credential whose user has granted access, in a browser."""
    await lab.sealed(KIND, {"serverUrl": url, **values})
    service = lab.context.port(CredentialService)
    begun = await service.authorizing.begin(KIND)
    async with httpx.AsyncClient() as browser:
        answer = await browser.get(begun.url)
    assert answer.status_code == 302, answer.text
    back = parse_qs(urlsplit(answer.headers["location"]).query)
    await service.authorizing.finish(back["state"][0], back["code"][0])
    return service


async def kept(lab: AiLab) -> dict[str, str]:
    stored = await lab.store.credential(KIND)
    assert stored is not None
    values: dict[str, str] = orjson.loads(lab.context.secrets.open(stored.sealed))
    return values


async def test_a_client_registers_and_an_agent_calls(lab: AiLab, granting: tuple[ToolServer, Granting]) -> None:
    server, provider = granting
    lab.context.ports["CredentialService"] = CredentialService(lab.context)
    await connected(lab, server.url)
    (client,) = provider.clients.values()
    assert client.scope == SCOPE
    values = await kept(lab)
    assert values["clientId"] == client.client_id
    assert values["resourceUrl"] == server.url
    assert values[TOKENS]
    await lab.credential("openAiApi")
    given = {"endpointUrl": server.url, "authentication": KIND}
    tool = node("S", "mcpClientTool", given, typeVersion=1.4, credentials={KIND: {"id": KIND, "name": "x"}})
    lab.says = [{"calls": [("S_say", {"text": "hey"})]}, {"text": "done"}]
    assert await lab.items(agent(tool), {"x": 1}) == [{"output": "done"}]
    assert lab.asked[-1]["messages"][-1]["content"] == '[{"type":"text","text":"hey"}]'

    provider.tokens.clear()  # the server no longer knows the token, which is renewed once
    lab.says = [{"calls": [("S_say", {"text": "again"})]}, {"text": "done"}]
    assert await lab.items(agent(tool), {"x": 1}) == [{"output": "done"}]
    assert provider.renewed == 1


async def test_a_registered_client_does_not_register_again(lab: AiLab, granting: tuple[ToolServer, Granting]) -> None:
    server, provider = granting
    lab.context.ports["CredentialService"] = CredentialService(lab.context)
    service = await connected(lab, server.url)
    await service.authorizing.begin(KIND)
    assert len(provider.clients) == 1


async def test_without_a_token_the_node_says_what_is_missing(lab: AiLab, granting: tuple[ToolServer, Granting]) -> None:
    server, _ = granting
    await lab.credential("openAiApi")
    tool = node("S", "mcpClientTool", {"endpointUrl": server.url}, typeVersion=1.4)
    assert "wants a credential" in await lab.failure(agent(tool), {"x": 1})
    await lab.sealed(KIND, {"serverUrl": server.url})
    more = {"endpointUrl": server.url, "authentication": KIND}
    tool = node("S", "mcpClientTool", more, typeVersion=1.4, credentials={KIND: {"id": KIND, "name": "x"}})
    assert "connect it to its provider" in await lab.failure(agent(tool), {"x": 1})


SERVER = {"issuer": "", "authorization_endpoint": "https://a.example/a", "token_endpoint": "https://a.example/t"}


@pytest.mark.parametrize(
    ("resource", "described", "told"),
    [
        ({"resource": "https://other.example/mcp"}, {"registration_endpoint": "/register"}, "another resource"),
        ({}, {"issuer": "https://evil.example"}, "another issuer"),
        ({}, {"code_challenge_methods_supported": ["plain"]}, "no PKCE"),
        ({}, {}, "takes no registrations"),
        ({}, {"registration_endpoint": "ftp://a"}, "no registration_endpoint"),
        ({}, {"registration_endpoint": "/refuse"}, "refused the registration .status 400.: not you"),
        ({}, {"registration_endpoint": "/register", "token_endpoint": "javascript:x"}, "no token_endpoint"),
        ({}, None, "does not describe itself"),
    ],
)
async def test_servers_that_are_not_to_be_trusted(
    lab: AiLab, server: Loopback, resource: dict[str, object], described: dict[str, object] | None, told: str
) -> None:
    origin = server.url("").rstrip("/")

    def answer(seen: Seen) -> bytes:
        if "oauth-protected-resource" in seen.target:
            return reply({"authorization_servers": [origin], **resource})
        if "oauth-authorization-server" in seen.target and described is not None:
            place = described.get("registration_endpoint", "")
            more = {"registration_endpoint": origin + str(place)} if str(place).startswith("/") else {}
            return reply({**SERVER, "issuer": origin, **described, **more})
        if seen.target == "/register":
            return reply({"client_id": "c"}, "201 Created")
        if seen.target == "/refuse":
            return reply({"error": "x", "error_description": "not you"}, "400 Bad Request")
        return reply("no", "404 Not Found")

    server.answer = answer
    lab.context.ports["CredentialService"] = CredentialService(lab.context)
    await lab.sealed(KIND, {"serverUrl": server.url("/mcp")})
    with pytest.raises(NodeError, match=told):
        await lab.context.port(CredentialService).authorizing.begin(KIND)
    assert "clientId" not in await kept(lab)


async def test_several_headers(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    await lab.sealed(
        "httpMultipleHeadersAuth",
        {"headers": '{"values": [{"name": "X-A", "value": "1"}, {"name": "X-B", "value": "2"}]}'},
    )
    async with served("httpStreamable") as server:
        given = {"endpointUrl": server.url, "authentication": "multipleHeadersAuth"}
        credentials = {"httpMultipleHeadersAuth": {"id": "httpMultipleHeadersAuth", "name": "x"}}
        tool = node("S", "mcpClientTool", given, typeVersion=1.4, credentials=credentials)
        lab.says = [{"text": "done"}]
        await lab.items(agent(tool), {"x": 1})
        assert {(seen.get("x-a"), seen.get("x-b")) for seen in server.headers} == {("1", "2")}
