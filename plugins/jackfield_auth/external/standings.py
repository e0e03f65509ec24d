"""The roles and projects that the last login of a user has given and taken: kept, so that the next one can take them
back."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from jackfield.api import jsontext
from jackfield.api.projects import ProjectAccess, whole_store
from jackfield.api.records import record
from jackfield.api.storage import SHARED, Entry, ProjectMember, ProjectRole, Store
from jackfield_auth.external.trail import LoginTrail
from jackfield_auth.users.accounts import STANDING_KIND

_TRIES = 5


@record
class LoginStanding:
    """projects: ids of those that the last login gave; barred: whether it disabled the user."""

    projects: Sequence[str] = ()
    barred: bool = False


class LoginStandings:
    """access: None where no plugin keeps projects."""

    def __init__(
        self,
        store: Callable[[], Store],
        access: Callable[[], ProjectAccess | None],
        trail: LoginTrail,
        log: logging.Logger,
    ) -> None:
        self._store = store
        self._access = access
        self._trail = trail
        self._log = log

    async def read(self, user_id: str) -> LoginStanding:
        """Of a user without one: as if no login had given anything."""
        found = await self._store().entry(STANDING_KIND, user_id)
        return LoginStanding() if found is None else loaded(found.data)

    async def bar(self, user_id: str, *, barred: bool) -> None:
        """Note whether it is a login that keeps the user out."""
        standing = await self.read(user_id)
        if standing.barred != barred:
            await self._keep(user_id, LoginStanding(standing.projects, barred))

    async def follow(self, login: str, user_id: str, given: Mapping[str, ProjectRole]) -> None:
        """The user is in these projects, by id or name, and no more in others that an earlier login gave."""
        earlier = (await self.read(user_id)).projects
        wanted = await self._named(given, earlier)
        if not wanted and not earlier:
            return
        store = whole_store(self._store())
        present = {each.project_id: each.role for each in await store.project_members() if each.user_id == user_id}
        gone = [each for each in earlier if each not in wanted and each in present]
        new = {each: role for each, role in wanted.items() if present.get(each) != role}
        # Kept before anything is given: what a crash leaves half done, the next login takes back.
        await self._keep(user_id, LoginStanding(sorted({*wanted, *gone}), (await self.read(user_id)).barred))
        for project_id in gone:
            await store.delete_project_member(project_id, user_id)
            await self._trail.of_member("project.member.delete", login, project_id, user_id)
        for project_id, role in new.items():
            await store.put_project_member(ProjectMember(project_id, user_id, role))
            await self._trail.of_member("project.member.update", login, project_id, user_id)
        if gone:
            await self._keep(user_id, LoginStanding(sorted(wanted), (await self.read(user_id)).barred))
        if gone or new:
            self._log.info("A login put user %s into %s projects and out of %s.", user_id, len(new), len(gone))
            access = self._access()
            if access is not None:
                await access.changed()

    async def _named(self, given: Mapping[str, ProjectRole], earlier: Sequence[str]) -> dict[str, ProjectRole]:
        """By id. A project that is not there is left out, and one whose name several have. Nobody gets into one that
        the operator may not have meant. The one that an earlier login gave stays. Else everybody who may rename a
        project could throw everybody out of another one."""
        if not given:
            return {}
        projects = await whole_store(self._store()).projects()
        ids = {each.id for each in projects}
        found: dict[str, ProjectRole] = {}
        for asked, role in given.items():
            named = [asked] if asked in ids else [each.id for each in projects if each.name == asked]
            if len(named) > 1:
                self._log.warning("A login names the project %r, and %s projects are called so.", asked, len(named))
                named = [each for each in named if each in earlier]
            if len(named) == 1:
                found[named[0]] = role
            elif asked != SHARED:  # without a row everybody is in it
                self._log.warning("A login names the project %r, which gives nothing.", asked)
        return found

    async def _keep(self, user_id: str, standing: LoginStanding) -> None:
        data = jsontext.dumps([list(standing.projects), standing.barred])
        for _ in range(_TRIES):
            present = await self._store().entry(STANDING_KIND, user_id)
            before = None if present is None else present.revision
            if await self._store().put_entry(Entry(STANDING_KIND, user_id, "", 0, (before or 0) + 1, data), before):
                return


def loaded(data: bytes) -> LoginStanding:
    """The entry that `LoginStandings` has kept."""
    projects, barred = cast("tuple[list[str], bool]", jsontext.loads(data))
    return LoginStanding(projects, barred)
