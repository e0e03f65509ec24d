"""The registrations of triggers, as the store holds them."""

from __future__ import annotations

from collections.abc import Sequence

from ..storage import Store, Webhook

_PAGE = 1000


async def registered(
    store: Store, kind: str | Sequence[str], workflow_id: str | None, *, active: bool | None
) -> list[Webhook]:
    """All registrations of these kinds, of one workflow or of all, newest first.

    `active`: only those that are live or only those that are not; None: both. Raises `StoreUnavailable`.
    """
    rows: list[Webhook] = []
    while True:
        page = await store.webhooks(offset=len(rows), limit=_PAGE, active=active, workflow_id=workflow_id, kind=kind)
        rows.extend(page.rows)
        if len(page.rows) < _PAGE:
            return rows
