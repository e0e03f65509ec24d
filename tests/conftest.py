"""For every test."""

from __future__ import annotations

import pytest


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Names byte strings by their length: a compressed one holds the time, and the workers must agree on names."""
    return f"{argname}-{len(val)}-bytes" if isinstance(val, bytes) else None
