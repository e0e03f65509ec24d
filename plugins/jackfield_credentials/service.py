"""The port `Credentials`, and what the plugin's parts share."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.context import PluginContext
from jackfield.api.credentials import ALLOWED_HOSTS, TOKENS, CredentialKind
from jackfield.api.http_client import Authorization
from jackfield.api.nodes import NodeError
from jackfield_credentials.accounts import ServiceAccounts
from jackfield_credentials.authorizations import authorization
from jackfield_credentials.flow import AuthorizationFlow
from jackfield_credentials.tokens import TokenKeeper
from jackfield_credentials.vault import Vault


def credentials(context: PluginContext) -> CredentialService:
    """The port is the part."""
    return context.port(CredentialService)


class CredentialService:
    """See `jackfield.api.credentials.Credentials`."""

    def __init__(self, context: PluginContext) -> None:
        self.vault = Vault(context)
        self.keeper = TokenKeeper(context, self.vault)
        self.accounts = ServiceAccounts(context)
        self.authorizing = AuthorizationFlow(context, self.keeper)

    async def values(self, credential_id: str, kind: str) -> Mapping[str, str]:
        _, values = await self.vault.read_filled(credential_id, kind)
        return self._complete(kind, values)

    async def authorization(self, credential_id: str, kind: str) -> Authorization:
        _, values = await self.vault.read_filled(credential_id, kind)
        return authorization(self._known(kind), self._complete(kind, values), credential_id, self.keeper, self.accounts)

    def _complete(self, kind: str, values: dict[str, str]) -> Mapping[str, str]:
        given = {name: value for name, value in values.items() if name != TOKENS}
        known = self.vault.kind(kind)
        return {ALLOWED_HOSTS: ""} | (given if known is None else known.complete(given))

    def _known(self, kind: str) -> CredentialKind:
        found = self.vault.kind(kind)
        if found is None:
            raise NodeError(
                f"Credentials of the kind {kind} are not available: no plugin and no description in nodes.d describes "
                "it. Use a generic kind such as httpHeaderAuth."
            )
        return found
