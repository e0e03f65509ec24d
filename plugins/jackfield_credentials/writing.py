"""The port `CredentialWriter`: credentials that come from elsewhere with their own values making."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.context import PluginContext
from jackfield.api.credentials import ALLOWED_HOSTS, TOKENS, CredentialValues, OAuth2
from jackfield.api.errors import Conflict
from jackfield.api.records import replace
from jackfield.api.storage import Credential
from jackfield_credentials.checks import problems
from jackfield_credentials.grants import OAuth2Tokens
from jackfield_credentials.service import CredentialService
from jackfield_credentials.vault import TRIES, Vault


class SealingWriter:
    """See `jackfield.api.credentials.CredentialWriter`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @property
    def _vault(self) -> Vault:
        return self._context.port(CredentialService).vault

    async def fitted(self, credential: CredentialValues) -> tuple[CredentialValues, Mapping[str, str]]:
        await self._vault.ready()
        kind = self._vault.kind(credential.kind)
        if kind is None:
            return credential, {}
        known = {field.name for field in kind.fields} | {ALLOWED_HOSTS}
        kept = {name: value for name, value in credential.values.items() if name in known}
        found = problems(kind, kept)
        for name in credential.values.keys() - known:
            if credential.values[name]:
                found[f"values.{name}"] = (
                    f"credentials of the kind {kind.name} have no such field here; it was left out"
                )
        if isinstance(kind.scheme, OAuth2) and not _tokens(credential.tokens) and not _grants_itself(kept):
            found["values"] = "it is not connected to its provider; connect it here"
        return replace(credential, values=kept), found

    async def put(self, credential: CredentialValues) -> None:
        """Raises `Conflict`, also when others change the credential again and again."""
        vault = self._vault
        await vault.ready()
        values = dict(credential.values)
        if tokens := _tokens(credential.tokens):
            values[TOKENS] = tokens.dump()
        sealed = await vault.seal(credential.kind, values)
        async with vault.lock(credential.id):
            for last in range(TRIES - 1, -1, -1):
                try:
                    await self._write(credential, sealed)
                except _Changed as exc:
                    if not last:
                        raise exc.conflict from None
                else:
                    break

    async def _write(self, credential: CredentialValues, sealed: bytes) -> None:
        """In place of what stands there now. Raises `Conflict` for another kind, `_Changed` when the lease was lost to
        somebody who has changed it meanwhile."""
        store, now = self._context.store, self._context.clock.now_ms()
        present = await store.credential(credential.id)
        if present is not None and present.kind != credential.kind:
            raise Conflict(f"The credential with this id is of the kind {present.kind}.")
        created = now if present is None else present.created_at
        made = Credential(credential.id, credential.name, credential.kind, sealed, created, now)
        try:
            await (store.add_credential(made) if present is None else store.put_credential(made, present))
        except Conflict as exc:
            raise _Changed(exc) from None


class _Changed(Exception):
    """It is not any more as it was read."""

    def __init__(self, conflict: Conflict) -> None:
        super().__init__()
        self.conflict = conflict


def _tokens(given: Mapping[str, object]) -> OAuth2Tokens | None:
    """As far as they can be used: n8n keeps no time of expiry, so that the first refusal renews them."""
    access, refresh = given.get("access_token"), given.get("refresh_token")
    if not isinstance(access, str) or not access:
        return None
    return OAuth2Tokens(access, refresh if isinstance(refresh, str) else "")


def _grants_itself(values: Mapping[str, str]) -> bool:
    return values.get("grantType") == "clientCredentials"
