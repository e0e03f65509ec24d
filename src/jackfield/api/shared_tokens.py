"""Tokens that daemons of one store accept."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class SharedTokens(Protocol):
    """A store that is not exclusive (`OwnershipStore.exclusive`) and tells whether another daemon has revoked a token.
    Without it a daemon hears of that at its restart."""

    async def is_token_revoked(self, token_id: str) -> bool:
        """As it was committed last, by whichever daemon (`UserStore.revoke_token`). Asked with every request that has a
        token, so it reads one row at most. Raises `StoreUnavailable`."""
