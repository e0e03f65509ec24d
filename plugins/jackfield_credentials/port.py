"""What the plugin gives at the start. The parts behind it are loaded when a credential is used first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.asgi import AsgiMount, Receive, Scope, Send
from jackfield.api.context import PluginContext
from jackfield.api.http_client import Authorization

CALLBACK = "/rest/oauth2-credential/callback"
"""n8n's path, so that clients that are registered for n8n need only another host."""


class CredentialPort:
    """See `jackfield.api.credentials.Credentials`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def values(self, credential_id: str, kind: str) -> Mapping[str, str]:
        from jackfield_credentials.service import CredentialService

        return await self._context.port(CredentialService).values(credential_id, kind)

    async def authorization(self, credential_id: str, kind: str) -> Authorization:
        from jackfield_credentials.service import CredentialService

        return await self._context.port(CredentialService).authorization(credential_id, kind)


class _Mounted:
    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from jackfield_credentials.callback import Callback

        await Callback(self._context)(scope, receive, send)


def mounts(context: PluginContext) -> Sequence[AsgiMount]:
    """Public: the caller is a browser on its way back from the provider."""
    return [AsgiMount(CALLBACK.split("/")[1], _Mounted(context), "public")]
