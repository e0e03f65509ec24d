"""A directory: binds, searches, groups. All of it blocks. Source: RFC 4511, RFC 4513 sections 5.1 and 6.3."""

from __future__ import annotations

import contextlib
import secrets
import ssl
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

import certifi
from ldap3 import BASE, DEREF_NEVER, SUBTREE, Connection, Server, Tls
from ldap3.core.exceptions import LDAPException

from jackfield.api.context import PluginContext
from jackfield.api.errors import UpstreamFailed
from jackfield.api.records import record
from jackfield.api.secret_places import GivenSecret
from jackfield_ldap.filters import filled_dn, filled_filter
from jackfield_ldap.settings import LdapDirectory, LdapSettings

_WRONG = frozenset({19, 32, 34, 48, 49, 50, 53})
"""Results of a bind (RFC 4511 appendix A) that say no to a name or a password. They are invalidCredentials, and what
directories answer for accounts that are locked, have expired, or are not there. All look alike, so that none tells who
is there."""
_SIZE_LIMIT = 4
_PORTS = {"ldap": 389, "ldaps": 636}


@record
class DirectoryPerson:
    """id: of `id_attribute`, text or hex. groups: DNs, or what `group_attribute` says."""

    id: str
    name: str
    groups: Sequence[str]


@record
class FoundEntry:
    """attributes: lower-case name -> values as they came."""

    dn: str
    attributes: dict[str, list[bytes]]

    def texts(self, name: str) -> list[str]:
        """Values that are UTF-8."""
        found = []
        for value in self.attributes.get(name.lower(), ()):
            with contextlib.suppress(UnicodeDecodeError):
                found.append(value.decode())
        return found

    def identifier(self, name: str) -> str:
        """The only value. It is hex where it is no printable text, and always at the length of an `objectGUID`. Bytes
        of such an id may look like a text by chance. Empty: there is none."""
        values = self.attributes.get(name.lower(), [])
        if len(values) != 1:
            return ""
        try:
            text = values[0].decode()
        except UnicodeDecodeError:
            return values[0].hex()
        return text if text.isprintable() and len(values[0]) != 16 else values[0].hex()


