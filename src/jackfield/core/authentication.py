"""Every authentication method in turn. Each present credential must be valid, and all must name the same user."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Mapping, Sequence

from jackfield.api.auth import ROLE_SCOPES, AuthMethod, AuthRequest, Principal
from jackfield.api.clock import Clock
from jackfield.api.containment import Escaped
from jackfield.api.errors import AuthRequired, JackfieldError
from jackfield.api.limits import SlidingWindow, contained
from jackfield.api.records import replace

log = logging.getLogger("jackfield.authentication")
SAY_AGAIN = 60.0
"""Seconds between two lines in the log about a method that fails."""
SERVER_FAULT = 500
UNAVAILABLE = 503
OWN_SCHEMES = {"bearer": "jwt", "basic": "basic"}
"""Scheme of the Authorization header -> method of ours that reads it."""


class Authenticator:
    """`jackfield.api.auth.Authentication`.

    `methods`: those that plugins gave. `confined`: whether agents have run in sandboxes since the start.
    `has_strangers`: whether methods are among them that do not come with Jackfield.
    """

    def __init__(self, clock: Clock, report: Callable[[str, str], None]) -> None:
        """report: told which plugin has a method that breaks, and how."""
        self._report = report
        self._said = SlidingWindow(clock, 1, SAY_AGAIN)
        self._plugins: dict[int, str] = {}
        """`id` of a stranger's method -> its plugin. One that replaces a method of ours has its name."""
        self.methods: list[AuthMethod] = []
        self.confined = False
        self.has_strangers = False
        self._owners: dict[str, AuthMethod] = {}
        """Scheme -> the stranger's method that owns it."""

    def add(self, method: AuthMethod, claim: Callable[[str], bool], *, is_own: bool, plugin: str = "") -> None:
        """`claim`: whether the method's plugin wins this thing, such as `auth method:jwt`.

        Raises `NameTaken`, and TypeError for schemes that are none.
        """
        schemes = list(schemes_of(method))
        own = [scheme for scheme, name in OWN_SCHEMES.items() if is_own and name == method.name]
        if not claim(f"auth method:{method.name}"):
            return
        counting = [scheme for scheme in [*own, *schemes] if claim(f"auth scheme:{scheme}")]
        self._drop(method.name)
        self.methods.append(method)
        if not is_own:
            self._plugins[id(method)] = plugin
            self._owners.update(dict.fromkeys(counting, method))
        self.has_strangers = bool(self._plugins)

    def _drop(self, name: str) -> None:
        """Another method of this name replaces this one: a credential that it took is no proof any more."""
        for replaced in [method for method in self.methods if method.name == name]:
            self.methods.remove(replaced)
            self._plugins.pop(id(replaced), None)
            self._owners = {scheme: owner for scheme, owner in self._owners.items() if owner is not replaced}

    def confine_agents(self) -> None:
        self.confined = True

    async def authenticate(self, request: AuthRequest) -> Principal | None:
        owner = self._owners.get(request.scheme()) if self._owners else None
        found: list[Principal] = []
        if owner is not None:
            caller = await self._ask(owner, request)
            if caller is None:
                raise AuthRequired(f"The Authorization header has the scheme of {owner.name}, which does not know it.")
            found.append(caller)
            request = _without_authorization(request)
        for method in self.methods:
            caller = await self._ask(method, request) if method is not owner else None
            if caller is not None:
                found.append(caller)
        if not found:
            return None
        if any(caller.user_id != found[0].user_id for caller in found):
            raise AuthRequired("The credentials of this request belong to different users; send one of them.")
        return narrowest(found)

    async def _ask(self, method: AuthMethod, request: AuthRequest) -> Principal | None:
        """A stranger's method with a bug counts as one that found nothing, lest it shut out everybody.

        That method refuses callers who sent a header of its scheme.
        """
        plugin = self._plugins.get(id(method))
        if plugin is None:
            return await method.authenticate(request)
        try:
            caller = await contained(lambda: method.authenticate(request))
            if caller is not None:
                check_principal(caller)
        except JackfieldError as exc:
            if exc.status < SERVER_FAULT or exc.status == UNAVAILABLE:
                raise
            self._broke(plugin, method.name, exc)
        except Exception as exc:
            self._broke(plugin, method.name, exc)
        else:
            return caller
        return None

    def _broke(self, plugin: str, method: str, error: Exception) -> None:
        if self._said.hit(method) is None:
            # Its own text may quote the credential.
            cause = error.cause if isinstance(error, Escaped) else error
            what = str(cause) if isinstance(cause, NoPrincipal) else f"it raised {type(cause).__name__}"
            place = traceback.extract_tb(cause.__traceback__)[-1]
            log.error(
                "The authentication method %s of the plugin %s failed: %s in %s:%s.",
                method, plugin, what, place.filename, place.lineno,
            )  # fmt: skip
            self._report(plugin, f"its authentication method {method} failed: {what}")


class NoPrincipal(Exception):
    """A method gave what is no caller that Jackfield knows."""


def check_principal(given: object) -> None:
    """Raises `NoPrincipal`."""
    if not isinstance(given, Principal):
        raise NoPrincipal(f"authenticate gave {type(given).__name__} in place of a Principal or None")
    texts = (given.user_id, given.username, given.role, given.method)
    if not all(isinstance(text, str) and text for text in texts):
        raise NoPrincipal("user_id, username, role and method of its Principal must be texts that are not empty")
    if given.role not in ROLE_SCOPES:
        raise NoPrincipal(f"the role of its Principal must be one of {', '.join(ROLE_SCOPES)}")
    if not isinstance(given.scopes, frozenset | None):
        raise NoPrincipal("scopes of its Principal must be a frozenset or None")
    if not isinstance(given.claims, Mapping):
        raise NoPrincipal("claims of its Principal must be a mapping")


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
    """With two credentials of one user the more restricted one decides, and the limits of all to projects hold."""
    found = min(callers, key=lambda caller: 1 << 30 if caller.scopes is None else len(caller.scopes))
    limits = [caller.projects for caller in callers if caller.projects is not None]
    return replace(found, projects=frozenset.intersection(*limits)) if limits else found
