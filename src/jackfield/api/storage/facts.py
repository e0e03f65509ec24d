"""Facts of a store: the few short texts that hold for the store itself and for every daemon that uses it.

One is the fingerprint of the key that seals its secrets.
"""

from __future__ import annotations

from typing import Protocol


class FactStore(Protocol):
    """The part of the store port for facts, and for values that are sealed anew.

    `name`: 1 to 100 characters of a to z, digits and hyphens. `text`: at most 100,000 characters.
    """

    async def fact(self, name: str) -> str | None:
        """None: there is no such fact. As it was committed last, by whichever daemon."""

    async def change_fact(self, name: str, before: str | None, text: str) -> bool:
        """Set the fact if it is still `before`; None: if there is none yet. Of many at once, from several daemons too,
        one gets True; False: it was another, and nothing changed."""

    async def reseal_credential(self, credential_id: str, before: bytes, sealed: bytes) -> bool:
        """Replace the sealed values of this credential if they are still `before`, and change nothing else of it.
        False: they were changed meanwhile, or it is gone, and nothing changed."""
