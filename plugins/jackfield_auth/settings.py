"""The plugin's settings tables."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, field_validator

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
LONGEST = 366 * 86400
KEY_BYTES = {"HS256": 32, "HS384": 48, "HS512": 64}
"""Shortest key per algorithm, in bytes: as long as its hash (RFC 7518 section 3.2)."""


def seconds(text: str) -> int:
    """A duration such as 90s, 15m, 24h or 7d, in seconds: 1 s to 366 days. Raises ValueError."""
    found = re.fullmatch(r"([0-9]{1,9})([smhd])", text)
    value = int(found[1]) * UNITS[found[2]] if found else 0
    if not 1 <= value <= LONGEST:
        raise ValueError("must be a duration such as 90s, 15m, 24h or 7d, at most 366d")
    return value


def _duration(text: str) -> str:
    seconds(text)
    return text


Duration = Annotated[str, AfterValidator(_duration)]
"""As `seconds` reads it."""


class AuthTable(BaseModel):
    """Base of the tables. An unknown key is an error, and no error quotes a value."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True)


class JwtSettings(AuthTable):
    """`[security.jwt]`"""

    enabled: bool = Field(True, description="Whether Bearer tokens are accepted and given out by a login.")
    algorithm: Literal["HS256", "HS384", "HS512"] = Field(
        "HS256", description="The one algorithm of tokens; a token of another one is refused."
    )
    secret: str = Field(
        "",
        repr=False,
        json_schema_extra={"secret": True},
        description="Signing key, its UTF-8 bytes as they are: at least 32 bytes (48 for HS384, 64 for HS512). "
        "Default: derived from the master key.",
    )
    previous_secrets: list[str] = Field(
        default_factory=list,
        repr=False,
        max_length=16,
        json_schema_extra={"secret": True},
        description="Earlier signing keys whose tokens still count until they expire.",
    )
    expiration: Duration = Field("24h", description="Lifetime of a token: 90s, 15m, 24h, 7d ...; 1 s to 366 days.")

    @field_validator("secret")
    @classmethod
    def _long_enough(cls, value: str, info: ValidationInfo) -> str:
        least = KEY_BYTES[info.data.get("algorithm", "HS256")]
        if value and len(value.encode()) < least:
            raise ValueError(f"must have at least {least} bytes; `openssl rand -base64 64` makes one")
        return value

    @field_validator("previous_secrets")
    @classmethod
    def _each_long_enough(cls, value: list[str], info: ValidationInfo) -> list[str]:
        return [cls._long_enough(item, info) for item in value if item]

    @property
    def lifetime(self) -> int:
        """`expiration` in seconds."""
        return seconds(self.expiration)


class ApiKeysSettings(AuthTable):
    """`[security.api_keys]`"""

    enabled: bool = Field(True, description="Whether API keys are accepted.")
    usage_interval: int = Field(
        60, ge=1, le=86400, description="A key's last use is written at most once in this many seconds."
    )


class BasicSettings(AuthTable):
    """`[security.basic_auth]`"""

    enabled: bool = Field(
        False, description="Whether HTTP Basic with a user's name and password is accepted. Use it behind TLS only."
    )
    remember: int = Field(
        60, ge=0, le=3600, description="How long a verified pair is not hashed again, in seconds; 0 = never remembered."
    )
    remembered: int = Field(1000, ge=1, le=100_000, description="Verified pairs that are remembered at most.")


class LoginSettings(AuthTable):
    """`[security.login]`"""

    failures: int = Field(
        10, ge=1, le=1000, description="Failed passwords of one name from one address before both must wait."
    )
    window: int = Field(900, ge=1, le=86400, description="How long a failure counts, in seconds.")
    remembered: int = Field(
        10_000, ge=100, le=1_000_000, description="Failed passwords that are remembered at most, of all names together."
    )
    waiting: int = Field(
        64,
        ge=1,
        le=10_000,
        description="Logins, and as many notices of logouts, that may wait at once; more are answered 429.",
    )
    local: bool = Field(
        True,
        description="Whether Jackfield's own users log in with their passwords; without it only other logins let in, "
        "and `jackfield open` on the daemon's machine.",
    )
    provider_timeout: float = Field(
        10.0, gt=0, le=120, description="How long a plugin's login may take to answer, in seconds."
    )
    redirect_timeout: int = Field(
        600, ge=10, le=3600, description="How long a user may take at the provider of a login, in seconds."
    )
    redirects: int = Field(
        1000,
        ge=10,
        le=100_000,
        description="Logins at providers that are under way at most, a tenth of them from one address; the oldest of "
        "more is given up.",
    )


