"""Logins that plugins bring: a directory of names and passwords, or a provider to which the browser is sent. And second
factors, which a login asks for behind the password.

Each login proves an identity. Jackfield finds the user by the login's name and the identity's subject, and makes one
for an identity that it sees first. Sessions, tokens and API keys of such a user are like everybody's; a local user of
the same name is somebody else. An administrator can disable the user, whatever the provider says.

Role and projects are taken anew at each login. `jackfield.api.login_groups` makes them of groups.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from .errors import InvalidCredentials
from .extensions import ExtensionPoint
from .json_values import Json
from .records import record
from .storage import ProjectRole

LOCAL_LOGIN = "local"
"""The name of Jackfield's own table of users, which no other login may have."""


@record
class Identity:
    """Somebody whom a login has verified."""

    subject: str
    """The provider's lasting id, compared byte by byte and never given to another person; 1 to 255 characters."""
    display_name: str
    """For people to read; nothing is found by it."""
    role: str
    """`viewer`, `member` or `admin`; it counts from this login on. Empty: this person may not come in any more. A user
    that there is gets disabled until a later login gives a role; only the last administrator stays."""
    projects: Mapping[str, ProjectRole] | None = None
    """Id or name of a project -> role there. The user leaves projects that an earlier login gave and this one does not;
    what somebody gave by hand elsewhere stays. None: the login says nothing of projects."""
    verified_email: str = ""
    """An address that the provider has verified and that you let find a local user who is called so. That user is
    linked to this subject then. Leave it empty unless the operator has allowed that."""
    makes_user: bool = True
    """Whether a user is made for a subject that nobody has yet; else only linked users come in."""


class LoginRefused(InvalidCredentials):
    """The login was refused. It counts as a failed guess where a password was given."""

    code = "LOGIN_REFUSED"


def folded_address(address: str) -> str:
    """For comparison of mail addresses: case does not tell in ASCII. Any other letter counts as it is, because case
    folding makes addresses of different people one text, such as those of `straße.example` and `strasse.example`."""
    return address.lower() if address.isascii() else address


class PasswordLogin(Protocol):
    """Names and passwords of a directory, such as LDAP.

    Failed guesses are counted before it is asked, per login, name and address. It is never asked for an empty name or
    password.
    """

    @property
    def name(self) -> str:
        """Lower-case letters, digits, `-` and `_`, at most 32; it becomes part of every user, so it never changes."""

    @property
    def title(self) -> str:
        """The login page's name for it."""

    async def verify(self, username: str, password: str) -> Identity | None:
        """None for a wrong name or a wrong password.

        Raises:
            LoginRefused: The pair may be right, and yet this person may not come in. The message is shown.
            UpstreamFailed: The directory does not answer.
        """


@record
class RedirectStart:
    """A redirect that begins."""

    state: str
    """It goes to the provider, and comes back with its answer."""
    callback: str
    """Where it comes back to."""
    nonce: str
    """It goes to the provider too, which puts it into what it signs."""
    verifier: str
    """It stays here; its SHA-256 may go to the provider (RFC 7636)."""


@record
class RedirectAnswer:
    """The answer that came back, for the browser that began: the state is verified and used up. `callback`, `nonce` and
    `verifier` are those of the start."""

    query: Mapping[str, str]
    """The callback's parameters without the state, of which each came once."""
    callback: str
    nonce: str
    verifier: str


class RedirectLogin(Protocol):
    """A provider to which the browser is sent, such as one of OpenID Connect."""

    @property
    def name(self) -> str:
        """See `PasswordLogin`. It is the last segment of the callback's path."""

    @property
    def title(self) -> str:
        """The login page's name for it."""

    async def begin(self, start: RedirectStart) -> str:
        """The http or https URL to send the browser to.

        Raises:
            UpstreamFailed: The provider does not answer.
        """

    async def finish(self, answer: RedirectAnswer) -> Identity:
        """Verify the answer, its signature and its nonce included.

        Raises:
            LoginRefused: The answer is not valid, or this person may not come in. The message is shown.
            UpstreamFailed: The provider does not answer.
        """


@record
class FactorUser:
    """The user who has given the right password."""

    id: str
    username: str


@record
class FactorStart:
    """A question that is put to a user."""

    shown: Mapping[str, Json]
    """For the login page, such as the end of the number that a code was sent to; `hint`, a text, is shown above the
    field."""
    kept: bytes = b""
    """Data that `verify` needs, at most 4,096 bytes; it is kept sealed, and given back to the first answer alone."""


class SecondFactor(Protocol):
    """A further proof behind the password, such as a code that an application shows or that a message brings.

    The login page asks for a text and hands it to `verify`. Wrong answers are counted together with wrong passwords,
    and per user, before it is asked. How users set it up is the plugin's own matter, in its own routes.
    """

    @property
    def name(self) -> str:
        """See `PasswordLogin`. `totp`, `passkey` and `recovery` are Jackfield's own."""

    @property
    def title(self) -> str:
        """The login page's name for it."""

    async def is_set_up(self, user_id: str) -> bool:
        """Whether this user has it. From then on the password alone is not enough."""

    async def begin(self, user: FactorUser, origin: str) -> FactorStart:
        """Put the question: send the code. origin: scheme, host and port of the page.

        Raises:
            UpstreamFailed: What brings the code does not answer.
        """

    async def verify(self, user: FactorUser, answer: str, kept: bytes) -> bool:
        """Whether the answer is right. kept: of the last `begin` of this login, for the first answer to it; else empty.
        An answer that was right once must be wrong from then on.

        Raises:
            LoginRefused: The answer may be right, and yet this person may not come in. The message is shown.
            UpstreamFailed: What verifies it does not answer.
        """

    async def reset(self, user_id: str) -> None:
        """Take it from the user, who does not have it any more."""


@record
class Departure:
    """Somebody has left a provider."""

    subject: str
    """As in the `Identity`."""
    id: str
    """Of the notice, which counts once."""
    lifetime: float
    """How long the notice could be sent again, in seconds."""


@runtime_checkable
class DepartureLogin(RedirectLogin, Protocol):
    """A redirect login whose provider ends its own session, and tells of those that ended elsewhere. A login that
    has these methods as well is one."""

    async def leave(self, back: str) -> str | None:
        """Where the browser goes after a logout here. back: where the provider sends it then. None: a logout here is
        all.

        Raises:
            UpstreamFailed: The provider does not answer.
        """

    async def left(self, notice: str) -> Departure:
        """Verify what the provider has posted to `/api/v1/auth/logout-notices?provider={name}` as `logout_token`.

        Raises:
            LoginRefused: It is not valid.
            UpstreamFailed: The provider does not answer.
        """


PASSWORD_LOGINS = ExtensionPoint("jackfield_password_logins", PasswordLogin)
REDIRECT_LOGINS = ExtensionPoint("jackfield_redirect_logins", RedirectLogin)
SECOND_FACTORS = ExtensionPoint("jackfield_second_factors", SecondFactor)
