"""A node's way to its service: the guarded client with the node's credential."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from urllib.parse import quote_plus

from jackfield.api.context import PluginContext
from jackfield.api.credentials import CREDENTIAL_KINDS
from jackfield.api.http_client import Authorization, HttpCall, HttpClient, HttpReply
from jackfield.api.jsontext import dumps
from jackfield.api.nodes.lists import CredentialAccess
from jackfield.api.records import record, replace


@record
class ServiceExchange:
    """`values`: the credential's fields, for services that want them in the address. `secrets`: those that must not be
    shown. `check`: looks at each answer first, and raises `NodeError` for an answer that is none.
    """

    context: PluginContext
    authorization: Authorization | None
    values: Mapping[str, str]
    secrets: Sequence[str] = ()
    check: Callable[[HttpReply], None] | None = None

    async def send(self, call: HttpCall) -> HttpReply:
        """Raises `NodeError`."""
        made = replace(call, secrets=self.secrets, secret_body=call.secret_body or secret_in(call, self.secrets))
        reply = await self.context.port(HttpClient).send(made, self.authorization)
        if self.check is not None:
            self.check(reply)
        return reply


def secret_in(call: HttpCall, secrets: Sequence[str]) -> bool:
    """Whether the body, unless it is a stream, holds a secret, as services want it that log in with a separate
    request.
    """
    content = (call.body.whole if call.body is not None and secrets else None) or b""
    forms = (form for one in secrets for form in (one.encode(), dumps(one)[1:-1], quote_plus(one).encode()))
    return bool(content) and any(form in content for form in forms)


async def authorized(context: PluginContext, access: CredentialAccess, kind: str) -> ServiceExchange:
    """kind: empty for a service that wants no credential. Raises `NodeError`."""
    if not kind:
        return ServiceExchange(context, None, {})
    authorization = await access.authorization(kind)
    known = context.extensions(CREDENTIAL_KINDS).get(kind)
    values = await access.credential(kind)
    complete = dict(values) if known is None else known.complete(values)
    secrets = [value for name, value in complete.items() if value and known is not None and known.secret(name)]
    return ServiceExchange(context, authorization, complete, secrets)
