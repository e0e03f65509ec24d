"""What the real server refuses."""

from __future__ import annotations

import pytest

from jackfield.testing.temporal import TemporalServer
from jackfield_engine_temporal.settings import TemporalSettings


async def test_a_namespace_that_is_missing_is_named_with_the_remedy(temporal: TemporalServer) -> None:
    from jackfield_engine_temporal.connection import NoTemporal, connect

    with pytest.raises(NoTemporal, match=r"no namespace 'nowhere'.*namespace create"):
        await connect(TemporalSettings(address=temporal.address, namespace="nowhere"))


async def test_a_server_without_tls_is_told_from_one_with_it(temporal: TemporalServer) -> None:
    from jackfield_engine_temporal.connection import NoTemporal, connect

    with pytest.raises(NoTemporal, match=r"does not answer.*engine\.temporal\.tls"):
        await connect(TemporalSettings(address=temporal.address, tls=True, timeout=3))
