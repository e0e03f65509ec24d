"""The registrations of triggers in the store."""

from __future__ import annotations

from .records import record


@record
class Registration:
    """One thing that a trigger node registers. For webhooks: a method and a path.

    `pattern`: the normalised key that may be live only once per kind and method; empty: nobody else is kept from it.
    `path`: as shown, with its leading slash.
    """

    node_id: str
    node_name: str
    kind: str
    method: str
    path: str
    pattern: str
    authentication: str = "none"
