"""Tokens for Vault: given, or got by AppRole or as a pod of Kubernetes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from jackfield.api.clock import Clock
from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError
from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield.api.secret_sources import SourceUnavailable
from jackfield_secrets.sources.given import SourceSecret
from jackfield_secrets.sources.options import VaultOptions
from jackfield_secrets.sources.web import SourceServer

_MARGIN = 0.9
"""Part of a token's time after which there is a new one."""
_BETWEEN_S = 30.0
"""Seconds between two logins because of refusals. A path that the policy lacks is refused whatever the token, and each
login makes a lease at the server."""


@record
class VaultToken:
    """ends_ms: 0: nobody has told."""

    text: str
    ends_ms: int = 0


class VaultSession:
    """Holds the token. login: gets a new one; between: seconds between two logins because of refusals."""

    def __init__(
        self,
        clock: Clock,
        namespace: str,
        login: Callable[[Mapping[str, str]], Awaitable[VaultToken]],
        *,
        between: float = 0.0,
    ) -> None:
        self._clock = clock
        self._login = login
        self._base = {"X-Vault-Request": "true", **({"X-Vault-Namespace": namespace} if namespace else {})}
        self._token: VaultToken | None = None
        self._turn = asyncio.Lock()
        self._between = between
        self._renewed_at: float | None = None

    async def headers(self) -> Mapping[str, str]:
        """Of a request. Raises `SecretProblem`."""
        async with self._turn:
            token = self._token
            if token is None or (token.ends_ms and token.ends_ms <= self._clock.now_ms()):
                token = self._token = await self._login(self._base)
        return {**self._base, "X-Vault-Token": token.text}

    async def renewed(self, refused: Mapping[str, str]) -> bool:
        """Whether there is another token than the one of these headers, which was refused. Raises `SecretProblem`."""
        async with self._turn:
            before = refused.get("X-Vault-Token")
            if self._token is not None and self._token.text != before:
                return True
            now = self._clock.monotonic()
            if self._renewed_at is not None and now - self._renewed_at < self._between:
                return False
            self._renewed_at = now
            self._token = await self._login(self._base)
            return self._token.text != before


def vault_session(context: PluginContext, options: VaultOptions, server: SourceServer) -> VaultSession:
    """Raises `ConfigurationError` for a way to log in that lacks something."""
    if options.auth == "token":
        given = SourceSecret(context, "token", options.token_file, options.token_env)

        async def read(_: Mapping[str, str]) -> VaultToken:
            return VaultToken(await given.read())

        return VaultSession(context.clock, options.namespace, read)
    return VaultSession(context.clock, options.namespace, _Login(context, options, server).token, between=_BETWEEN_S)


class _Login:
    """AppRole or Kubernetes."""

    def __init__(self, context: PluginContext, options: VaultOptions, server: SourceServer) -> None:
        self._context = context
        self._server = server
        self._path = f"/v1/auth/{options.auth_mount or options.auth}/login"
        if options.auth == "approle":
            if not options.role_id:
                raise ConfigurationError("Vault's AppRole needs role_id.")
            self._fixed: dict[str, Json] = {"role_id": options.role_id}
            self._name = "secret_id"
            self._given = SourceSecret(context, "secret_id", options.secret_id_file, options.secret_id_env)
        else:
            if not options.role:
                raise ConfigurationError("Vault's way in for Kubernetes needs role.")
            self._fixed = {"role": options.role}
            self._name = "jwt"
            self._given = SourceSecret(context, "jwt", options.jwt_file, "")

    async def token(self, headers: Mapping[str, str]) -> VaultToken:
        """Raises `SecretProblem`."""
        asked = self._context.clock.now_ms()
        body: Json = {**self._fixed, self._name: await self._given.read()}
        answer = await self._server.ask("POST", self._path, headers, body)
        text, lasts = answer.text("auth", "client_token"), answer.at("auth", "lease_duration")
        if answer.status in (400, 401, 403):
            raise self._server.refused(answer, f"look at the role and its {self._name}")
        if answer.status >= 300 or not text:
            raise SourceUnavailable(
                f"{self._server.host} gives no token (status {answer.status}); look at {self._path}."
            )
        self._context.secrets.redact(text)
        ends = asked + int(lasts * 1000 * _MARGIN) if isinstance(lasts, int) and lasts > 0 else 0
        return VaultToken(text, ends)
