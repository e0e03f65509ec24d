"""The service of the logins of plugins, put together with the first login."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.projects import ProjectAccess
from jackfield_auth.external.calls import LoginCalls
from jackfield_auth.external.departures import Departures
from jackfield_auth.external.methods import LoginMethods
from jackfield_auth.external.redirects import Redirects
from jackfield_auth.external.standings import LoginStandings
from jackfield_auth.external.trail import LoginTrail
from jackfield_auth.external.users import ExternalUsers
from jackfield_auth.logins.password_logins import PasswordLogins
from jackfield_auth.settings import LoginSettings
from jackfield_auth.users.accounts import UserAccounts


class ExternalLogins:
    """local: the login by our own table of users."""

    def __init__(self, context: PluginContext, local: PasswordLogins, accounts: UserAccounts) -> None:
        settings = context.settings(LoginSettings)
        calls = LoginCalls(settings.provider_timeout, context.log)
        trail = LoginTrail(context)
        self.standings = LoginStandings(
            lambda: context.store, lambda: context.find_port(ProjectAccess), trail, context.log
        )
        users = ExternalUsers(lambda: context.store, accounts, self.standings, trail, context.clock, context.log)
        self.methods = LoginMethods(context, local, users, calls)
        self.redirects = Redirects(self.methods, calls, settings, context)
        self.departures = Departures(self.methods, users, calls, trail, context)
