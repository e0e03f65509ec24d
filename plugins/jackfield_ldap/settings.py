"""`[security.ldap]`."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from jackfield.api.host_names import is_loopback
from jackfield.api.login_groups import GroupRow

USERNAME, DN = "{username}", "{dn}"
"""The signs that stand for a person's name in a filter or a DN, and for the person's DN in a filter of groups."""
_UUID = "entryUUID"


class LdapTable(BaseModel):
    """Base. An unknown key is an error, and no error quotes a value."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True)


class LdapDirectory(LdapTable):
    """One of `[[security.ldap.directories]]`."""

    name: str = Field(
        pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$",
        description="Name of the login, and the end of its users' names. It never changes.",
    )
    title: str = Field("", max_length=80, description="Name of the directory on the login page. Default: the name.")
    urls: list[str] = Field(
        min_length=1, max_length=8, description="Servers, `ldaps://HOST` or `ldap://HOST`, tried in this order."
    )
    tls: Literal["verified", "unverified", "none"] = Field(
        "verified",
        description="`ldap://` is upgraded by StartTLS unless this is `none`, which is for loopback alone. "
        "`unverified` takes anybody's certificate.",
    )
    ca_file: str = Field(
        "",
        description="File with the authorities that count, relative to the configuration directory. Default: certifi.",
    )
    bind: Literal["search", "direct"] = Field(
        "search",
        description="Whether Jackfield's account looks the person up first, or the name becomes the DN at once.",
    )
    bind_dn: str = Field("", description="DN of Jackfield's account; empty: the search is anonymous.")
    bind_password_file: str = Field("", description="File with its password, relative to the configuration directory.")
    bind_password_env: str = Field("", description="Variable of the environment with its password.")
    user_dn: str = Field(
        "", description="For `direct`: the DN or name to bind as; `{username}` in it is replaced, escaped."
    )
    base_dn: str = Field(min_length=1, description="Where people are looked for, with all that is below.")
    user_filter: str = Field(
        "(uid={username})", description="Filter of a person; `{username}` in it is replaced, escaped."
    )
    id_attribute: str = Field(
        _UUID, description="Attribute that never changes and is never given again: `objectGUID` in Active Directory."
    )
    name_attribute: str = Field("cn", description="Attribute with the name that is shown.")
    member_of: str = Field(
        "memberOf", description="Attribute of a person with the DNs of the groups; empty: there is none."
    )
    group_base: str = Field("", description="Where groups are looked for; empty: they are not looked for.")
    group_filter: str = Field(
        "(member={dn})", description="Filter of a person's groups; `{dn}` and `{username}` in it are replaced, escaped."
    )
    group_attribute: str = Field(
        "", description="Attribute of a group that rows name, such as `cn`; empty: rows name DNs."
    )
    groups: list[GroupRow] = Field(
        default_factory=list,
        max_length=1000,
        description="Rows of group, role and project. Nobody comes in without a row that gives a role.",
    )
    create_users: bool = Field(True, description="Whether a person's first login makes a user.")

    @field_validator("urls")
    @classmethod
    def _are_servers(cls, value: list[str]) -> list[str]:
        for url in value:
            parts = urlsplit(url)
            if parts.scheme not in ("ldap", "ldaps") or not parts.hostname or parts.path.strip("/") or parts.username:
                raise ValueError("must be ldaps://HOST or ldap://HOST, perhaps with a port")
        return value

    @field_validator("user_filter", "group_filter")
    @classmethod
    def _is_filter(cls, value: str) -> str:
        if not (value.startswith("(") and value.endswith(")")):
            raise ValueError("must be a filter in parentheses, such as (uid={username})")
        return value

    @model_validator(mode="after")
    def _fits_together(self) -> LdapDirectory:
        if self.bind_password_file and self.bind_password_env:
            raise ValueError("give one of bind_password_file and bind_password_env")
        if bool(self.bind_dn) != bool(self.bind_password_file or self.bind_password_env):
            raise ValueError("bind_dn needs bind_password_file or bind_password_env, and they need bind_dn")
        if (self.bind == "direct") != (USERNAME in self.user_dn):
            raise ValueError("bind = direct needs user_dn with {username}, and nothing else does")
        if USERNAME not in self.user_filter:
            raise ValueError("user_filter needs {username}")
        for url in self.urls:
            host = urlsplit(url).hostname or ""
            if self.tls == "none" and url.startswith("ldap:") and not is_loopback(host):
                raise ValueError(f"tls = none would send passwords to {host} in clear text")
        return self

    @property
    def shown_title(self) -> str:
        return self.title or self.name


class LdapSettings(LdapTable):
    """`[security.ldap]`"""

    directories: list[LdapDirectory] = Field(
        default_factory=list, max_length=8, description="Directories, each a table `[[security.ldap.directories]]`."
    )
    connect_timeout: int = Field(
        3, ge=1, le=60, description="How long a connection to one server may take, in seconds."
    )
    timeout: int = Field(5, ge=1, le=60, description="How long one answer of a server may take, in seconds.")
    threads: int = Field(
        8, ge=1, le=64, description="Logins at one directory at the same time; others wait for their turn."
    )
    most_groups: int = Field(1000, ge=1, le=100_000, description="Groups of one person that are looked at, at most.")

    @field_validator("directories")
    @classmethod
    def _are_unique(cls, value: list[LdapDirectory]) -> list[LdapDirectory]:
        names = [directory.name for directory in value]
        if len(names) != len(set(names)):
            raise ValueError("two directories have one name")
        return value
