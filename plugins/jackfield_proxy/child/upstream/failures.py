"""The meaning of a provider's failures: whether another try, or another target, may serve the request."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from jackfield.api.dialects.model import DialectError
from jackfield_proxy.child.incoming.addressing import Pairs
from jackfield_proxy.child.upstream.concealing import Concealer
from jackfield_proxy.routing.choosing import Candidate

RETRIED = frozenset({408, 409, 429})
"""Statuses under 500 after which the same request may succeed."""
_OF_THE_REQUEST = frozenset({400, 413, 422})
"""Statuses that say something of the request. Every other one says something of the provider: another may serve it."""
_KINDS_OF_PROVIDER = frozenset({
    "authentication_error", "billing_error", "not_found_error", "overloaded_error", "permission_error",
    "rate_limit_error",
})  # fmt: skip
_CODES_OF_PROVIDER = frozenset({
    "insufficient_quota", "invalid_api_key", "model_not_found", "rate_limit_exceeded", "server_is_overloaded",
})  # fmt: skip
_CODES_OF_ACCOUNT = frozenset({"insufficient_quota", "invalid_api_key"})
_SAID_OF_PROVIDER = re.compile(
    r"credit balance is too low|insufficient (?:balance|credits|quota)"
    r"|api[ _]key (?:is )?(?:not valid|not found|invalid|expired)",
    re.IGNORECASE,
).search
"""Anthropic and Google say with 400 that an account has no credit, or that its key does not count."""
_LASTING = frozenset({401, 402, 403, 404})
_LASTING_KINDS = frozenset({"authentication_error", "billing_error", "permission_error", "not_found_error"})
_LASTING_CODES = frozenset({"insufficient_quota", "invalid_api_key", "model_not_found"})


class UpstreamFailure(Exception):
    """A provider did not serve a request, and nothing of its answer has reached the client.

    `again`: the same may work later. `elsewhere`: another target may serve it. `answer`: status, headers and body for a
    client of the provider's dialect, None when there was none. `cooling`: counts against the target. `attempts`: how
    often the request was sent, the last time to `candidate`. `of_account`: it speaks of the key or its account.
    `other_key`: the provider has another key, which may serve. `may_cost`: the provider has the request, and may charge
    for an answer that nobody gets.
    """

    def __init__(
        self,
        error: DialectError,
        *,
        again: bool = False,
        elsewhere: bool = False,
        cooling: bool = False,
        answer: tuple[int, Pairs, bytes] | None = None,
    ) -> None:
        super().__init__(error.message)
        self.attempts = 1
        self.of_account = self.other_key = self.may_cost = False
        self.candidate: Candidate | None = None
        self.error, self.again, self.elsewhere, self.cooling, self.answer = error, again, elsewhere, cooling, answer

    def conceal(self, concealer: Concealer) -> None:
        """No credential of the provider stays in its words."""
        self.error.message = concealer.text(self.error.message)
        if self.answer is not None:
            status, headers, body = self.answer
            self.answer = status, concealer.pairs(headers), concealer.body(body)

    @property
    def is_answer(self) -> bool:
        """The provider was asked, and has answered or failed."""
        return self.cooling or self.answer is not None


def refused(
    error: DialectError, status: int, headers: Mapping[str, str], body: bytes, pairs: Sequence[tuple[str, str]]
) -> UpstreamFailure:
    """status, headers: of the provider's answer."""
    error.lasting = _is_lasting(error, status) or headers.get("x-should-retry", "").lower() == "false"
    again = (status in RETRIED or status >= 500) and not error.lasting
    of_provider = _is_of_provider(error, status)
    made = UpstreamFailure(
        error,
        again=again,
        elsewhere=of_provider,
        cooling=of_provider and status != 409,
        answer=(status, [*pairs], body),
    )
    made.of_account = error.code in _CODES_OF_ACCOUNT or _SAID_OF_PROVIDER(error.message) is not None
    return made


def broken(error: DialectError) -> UpstreamFailure:
    """An answer that had begun, of which the client has nothing yet."""
    of_provider = _is_of_provider(error, error.status)
    return UpstreamFailure(error, elsewhere=of_provider, cooling=of_provider)


def _is_of_provider(error: DialectError, status: int) -> bool:
    if status not in _OF_THE_REQUEST:
        return True
    known = error.kind in _KINDS_OF_PROVIDER or error.code in _CODES_OF_PROVIDER
    return known or _SAID_OF_PROVIDER(error.message) is not None


def _is_lasting(error: DialectError, status: int) -> bool:
    """No other answer is to be expected until somebody changes a key, an account or a profile. Agents would ask again
    for minutes, Claude Code after a 401 ten times."""
    known = status in _LASTING or error.kind in _LASTING_KINDS or error.code in _LASTING_CODES
    return known or _SAID_OF_PROVIDER(error.message) is not None


def unreachable(provider: str, reason: str, *, lasting: bool = False) -> UpstreamFailure:
    """lasting: nobody listens there, or the name is unknown.

    The proxy asks again, as often as its settings say, and its client must not do so too.
    """
    error = DialectError(502, f"The provider {provider} cannot be reached: {reason}.", lasting=lasting)
    return UpstreamFailure(error, again=True, elsewhere=True, cooling=True)


def silent(provider: str, seconds: float) -> UpstreamFailure:
    error = DialectError(504, f"The provider {provider} did not answer within {seconds:g} s.", "timeout_error")
    made = UpstreamFailure(error, again=False, elsewhere=True, cooling=True)
    made.may_cost = True
    return made


def cut_off(provider: str, reason: str) -> UpstreamFailure:
    """Its answer had begun, and has ended before there was any content."""
    made = unreachable(provider, reason)
    made.may_cost = True
    return made
