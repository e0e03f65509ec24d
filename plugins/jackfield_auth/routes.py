"""The plugin's blueprints."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint

from jackfield.api.context import PluginContext
from jackfield_auth.browser_routes import browser_routes
from jackfield_auth.key_routes import key_routes
from jackfield_auth.service import Auth
from jackfield_auth.session_routes import session_routes
from jackfield_auth.user_routes import user_routes


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    auth = context.port(Auth)
    return [session_routes(auth), key_routes(auth), user_routes(auth), browser_routes(auth)]
