"""Condition scripts (Rhai) run here, under the limits of the daemon's engine: a proxy has no engine."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.manifests import Layers
from jackfield.api.scripts import SCRIPT_ENGINES, ScopedScripts, ScriptError
from jackfield_proxy.daemon.process import ProxyProcess
from jackfield_proxy.messages import ConditionQuestion, ToChild
from jackfield_proxy.settings import ProxySettings


async def answer(
    context: PluginContext,
    question: ConditionQuestion,
    process: ProxyProcess,
    keep: Callable[[list[str]], Awaitable[None]],
) -> None:
    """A script that fails does not hold; why is in the proxy's log."""
    try:
        value = await evaluated(context, question.path, question.attributes)
    except (ScriptError, OSError) as exc:
        value = False
        await keep([f"the condition script {question.path} failed: {exc}"])
    await process.send(ToChild(script=question.id, value=value))


async def evaluated(context: PluginContext, path: str, attributes: Mapping[str, Json]) -> bool:
    """Whether the script's value is `true`; it sees the attributes as `request`. Raises `ScriptError`, OSError."""
    engine = context.extensions(SCRIPT_ENGINES).get("rhai")
    if not isinstance(engine, ScopedScripts):
        raise ScriptError("there is no engine for Rhai; install rhai-python")
    found = await asyncio.to_thread(context.port(Layers).find, "scripts", path)
    if found is None:
        raise ScriptError(f"there is no script scripts/{path}")
    source = await asyncio.to_thread(found.read_text, "utf-8")
    timeout = context.settings(ProxySettings).script_timeout
    return await engine.value(source, {"request": dict(attributes)}, name=path, timeout=timeout) is True
