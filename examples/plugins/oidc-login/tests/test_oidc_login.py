"""Units of the plugin, with the fixtures that Jackfield brings for pytest: what of a token counts."""

from __future__ import annotations

import json
import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from jackfield.api.errors import UpstreamFailed
from jackfield.api.http_client import HttpCall, HttpReply
from jackfield.api.logins import Identity, LoginRefused, RedirectAnswer, RedirectLogin, RedirectStart
from jackfield.testing.pytest_plugin import MakeContext
from jackfield_oidc_login.login import logins
from jackfield_oidc_login.settings import OidcLoginSettings

ISSUER = "https://id.example.com"
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER = rsa.generate_private_key(public_exponent=65537, key_size=2048)
START = RedirectStart("state", "http://127.0.0.1:8765/auth/callback/oidc", "nonce", "verifier")
ANSWER = RedirectAnswer({"code": "c"}, START.callback, START.nonce, START.verifier)


def public(key: rsa.RSAPrivateKey, name: str) -> dict[str, Any]:
    """The public key as a provider shows it."""
    return {**jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True), "kid": name, "use": "sig"}


class Provider:
    """`HttpClient` whose every server is the provider. Set the ID token."""

    def __init__(self) -> None:
        self.issuer = ISSUER
        self.token = ""
        self.status = 200
        self.form: dict[str, list[str]] = {}

    async def send(self, call: HttpCall, authorization: object = None) -> HttpReply:
        """Discovery, keys, and the token."""
        path = urlsplit(call.url).path
        if path == "/.well-known/openid-configuration":
            base = {"issuer": self.issuer, "authorization_endpoint": f"{ISSUER}/in?x=1"}
            return self._reply(200, base | {"token_endpoint": f"{ISSUER}/token", "jwks_uri": f"{ISSUER}/keys"})
        if path == "/keys":
            return self._reply(200, {"keys": [public(KEY, "k1")]})
        assert call.body is not None
        self.form = parse_qs((call.body.whole or b"").decode())
        return self._reply(self.status, {"id_token": self.token})

    @staticmethod
    def _reply(status: int, value: object) -> HttpReply:
        return HttpReply(status, "", [], json.dumps(value).encode(), ISSUER)


def claims(**changes: Any) -> dict[str, Any]:
    """Of a good token."""
    now = int(time.time())
    good = {"iss": ISSUER, "sub": "s-1", "aud": "jackfield", "exp": now + 60, "iat": now, "nonce": "nonce"}
    return {**good, "name": "Ada", "groups": ["staff"], **changes}


def signed(made: dict[str, Any], key: rsa.RSAPrivateKey = KEY, **header: str) -> str:
    """An ID token."""
    return jwt.encode(made, key, "RS256", {"kid": "k1", **header})


@pytest.fixture
def provider() -> Provider:
    return Provider()


@pytest.fixture
def login(jackfield_context: MakeContext, provider: Provider) -> RedirectLogin:
    settings = OidcLoginSettings(issuer=ISSUER, client_id="jackfield", client_secret="c" * 20, member_groups=["staff"])
    return logins(jackfield_context(settings, ports={"HttpClient": provider}))[0]


async def test_the_browser_is_sent_with_state_nonce_and_challenge(login: RedirectLogin) -> None:
    url = await login.begin(START)
    query = parse_qs(urlsplit(url).query)
    assert url.startswith(f"{ISSUER}/in?x=1&")
    assert (query["state"], query["nonce"], query["code_challenge_method"]) == (["state"], ["nonce"], ["S256"])
    assert "verifier" not in url


async def test_a_good_answer_is_an_identity(login: RedirectLogin, provider: Provider) -> None:
    provider.token = signed(claims())
    assert await login.finish(ANSWER) == Identity("s-1", "Ada", "member")
    assert (provider.form["code"], provider.form["code_verifier"]) == (["c"], ["verifier"])


@pytest.mark.parametrize(
    "token",
    [
        signed(claims(), OTHER),
        signed(claims(), kid="unknown"),
        signed(claims(iss="https://evil.example.com")),
        signed(claims(aud="another")),
        signed(claims(aud=["jackfield", "another"])),
        signed(claims(azp="another")),
        signed(claims(exp=int(time.time()) - 3600)),
        signed(claims(nonce="of another login")),
        signed({name: value for name, value in claims().items() if name != "nonce"}),
        signed({name: value for name, value in claims().items() if name != "exp"}),
        jwt.encode(claims(), "", "none", {"kid": "k1"}),
        jwt.encode(claims(), public(KEY, "k1")["n"], "HS256", {"kid": "k1"}),
        "",
        "a.b.c",
    ],
)
async def test_a_token_that_does_not_count_is_refused(login: RedirectLogin, provider: Provider, token: str) -> None:
    provider.token = token or "-"
    with pytest.raises(LoginRefused, match="not valid"):
        await login.finish(ANSWER)


@pytest.mark.parametrize("query", [{}, {"error": "access_denied"}, {"code": "c", "iss": "https://evil.example.com"}])
async def test_an_answer_without_a_code_is_refused(login: RedirectLogin, query: dict[str, str]) -> None:
    with pytest.raises(LoginRefused):
        await login.finish(RedirectAnswer(query, START.callback, START.nonce, START.verifier))


async def test_who_is_in_no_group_is_refused(login: RedirectLogin, provider: Provider) -> None:
    provider.token = signed(claims(groups=["guests"]))
    with pytest.raises(LoginRefused, match="no group"):
        await login.finish(ANSWER)


async def test_a_code_that_the_provider_does_not_take_is_refused(login: RedirectLogin, provider: Provider) -> None:
    provider.status = 400
    with pytest.raises(LoginRefused, match="begin again"):
        await login.finish(ANSWER)


async def test_a_provider_of_another_name_is_not_asked(login: RedirectLogin, provider: Provider) -> None:
    provider.issuer = "https://evil.example.com"
    with pytest.raises(UpstreamFailed):
        await login.begin(START)
