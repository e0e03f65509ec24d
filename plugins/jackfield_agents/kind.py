"""The kind of manifests that this plugin reads."""

from __future__ import annotations

from jackfield.api.agents import Agent
from jackfield.api.manifests import ManifestKind

AGENTS = ManifestKind("agents", Agent)
KINDS = [AGENTS]
