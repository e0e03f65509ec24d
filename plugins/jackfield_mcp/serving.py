"""What the plugin gives, and does some time after a start."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint

from jackfield.api.auth import AuthMethod
from jackfield.api.context import PluginContext
from jackfield_mcp.oauth.method import OAuthMethod
from jackfield_mcp.oauth.routes import grant_rules
from jackfield_mcp.profile_tokens.book import ProfileTokens
from jackfield_mcp.profile_tokens.method import ProfileTokenMethod
from jackfield_mcp.profile_tokens.routes import token_rules


def methods(context: PluginContext) -> Sequence[AuthMethod]:
    return [OAuthMethod(context), ProfileTokenMethod(context)]


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    made = Blueprint("mcp", __name__, url_prefix="/api/v1/mcp")
    grant_rules(made, context)
    token_rules(made, context)
    return [made]


def start(context: PluginContext) -> None:
    if context.service.worker == 0:
        context.spawn("mcp tokens", context.port(ProfileTokens).sweep())
