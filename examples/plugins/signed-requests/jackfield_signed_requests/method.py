"""`AuthMethod` with a scheme of its own."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence

from jackfield.api.auth import AuthMethod, AuthRequest, Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import AuthRequired, RateLimited
from jackfield_signed_requests.settings import SignedRequestsSettings, SigningKey
from jackfield_signed_requests.signing import SCHEME, signature

_FORM = re.compile(
    r"[^ ]+ key=(?P<key>[\w.-]{1,64}), time=(?P<time>[0-9]{1,12}), nonce=(?P<nonce>[0-9a-f]{16,64}), "
    r"signature=(?P<signature>[0-9a-f]{64})",
    re.ASCII,
)


class SignatureInvalid(AuthRequired):
    """The signature is not valid, or its time is over."""

    code = "SIGNATURE_INVALID"


class SignedRequests:
    """Each request is signed anew; a nonce counts once."""

    name = "signature"
    schemes: Sequence[str] = (SCHEME,)

    def __init__(self, context: PluginContext) -> None:
        self._clock = context.clock
        self._settings = context.settings(SignedRequestsSettings)
        self._seen: OrderedDict[tuple[str, str], float] = OrderedDict()
        """Key and nonce -> when the nonce may be forgotten, in the order of coming (Unix seconds)."""

    async def authenticate(self, request: AuthRequest) -> Principal | None:
        """See `jackfield.api.auth.AuthMethod`. What costs nothing is looked at first, and the body last."""
        if request.scheme() != SCHEME.lower():
            return None
        given = _FORM.fullmatch((request.header("authorization") or b"").decode("latin-1").strip())
        key = self._settings.keys.get(given["key"]) if given else None
        if given is None or key is None:
            raise SignatureInvalid
        if not request.passive:  # then it was verified when the connection was opened
            await self._verify(request, key, given.groupdict())
        # With another secret or role the connections of the former one end.
        version = hashlib.sha256(f"{key.role} {key.secret}".encode()).hexdigest()
        user = f"signature:{given['key']}"
        return Principal(user, given["key"], key.role, self.name, claims={"version": version})

    async def _verify(self, request: AuthRequest, key: SigningKey, given: Mapping[str, str]) -> None:
        now = self._clock.now_ms() / 1000
        if abs(now - int(given["time"])) > self._settings.window:
            raise SignatureInvalid("The signature's time is over, or this clock and yours differ.")
        made = signature(
            key.secret,
            request.method,
            request.raw_path,
            request.query,
            given["time"],
            given["nonce"],
            await request.body(),
        )
        if not hmac.compare_digest(made, given["signature"]):
            raise SignatureInvalid
        self._once((given["key"], given["nonce"]), now)

    def _once(self, used: tuple[str, str], now: float) -> None:
        """Only for verified requests: nobody else fills the memory. It refuses rather than forget one too early."""
        while self._seen and next(iter(self._seen.values())) < now:
            self._seen.popitem(last=False)
        if used in self._seen:
            raise SignatureInvalid("The request has come already.")
        if len(self._seen) >= self._settings.nonces:
            raise RateLimited(1, "Too many signed requests; see signed_requests.nonces.")
        self._seen[used] = now + 2 * self._settings.window


def methods(context: PluginContext) -> Sequence[AuthMethod]:
    """The hook."""
    return [SignedRequests(context)]
