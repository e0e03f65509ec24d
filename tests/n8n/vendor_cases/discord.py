"""Moderation of a Discord server's members."""

from __future__ import annotations

from typing import Any

from ..action_cases import ActionCase, Answer

BOT = {"discordBotApi": {"botToken": "token-of-a-bot"}}
USER = {"__rl": True, "mode": "id", "value": "55"}
GUILD = {"__rl": True, "mode": "id", "value": "99"}


def _member(operation: str, method: str, path: str, name: str = "", **more: Any) -> ActionCase:
    given = {"resource": "member", "operation": operation, "guildId": GUILD, "userId": USER, **more}
    return ActionCase(
        "discord",
        {"authentication": "botToken", **given},
        [Answer(f"/api/v10/guilds/99/{path}", None, method, 204)],
        2,
        BOT,
        hidden=frozenset({"communication_disabled_until"} if more.get("duration") != "remove" else ()),
        headers=("x-audit-log-reason",),
        name=name,
    )


CASES = [
    _member("ban", "PUT", "bans/55", deleteMessageSeconds=3600),
    _member("ban", "PUT", "bans/55", "defaults"),
    _member("ban", "PUT", "bans/55", "own words", reason="other", reasonCustom="Grüße & (so) 100 %!"),
    _member("unban", "DELETE", "bans/55", reason="compromised"),
    _member("kick", "DELETE", "members/55", reason="rule_break"),
    _member("kick", "DELETE", "members/55", "no reason", reason="other"),
    _member("timeout", "PATCH", "members/55", duration=300),
    _member("timeout", "PATCH", "members/55", "end", duration="remove"),
]
