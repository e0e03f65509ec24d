"""How a request proves to a provider who sends it: the last headers that it gets."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from jackfield.api.aws_signing import AwsKey, SignedScope, signature
from jackfield.api.dialects.model import DialectError
from jackfield_proxy.child.incoming import addressing
from jackfield_proxy.child.upstream.google_tokens import GoogleTokens

if TYPE_CHECKING:
    from jackfield_proxy.child.incoming.client_request import UpstreamRequest
    from jackfield_proxy.plan import ProxyLimits, Upstream


class ProviderLogins:
    """Shared by all requests."""

    def __init__(self) -> None:
        self._google = GoogleTokens()

    def tokens(self) -> list[str]:
        """The tokens that providers have been shown beside their keys."""
        return self._google.known()

    async def headers(
        self, upstream: Upstream, key: str, outgoing: UpstreamRequest, limits: ProxyLimits
    ) -> addressing.Pairs:
        """key: of the provider, empty where it has none. Raises `DialectError`."""
        if upstream.auth == "agent":
            return _of_agent(upstream, outgoing)
        if upstream.auth == "aws-sigv4":
            return _signed(upstream, key, outgoing)
        if upstream.auth == "google":
            return [("Authorization", f"Bearer {await self._google.token(key, limits.connect_timeout)}")]
        return addressing.credential(upstream, key) if key else []


def _signed(upstream: Upstream, key: str, outgoing: UpstreamRequest) -> addressing.Pairs:
    if not isinstance(outgoing.body, bytes):
        raise DialectError(501, f"Requests to {upstream.id} are signed whole, so that none of them can be streamed.")
    try:
        found = AwsKey.of(key)
    except ValueError as exc:
        message = f"The provider {upstream.id} wants signed requests: {exc}, stored for the provider or the profile."
        raise DialectError(401, message, "authentication_error") from None
    scope = SignedScope(upstream.region, upstream.service, datetime.now(UTC))
    return signature(found, scope, outgoing.method, outgoing.url, outgoing.headers, outgoing.body)


def _of_agent(upstream: Upstream, outgoing: UpstreamRequest) -> addressing.Pairs:
    """Its login is for its own vendor, so that it goes out with a request in the agent's own dialect alone."""
    if outgoing.translated:
        raise DialectError(
            400,
            f"The provider {upstream.id} is reached with the agent's own login, which goes with the agent's own "
            "dialect alone; choose another provider for this agent.",
            "invalid_request_error",
        )
    if not outgoing.login:
        raise DialectError(
            401,
            f"The provider {upstream.id} is reached with the agent's own login, and the agent sends none; log in with "
            "the agent.",
            "authentication_error",
        )
    return [*outgoing.login]
