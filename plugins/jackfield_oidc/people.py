"""Claims become an identity."""

from __future__ import annotations

import hashlib

from jackfield.api.jsontext import Json
from jackfield.api.login_groups import GroupTable
from jackfield.api.logins import Identity, LoginRefused, folded_address
from jackfield_oidc.requests import JsonObject
from jackfield_oidc.settings import OidcProvider

LONGEST = 255
"""Characters of a subject in the store."""
MOST_GROUPS = 10_000


def subject_of(issuer: str, sub: str) -> str:
    """Issuer and `sub` together: a provider that the settings put in another's place finds nobody's user. An issuer has
    no space; what is too long has its digest."""
    whole = f"{issuer} {sub}"
    return whole if len(whole) <= LONGEST else f"sha256 {hashlib.sha256(whole.encode()).hexdigest()}"


class PersonReader:
    """Of one provider."""

    def __init__(self, provider: OidcProvider) -> None:
        self._provider = provider
        self._table = GroupTable(provider.groups)

    def lacks(self, claims: JsonObject) -> bool:
        """Whether the userinfo endpoint could tell more that counts."""
        wants_email = bool(self._provider.link_email_domains) and "email" not in claims
        return self.lacks_groups(claims) or wants_email or "name" not in claims

    def lacks_groups(self, claims: JsonObject) -> bool:
        """Whether rows of groups wait for a claim that is not there."""
        return bool(self._provider.groups) and claim(claims, self._provider.groups_claim) is None

    def identity(self, claims: JsonObject) -> Identity:
        """Raises `LoginRefused` for a person with more groups than the provider tells."""
        groups = self._groups(claims)
        return Identity(
            subject_of(self._provider.issuer, str(claims["sub"])),
            self._shown(claims),
            self._table.role(groups),
            projects=self._table.memberships(groups),
            verified_email=self._email(claims),
            makes_user=self._provider.create_users,
        )

    def _groups(self, claims: JsonObject) -> list[str]:
        given = claim(claims, self._provider.groups_claim)
        elsewhere = claims.get("_claim_names")
        if given is None and isinstance(elsewhere, dict) and self._provider.groups_claim in elsewhere:
            raise LoginRefused(
                "You are in more groups than the provider puts into a token; let it send roles, or fewer groups."
            )
        listed = given if isinstance(given, list) else [given]
        return [str(group) for group in listed[:MOST_GROUPS] if isinstance(group, str)]

    def _shown(self, claims: JsonObject) -> str:
        for name in ("name", "preferred_username", "email", "sub"):
            found = claims.get(name)
            if isinstance(found, str) and found.strip():
                return found
        return ""

    def _email(self, claims: JsonObject) -> str:
        """Empty unless it is verified (the text "true" is no proof) and of a domain that the settings name."""
        found = claims.get("email")
        if not isinstance(found, str) or claims.get("email_verified") is not True or found.count("@") != 1:
            return ""
        domain = folded_address(found.partition("@")[2])
        allowed = {folded_address(each) for each in self._provider.link_email_domains}
        return found if domain in allowed else ""


def claim(claims: JsonObject, name: str) -> Json:
    """A claim by its name, else by the path that its dots make. A name on the way may have dots itself, as clients' ids
    in Keycloak's `resource_access` do. None: there is none."""
    if name in claims:
        return claims[name]
    for place in (place for place, letter in enumerate(name) if letter == "."):
        inner = claims.get(name[:place])
        if isinstance(inner, dict) and (found := claim(inner, name[place + 1 :])) is not None:
            return found
    return None
