"""Sealed values: opened at the last moment, changed by one writer at a time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator, Mapping
from weakref import WeakValueDictionary

import orjson

from jackfield.api.context import PluginContext
from jackfield.api.credentials import ALLOWED_HOSTS, CREDENTIAL_KINDS, TOKENS, CredentialKind
from jackfield.api.errors import InvalidInput, JackfieldError
from jackfield.api.jsontext import Json, loads
from jackfield.api.memos import Memos, leased
from jackfield.api.nodes import NodeError
from jackfield.api.projects import ProjectAccess
from jackfield.api.secret_references import refers_to_secrets
from jackfield.api.secret_sources import ExternalSecrets, SecretProblem
from jackfield.api.storage import SHARED, Credential
from jackfield_credentials.grants import OAuth2Tokens, read_tokens
from jackfield_credentials.settings import CredentialSettings

_LEASE = "credential-writer"
_SPARE = 10.0
"""Seconds that a writer may take beside the requests for a token."""
TRIES = 5
"""So often something is made anew of a credential that others have changed meanwhile."""
NOT_SECRET = frozenset({"name", "user", "username", "algorithm", ALLOWED_HOSTS, "headerName"})
"""Of kinds that nobody describes: values that may stand in a log; to hide them would hide half of every line."""


def _texts(document: str) -> Iterator[str]:
    """The texts in a secret JSON document, each of which is sent by itself; names of headers are no secrets."""
    try:
        waiting: list[Json] = [loads(document)]
    except InvalidInput:
        return
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict):
            waiting += [value for name, value in found.items() if name != "name"]
        elif isinstance(found, list):
            waiting += found
        elif isinstance(found, str):
            yield found


class Vault:
    """Reads and writes values of stored credentials. `lock` keeps writers of one credential apart."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._found = False
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @contextlib.asynccontextmanager
    async def lock(self, credential_id: str) -> AsyncIterator[None]:
        """Nobody else changes this credential meanwhile, at no daemon of the store. Raises `StoreUnavailable`."""
        lock = self._locks.setdefault(credential_id, asyncio.Lock())
        lifetime = self._context.settings(CredentialSettings).token_timeout * 2 + _SPARE
        async with lock, leased(self._context.port(Memos), _LEASE, credential_id, lifetime, self._context.clock):
            yield

    async def ready(self) -> None:
        """Have the kinds found, off the event loop."""
        if not self._found:
            await asyncio.to_thread(self._context.extensions, CREDENTIAL_KINDS)
            self._found = True

    def kind(self, name: str) -> CredentialKind | None:
        return self._context.extensions(CREDENTIAL_KINDS).get(name)

    def is_secret(self, kind: str, field: str) -> bool:
        known = self.kind(kind)
        return field not in NOT_SECRET if known is None else known.secret(field)

    def open(self, credential: Credential) -> dict[str, str]:
        """The values. Raises ValueError when they were sealed with another key."""
        values: dict[str, str] = orjson.loads(self._context.secrets.open(credential.sealed))
        return values

    async def seal(self, kind: str, values: Mapping[str, str]) -> bytes:
        self.hide(kind, values)
        return await asyncio.to_thread(self._context.secrets.seal, orjson.dumps(dict(values)))

    def hide(self, kind: str, values: Mapping[str, str]) -> None:
        secrets = {
            name: value
            for name, value in values.items()
            if name != TOKENS and self.is_secret(kind, name) and not refers_to_secrets(value)
        }
        known = self.kind(kind)
        documents = [one.name for one in known.fields if one.type == "json"] if known is not None else []
        inside = [text for name in documents for text in _texts(secrets.get(name, ""))]
        self._context.secrets.redact(*secrets.values(), *inside)

    async def read(self, credential_id: str, kind: str | None = None) -> tuple[Credential, dict[str, str]]:
        """A stored credential and its values, from now on hidden in logs. kind: what the node expects. Raises
        `NodeError`."""
        await self.ready()
        try:
            stored = await self._context.store.credential(credential_id)
        except JackfieldError as exc:
            raise NodeError(f"The credential cannot be read: {exc.message}") from None
        if stored is None or (kind is not None and stored.kind != kind):
            wanted = f"of the kind {kind} " if kind else ""
            raise NodeError(f"The node's credential {wanted}does not exist any more; choose another one.")
        try:
            values = self.open(stored)
        except ValueError:
            raise NodeError(
                f"The credential '{stored.name}' was sealed with another encryption key; enter its values again."
            ) from None
        self.hide(stored.kind, values)
        return stored, values

    async def read_filled(self, credential_id: str, kind: str | None = None) -> tuple[Credential, dict[str, str]]:
        """The same with what references to external secrets stand for: to be used, never to be kept or shown. Raises
        `NodeError`."""
        stored, values = await self.read(credential_id, kind)
        if not any(refers_to_secrets(value) for value in values.values()):
            return stored, values
        filled = dict(await self._filled(stored, values))
        self.hide(stored.kind, filled)
        return stored, filled

    async def _filled(self, stored: Credential, values: Mapping[str, str]) -> Mapping[str, str]:
        """Sources are for the credential's own project, whoever it is shared with."""
        secrets, access = self._context.find_port(ExternalSecrets), self._context.find_port(ProjectAccess)
        if secrets is None:
            raise NodeError(f"The credential '{stored.name}' refers to $secrets, and the plugin secrets is not loaded.")
        try:
            project = SHARED if access is None else await access.project_of("credential", stored.id)
            return await secrets.filled(values, project)
        except SecretProblem as exc:
            raise NodeError(f"The credential '{stored.name}' lacks a secret. {exc.message}") from None
        except JackfieldError as exc:
            raise NodeError(f"The credential's project cannot be read: {exc.message}") from None

    async def keep_tokens(self, credential_id: str, tokens: OAuth2Tokens, renewed: OAuth2Tokens | None = None) -> None:
        """Put the tokens beside the values as they are now; call it with the lock held. `renewed`: those that they were
        made of. Where others stand now, the lease was lost to a writer whose tokens are newer, and stay. Raises
        `NodeError`."""
        for _ in range(TRIES):
            stored, values = await self.read(credential_id)
            if renewed is not None and read_tokens(values.get(TOKENS)) != renewed:
                return
            if await self._resealed(stored, {**values, TOKENS: tokens.dump()}, "token"):
                return
        raise NodeError("The credential's token cannot be kept: others change the credential all the time.")

    async def keep_values(self, credential_id: str, changed: Mapping[str, str]) -> None:
        """Change some of the fields; call it with the lock held. Raises `NodeError`."""
        for _ in range(TRIES):
            stored, values = await self.read(credential_id)
            if await self._resealed(stored, {**values, **changed}, "registration"):
                return
        raise NodeError("The credential's registration cannot be kept: others change the credential all the time.")

    async def _resealed(self, stored: Credential, values: Mapping[str, str], what: str) -> bool:
        """False: somebody else has changed it meanwhile. Raises `NodeError`."""
        sealed = await self.seal(stored.kind, values)
        try:
            return await self._context.store.reseal_credential(stored.id, stored.sealed, sealed)
        except JackfieldError as exc:
            raise NodeError(f"The credential's {what} cannot be kept: {exc.message}") from None
