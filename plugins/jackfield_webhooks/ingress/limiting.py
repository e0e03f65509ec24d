"""How many calls of a webhook pass from one address, at all daemons of a store together."""

from __future__ import annotations

from jackfield.api.limits import SlidingWindow
from jackfield_webhooks.ingress.shares import CallShares


class CallLimit:
    """Calls that have passed here count exactly, and those that have passed elsewhere as far as this daemon has heard.

    So a burst at several daemons lets through more than the limit: what comes within one exchange.
    """

    def __init__(self, own: SlidingWindow, shares: CallShares | None) -> None:
        """shares: None: no other daemon has this store."""
        self._own = own
        self._shares = shares

    def hit(self, key: str) -> float | None:
        """As `SlidingWindow.hit`."""
        if self._shares is None:
            return self._own.hit(key)
        retry = self._own.hit(key, self._shares.elsewhere(key))
        if retry is None:
            self._shares.add(key)
        return retry
