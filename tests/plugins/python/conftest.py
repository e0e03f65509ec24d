from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from jackfield.api.scripts import ScriptData, ScriptResult
from jackfield_python.engine import PythonEngine
from jackfield_python.settings import PythonSettings
from jackfield_workers.pool import SharedWorkerPool

ITEMS: list[Any] = [{"json": {"name": "Ada", "tags": ["a", {"deep": 1}]}}, {"json": {"name": "Bob"}}]


@pytest.fixture
async def make_engine() -> AsyncIterator[Callable[..., PythonEngine]]:
    """Makes engines with these settings, and closes them."""
    made: list[PythonEngine] = []

    def make(**settings: Any) -> PythonEngine:
        made.append(PythonEngine(PythonSettings(**{"workers": 1, **settings}), SharedWorkerPool()))
        return made[-1]

    yield make
    for engine in made:
        await engine.close()


@pytest.fixture
def engine(make_engine: Callable[..., PythonEngine]) -> PythonEngine:
    return make_engine()


@pytest.fixture
def run(engine: PythonEngine) -> Any:
    """The result of a program, over two items unless told."""

    async def call(source: str, *, each: bool = False, timeout: float = 20, **data: Any) -> ScriptResult:
        given = {"input": ITEMS, "timezone": "Europe/Berlin", "now_ms": 1_700_000_000_000, **data}
        return await engine.run(source, ScriptData(**given), each=each, timeout=timeout)

    return call
