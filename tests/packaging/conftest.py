"""`--distributions DIR`: where `tox -e packaging` has built wheel and sdist."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--distributions", type=Path, help="directory with the built wheel and sdist")


@pytest.fixture(scope="session")
def distributions(request: pytest.FixtureRequest) -> Path:
    found: Path | None = request.config.getoption("--distributions", default=None)
    if found is None:
        pytest.skip("only with --distributions, as `tox -e packaging` gives it")
    return found
