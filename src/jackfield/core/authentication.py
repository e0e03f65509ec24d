"""Every authentication method in turn. Each present credential must be valid, and all must name the same user."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jackfield.api.auth import AuthMethod, AuthRequest, Principal
from jackfield.api.errors import AuthRequired
from jackfield.api.records import replace

OWN_SCHEMES = {"bearer": "jwt", "basic": "basic"}
"""Scheme of the Authorization header -> method of ours that reads it."""


class Authenticator:
    """`jackfield.api.auth.Authentication`. methods: those that plugins gave. confined: whether agents have run in
    sandboxes since the start. has_strangers: whether methods are among them that do not come with Jackfield."""

    def __init__(self) -> None:
        self.methods: list[AuthMethod] = []
        self.confined = False
        self.has_strangers = False
        self._owners: dict[str, AuthMethod] = {}
        """Scheme -> the stranger's method that owns it."""

    def add(self, method: AuthMethod, claim: Callable[[str], bool], *, is_own: bool) -> None:
        """claim: whether the method's plugin counts for this thing, such as `auth method:jwt`. Raises `NameTaken`, and
        TypeError for schemes that are none."""
        schemes = list(schemes_of(method))
        own = [scheme for scheme, name in OWN_SCHEMES.items() if is_own and name == method.name]
        if not claim(f"auth method:{method.name}"):
            return
        counting = [scheme for scheme in [*own, *schemes] if claim(f"auth scheme:{scheme}")]
        self.methods.append(method)
        if not is_own:
            self.has_strangers = True
            self._owners.update(dict.fromkeys(counting, method))

    def confine_agents(self) -> None:
        self.confined = True

    async def authenticate(self, request: AuthRequest) -> Principal | None:
        owner = self._owners.get(request.scheme()) if self._owners else None
        found: list[Principal] = []
        if owner is not None:
            caller = await owner.authenticate(request)
            if caller is None:
                raise AuthRequired(f"The Authorization header has the scheme of {owner.name}, which does not know it.")
            found.append(caller)
            request = _without_authorization(request)
        for method in self.methods:
            caller = await method.authenticate(request) if method is not owner else None
            if caller is not None:
                found.append(caller)
        if not found:
            return None
        if any(caller.user_id != found[0].user_id for caller in found):
            raise AuthRequired("The credentials of this request belong to different users; send one of them.")
        return narrowest(found)


def schemes_of(method: AuthMethod) -> Sequence[str]:
    """The schemes of a `SchemeMethod` in lower case. Raises TypeError."""
    given: object = getattr(method, "schemes", ())
    if not isinstance(given, list | tuple) or not all(isinstance(scheme, str) and scheme for scheme in given):
        raise TypeError(f"schemes of {type(method).__name__} must be a list of texts")
    return [scheme.lower() for scheme in given]


def _without_authorization(request: AuthRequest) -> AuthRequest:
    return replace(
        request, headers={name: values for name, values in request.headers.items() if name != "authorization"}
    )


def narrowest(callers: Sequence[Principal]) -> Principal:
    """With two credentials of one user the more restricted one decides."""
    return min(callers, key=lambda caller: 1 << 30 if caller.scopes is None else len(caller.scopes))
