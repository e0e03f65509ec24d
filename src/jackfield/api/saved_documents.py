"""The port to saved workflows for those who write several of them: every check and every trigger as in the API."""

from __future__ import annotations

from typing import Protocol

from .auth import Principal
from .jsontext import Json
from .storage import StoredWorkflow
from .workflows import Document


class SavedDocuments(Protocol):
    """Writes to one workflow run one after another. author: who asks, whose name a version keeps. Methods that write
    raise `AccessDenied` for a node whose scopes the author lacks."""

    async def create(self, document: Json, author: Principal, *, id: str) -> StoredWorkflow:
        """A new, inactive workflow under this id. Raises `InvalidInput`, `Conflict` when the id is taken."""

    async def replace(self, workflow_id: str, document: Json, author: Principal) -> StoredWorkflow:
        """A new version, unless the present one is the same. Raises `InvalidInput`, `NotFound`, `Conflict`,
        `RouteConflict`; then nothing changed."""

    async def set_active(self, workflow_id: str, active: bool, author: Principal) -> StoredWorkflow:
        """Go live or stop being live. Raises `InvalidInput` with what a trigger misses, `RouteConflict`, `NotFound`."""

    async def shown(self, workflow_id: str) -> Document:
        """As `GET /api/v1/workflows/{id}` shows it, without secrets. Raises `NotFound`."""
