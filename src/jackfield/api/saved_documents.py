"""The port to saved workflows for those who write several of them: every check and every trigger as in the API."""

from __future__ import annotations

from collections.abc import Sequence
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
        """A new version, unless the current one is the same.

        Raises `InvalidInput`, `NotFound`, `Conflict`, `RouteConflict`; then nothing changed.
        """

    async def set_active(self, workflow_id: str, active: bool, author: Principal) -> StoredWorkflow:
        """Go live or stop being live. Raises `InvalidInput` with what a trigger misses, `RouteConflict`, `NotFound`."""

    async def delete(self, workflow_id: str, author: Principal) -> None:
        """With its triggers; it stops being live. Raises `NotFound`."""

    async def put_into(self, workflow_id: str, path: Sequence[str]) -> None:
        """Into the folder of these names, from the top; those that are missing are made. No names: out of all. Raises
        `InvalidInput` for a path too deep, `Conflict` when there are too many folders, `NotFound`."""

    async def folder_path(self, workflow_id: str) -> Sequence[str]:
        """Names of the folders that it is in, from the top. Raises `NotFound`."""

    async def shown(self, workflow_id: str) -> Document:
        """As `GET /api/v1/workflows/{id}` shows it, without secrets. Raises `NotFound`."""
