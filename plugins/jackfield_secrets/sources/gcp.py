"""Google Cloud's Secret Manager. Source: its REST reference (v1), OAuth 2.0 for server to server applications, and the
metadata server of Compute Engine."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote, urlencode

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.secret_sources import SecretMissing, SecretPlace, SecretProblem, SecretSource, SourceUnavailable
from jackfield_secrets.sources.options import GcpOptions
from jackfield_secrets.sources.web import SourceServer, WebAnswer

_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_LIFETIME_S = 3600
_MARGIN = 0.9
_LONGEST = 65_536


def gcp_source(context: PluginContext, options: GcpOptions) -> SecretSource:
    return GcpSource(options, SourceServer(context, options.endpoint, options.ca_file), _GoogleTokens(context, options))


class _GoogleTokens:
    """Access tokens, of an account's key or of the machine."""

    def __init__(self, context: PluginContext, options: GcpOptions) -> None:
        self._context = context
        self._options = options
        self._turn = asyncio.Lock()
        self._token = ""
        self._ends_ms = 0

    async def token(self) -> str:
        """Raises `SecretProblem`."""
        async with self._turn:
            if not self._token or self._ends_ms <= self._context.clock.now_ms():
                await (self._of_account() if self._options.credentials_file else self._of_machine())
        return self._token

    async def _of_machine(self) -> None:
        server = SourceServer(self._context, self._options.metadata_url)
        path = f"/computeMetadata/v1/instance/service-accounts/default/token?{urlencode({'scopes': _SCOPE})}"
        self._keep(server, await server.ask("GET", path, {"Metadata-Flavor": "Google"}))

    async def _of_account(self) -> None:
        url, assertion = await asyncio.to_thread(self._assertion)
        server = SourceServer(self._context, url, self._options.ca_file)
        body = urlencode({"grant_type": _GRANT, "assertion": assertion}).encode()
        self._keep(server, await server.ask("POST", "", {"Content-Type": "application/x-www-form-urlencoded"}, body))

    def _assertion(self) -> tuple[str, str]:
        """Where it goes, and a signed assertion of the account. Raises `SourceUnavailable`."""
        import jwt

        file = self._options.credentials_file
        try:
            with Path(file).open("rb") as opened:
                account = json.loads(opened.read(_LONGEST))
            now, url = self._context.clock.now_ms() // 1000, str(account["token_uri"])
            claims = {"iss": account["client_email"], "scope": _SCOPE, "aud": url, "iat": now, "exp": now + _LIFETIME_S}
            return url, jwt.encode(claims, account["private_key"], "RS256", {"kid": account.get("private_key_id", "")})
        except OSError as exc:
            raise SourceUnavailable(f"The account's file {file} cannot be read: {exc.strerror}.") from None
        except (ValueError, KeyError, TypeError, jwt.PyJWTError):
            raise SourceUnavailable(f"{file} is no JSON file of a service account with its key.") from None

    def _keep(self, server: SourceServer, answer: WebAnswer) -> None:
        token, lasts = answer.text("access_token"), answer.at("expires_in")
        if answer.status >= 300 or not token:
            raise server.refused(answer, "look at the service account")
        self._context.secrets.redact(token)
        self._token = token
        seconds = lasts if isinstance(lasts, int) else 0
        self._ends_ms = self._context.clock.now_ms() + int(seconds * 1000 * _MARGIN)


class GcpSource:
    """The first name of a path is the secret's, in its latest version; others are fields of the JSON object in it."""

    def __init__(self, options: GcpOptions, server: SourceServer, tokens: _GoogleTokens) -> None:
        self._options = options
        self._server = server
        self._tokens = tokens

    def place(self, path: Sequence[str]) -> SecretPlace:
        return SecretPlace((f"{self._options.prefix}{path[0]}",), tuple(path[1:]))

    async def read(self, secret: tuple[str, ...]) -> Json:
        name = quote(secret[0], safe="")
        answer = await self._ask(f"/{name}/versions/latest:access")
        if answer.status == 404:
            raise SecretMissing(f"The project {self._options.project} has no secret {secret[0]}.")
        try:
            return base64.b64decode(answer.text("payload", "data"), validate=True).decode()
        except ValueError:
            raise SecretMissing(f"The secret {secret[0]} is no text.") from None

    async def names(self, most: int) -> Sequence[tuple[str, ...]]:
        found: list[tuple[str, ...]] = []
        following, prefix = "", self._options.prefix
        while len(found) < most:
            answer = await self._ask(f"?{urlencode({'pageSize': 250, 'pageToken': following})}")
            rows = answer.at("secrets")
            for row in rows if isinstance(rows, list) else ():
                name = str(row.get("name", "")).rpartition("/")[2] if isinstance(row, dict) else ""
                if name.startswith(prefix):
                    found.append((name.removeprefix(prefix),))
            following = answer.text("nextPageToken")
            if not following:
                break
        return found[:most]

    async def test(self) -> str:
        await self._ask("?pageSize=1")
        return f"{self._server.host} takes the account for the project {self._options.project}."

    async def _ask(self, below: str) -> WebAnswer:
        """Raises `SecretProblem`."""
        path = f"/v1/projects/{self._options.project}/secrets{below}"
        answer = await self._server.ask("GET", path, {"Authorization": f"Bearer {await self._tokens.token()}"})
        if answer.status in (401, 403):
            raise self._server.refused(answer, "let the account have the role Secret Manager Secret Accessor")
        if answer.status >= 400 and answer.status != 404:
            raise SecretProblem(f"{self._server.host} cannot do it (status {answer.status}); look at the project.")
        return answer
