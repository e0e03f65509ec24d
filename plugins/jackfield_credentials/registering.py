"""Clients that register themselves: what an authorization server is, and who we are to it.

A protected resource names its authorization server (RFC 9728), which describes itself (RFC 8414, OpenID Connect
Discovery) and takes registrations (RFC 7591). Source also: Model Context Protocol 2025-11-25, Authorization.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit, urlunsplit

from jackfield.api.errors import InvalidInput
from jackfield.api.http_client import HttpBody, HttpCall, HttpClient, HttpReply
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeError

RESOURCE, SERVER, OPENID = "oauth-protected-resource", "oauth-authorization-server", "openid-configuration"
CLIENT_NAME = "Jackfield"
_METADATA = re.compile(r'resource_metadata="([^"]{1,2000})"', re.IGNORECASE)
_SCOPE = re.compile(r'scope="([^"]{1,2000})"', re.IGNORECASE)
_METHODS = {"client_secret_post": "body", "client_secret_basic": "header", "none": "body"}
"""How a client proves itself at the token endpoint -> the credential's field authentication. The first that
fits is asked for: servers of the SDK want the client's ID in the body in any case."""


class ClientRegistration:
    """One registration. server: the resource's address; redirect_uri: where users come back to; timeout: seconds of
    each request."""

    def __init__(self, http: HttpClient, server: str, redirect_uri: str, timeout: float) -> None:
        self._http = http
        self._server = server
        self._redirect_uri = redirect_uri
        self._timeout = timeout

    async def made(self, scope: str = "") -> Mapping[str, str]:
        """Fields of the credential. scope: what the user wants; empty: what the resource says. Raises `NodeError`."""
        challenge = await self._challenge()
        resource = await self._resource(challenge)
        issuer = _first(resource, "authorization_servers") or _origin(self._server)
        described = await self._described(issuer)
        wanted = scope or _found(_SCOPE, challenge) or " ".join(_texts(resource, "scopes_supported"))
        client = await self._client(described, wanted)
        secret = _text(client, "client_secret")
        method = _text(client, "token_endpoint_auth_method") or ("client_secret_basic" if secret else "none")
        return {
            "authUrl": self._address(described, "authorization_endpoint"),
            "accessTokenUrl": self._address(described, "token_endpoint"),
            "clientId": _text(client, "client_id"),
            "clientSecret": secret,
            "authentication": _METHODS.get(method, "header"),
            "scope": wanted,
            "resourceUrl": self._named(resource),
            "issuer": _text(described, "issuer"),
            "issuerRequired": "true" if described.get("authorization_response_iss_parameter_supported") else "false",
        }

    async def _challenge(self) -> str:
        """The answer of the resource to whoever comes without a token."""
        body = HttpBody(b"{}", "application/json")
        reply = await self._send(HttpCall("POST", self._server, body=body, headers=[("accept", "application/json")]))
        return reply.header("www-authenticate") if reply.status == 401 else ""

    async def _resource(self, challenge: str) -> dict[str, Json]:
        """Empty: it says nothing of itself, as before RFC 9728."""
        said = _found(_METADATA, challenge)
        places = [said] if said else [*_well_known(self._server, RESOURCE), _at_root(self._server, RESOURCE)]
        for place in dict.fromkeys(places):
            found = await self._read(place)
            if found is not None:
                return found
        return {}

    def _named(self, resource: Mapping[str, Json]) -> str:
        """The resource's own name, which must be that of the server that was asked (RFC 9728 section 3.3). Raises
        `NodeError`."""
        name = _text(resource, "resource")
        if not name:
            return urlunsplit(urlsplit(self._server)._replace(query="", fragment=""))
        own, said = urlsplit(self._server), urlsplit(name)
        inside = f"{own.path.rstrip('/')}/".startswith(f"{said.path.rstrip('/')}/")
        if _origin(name) != _origin(self._server) or not inside:
            raise NodeError("The server's metadata are those of another resource, so that tokens would not be for it.")
        return name

    async def _described(self, issuer: str) -> dict[str, Json]:
        """Raises `NodeError`."""
        path = urlsplit(issuer).path.rstrip("/")
        places = [*_well_known(issuer, SERVER), *_well_known(issuer, OPENID)]
        if path:
            places.append(f"{issuer.rstrip('/')}/.well-known/{OPENID}")
        for place in places:
            found = await self._read(place)
            if found is None:
                continue
            if _text(found, "issuer").rstrip("/") != issuer.rstrip("/"):
                raise NodeError("The authorization server's metadata name another issuer (RFC 8414 section 3.3).")
            methods = _texts(found, "code_challenge_methods_supported")
            if methods and "S256" not in methods:
                raise NodeError("The authorization server has no PKCE with S256, without which it is not safe.")
            return found
        raise NodeError(
            f"The authorization server {urlsplit(issuer).hostname} does not describe itself; switch "
            "useDynamicClientRegistration off, and fill in authUrl, accessTokenUrl and clientId."
        )

    async def _client(self, described: Mapping[str, Json], scope: str) -> dict[str, Json]:
        """Raises `NodeError`."""
        if not _text(described, "registration_endpoint"):
            raise NodeError(
                "The authorization server takes no registrations; register by hand, switch "
                "useDynamicClientRegistration off, and fill in authUrl, accessTokenUrl and clientId."
            )
        offered = _texts(described, "token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        asked: dict[str, Json] = {
            "client_name": CLIENT_NAME,
            "redirect_uris": [self._redirect_uri],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": next((one for one in _METHODS if one in offered), "none"),
        }
        if scope:
            asked["scope"] = scope
        body = HttpBody(dumps(asked), "application/json")
        reply = await self._send(HttpCall("POST", self._address(described, "registration_endpoint"), body=body))
        found = _object(reply)
        if not 200 <= reply.status < 300 or found is None or not _text(found, "client_id"):
            why = _text(found or {}, "error_description") or _text(found or {}, "error")
            told = f": {why[:200]}" if why else ""
            raise NodeError(f"The authorization server refused the registration (status {reply.status}){told}.")
        return found

    def _address(self, described: Mapping[str, Json], name: str) -> str:
        """Raises `NodeError` for an address that no browser or client could open. Raises it also for one that would
        send in the clear the secrets of a server that is encrypted itself."""
        found = _text(described, name)
        scheme = urlsplit(found).scheme
        if scheme not in ("http", "https"):
            raise NodeError(f"The authorization server names no {name} that is http or https.")
        if scheme == "http" and urlsplit(self._server).scheme == "https":
            raise NodeError(f"The authorization server's {name} is not https, although the server's address is.")
        return found

    async def _read(self, place: str) -> dict[str, Json] | None:
        reply = await self._send(HttpCall("GET", place, headers=[("accept", "application/json")]))
        return _object(reply) if reply.status == 200 else None

    async def _send(self, call: HttpCall) -> HttpReply:
        return await self._http.send(
            HttpCall(call.method, call.url, headers=call.headers, body=call.body, follow="none", timeout=self._timeout)
        )


def _object(reply: HttpReply) -> dict[str, Json] | None:
    try:
        found = loads(reply.body)
    except InvalidInput:
        return None
    return found if isinstance(found, dict) else None


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def _at_root(url: str, name: str) -> str:
    return f"{_origin(url)}/.well-known/{name}"


def _well_known(url: str, name: str) -> Iterator[str]:
    """RFC 8414 section 3.1: between host and path."""
    path = urlsplit(url).path.rstrip("/")
    yield f"{_at_root(url, name)}{path}"


def _found(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1] if match else ""


def _text(given: Mapping[str, Json], name: str) -> str:
    found = given.get(name)
    return found if isinstance(found, str) else ""


def _texts(given: Mapping[str, Json], name: str) -> Sequence[str]:
    found = given.get(name)
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _first(given: Mapping[str, Json], name: str) -> str:
    return next(iter(_texts(given, name)), "")
