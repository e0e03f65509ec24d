"""One server of Temporal for all tests here."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jackfield.testing.temporal import NoTemporalServer, TemporalServer, temporal_server


@pytest.fixture(scope="session")
def temporal() -> Iterator[TemporalServer]:
    try:
        with temporal_server() as server:
            yield server
    except NoTemporalServer as exc:
        pytest.skip(str(exc))
