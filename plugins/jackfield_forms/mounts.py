"""What the plugin mounts beside Quart: `/form`, `/form-test` and `/form-waiting`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from jackfield.api.asgi import AsgiApp, AsgiMount, LaterApp
from jackfield.api.context import PluginContext
from jackfield.api.resume import FORM as WAITING

LIVE, TEST = "form", "form-test"


def _build(context: PluginContext) -> AsgiApp:
    from jackfield_forms.app import build

    return build(context)  # type: ignore[return-value]  # Quart types scopes and messages by itself


def mounts(context: PluginContext) -> Sequence[AsgiMount]:
    """All are public: a form checks its own callers."""
    app = LaterApp(partial(_build, context))
    return [AsgiMount(segment, app, "public") for segment in (LIVE, TEST, WAITING)]
