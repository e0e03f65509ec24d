"""Keys that stand for what a node run does, so that a service may notice a repetition."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence

_NAMESPACE = uuid.UUID("6f1f3c0a-5a53-4d1c-9a55-3d6a4a1f6b70")
"""Drawn once; every version has the same, so that a key outlives an update in the middle of a node run."""


def derived_key(parts: Sequence[str | int]) -> str:
    """A UUID that is the same for the same parts, and for no others. Source: RFC 9562, version 5."""
    return str(uuid.uuid5(_NAMESPACE, json.dumps(list(parts))))
