"""The applications that the plugin mounts beside Quart: `/chat` and `/chat-test`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

from jackfield.api.asgi import AsgiApp, AsgiMount, LaterApp
from jackfield.api.context import PluginContext
from jackfield.api.object_references import load

LIVE, TEST = "chat", "chat-test"
_APP = "jackfield_ai.chat.app:build"


def _build(context: PluginContext) -> AsgiApp:
    return cast("Callable[[PluginContext], AsgiApp]", load(_APP))(context)


def application(context: PluginContext) -> LaterApp:
    return LaterApp(partial(_build, context))


def mounts(context: PluginContext) -> Sequence[AsgiMount]:
    """Both are public: a chat checks its own callers."""
    app = application(context)
    return [AsgiMount(segment, app, "public", "ingress") for segment in (LIVE, TEST)]
