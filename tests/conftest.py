"""For every test."""

from __future__ import annotations

import gc

import pytest
from hypothesis import HealthCheck, settings

# How fast the machine is, and what else it does, is not what these tests are about.
settings.register_profile("unhurried", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Names byte strings by their length: a compressed one holds the time, and the workers must agree on names."""
    return f"{argname}-{len(val)}-bytes" if isinstance(val, bytes) else None


def pytest_sessionstart() -> None:
    """Nothing that is collected is garbage. While 20,000 tests come in, looking for some takes a fifth of the time."""
    gc.disable()


def pytest_collection_finish() -> None:
    """And no test's garbage is among them."""
    gc.freeze()
    gc.enable()
