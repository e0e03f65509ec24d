"""URLs as the HTTP clients read and write them (RFC 3986).

The written form stays, escapes included, because servers compare signatures over it. Characters that no request line
can carry become escapes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address
from typing import Self
from urllib.parse import quote, unquote, urljoin

import idna

from .records import record, replace

__all__ = ["PORTS", "HttpAddress"]

PORTS = {"http": 80, "https": 443}
LONGEST = 65_536
"""Characters of a URL."""
_URL = re.compile(r"(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)
_AUTHORITY = re.compile(r"(?:(.*)@)?(\[[^\]]*\]|[^:@]*)(?::(.*))?", re.DOTALL)
_HOST = re.compile(r"[a-z0-9._~!$&'()*+,;=-]+")
_FOUR_NUMBERS = re.compile(r"[0-9]+(\.[0-9]+){3}")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]")
_PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))


def _all_but(escaped: str) -> str:
    return "".join(character for character in _PRINTABLE if character not in escaped)


# What stays as it is in each part, `%` included: the rest is escaped (https://url.spec.whatwg.org/#percent-encoded-bytes).
_IN_FRAGMENT = _all_but('"<>`')
_IN_QUERY = _all_but('"#<>')
_IN_PATH = _all_but('"#<>?`{}')
_IN_USER = _all_but('"#<>?`{}/;=@[\\]^|')


@record
class HttpAddress:
    """A URL or a reference to one; `of` reads it.

    `host`: lower case, in ASCII as DNS has it, IPv6 without brackets. `port`: None for the scheme's own. `query`,
    `fragment`: None where the text has none.
    """

    scheme: str
    user: str
    host: str
    port: int | None
    path: str
    query: str | None
    fragment: str | None

    @classmethod
    def of(cls, text: str) -> Self:
        """Raises ValueError for a text that is no URL; its words never have the text."""
        if len(text) > LONGEST:
            raise ValueError(f"it has more than {LONGEST} characters")
        if _UNPRINTABLE.search(text):
            raise ValueError("it has characters that cannot be printed")
        try:
            return cls._read(text)
        except UnicodeError:
            raise ValueError("it has characters that are no Unicode text") from None

    @classmethod
    def _read(cls, text: str) -> Self:
        scheme, authority, path, query, fragment = _groups(_URL, text)
        scheme = (scheme or "").lower()
        user, host, port = _groups(_AUTHORITY, authority or "")
        named = _host(host or "")
        number = _port(port, scheme)
        written = path or ""
        if scheme or user or named or number is not None:
            written = _without_dots(written)
        elif written.startswith(("//", ":")):
            raise ValueError("its path does not begin as a path does")
        return cls(
            scheme,
            quote(user or "", safe=_IN_USER),
            named,
            number,
            quote(written, safe=_IN_PATH),
            None if query is None else quote(query, safe=_IN_QUERY),
            None if fragment is None else quote(fragment, safe=_IN_FRAGMENT),
        )

    def __str__(self) -> str:
        authority = f"{self.user}@{self.netloc}" if self.user else self.netloc
        before = f"{self.scheme}:" if self.scheme else ""
        after = "" if self.fragment is None else f"#{self.fragment}"
        return before + (f"//{authority}" if authority else "") + self._path_and_query(self.path) + after

    def __repr__(self) -> str:
        return f"<HttpAddress {self.without_user()}>"

    @property
    def netloc(self) -> str:
        """Host and port, as the header `Host` has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"

    @property
    def target(self) -> str:
        """Path and query, as the line of a request has them."""
        return self._path_and_query(self.path or "/")

    @property
    def unicode_host(self) -> str:
        """The host with an international name in its own script."""
        if not self.host.startswith("xn--"):
            return self.host
        try:
            return idna.decode(self.host)
        except UnicodeError:
            return self.host

    @property
    def connected_port(self) -> int | None:
        """The port, the scheme's own included; None: another scheme than http and https, without one."""
        return self.port or PORTS.get(self.scheme)

    @property
    def username(self) -> str:
        return unquote(self.user.partition(":")[0])

    @property
    def password(self) -> str:
        return unquote(self.user.partition(":")[2])

    @property
    def is_bare(self) -> bool:
        """A host and a path: no user, no query, no fragment."""
        return bool(self.host) and not (self.user or self.query or self.fragment)

    def joined(self, reference: str) -> HttpAddress:
        """Where a redirect leads (RFC 3986 section 5). Raises ValueError."""
        return HttpAddress.of(urljoin(str(self), str(HttpAddress.of(reference))))

    def without_user(self) -> HttpAddress:
        return replace(self, user="")

    def with_query(self, added: str) -> HttpAddress:
        """added: text of a query, escaped; behind what there is."""
        return replace(self, query="&".join(part for part in (self.query, added) if part)) if added else self

    def _path_and_query(self, path: str) -> str:
        return path if self.query is None else f"{path}?{self.query}"


def _groups(pattern: re.Pattern[str], text: str) -> Sequence[str | None]:
    found = pattern.fullmatch(text)
    if found is None:
        raise ValueError("its host or port is not valid")
    return found.groups()


def _host(host: str) -> str:
    if host.startswith("["):
        return _checked(host[1:-1], IPv6Address, "IPv6")
    if _FOUR_NUMBERS.fullmatch(host):
        return _checked(host, IPv4Address, "IPv4")
    if not host.isascii():
        try:
            return idna.encode(host.lower()).decode("ascii")
        except idna.IDNAError:
            raise ValueError("its host is no international name") from None
    if host and not _HOST.fullmatch(host.lower()):
        raise ValueError("its host has characters that no name has")
    return host.lower()


def _checked(text: str, kind: type[IPv4Address | IPv6Address], name: str) -> str:
    try:
        kind(text)
    except ValueError:
        raise ValueError(f"its host is no {name} address") from None
    return text.lower()


def _port(text: str | None, scheme: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and 0 < int(text) <= 65_535):
        raise ValueError("its port is not valid; use 1 to 65535")
    return None if int(text) == PORTS.get(scheme) else int(text)


def _without_dots(path: str) -> str:
    """The path without its `.` and `..`."""
    parts = path.split("/")
    if "." not in parts and ".." not in parts:
        return path
    kept: list[str] = []
    for part in parts:
        if part == "..":
            if kept and kept != [""]:
                kept.pop()
        elif part != ".":
            kept.append(part)
    return "/".join(kept)
