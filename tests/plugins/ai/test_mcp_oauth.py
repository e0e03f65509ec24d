"""MCP Client with OAuth 2.1: the daemon registers at the SDK's own authorization server, and keeps the tokens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import parse_qs, urlencode, urlsplit

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
from jackfield.api.http_client import Authorization, HttpCall, HttpReply
from jackfield.api.nodes import NodeError
from jackfield_credentials.http.callback import AuthorizationCallback
from jackfield_credentials.registering import ClientRegistration
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


async def test_tokens_go_to_their_own_server_only(
    lab: AiLab, granting: tuple[ToolServer, Granting], server: Loopback
) -> None:
    """Whoever writes a workflow may name any address beside a credential that others have connected."""
    own, _ = granting
    lab.context.ports["CredentialService"] = CredentialService(lab.context)
    await connected(lab, own.url)
    values = await kept(lab)

    async def asked(address: str) -> str:
        given = {"endpointUrl": address, "authentication": KIND}
        tool = node("S", "mcpClientTool", given, typeVersion=1.4, credentials={KIND: {"id": KIND, "name": "x"}})
        return await lab.failure(agent(tool), {"x": 1})

    await lab.credential("openAiApi")
    assert "another server" in await asked(server.url("/mcp"))
    assert not server.seen
    await lab.sealed(KIND, {**values, "allowedHosts": " , "})
    assert "another server" in await asked(server.url("/mcp"))
    assert not server.seen
    await lab.sealed(KIND, {**values, "serverUrl": "", "resourceUrl": "", "allowedHosts": ""})
    assert "which server" in await asked(own.url)
    await lab.sealed(KIND, {**values, "allowedHosts": "127.0.0.1"})
    await asked(server.url("/mcp"))
    assert server.seen, "the operator names the host"


@pytest.mark.parametrize(
    ("required", "named", "told"),
    [
        (True, {"iss": "https://evil.example"}, "another authorization server"),
        (False, {"iss": "https://evil.example"}, "another authorization server"),
        (True, {}, "does not name the authorization server"),
        (True, {"error": "access_denied"}, "does not name the authorization server"),
        (False, {"error": "access_denied", "error_description": "he said", "iss": "https://evil.example"}, "another"),
    ],
)
async def test_an_answer_of_another_authorization_server_is_refused(
    lab: AiLab, server: Loopback, required: bool, named: dict[str, str], told: str
) -> None:
    """RFC 9207: a server that is mixed up with another one gets no code of it."""
    begun = await begun_at(lab, server, authorization_response_iss_parameter_supported=required)
    query = urlencode({"state": begun, **({} if "error" in named else {"code": "c"}), **named})
    status, said = await AuthorizationCallback(lab.context)._finish(query)
    assert (status, told in said) == (400, True), said
    assert not [seen for seen in server.seen if seen.target == "/token"]


@pytest.mark.parametrize("required", [True, False])
async def test_an_answer_of_the_authorization_server_is_redeemed(lab: AiLab, server: Loopback, required: bool) -> None:
    begun = await begun_at(lab, server, authorization_response_iss_parameter_supported=required)
    issuer = {"iss": server.url("").rstrip("/")} if required else {}
    status, said = await AuthorizationCallback(lab.context)._finish(urlencode({"state": begun, "code": "c", **issuer}))
    assert status == 200, said
    assert (await kept(lab))[TOKENS]


async def begun_at(lab: AiLab, server: Loopback, **described: object) -> str:
    """The state of an authorization at a server that describes itself so."""
    origin = server.url("").rstrip("/")

    def answer(seen: Seen) -> bytes:
        if "oauth-authorization-server" in seen.target:
            more = {"registration_endpoint": f"{origin}/register", "token_endpoint": f"{origin}/token"}
            return reply({**SERVER, "issuer": origin, **more, **described})
        if seen.target == "/register":
            return reply({"client_id": "c"}, "201 Created")
        if seen.target == "/token":
            return reply({"access_token": "t"})
        return reply("no", "404 Not Found")

    server.answer = answer
    lab.context.ports["CredentialService"] = CredentialService(lab.context)
    await lab.sealed(KIND, {"serverUrl": server.url("/mcp")})
    begun = await lab.context.port(CredentialService).authorizing.begin(KIND)
    return parse_qs(urlsplit(begun.url).query)["state"][0]


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


class Described:
    """`HttpClient` of a server over https, whose authorization server describes itself so."""

    def __init__(self, **described: str) -> None:
        self._described = described

    async def send(self, call: HttpCall, authorization: Authorization | None = None) -> HttpReply:
        described = {**SERVER, "issuer": "https://a.example", "registration_endpoint": "https://a.example/r"}
        if call.url == "https://a.example/r":
            return HttpReply(201, "", [], b'{"client_id": "c"}', call.url)
        found = "oauth-authorization-server" in call.url
        body = orjson.dumps({**described, **self._described}) if found else b""
        return HttpReply(200 if found else 404, "", [], body, call.url)


@pytest.mark.parametrize("name", ["registration_endpoint", "token_endpoint", "authorization_endpoint"])
async def test_an_encrypted_server_leads_to_no_clear_text(name: str) -> None:
    """Code, tokens and the client's secret would be read on the way."""
    made = ClientRegistration(Described(), "https://a.example/mcp", "https://me.example/back", 5)
    assert (await made.made())["clientId"] == "c"
    http = Described(**{name: "http://a.example/x"})
    with pytest.raises(NodeError, match=f"{name} is not https"):
        await ClientRegistration(http, "https://a.example/mcp", "https://me.example/back", 5).made()


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
