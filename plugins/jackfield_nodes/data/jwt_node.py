"""JWT: signs, verifies and takes apart JSON Web Tokens. Source: n8n's documentation, JWT."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Literal, cast

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeCredential, NodeDescription, NodeError, NodeRun, Parameters, needed
from jackfield.api.nodes.items import new_item
from jackfield.api.nodes.running import ItemNode
from jackfield.api.nodes.ui import UiFields
from jackfield.api.object_references import load
from jackfield.api.workflows import Item, Items
from jackfield_nodes.data.form import JWT, JWT_CLAIMS, JWT_OPTIONS
from jackfield_nodes.data.jwt_keys import ALGORITHMS, JwtChecks, JwtKey, JwtToken, key_of
from jackfield_nodes.values.conversions import UnfitValue, to_object
from jackfield_nodes.values.fixed import mistake

_TOKENS = "jackfield_nodes.data.json_web_tokens"
"""The module that needs the library for tokens."""
_PARTS = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_.+/=-]*")
MOST = 1e11
"""Seconds, some thousand years: more is no time that anybody means."""


class JwtClaims(Parameters, title="Claims"):
    ui_fields: ClassVar[UiFields] = JWT_CLAIMS

    audience: str = Field("", description="aud")
    expires_in: float = Field(0, ge=-MOST, le=MOST, description="exp, in seconds from now; 0: none.")
    issuer: str = Field("", description="iss")
    jwtid: str = Field("", description="jti")
    not_before: float = Field(0, ge=-MOST, le=MOST, description="nbf, in seconds from now; 0: none.")
    subject: str = Field("", description="sub")

    def made(self, now: int) -> dict[str, Json]:
        """now: Unix seconds."""
        texts = {"aud": self.audience, "iss": self.issuer, "jti": self.jwtid, "sub": self.subject}
        times = {"exp": self.expires_in, "nbf": self.not_before}
        made: dict[str, Json] = {name: text for name, text in texts.items() if text}
        return made | {name: now + int(seconds) for name, seconds in times.items() if seconds}


class JwtOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = JWT_OPTIONS

    complete: Flag = Field(False, description="decode, verify: with header and signature.")
    ignore_expiration: Flag = Field(False, description="verify: whether an expired token is good.")
    ignore_not_before: Flag = Field(False, description="verify: whether a token is good before its time.")
    clock_tolerance: float = Field(0, ge=0, le=MOST, description="verify: seconds by which clocks may differ.")
    kid: str = Field("", description="sign: names the key in the header.")
    algorithm: str = Field("", description="sign, verify: instead of the credential's.")


class JsonWebToken(Parameters):
    ui_fields: ClassVar[UiFields] = JWT

    operation: Literal["sign", "verify", "decode"] = Field(
        "sign", description="The work that the node does; decode checks nothing."
    )
    use_json: Flag = Field(False, description="sign: all claims as one JSON object.")
    claims: JwtClaims = Field(default_factory=JwtClaims, description="sign, without useJson.")
    claims_json: object = Field("{}", description="sign, with useJson.")
    token: str = Field(
        "", description="verify, decode: the token.", json_schema_extra=needed({"operation": ["verify", "decode"]})
    )
    options: JwtOptions = Field(default_factory=JwtOptions)

    @classmethod
    def obstacles(cls, parameters: Mapping[str, Json]) -> Mapping[str, str]:
        found = dict(super().obstacles(parameters))
        signs = parameters.get("operation", "sign") == "sign"
        if signs and parameters.get("useJson") is True:
            told = mistake(parameters.get("claimsJson"), to_object, "one JSON object")
            found |= {"claimsJson": told} if told else {}
        elif not signs and "token" not in found and (told := mistake(parameters.get("token"), _token, "a token")):
            found["token"] = told
        return found


def _token(given: object) -> None:
    """Raises ValueError for a text without the three parts of a token."""
    if not _PARTS.fullmatch(str(given)):
        raise ValueError("none with three parts")


class JwtNode(ItemNode):
    """One object per item: `token`, or `payload` (with `complete` also `header` and `signature`)."""

    kind = "jwt"
    versions: Sequence[float] = (1,)
    description = NodeDescription(
        "JWT", "Signs, verifies and decodes JSON Web Tokens.", "transform", credentials=(NodeCredential("jwtAuth"),)
    )
    model = JsonWebToken

    async def item(self, run: NodeRun, parameters: JsonWebToken, item: Item, index: int) -> Items:
        made = await (self._signed(run, parameters) if parameters.operation == "sign" else self._read(run, parameters))
        return [new_item(made, index)]

    async def _signed(self, run: NodeRun, parameters: JsonWebToken) -> dict[str, Json]:
        now = self._context.clock.now_ms() // 1000
        claims = _claims(parameters.claims_json) if parameters.use_json else parameters.claims.made(now)
        key = key_of(await run.credential("jwtAuth"), _algorithm(parameters))
        _check_times(claims)
        complete = claims if "iat" in claims else {**claims, "iat": now}
        token = await asyncio.to_thread(_signed, complete, key, parameters.options.kid)
        return {"token": token}

    async def _read(self, run: NodeRun, parameters: JsonWebToken) -> dict[str, Json]:
        token, options = parameters.token.strip(), parameters.options
        if not token:
            raise NodeError("The parameter token is empty.")
        if parameters.operation == "decode":
            found = await asyncio.to_thread(_decoded, token)
            if found is None:
                return {"payload": None}
        else:
            key = key_of(await run.credential("jwtAuth"), _algorithm(parameters))
            now = self._context.clock.now_ms() / 1000
            checks = JwtChecks(
                now, options.clock_tolerance, not options.ignore_expiration, not options.ignore_not_before
            )
            found = await asyncio.to_thread(_verified, token, key, checks)
        if not options.complete:
            return {"payload": found.payload}
        return {"header": found.header, "payload": found.payload, "signature": found.signature}


def _signed(claims: Mapping[str, Json], key: JwtKey, key_id: str) -> str:
    return cast("Callable[[Mapping[str, Json], JwtKey, str], str]", load(f"{_TOKENS}:signed"))(claims, key, key_id)


def _verified(token: str, key: JwtKey, checks: JwtChecks) -> JwtToken:
    return cast("Callable[[str, JwtKey, JwtChecks], JwtToken]", load(f"{_TOKENS}:verified"))(token, key, checks)


def _decoded(token: str) -> JwtToken | None:
    return cast("Callable[[str], JwtToken | None]", load(f"{_TOKENS}:decoded"))(token)


def _claims(given: object) -> dict[str, Json]:
    try:
        return to_object(given)
    except UnfitValue as exc:
        raise NodeError(f"The parameter claimsJson must be one JSON object; it is {exc}.") from None


def _check_times(claims: Mapping[str, Json]) -> None:
    for name in ("iat", "exp", "nbf"):
        value = claims.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise NodeError(f"The claim {name} must be a number of seconds since 1970.")


def _algorithm(parameters: JsonWebToken) -> str:
    """The option's; empty for the credential's."""
    given = parameters.options.algorithm
    if given and given not in ALGORITHMS:
        raise NodeError(f"The option algorithm is '{given}'; use one of {', '.join(ALGORITHMS)}.")
    return given


def node(context: PluginContext) -> JwtNode:
    return JwtNode(context)