class SecondFactorSettings(AuthTable):
    """`[security.second_factor]`"""

    roles: list[Literal["viewer", "member", "admin"]] = Field(
        default_factory=list,
        max_length=3,
        description="Roles whose users need a second factor; all three: everybody. Users who have none set one up at "
        "their next login.",
    )
    of_redirects: bool = Field(
        False,
        description="Whether logins at providers to which the browser is sent need it as well; else the provider asks "
        "for its own.",
    )
    drift: int = Field(
        1, ge=0, le=10, description="How far the clock of an authenticator app may be off, in steps of 30 seconds."
    )
    recovery_codes: int = Field(10, ge=1, le=50, description="Recovery codes that a user gets.")
    timeout: int = Field(
        600, ge=30, le=3600, description="How long the second step of a login, or a setup, may take, in seconds."
    )
    pending: int = Field(
        1000, ge=10, le=100_000, description="Logins that wait for their second step at most; the oldest of more ends."
    )


class PasskeySettings(AuthTable):
    """`[security.passkeys]`"""

    rp_id: str = Field(
        "",
        max_length=253,
        pattern=r"^[a-z0-9.-]*$",
        description="Domain that passkeys are good for, such as example.com for all hosts below it. Default: the "
        "host that the browser has opened. Passkeys of another domain stop counting.",
    )
    most: int = Field(20, ge=1, le=1000, description="Passkeys of one user at most.")


class InvitationSettings(AuthTable):
    """`[security.invitations]`: links with which somebody gets an account, or another password."""

    expiration: Duration = Field("7d", description="An invitation ends after so long: 15m, 24h, 7d ...")
    reset_expiration: Duration = Field("24h", description="A link to reset a password ends after so long.")
    most: int = Field(1000, ge=1, le=100_000, description="Open links at most.")
    forgotten_expiration: Duration = Field(
        "1h", description="A mailed link for a forgotten password ends after so long: 15m, 1h, 24h ..."
    )
    forgotten_mails: int = Field(
        3, ge=1, le=100, description="Mails for a forgotten password that one user gets within that time at most."
    )
    forgotten_waiting: int = Field(
        100, ge=1, le=10_000, description="Questions about forgotten passwords under way; more are answered 429."
    )

    @property
    def lifetime(self) -> int:
        """`expiration` in seconds."""
        return seconds(self.expiration)

    @property
    def reset_lifetime(self) -> int:
        """`reset_expiration` in seconds."""
        return seconds(self.reset_expiration)

    @property
    def forgotten_lifetime(self) -> int:
        """`forgotten_expiration` in seconds."""
        return seconds(self.forgotten_expiration)


class CommandLoginSettings(AuthTable):
    """`[security.command_logins]`: `jackfield login`, which gets an API key of whoever allows it in the browser."""

    enabled: bool = Field(True, description="Whether command lines log in through the browser.")
    expiration: Duration = Field(
        "90d", description="The API key of a command line ends after so long: 24h, 7d, 90d ..."
    )
    timeout: int = Field(600, ge=30, le=3600, description="How long a request waits for a decision, in seconds.")
    interval: int = Field(5, ge=1, le=60, description="How often a machine without a browser asks, in seconds.")
    pending: int = Field(1000, ge=10, le=100_000, description="Requests that wait at most; the oldest of more ends.")
    pending_of_address: int = Field(20, ge=1, le=10_000, description="Requests of one address that wait at most.")
    attempts: int = Field(
        120, ge=1, le=100_000, description="Requests of one address within a window; more are answered 429."
    )
    window: int = Field(60, ge=1, le=3600, description="Length of that window, in seconds.")
    body_limit: int = Field(16_384, ge=1024, le=1_048_576, description="Size of a command's request at most, in bytes.")
    body_timeout: int = Field(10, ge=1, le=300, description="How long such a request may take to arrive, in seconds.")

    @property
    def key_lifetime(self) -> int:
        """`expiration` in seconds."""
        return seconds(self.expiration)


class SessionSettings(AuthTable):
    """`[security.sessions]`: sessions of browsers."""

    idle: Duration = Field("24h", description="A session ends after so long without a request: 90s, 15m, 24h, 7d ...")
    expiration: Duration = Field("7d", description="A session ends so long after its begin, at the latest.")
    remembered: int = Field(1000, ge=1, le=100_000, description="Sessions at most; the longest unused goes first.")

    fresh: Duration = Field(
        "15m", description="So long after a login its user may change second factors and passkeys: 90s, 15m, 24h ..."
    )

    @property
    def idle_time(self) -> int:
        """`idle` in seconds."""
        return seconds(self.idle)

    @property
    def lifetime(self) -> int:
        """`expiration` in seconds."""
        return seconds(self.expiration)

    @property
    def fresh_time(self) -> int:
        """`fresh` in seconds."""
        return seconds(self.fresh)


class PasswordSettings(AuthTable):
    """`[security.passwords]`: cost of argon2id. Defaults: RFC 9106 section 4, second recommended option."""

    memory: int = Field(65536, ge=8192, le=4_194_304, description="Memory for one hash, in KiB.")
    iterations: int = Field(3, ge=1, le=100, description="Passes over that memory.")
    lanes: int = Field(4, ge=1, le=64, description="Lanes of that memory.")
    threads: int = Field(2, ge=1, le=32, description="Passwords that are hashed at the same time.")
    waiting: int = Field(
        64, ge=1, le=10_000, description="Passwords that may wait to be hashed; more are answered 429."
    )
