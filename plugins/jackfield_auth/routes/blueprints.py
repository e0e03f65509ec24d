"""The plugin's blueprints."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint

from jackfield.api.context import PluginContext
from jackfield_auth.routes.account_routes import account_routes
from jackfield_auth.routes.browser_routes import browser_routes
from jackfield_auth.routes.command_login_routes import command_login_routes
from jackfield_auth.routes.factor_routes import factor_routes
from jackfield_auth.routes.key_routes import key_routes
from jackfield_auth.routes.link_routes import link_routes, opened_link_routes
from jackfield_auth.routes.mail_routes import mail_routes
from jackfield_auth.routes.n8n_routes import n8n_routes
from jackfield_auth.routes.passkey_routes import passkey_routes
from jackfield_auth.routes.session_routes import session_routes
from jackfield_auth.routes.user_routes import user_routes
from jackfield_auth.service import AuthService


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    auth = context.port(AuthService)
    return [
        session_routes(auth),
        key_routes(auth),
        user_routes(auth),
        account_routes(auth),
        browser_routes(auth),
        factor_routes(auth),
        passkey_routes(auth),
        link_routes(auth),
        opened_link_routes(auth),
        mail_routes(auth),
        n8n_routes(auth),
        command_login_routes(auth),
    ]
