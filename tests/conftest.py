"""For every test."""

from __future__ import annotations

import gc
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

# How fast the machine is, and what else it does, is not what these tests are about.
settings.register_profile("unhurried", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Names byte strings by their length: a compressed one holds the time, and the workers must agree on names."""
    return f"{argname}-{len(val)}-bytes" if isinstance(val, bytes) else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing that is collected is garbage. While 20,000 tests come in, looking for some takes a fifth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()  # no test's garbage is among what was collected
        gc.enable()
