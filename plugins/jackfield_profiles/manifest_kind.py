"""The kind of manifests that templates of profiles are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jackfield.api.manifests import ManifestKind

if TYPE_CHECKING:
    from jackfield_profiles.template_manifests import ProfileTemplate

TEMPLATES: ManifestKind[ProfileTemplate] = ManifestKind(
    "templates", "jackfield_profiles.template_manifests:ProfileTemplate"
)
KINDS = [TEMPLATES]
