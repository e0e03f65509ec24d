"""How a request fails before there is an answer to read."""

from __future__ import annotations


class NoConnection(Exception):
    """Nothing was sent; `str`: why."""


class ConnectTimedOut(Exception):
    """No address answered in time."""


class ProxyFailed(Exception):
    """The proxy gives no tunnel; `str`: why."""


class BrokenOff(Exception):
    """The exchange had begun; `str`: how it ended."""


class UnsendableRequest(Exception):
    """The request cannot be sent as it is."""
