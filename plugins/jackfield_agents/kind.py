"""The kind of manifests that this plugin reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jackfield.api.manifests import ManifestKind

if TYPE_CHECKING:
    from jackfield.api.agents import Agent

AGENTS: ManifestKind[Agent] = ManifestKind("agents", "jackfield.api.agents:Agent")
KINDS = [AGENTS]
