"""The applications that the plugin mounts beside Quart: `/form`, `/form-test` and `/form-waiting`."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.asgi import AsgiMount, LaterApp
from jackfield.api.context import PluginContext
from jackfield.api.resume import FORM as WAITING

LIVE, TEST = "form", "form-test"


def mounts(context: PluginContext) -> Sequence[AsgiMount]:
    """All are public: a form checks its own callers."""
    app = LaterApp.at("jackfield_forms.app:build", context)
    return [AsgiMount(segment, app, "public", "ingress") for segment in (LIVE, TEST, WAITING)]
