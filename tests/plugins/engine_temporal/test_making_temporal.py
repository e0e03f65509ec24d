"""What is said where Temporal's library or its settings are missing; `tests/temporal` has the rest, with its server."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from jackfield.api.errors import ConfigurationError
from jackfield.testing.context import FakeContext
from jackfield.testing.daemon import HOST, free_port
from jackfield_engine_temporal.making import temporal_engine
from jackfield_engine_temporal.settings import TemporalSettings

SECRET = "correct-horse-battery"


def test_without_the_library_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.startswith("jackfield_engine_temporal.engine")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "temporalio", None)
    monkeypatch.setitem(sys.modules, "jackfield_engine_temporal.connection", None)
    with pytest.raises(ConfigurationError, match=r"jackfield\[temporal\].*engine\.name"):
        temporal_engine(FakeContext(tmp_path))


@pytest.mark.parametrize("given", ["cert_file", "key_file"])
def test_half_a_pair_of_files_is_refused(tmp_path: Path, given: str) -> None:
    settings = TemporalSettings(**{given: "/somewhere.pem"})
    with pytest.raises(ConfigurationError, match=r"cert_file.*key_file.*both"):
        temporal_engine(FakeContext(tmp_path, tables=[settings]))


def test_a_key_for_the_server_is_hidden(tmp_path: Path) -> None:
    pytest.importorskip("temporalio")
    context = FakeContext(tmp_path, tables=[TemporalSettings(api_key=SECRET)])
    temporal_engine(context)
    assert SECRET in context.secrets.redacted


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, r"does not answer.*engine\.temporal\.address"),
        ({"ca_file": "/not/there.pem"}, r"/not/there\.pem cannot be read"),
    ],
)
async def test_a_server_that_cannot_be_used_is_named_with_the_remedy(settings: dict[str, str], said: str) -> None:
    pytest.importorskip("temporalio")
    from jackfield_engine_temporal.connection import NoTemporal, connect

    wanted = TemporalSettings(address=f"{HOST}:{free_port()}", timeout=2.0, api_key="", **settings)  # type: ignore[arg-type]
    with pytest.raises(NoTemporal, match=said):
        await connect(wanted)