class LdapClient:
    """Each look has its own connections, which end with it. Referrals are not followed: a server would send the
    password elsewhere."""

    def __init__(self, context: PluginContext, directory: LdapDirectory, settings: LdapSettings) -> None:
        self._context = context
        self._directory = directory
        self._settings = settings

    def person(self, username: str, password: str) -> DirectoryPerson | None:
        """None: the name or the password is wrong. Raises `UpstreamFailed`, `ConfigurationError`."""
        if not username.strip() or not password:  # it would be a bind without a name, which many let in
            return None
        if self._directory.bind == "direct":
            return self._directly(username, password)
        with self._own() as connection:
            entry = self._entry(connection, username)
            # Somebody who is not there costs a bind, too, so that time does not tell who is.
            dn = entry.dn if entry else f"cn={secrets.token_hex(8)},{self._directory.base_dn}"
            with self._bound(dn, password) as own:
                if own is None or entry is None:
                    return None
            return self._described(connection, username, entry)

    def look(self) -> None:
        """Whether the directory answers, takes our account, and has the base. Raises `UpstreamFailed`,
        `ConfigurationError`."""
        with self._own() as connection:
            if self._directory.bind == "search":
                self._search(connection, self._directory.base_dn, "(objectClass=*)", [], 1, scope=BASE)

    def _directly(self, username: str, password: str) -> DirectoryPerson | None:
        with self._bound(filled_dn(self._directory.user_dn, username), password) as connection:
            if connection is None:
                return None
            entry = self._entry(connection, username)
            return None if entry is None else self._described(connection, username, entry)

    def _entry(self, connection: Any, username: str) -> FoundEntry | None:  # Any: the library has no types
        """The only one that the filter finds; of two nobody knows whose password it is."""
        directory = self._directory
        wanted = [directory.id_attribute, directory.name_attribute]
        wanted += [directory.member_of] if directory.member_of else []
        found = self._search(connection, directory.base_dn, filled_filter(directory.user_filter, username), wanted, 2)
        return found[0] if len(found) == 1 else None

    def _described(self, connection: Any, username: str, entry: FoundEntry) -> DirectoryPerson:
        directory = self._directory
        identifier = entry.identifier(directory.id_attribute)
        if not identifier:
            raise UpstreamFailed(f"The directory {directory.name} tells no {directory.id_attribute} (id_attribute).")
        groups = entry.texts(directory.member_of) if directory.member_of else []
        if directory.group_base:
            asked = filled_filter(directory.group_filter, username, entry.dn)
            wanted = [directory.group_attribute] if directory.group_attribute else []
            found = self._search(connection, directory.group_base, asked, wanted, self._settings.most_groups)
            for group in found:
                groups += group.texts(directory.group_attribute) if directory.group_attribute else [group.dn]
        names = entry.texts(directory.name_attribute)
        return DirectoryPerson(identifier, names[0] if names else username, groups[: self._settings.most_groups])

    def _search(
        self, connection: Any, base: str, wanted: str, attributes: Sequence[str], most: int, *, scope: str = SUBTREE
    ) -> list[FoundEntry]:
        def search() -> object:
            return connection.search(
                base,
                wanted,
                scope,
                dereference_aliases=DEREF_NEVER,
                attributes=list(attributes) or ["1.1"],  # none of them
                size_limit=most,
                time_limit=self._settings.timeout,
            )

        self._tried(search)
        result = connection.result
        if result["result"] not in (0, _SIZE_LIMIT):
            raise UpstreamFailed(f"The directory {self._directory.name} refuses a search: {result['description']}.")
        rows = [row for row in connection.response or () if row.get("type") == "searchResEntry"]
        return [
            FoundEntry(row["dn"], {name.lower(): list(values) for name, values in row["raw_attributes"].items()})
            for row in rows
        ]

    @contextlib.contextmanager
    def _own(self) -> Iterator[Any]:
        """A connection of Jackfield's account, or an anonymous one."""
        directory = self._directory
        place = GivenSecret(self._context, "bind_password", directory.bind_password_file, directory.bind_password_env)
        with self._bound(directory.bind_dn, place.read()) as connection:
            if connection is None:
                raise UpstreamFailed(f"The directory {directory.name} refuses Jackfield's own account (bind_dn).")
            yield connection

    @contextlib.contextmanager
    def _bound(self, dn: str, password: str) -> Iterator[Any]:
        """A connection that is bound; None: the name or the password is wrong."""
        connection = self._connected(dn, password)
        try:
            self._tried(connection.bind)
            result = connection.result
            if result["result"] in _WRONG:
                yield None
            elif result["result"] != 0:
                raise UpstreamFailed(f"The directory {self._directory.name} refuses a bind: {result['description']}.")
            else:
                yield connection
        finally:
            with contextlib.suppress(LDAPException, OSError):
                connection.unbind()

    def _connected(self, dn: str, password: str) -> Any:
        """To the first server that answers, with TLS."""
        told = ""
        for url in self._directory.urls:
            try:
                return self._opened(url, dn, password)
            except (LDAPException, OSError, ValueError) as exc:
                told = f"{urlsplit(url).hostname}: {type(exc).__name__}"
                self._context.log.warning("The directory %s does not answer at %s: %s", self._directory.name, url, exc)
        raise UpstreamFailed(f"The directory {self._directory.name} does not answer ({told}); the log says more.")

    def _opened(self, url: str, dn: str, password: str) -> Any:
        parts = urlsplit(url)
        host, is_tls = parts.hostname or "", parts.scheme == "ldaps"
        server = Server(
            host,
            parts.port or _PORTS[parts.scheme],
            use_ssl=is_tls,
            tls=self._tls(host) if is_tls or self._directory.tls != "none" else None,
            connect_timeout=self._settings.connect_timeout,
            get_info=None,
        )
        connection = Connection(
            server,
            dn or None,
            password or None,
            auto_referrals=False,
            read_only=True,
            check_names=False,
            receive_timeout=self._settings.timeout,
        )
        try:
            connection.open()
            if not is_tls and self._directory.tls != "none" and not connection.start_tls():
                raise LDAPException("the server refuses StartTLS")
        except BaseException:
            with contextlib.suppress(LDAPException, OSError):
                connection.unbind()
            raise
        return connection

    def _tls(self, host: str) -> Any:
        verify = self._directory.tls == "verified"
        own = self._directory.ca_file
        authorities = str(self._context.service.config_dir / own) if own else certifi.where()
        return Tls(
            validate=ssl.CERT_REQUIRED if verify else ssl.CERT_NONE,
            version=ssl.PROTOCOL_TLS_CLIENT if verify else ssl.PROTOCOL_TLS,
            ca_certs_file=authorities if verify else None,
            valid_names=[host],
            sni=host,
        )

    def _tried(self, work: Callable[[], object]) -> None:
        try:
            work()
        except (LDAPException, OSError, ValueError) as exc:
            # The library's message may quote what was sent.
            raise UpstreamFailed(f"The directory {self._directory.name} has failed: {type(exc).__name__}.") from None
