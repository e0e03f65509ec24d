"""Facts in memory."""

from __future__ import annotations

from ...api.records import replace
from .tables import MemoryTables


class MemoryFacts(MemoryTables):
    """Part of `MemoryStore`."""

    async def fact(self, name: str) -> str | None:
        self._answer()
        return self._facts.get(name)

    async def change_fact(self, name: str, before: str | None, text: str) -> bool:
        self._answer()
        if self._facts.get(name) != before:
            return False
        self._facts[name] = text
        return True

    async def reseal_credential(self, credential_id: str, before: bytes, sealed: bytes) -> bool:
        self._answer()
        found = self._credentials.get(credential_id)
        if found is None or found.sealed != before:
            return False
        self._credentials[credential_id] = replace(found, sealed=sealed)
        return True
