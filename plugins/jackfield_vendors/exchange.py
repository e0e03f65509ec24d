"""One node run's way to its service: the guarded client with the node's credential."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.http_client import Authorization, HttpCall, HttpReply
from jackfield.api.nodes import NodeRun
from jackfield.api.records import record, replace


@record
class Exchange:
    """values: the credential's fields, for services that want them in the address; secrets: those that must not be
    shown."""

    context: PluginContext
    authorization: Authorization | None
    values: Mapping[str, str]
    secrets: Sequence[str] = ()

    async def send(self, call: HttpCall) -> HttpReply:
        """Raises `NodeError`."""
        return await self.context.http.send(replace(call, secrets=self.secrets), self.authorization)


async def authorized(context: PluginContext, run: NodeRun, kind: str) -> Exchange:
    """kind: empty for a service that wants no credential. Raises `NodeError`."""
    if not kind:
        return Exchange(context, None, {})
    authorization = await run.authorization(kind)
    known = context.credential_kinds.get(kind)
    values = await run.credential(kind)
    complete = dict(values) if known is None else known.complete(values)
    secrets = [value for name, value in complete.items() if value and known is not None and known.secret(name)]
    return Exchange(context, authorization, complete, secrets)
