"""How long tokens need a signing key that was replaced."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.resealing import KeyUse
from jackfield_auth.settings import JwtSettings


def key_uses(context: PluginContext) -> Sequence[KeyUse]:
    return [TokenKeys(context)]


class TokenKeys:
    """`jackfield.api.resealing.KeyUse`."""

    name = "tokens"

    def __init__(self, context: PluginContext) -> None:
        self._clock = context.clock
        self._settings = context.settings(JwtSettings)

    async def needs_earlier(self, replaced_at: int) -> str:
        ends = replaced_at + self._settings.lifetime * 1000
        if not self._settings.enabled or self._settings.secret or ends <= self._clock.now_ms():
            return ""
        return f"Tokens that they have signed expire until {iso(ends)}."
