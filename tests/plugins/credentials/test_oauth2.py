"""OAuth 2: tokens, their renewal, and the flow over the browser."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest
from credential_lab import Lab
from loopback import Loopback, Seen, reply

from jackfield.api.credentials import TOKENS
from jackfield.api.http_client import HttpCall, HttpClient
from jackfield.api.nodes import NodeError
from jackfield.api.records import replace
from jackfield_credentials.grants import OAuth2Tokens, read_tokens
from jackfield_credentials.http.callback import AuthorizationCallback
from jackfield_credentials.service import CredentialService

CLIENT = {"clientId": "id:1", "clientSecret": "s3cr3t/ü"}


class Provider:
    """A token server and an API, at one loopback server."""

    def __init__(self, server: Loopback, lifetime: int | None = 3600) -> None:
        self.server, self.lifetime = server, lifetime
        self.given = 0
        self.refuse: tuple[str, Any] | None = None
        self.grants: list[dict[str, str]] = []
        self.rejected: set[str] = set()
        server.answer = self.answer

    def answer(self, seen: Seen) -> bytes:
        if seen.target == "/token":
            self.grants.append(dict(parse_qsl(seen.body.decode())))
            if self.refuse:
                return reply(self.refuse[1], self.refuse[0])
            self.given += 1
            token: dict[str, Any] = {"access_token": f"access-{self.given}", "refresh_token": f"refresh-{self.given}"}
            return reply(token | ({"expires_in": self.lifetime} if self.lifetime else {}))
        if seen.headers.get("authorization") in self.rejected | {None}:
            return reply("", "401 No")
        return reply({"token": seen.headers["authorization"]})

    def used(self) -> list[str]:
        return [seen.headers["authorization"] for seen in self.server.seen if seen.target == "/api"]


async def client(lab: Lab, server: Loopback, **more: str) -> str:
    values = {**CLIENT, "accessTokenUrl": server.url("/token"), "grantType": "clientCredentials", **more}
    return await lab.made("oAuth2Api", values)


async def asked(lab: Lab, server: Loopback, ident: str) -> Any:
    return await lab.context.port(HttpClient).send(
        HttpCall("GET", server.url("/api")), await lab.service.authorization(ident, "oAuth2Api")
    )


async def kept(lab: Lab, ident: str) -> dict[str, str]:
    stored = await lab.store.credential(ident)
    assert stored is not None
    return lab.service.vault.open(stored)


async def test_client_credentials_once_until_the_margin(lab: Lab, server: Loopback) -> None:
    provider = Provider(server)
    ident = await client(lab, server, scope="a b", additionalBodyProperties='{"audience": "x"}')
    await asked(lab, server, ident)
    await lab.clock.advance(3539)
    await asked(lab, server, ident)
    assert provider.grants == [{"grant_type": "client_credentials", "scope": "a b", "audience": "x"}]
    await lab.clock.advance(2)
    await asked(lab, server, ident)
    assert provider.used() == ["Bearer access-1", "Bearer access-1", "Bearer access-2"]
    basic = base64.b64encode(b"id%3A1:s3cr3t%2F%C3%BC").decode()
    assert server.seen[0].headers["authorization"] == f"Basic {basic}", "RFC 6749 section 2.3.1"


async def test_the_client_in_the_body(lab: Lab, server: Loopback) -> None:
    provider = Provider(server)
    await asked(lab, server, await client(lab, server, authentication="body"))
    assert provider.grants[0]["client_secret"] == CLIENT["clientSecret"]
    assert "authorization" not in server.seen[0].headers


async def test_many_at_once_ask_for_one_token(lab: Lab, server: Loopback) -> None:
    provider = Provider(server)
    ident = await client(lab, server)
    await asyncio.gather(*(asked(lab, server, ident) for _ in range(10)))
    assert provider.given == 1
    assert provider.used() == ["Bearer access-1"] * 10


async def test_two_daemons_ask_for_one_token(lab: Lab, server: Loopback) -> None:
    provider = Provider(server)
    ident = await client(lab, server)
    daemons = [CredentialService(lab.context) for _ in range(2)]  # each with locks of its own, over one store
    asking = asyncio.gather(*(daemon.keeper.token(ident) for daemon in daemons for _ in range(3)))
    async with asyncio.timeout(20):
        while not asking.done():
            await lab.clock.advance(0.1)
            await asyncio.sleep(0.005)
    assert {tokens.access for tokens in asking.result()} == {"access-1"}
    assert provider.given == 1


async def others_write(lab: Lab, ident: str, write: Callable[[dict[str, str]], None]) -> None:
    """A daemon whose writer is stopped for longer than its lease: the first that it seals, another one is quicker."""
    vault, seal = lab.service.vault, lab.service.vault.seal

    async def late(kind: str, values: Mapping[str, str]) -> bytes:
        vault.seal = seal  # type: ignore[method-assign]
        stored, other = await vault.read(ident)
        write(other)
        await lab.store.put_credential(replace(stored, sealed=await seal(kind, other)))
        return await seal(kind, values)

    vault.seal = late  # type: ignore[method-assign]


async def test_a_token_is_kept_beside_what_others_have_changed_meanwhile(lab: Lab, server: Loopback) -> None:
    provider = Provider(server)
    ident = await client(lab, server)
    await others_write(lab, ident, lambda values: values.update(scope="other"))
    await asked(lab, server, ident)
    assert (await kept(lab, ident))["scope"] == "other"
    await asked(lab, server, ident)
    assert provider.used() == ["Bearer access-1"] * 2


async def test_newer_tokens_of_others_stay(lab: Lab, server: Loopback) -> None:
    provider = Provider(server)
    ident = await client(lab, server)
    await asked(lab, server, ident)
    await lab.clock.advance(3600)
    theirs = OAuth2Tokens("theirs", "again", lab.clock.now_ms() + 3_600_000)
    await others_write(lab, ident, lambda values: values.update({TOKENS: theirs.dump()}))
    await asked(lab, server, ident)
    await asked(lab, server, ident)
    assert provider.used() == ["Bearer access-1", "Bearer access-2", "Bearer theirs"]


async def test_a_change_keeps_a_token_that_was_renewed_meanwhile(lab: Lab, server: Loopback) -> None:
    Provider(server)
    ident = await client(lab, server)
    await asked(lab, server, ident)
    theirs = OAuth2Tokens("theirs", "again", lab.clock.now_ms() + 3_600_000)
    await others_write(lab, ident, lambda values: values.update({TOKENS: theirs.dump()}))
    values = {name: value for name, value in (await kept(lab, ident)).items() if name != TOKENS}
    await lab.call("PUT", f"/credentials/{ident}", {"name": "Ours", "kind": "oAuth2Api", "values": values})
    assert read_tokens((await kept(lab, ident))[TOKENS]) == theirs
    stored = await lab.store.credential(ident)
    assert stored is not None
    assert stored.name == "Ours"


async def test_a_rejected_token_is_renewed_once_for_all(lab: Lab, server: Loopback) -> None:
    provider = Provider(server, lifetime=None)
    ident = await client(lab, server)
    await asked(lab, server, ident)
    provider.rejected = {"Bearer access-1"}
    authorization = await lab.service.authorization(ident, "oAuth2Api")
    call = HttpCall("GET", server.url("/api"))
    found = await asyncio.gather(*(lab.context.port(HttpClient).send(call, authorization) for _ in range(5)))
    assert [one.status for one in found] == [200] * 5
    assert provider.given == 2
    provider.rejected |= {"Bearer access-2", "Bearer access-3"}
    assert (await asked(lab, server, ident)).status == 401


async def test_another_server_does_not_have_the_token_renewed(lab: Lab, server: Loopback) -> None:
    provider = Provider(server)
    elsewhere = reply("", "302 Found", location=server.url("/there", host="localhost"))
    server.answer = lambda seen: elsewhere if seen.target == "/api" else provider.answer(seen)
    ident = await client(lab, server)
    assert (await asked(lab, server, ident)).status == 401
    assert provider.given == 1
    assert provider.used() == ["Bearer access-1"]


async def test_tokens_are_sealed_and_hidden(lab: Lab, server: Loopback) -> None:
    Provider(server)
    ident = await client(lab, server)
    await asked(lab, server, ident)
    stored = await lab.store.credential(ident)
    assert stored is not None
    assert b"access-1" not in stored.sealed
    assert "access-1" in (await kept(lab, ident))[TOKENS]
    assert "access-1" in lab.context.secrets.redacted
    shown = await lab.call("GET", f"/credentials/{ident}")
    assert shown["connected"] is True
    assert "access-1" not in str(shown)
    assert TOKENS not in await lab.service.values(ident, "oAuth2Api")


async def test_a_change_of_the_client_drops_the_tokens(lab: Lab, server: Loopback) -> None:
    Provider(server)
    ident = await client(lab, server)
    await asked(lab, server, ident)
    values = {**CLIENT, "accessTokenUrl": server.url("/token"), "grantType": "clientCredentials"}
    await lab.call("PATCH", f"/credentials/{ident}", {"values": {**values, "allowedHosts": "127.0.0.1"}})
    assert TOKENS in await kept(lab, ident)
    await lab.call("PATCH", f"/credentials/{ident}", {"values": {**values, "clientId": "other"}})
    assert TOKENS not in await kept(lab, ident)


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        ("400 Bad", {"error": "invalid_client", "error_description": "who? s3cr3t/ü"}, r"invalid_client who\? \*\*\*"),
        ("200 OK", {"token": 1}, "gave no token"),
        ("200 OK", "no json", "gave no token"),
    ],
)
async def test_a_refusal_is_told_without_the_secret(
    lab: Lab, server: Loopback, status: str, body: Any, told: str
) -> None:
    Provider(server).refuse = (status, body)
    with pytest.raises(NodeError, match=told):
        await asked(lab, server, await client(lab, server))


async def test_a_server_that_repeats_the_request_shows_no_secret(lab: Lab, server: Loopback) -> None:
    server.answer = lambda seen: reply({"error": seen.body.decode()}, "400 Bad")
    more = {"authentication": "body", "additionalBodyProperties": '{"assertion": "an/other+one"}'}
    with pytest.raises(NodeError) as told:
        await asked(lab, server, await client(lab, server, **more))
    assert "client_id=id%3A1" in told.value.message
    assert "s3cr3t" not in told.value.message
    assert "other" not in told.value.message


async def test_the_old_token_serves_while_the_token_server_is_out_of_order(lab: Lab, server: Loopback) -> None:
    provider = Provider(server)
    ident = await client(lab, server)
    await asked(lab, server, ident)
    provider.refuse = ("503 Later", {})
    await lab.clock.advance(3570)
    assert (await asked(lab, server, ident)).status == 200
    await lab.clock.advance(60)
    with pytest.raises(NodeError, match="status 503"):
        await asked(lab, server, ident)


async def test_a_test_asks_for_a_new_token(lab: Lab, server: Loopback) -> None:
    provider = Provider(server)
    ident = await client(lab, server)
    for expected in (1, 2):
        found = await lab.call("POST", f"/credentials/{ident}/test")
        assert (found["valid"], found["tested"], provider.given) == (True, True, expected)
    provider.refuse = ("401 No", {"error": "invalid_client"})
    found = await lab.call("POST", f"/credentials/{ident}/test")
    assert (found["valid"], "invalid_client" in found["message"]) == (False, True)


# ----------------------------------------------------------------------------------------------------------------- flow


async def begun(lab: Lab, server: Loopback, **more: str) -> tuple[str, dict[str, str]]:
    ident = await client(
        lab, server, grantType="authorizationCode", authUrl="https://id.example/auth?tenant=1", scope="read", **more
    )
    found = await lab.call("GET", f"/credentials/{ident}/oauth2/authorize")
    parts = urlsplit(found["url"])
    assert (parts.netloc, parts.path) == ("id.example", "/auth")
    return ident, {name: values[0] for name, values in parse_qs(parts.query).items()}


async def came_back(lab: Lab, query: str, path: str = "/rest/oauth2-credential/callback", method: str = "GET") -> Any:
    messages: list[Any] = []

    async def send(message: Any) -> None:
        messages.append(message)

    async def receive() -> Any:
        return {"type": "http.request"}

    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode()}
    await AuthorizationCallback(lab.context)(scope, receive, send)
    return messages[0]["status"], messages[1]["body"].decode(), dict(messages[0]["headers"])


async def test_the_whole_flow(lab: Lab, server: Loopback) -> None:
    provider = Provider(server)
    ident, query = await begun(lab, server, authQueryParameters="access_type=offline&prompt=consent")
    assert query["redirect_uri"] == "http://127.0.0.1:8765/rest/oauth2-credential/callback"
    assert (query["access_type"], query["scope"], query["tenant"]) == ("offline", "read", "1")
    assert (query["response_type"], query["code_challenge_method"]) == ("code", "S256")
    status, page, headers = await came_back(lab, f"state={query['state']}&code=c1")
    assert (status, "connected" in page) == (200, True)
    assert headers[b"cache-control"] == b"no-store"
    grant = provider.grants[0]
    digest = hashlib.sha256(grant["code_verifier"].encode()).digest()
    assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == query["code_challenge"]
    assert (grant["code"], grant["redirect_uri"]) == ("c1", query["redirect_uri"])
    await asked(lab, server, ident)
    await lab.clock.advance(3600)
    await asked(lab, server, ident)
    assert provider.grants[1] == {"grant_type": "refresh_token", "refresh_token": "refresh-1"}
    assert provider.used() == ["Bearer access-1", "Bearer access-2"]


async def test_a_state_is_good_once_and_for_a_while(lab: Lab, server: Loopback) -> None:
    Provider(server)
    _, query = await begun(lab, server)
    assert (await came_back(lab, f"state={query['state']}&code=c1"))[0] == 200
    assert (await came_back(lab, f"state={query['state']}&code=c1"))[0] == 400
    _, query = await begun(lab, server)
    await lab.clock.advance(601)
    status, page, _ = await came_back(lab, f"state={query['state']}&code=c1")
    assert (status, "begin again" in page) == (400, True)


@pytest.mark.parametrize("change", [lambda s: s[:-1] + ("A" if s[-1] != "A" else "B"), lambda s: "x" + s, lambda _: ""])
async def test_a_forged_state_is_refused(lab: Lab, server: Loopback, change: Any) -> None:
    provider = Provider(server)
    _, query = await begun(lab, server)
    status, page, _ = await came_back(lab, f"state={change(query['state'])}&code=c1")
    assert (status, provider.grants) == (400, [])
    assert "not begun here" in page


async def test_a_refusal_of_the_user_is_shown_escaped(lab: Lab, server: Loopback) -> None:
    _, query = await begun(lab, server)
    status, page, _ = await came_back(lab, f"state={query['state']}&error=denied&error_description=%3Cb%3Eno")
    assert (status, "&lt;b&gt;no" in page) == (400, True)
    assert "<b>" not in page
    assert (await came_back(lab, f"state={query['state']}&code=c1"))[0] == 400, "used up"


async def test_other_paths_and_methods(lab: Lab) -> None:
    assert (await came_back(lab, "", "/rest/other"))[0] == 404
    assert (await came_back(lab, "", method="POST"))[0] == 405


async def test_a_credential_that_is_not_connected_says_so(lab: Lab, server: Loopback) -> None:
    Provider(server)
    ident, _ = await begun(lab, server)
    with pytest.raises(NodeError, match="connect it to its provider"):
        await asked(lab, server, ident)


async def test_what_cannot_be_connected(lab: Lab, server: Loopback) -> None:
    ident = await client(lab, server)
    await lab.call("GET", f"/credentials/{ident}/oauth2/authorize", status=409)
    other = await lab.made("httpBearerAuth", {"token": "s3cr3t"})
    await lab.call("GET", f"/credentials/{other}/oauth2/authorize", status=409)
    bare = await client(lab, server, grantType="authorizationCode")
    found = await lab.call("GET", f"/credentials/{bare}/oauth2/authorize", status=400)
    assert "authUrl" in found["message"]
