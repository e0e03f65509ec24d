"""Routes of the management API."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint

from jackfield.api.context import PluginContext
from jackfield_mcp.oauth.routes import grant_rules
from jackfield_mcp.offers.routes import offer_rules
from jackfield_mcp.profile_tokens.routes import token_rules
from jackfield_mcp.tools.routes import tool_rules


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    made = Blueprint("mcp", __name__, url_prefix="/api/v1/mcp")
    grant_rules(made, context)
    token_rules(made, context)
    offer_rules(made, context)
    tool_rules(made)
    return [made]
