"""Users, logins, tokens, API keys and Basic: who calls, and how that is proved."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, later


class AuthPlugin(Plugin):
    """Users, logins, tokens, API keys and Basic: who calls, and how that is proved."""

    name = "auth"
    first_process_only = True
    settings = (
        SettingsTable("security.jwt", "jackfield_auth.settings:JwtSettings"),
        SettingsTable("security.api_keys", "jackfield_auth.settings:ApiKeysSettings"),
        SettingsTable("security.basic_auth", "jackfield_auth.settings:BasicSettings"),
        SettingsTable("security.login", "jackfield_auth.settings:LoginSettings"),
        SettingsTable("security.passwords", "jackfield_auth.settings:PasswordSettings"),
        SettingsTable("security.second_factor", "jackfield_auth.settings:SecondFactorSettings"),
        SettingsTable("security.passkeys", "jackfield_auth.settings:PasskeySettings"),
        SettingsTable("security.invitations", "jackfield_auth.settings:InvitationSettings"),
        SettingsTable("security.command_logins", "jackfield_auth.settings:CommandLoginSettings"),
        SettingsTable("security.sessions", "jackfield_auth.settings:SessionSettings"),
    )
    commands = (
        "jackfield_auth.commands.users:user",
        "jackfield_auth.commands.keys:api_key",
        "jackfield_auth.commands.opening:open_ui",
        "jackfield_auth.commands.sessions:sessions",
        "jackfield_auth.commands.invitations:invitations",
        "jackfield_auth.commands.login:login",
        "jackfield_auth.commands.login:logout",
    )
    provides = {"jackfield_auth.commands.users:UserDirectory": "jackfield_auth.serving:users"}
    parts = ("jackfield_auth.service:AuthService", "jackfield_auth.command_logins.book:CommandLogins")

    jackfield_auth_methods = later("jackfield_auth.serving:methods")
    jackfield_sealed_values = later("jackfield_auth.factors.resealing:sealed_values")
    jackfield_key_uses = later("jackfield_auth.tokens.key_use:key_uses")
    jackfield_asgi = later("jackfield_auth.external.mounts:mounts")
    jackfield_blueprints = later("jackfield_auth.routes.blueprints:blueprints")
    start = deferred("jackfield_auth.serving:start")
    stop = deferred("jackfield_auth.serving:stop")
