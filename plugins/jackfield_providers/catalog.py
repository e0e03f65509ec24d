"""`jackfield.api.providers.Providers` over manifests."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import NotFound
from jackfield.api.manifests import ManifestLibraries
from jackfield.api.providers import Dialect, DialectName, Provider
from jackfield.api.similar_names import did_you_mean
from jackfield_providers.kinds import DIALECTS, PROVIDERS


class ProviderCatalog:
    """Every provider that a manifest describes."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._dialects: Mapping[str, Dialect] = {}

    async def all(self) -> Mapping[str, Provider]:
        providers, dialects = await asyncio.gather(
            self._context.port(ManifestLibraries).of(PROVIDERS).all(),
            self._context.port(ManifestLibraries).of(DIALECTS).all(),
        )
        self._dialects = {name: found.dialect for name, found in dialects.items()}
        return providers

    async def find(self, id: str) -> Provider:
        providers = await self.all()
        if id not in providers:
            known = ", ".join(providers)
            hint = did_you_mean(id, providers)
            raise NotFound(f"There is no provider {id}; there are: {known}{hint}", code="PROVIDER_NOT_FOUND")
        return providers[id]

    def dialect(self, name: DialectName) -> Dialect:
        """As of the last `all` or `find`. Raises LookupError before the first: nothing is read on the event loop."""
        if name not in self._dialects:
            raise LookupError(f"the dialect {name} is not known; ask for a provider first")
        return self._dialects[name]

    def warnings(self) -> Sequence[str]:
        manifests = self._context.port(ManifestLibraries)
        return [*manifests.of(PROVIDERS).warnings(), *manifests.of(DIALECTS).warnings()]
