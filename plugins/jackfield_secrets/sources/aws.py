"""AWS Secrets Manager. Source: its API reference (GetSecretValue, ListSecrets)."""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from datetime import UTC, datetime

from jackfield.api.aws_endpoints import endpoint_of
from jackfield.api.aws_signing import AwsKey, SignedScope, signature
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json, dumps
from jackfield.api.secret_sources import SecretMissing, SecretPlace, SecretProblem, SecretSource
from jackfield_secrets.sources.given import SourceSecret
from jackfield_secrets.sources.options import AwsOptions
from jackfield_secrets.sources.web import SourceServer, WebAnswer

_SERVICE = "secretsmanager"
_PAGE = 100
_GONE = frozenset({"ResourceNotFoundException", "InvalidRequestException"})
"""The second: it is marked to be deleted."""
_REFUSED = frozenset({
    "AccessDeniedException", "UnrecognizedClientException", "InvalidSignatureException", "IncompleteSignature",
    "MissingAuthenticationTokenException", "ExpiredTokenException", "InvalidClientTokenId", "AuthFailure",
})  # fmt: skip


def aws_source(context: PluginContext, options: AwsOptions) -> SecretSource:
    """Raises `ConfigurationError`."""
    address = options.endpoint or endpoint_of(_SERVICE, {"region": options.region})
    key = SourceSecret(context, "secret_key", options.secret_key_file, options.secret_key_env)
    return AwsSource(context, options, SourceServer(context, address, options.ca_file), key)


class AwsSource:
    """The first name of a path is the secret's name or ARN; others are fields of the JSON object in it."""

    def __init__(self, context: PluginContext, options: AwsOptions, server: SourceServer, key: SourceSecret) -> None:
        self._context = context
        self._options = options
        self._server = server
        self._key = key

    def place(self, path: Sequence[str]) -> SecretPlace:
        return SecretPlace((f"{self._options.prefix}{path[0]}",), tuple(path[1:]))

    async def read(self, secret: tuple[str, ...]) -> Json:
        answer = await self._ask("GetSecretValue", {"SecretId": secret[0]})
        if isinstance(answer.at("SecretString"), str):
            return answer.text("SecretString")
        try:
            return base64.b64decode(answer.text("SecretBinary"), validate=True).decode()
        except ValueError:
            raise SecretMissing(f"The secret {secret[0]} is no text.") from None

    async def names(self, most: int) -> Sequence[tuple[str, ...]]:
        found: list[tuple[str, ...]] = []
        following = ""
        while len(found) < most:
            page: dict[str, Json] = {"MaxResults": _PAGE, **({"NextToken": following} if following else {})}
            answer = await self._ask("ListSecrets", page)
            rows = answer.at("SecretList")
            names = [row.get("Name") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
            prefix = self._options.prefix
            found += [
                (name.removeprefix(prefix),) for name in names if isinstance(name, str) and name.startswith(prefix)
            ]
            following = answer.text("NextToken")
            if not following:
                break
        return found[:most]

    async def test(self) -> str:
        await self._ask("ListSecrets", {"MaxResults": 1})
        return f"{self._server.host} takes the key."

    async def _ask(self, action: str, body: Json) -> WebAnswer:
        """Raises `SecretProblem`."""
        content = dumps(body)
        headers = [("Content-Type", "application/x-amz-json-1.1"), ("X-Amz-Target", f"{_SERVICE}.{action}")]
        scope = SignedScope(
            self._options.region, _SERVICE, datetime.fromtimestamp(self._context.clock.now_ms() / 1000, UTC)
        )
        url = f"{self._server.base_url}/"
        signed = signature(await self._signing_key(), scope, "POST", url, headers, content)
        answer = await self._server.ask("POST", "/", dict([*headers, *signed]), content)
        if answer.status < 400:
            return answer
        what = answer.text("__type").rpartition("#")[2]
        if what in _GONE:
            raise SecretMissing(f"{self._server.host} has no such secret ({what}).")
        if what in _REFUSED or answer.status in (401, 403):
            raise self._server.refused(answer, "look at the key and at what its role may do")
        raise SecretProblem(f"{self._server.host} cannot do it: {what or f'status {answer.status}'}.")

    async def _signing_key(self) -> AwsKey:
        """A token of a temporary key is in the environment with it."""
        secret = await self._key.read()
        known = self._options.access_key_id or os.environ.get("AWS_ACCESS_KEY_ID", "")
        session = "" if self._options.access_key_id else os.environ.get("AWS_SESSION_TOKEN", "")
        self._context.secrets.redact(session)
        return AwsKey(known, secret, session)
