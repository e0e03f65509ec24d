"""Every write to a credential through the API."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.context import PluginContext
from jackfield.api.credentials import ALLOWED_HOSTS, TOKENS, CredentialKind, Probe
from jackfield.api.errors import Conflict, InvalidInput, NotFound
from jackfield.api.ids import is_uuid, new_id
from jackfield.api.records import replace
from jackfield.api.secret_sources import ExternalSecrets
from jackfield.api.storage import Credential
from jackfield_credentials.checks import check
from jackfield_credentials.service import CredentialService
from jackfield_credentials.testing import CredentialTestResult, tried
from jackfield_credentials.vault import TRIES, Vault

_KEEPS_TOKENS = frozenset({ALLOWED_HOSTS, "authQueryParameters", TOKENS})
"""Fields whose change leaves the tokens good."""


class CredentialChanges:
    """Checks, seals and stores."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @property
    def vault(self) -> Vault:
        return self._context.port(CredentialService).vault

    async def find(self, credential_id: str) -> Credential:
        """Raises `NotFound`."""
        await self.vault.ready()
        found = await self._context.store.credential(known_id(credential_id))
        if found is None:
            raise _unknown()
        return found

    async def kind(self, name: str, word: str) -> CredentialKind:
        """word: how the caller's API names kinds. Raises `NotFound`."""
        await self.vault.ready()
        found = self.vault.kind(name)
        if found is None:
            raise NotFound(f"There is no such {word} of credentials.")
        return found

    async def test(self, credential_id: str, probe: Probe | None) -> CredentialTestResult:
        """Raises `NotFound`."""
        stored = await self.find(credential_id)
        return await tried(self._context, self._context.port(CredentialService), stored.id, stored.kind, probe)

    def values(self, stored: Credential) -> Mapping[str, str]:
        """Its values, tokens among them; none when they cannot be opened."""
        try:
            return self.vault.open(stored)
        except ValueError:
            return {}

    async def create(self, name: str, kind: str, values: Mapping[str, str]) -> Credential:
        """Raises `InvalidInput`."""
        await self.vault.ready()
        self._check(kind, values)
        now = self._context.clock.now_ms()
        credential = Credential(new_id(), name, kind, await self.vault.seal(kind, values), now, now)
        await self._context.store.add_credential(credential)
        self._publish("credential.saved", credential.id)
        return credential

    async def change(self, credential_id: str, name: str | None, values: Mapping[str, str] | None) -> Credential:
        """values: all of them, in place of the current ones. Raises `NotFound`, `InvalidInput`."""
        async with self.vault.lock(credential_id):
            changed = await self._change(credential_id, name, values)
        self._publish("credential.saved", changed.id)
        return changed

    async def _change(self, credential_id: str, name: str | None, values: Mapping[str, str] | None) -> Credential:
        """Made anew when the lease was lost to somebody who has kept tokens meanwhile. Raises `Conflict` when that
        happens again and again."""
        for last in range(TRIES - 1, -1, -1):
            present = await self.find(credential_id)
            sealed = present.sealed
            if values is not None:
                self._check(present.kind, values)
                sealed = await self.vault.seal(present.kind, self._with_tokens(present, values))
            changed = replace(
                present, name=name or present.name, sealed=sealed, updated_at=self._context.clock.now_ms()
            )
            try:
                await self._context.store.put_credential(changed, present)
            except Conflict:
                if not last:
                    raise
            else:
                break
        return changed

    def _check(self, kind: str, values: Mapping[str, str]) -> None:
        """Raises `InvalidInput`."""
        check(self.vault.kind(kind), values)
        secrets = self._context.find_port(ExternalSecrets)
        if secrets is not None:
            problems = ((name, secrets.problem(value)) for name, value in values.items())
            if found := {f"values.{name}": problem for name, problem in problems if problem}:
                raise InvalidInput("The credential's values do not fit its kind.", details=found)

    def _with_tokens(self, present: Credential, values: Mapping[str, str]) -> Mapping[str, str]:
        """The tokens stay unless what they were given for has changed."""
        old = self.values(present)
        changed = {name for name in old.keys() | values.keys() if old.get(name) != values.get(name)}
        return values if TOKENS not in old or changed - _KEEPS_TOKENS else {**values, TOKENS: old[TOKENS]}

    async def delete(self, credential_id: str) -> None:
        """Raises `NotFound`."""
        async with self.vault.lock(known_id(credential_id)):
            if not await self._context.store.delete_credential(credential_id):
                raise _unknown()
        self._publish("credential.deleted", credential_id)

    def _publish(self, type: str, credential_id: str) -> None:
        self._context.events.publish("credentials", type, {"id": credential_id})


def keep_kind(present: Credential, kind: str, word: str) -> None:
    """word: how the caller's API names kinds. Raises `InvalidInput` for another one than the credential has."""
    if kind != present.kind:
        details = {word: f"this credential is of the {word} {present.kind}; create another one"}
        raise InvalidInput(f"A credential keeps its {word}.", details=details)


def known_id(text: str) -> str:
    """The id, if it can be one at all. Raises `NotFound`: what is no UUID was never given out."""
    if len(text) > 64 or not is_uuid(text):
        raise _unknown()
    return text


def _unknown() -> NotFound:
    return NotFound("There is no credential with this id.")
