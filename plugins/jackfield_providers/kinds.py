"""The kinds of manifests that this plugin reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jackfield.api.manifests import ManifestKind

if TYPE_CHECKING:
    from jackfield.api.providers import Provider
    from jackfield_providers.dialect_manifests import DialectManifest

PROVIDERS: ManifestKind[Provider] = ManifestKind("providers", "jackfield.api.providers:Provider")
DIALECTS: ManifestKind[DialectManifest] = ManifestKind(
    "dialects", "jackfield_providers.dialect_manifests:DialectManifest"
)
KINDS = [PROVIDERS, DIALECTS]
