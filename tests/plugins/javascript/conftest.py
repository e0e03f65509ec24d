"""An engine with real worker processes, and short ways to ask it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeAlias

import pytest

from jackfield.api.jsontext import Json
from jackfield.api.scripts import ExpressionError, ScriptData
from jackfield_javascript.engine import JavaScriptEngine
from jackfield_javascript.settings import JavaScriptSettings
from jackfield_workers.pool import SharedWorkerPool

Value: TypeAlias = "Json | ExpressionError"
Ask: TypeAlias = Callable[..., Awaitable[Value]]


@pytest.fixture
async def engine() -> AsyncIterator[JavaScriptEngine]:
    """One worker of each kind, so that one evaluation meets what the last one left."""
    made = JavaScriptEngine(JavaScriptSettings(expression_workers=1, code_workers=1), SharedWorkerPool())
    yield made
    await made.close()


@pytest.fixture
def ask(engine: JavaScriptEngine) -> Ask:
    """The value of one expression: `await ask(source, item json, **fields of ScriptData)`."""

    async def value(source: str, json: Json = None, **data: object) -> Value:
        given = ScriptData(**{"input": [{"json": json if json is not None else {}}], **data})  # type: ignore[arg-type]
        return (await engine.evaluate([source], given, [0]))[0][0]

    return value
