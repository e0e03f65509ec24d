"""The holders of a credential, who ask a service with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from jackfield.api.http_client import Authorization


class CredentialHolder(Protocol):
    """The node that asks: `NodeRun` or `AttachedNode`."""

    async def credential(self, kind: str) -> Mapping[str, str]: ...

    async def authorization(self, kind: str) -> Authorization: ...
