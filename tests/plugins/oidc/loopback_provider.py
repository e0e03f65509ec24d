"""A provider on loopback whose every answer a test can spoil. Its tokens are made with joserfc."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from aiohttp import web
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

CLIENT, SECRET = "jackfield", "a client secret of a test"
Claims = dict[str, Any]  # what a test spoils may be anything


@lru_cache
def rsa_key(name: str, of: str = "") -> RSAKey:
    """Made once per run: it takes a while. of: another one of the same name."""
    return RSAKey.generate_key(2048, {"kid": name, "use": "sig"})


class LoopbackProvider:
    """spoil: changes the claims of the next tokens; sign: makes the token of them."""

    def __init__(self, of: str = "") -> None:
        self.issuer = ""
        self.keys: dict[str, RSAKey | ECKey] = {"k1": rsa_key("k1", of)}
        self.metadata: Claims = {}
        self.person: Claims = {"sub": "s-1", "name": "Ada", "groups": ["staff"]}
        self.userinfo: Claims = {}
        self.spoil: Callable[[Claims], Claims] = lambda claims: claims
        self.sign: Callable[[Claims], str] = self.signed
        self.codes: dict[str, Claims] = {}
        self.asked: list[str] = []
        self.status = 200
        self.now: Callable[[], int] = lambda: int(time.time())

    def rotate(self, name: str) -> None:
        """Another key signs, and the former one is gone."""
        self.keys = {name: ECKey.generate_key("P-256", {"kid": name, "use": "sig"})}

    def signed(self, claims: Claims, **header: Any) -> str:
        """As a provider does."""
        name, key = next(iter(self.keys.items()))
        algorithm = "RS256" if isinstance(key, RSAKey) else "ES256"
        return jwt.encode({"alg": algorithm, "kid": name, **header}, claims, key, algorithms=[algorithm])

    def plain(self, claims: Claims) -> str:
        """A token that nobody has signed."""
        return self._compact(b'{"alg":"none","kid":"k1"}', claims, b"")

    def by_public_key(self, claims: Claims) -> str:
        """The public key as the secret of HS256: a verifier that believes the header takes it."""
        public = self.keys["k1"].as_pem(private=False)
        head = b'{"alg":"HS256","kid":"k1"}'
        signed = self._compact(head, claims, b"").rpartition(".")[0].encode()
        return self._compact(head, claims, hmac.digest(public, signed, "sha256"))

    @staticmethod
    def _compact(head: bytes, claims: Claims, signature: bytes) -> str:
        parts = (head, json.dumps(claims).encode(), signature)
        return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)

    def claims(self, nonce: str) -> Claims:
        now = self.now()
        return {**self.person, "iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 60, "nonce": nonce}

    def approve(self, url_query: dict[str, str]) -> str:
        """The person says yes: the callback's query."""
        code = secrets.token_urlsafe(16)
        self.codes[code] = url_query
        return urlencode({"code": code, "state": url_query["state"], "iss": self.issuer})

    async def discovery(self, _request: web.Request) -> web.Response:
        self.asked.append("discovery")
        addresses = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "userinfo_endpoint": f"{self.issuer}/me",
        }
        return web.json_response(addresses | self.metadata, status=self.status)

    async def jwks(self, _request: web.Request) -> web.Response:
        self.asked.append("keys")
        unknown = {"kty": "future", "kid": "k9"}
        return web.json_response({"keys": [unknown, *(key.as_dict(private=False) for key in self.keys.values())]})

    async def token(self, request: web.Request) -> web.Response:
        self.asked.append("token")
        form = await request.post()
        begun = self.codes.pop(str(form.get("code")), None)
        expected = base64.b64encode(f"{CLIENT}:{SECRET.replace(' ', '+')}".encode()).decode()
        if request.headers.get("Authorization") != f"Basic {expected}":
            return web.json_response({"error": "invalid_client"}, status=401)
        verifier = hashlib.sha256(str(form.get("code_verifier")).encode()).digest()
        challenge = base64.urlsafe_b64encode(verifier).rstrip(b"=").decode()
        if begun is None or begun["code_challenge"] != challenge or begun["redirect_uri"] != form.get("redirect_uri"):
            return web.json_response({"error": "invalid_grant"}, status=400)
        token = self.sign(self.spoil(self.claims(begun["nonce"])))
        return web.json_response({"id_token": token, "access_token": "at", "token_type": "Bearer"})

    async def me(self, request: web.Request) -> web.Response:
        self.asked.append("userinfo")
        assert request.headers["Authorization"] == "Bearer at"
        return web.json_response({"sub": self.person["sub"], **self.userinfo})

    async def authorize(self, request: web.Request) -> web.Response:
        """For `prompt=none`, as doctor asks."""
        self.asked.append("authorize")
        callback = request.query["redirect_uri"]
        if not callback.startswith("http://127.0.0.1:8765/"):
            return web.Response(status=400, text="redirect_uri did not match")
        raise web.HTTPSeeOther(f"{callback}?error=login_required&state={request.query['state']}")


@asynccontextmanager
async def loopback_provider() -> AsyncIterator[LoopbackProvider]:
    provider = LoopbackProvider()
    app = web.Application()
    app.router.add_get("/.well-known/openid-configuration", provider.discovery)
    app.router.add_get("/keys", provider.jwks)
    app.router.add_post("/token", provider.token)
    app.router.add_get("/me", provider.me)
    app.router.add_get("/authorize", provider.authorize)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    provider.issuer = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield provider
    finally:
        await runner.cleanup()
