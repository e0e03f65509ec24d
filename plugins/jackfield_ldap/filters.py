"""Names of people inside of filters and DNs: values, and never syntax. Source: RFC 4515 section 3, RFC 4514 section
2.4."""

from __future__ import annotations

from ldap3.utils.conv import escape_filter_chars
from ldap3.utils.dn import escape_rdn, parse_dn

from jackfield_ldap.settings import DN, USERNAME


def filled_filter(template: str, username: str, dn: str = "") -> str:
    """A filter of a person or of groups."""
    name, entry = str(escape_filter_chars(username)), str(escape_filter_chars(dn))
    return name.join(piece.replace(DN, entry) for piece in template.split(USERNAME))


def filled_dn(template: str, username: str) -> str:
    """A DN to bind as, or another form of name, such as Active Directory's `{username}@example.com`."""
    if "=" not in template:
        return template.replace(USERNAME, username)
    return template.replace(USERNAME, escape_rdn(username.replace("\0", "")))


def folded_dn(dn: str) -> str:
    """For comparison: one spelling of what differs in case and spaces. A text that is no DN is folded as it is."""
    try:
        parts = parse_dn(dn, escape=False, strip=True)
    except Exception:
        return dn.casefold().strip()
    return "".join(f"{name.casefold()}={value.casefold().strip()}{mark}" for name, value, mark in parts)
