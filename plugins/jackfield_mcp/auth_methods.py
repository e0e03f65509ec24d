"""Ways to prove who calls, at /mcp alone."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.auth import AuthMethod
from jackfield.api.context import PluginContext
from jackfield_mcp.oauth.method import OAuthMethod
from jackfield_mcp.profile_tokens.method import ProfileTokenMethod


def methods(context: PluginContext) -> Sequence[AuthMethod]:
    return [OAuthMethod(context), ProfileTokenMethod(context)]
