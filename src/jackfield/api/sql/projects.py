"""`jackfield.api.storage.projects.ProjectStore` over a database with SQL, and the conditions of lists."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Generic

from ..errors import Conflict, NotFound
from ..storage.projects import SHARED, Project, ProjectMember, ResourceKind, Within
from .dialect import ConnectionT, SqlDatabase, SqlValue, StoreDialect

_BUMP = """INSERT INTO project_revisions (id, number) VALUES (1, 1)
    ON CONFLICT (id) DO UPDATE SET number = project_revisions.number + 1"""
_PUT = """INSERT INTO projects (id, name, is_open, created_at, updated_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, is_open = excluded.is_open, updated_at = excluded.updated_at"""
_PUT_MEMBER = """INSERT INTO project_members (project_id, user_id, role) VALUES (?, ?, ?)
    ON CONFLICT (project_id, user_id) DO UPDATE SET role = excluded.role"""
_PLACE = """INSERT INTO placements (kind, id, project_id) VALUES (?, ?, ?)
    ON CONFLICT (kind, id) DO UPDATE SET project_id = excluded.project_id"""
_GONE = """DELETE FROM placements WHERE kind = ? AND id IN (
    SELECT p.id FROM placements p WHERE p.kind = ? AND {gone} LIMIT ?)"""
_GONE_RUNS = _GONE.format(gone="NOT EXISTS (SELECT 1 FROM executions e WHERE e.id = p.id)")
_GONE_WORKFLOWS = _GONE.format(
    gone="""NOT EXISTS (SELECT 1 FROM workflows w WHERE w.id = p.id)
    AND NOT EXISTS (SELECT 1 FROM executions e WHERE e.workflow_id = p.id)
    AND NOT EXISTS (SELECT 1 FROM drafts d WHERE d.workflow_id = p.id)"""
)
_GONE_DRAFTS = _GONE.format(gone="NOT EXISTS (SELECT 1 FROM drafts d WHERE d.id = p.id)")


def within_condition(
    dialect: StoreDialect[ConnectionT], kind: ResourceKind, field: str, within: Within
) -> tuple[str, list[SqlValue]]:
    """A condition with `?` on the field that holds an id, and its values. Ids that are no text meet none."""
    projects = dialect.listed(list(within.projects))
    among = dialect.among("p.project_id")
    placed = f"SELECT 1 FROM placements p WHERE p.kind = ? AND p.id = {field} AND"  # noqa: S608 - our own words
    own = f"EXISTS ({placed} {among})"
    if SHARED in within.projects:
        own = f"NOT EXISTS ({placed} NOT ({among}))"
    shared = f"SELECT 1 FROM shares p WHERE p.kind = ? AND p.id = {field} AND {among}"  # noqa: S608 - our own words
    return f"({own} OR EXISTS ({shared}))", [kind, projects, kind, projects]


def limited_clause(
    dialect: StoreDialect[ConnectionT],
    clause: str,
    values: Sequence[SqlValue],
    kind: ResourceKind,
    field: str,
    within: Within | None,
) -> tuple[str, list[SqlValue]]:
    """clause: empty or ` WHERE ...`, with the database's own marks. field: holds the id. within: None adds nothing."""
    if within is None:
        return clause, list(values)
    condition, more = within_condition(dialect, kind, field, within)
    return f"{clause}{' AND' if clause else ' WHERE'} {dialect.marked(condition)}", [*values, *more]


class ProjectWork(Generic[ConnectionT]):
    """The verbs, on a connection inside of a transaction."""

    def __init__(self, dialect: StoreDialect[ConnectionT]) -> None:
        self._sql = dialect

    def revision(self, connection: ConnectionT) -> int:
        return self._sql.number(connection, "SELECT number FROM project_revisions")

    def all(self, connection: ConnectionT) -> list[Project]:
        sql = "SELECT id, name, created_at, updated_at, is_open FROM projects ORDER BY name, id"
        return [
            Project(ident, name, created, updated, bool(is_open))
            for ident, name, created, updated, is_open in self._sql.execute(connection, sql).fetchall()
        ]

    def put(self, connection: ConnectionT, project: Project) -> None:
        row: list[SqlValue] = [project.id, project.name, project.is_open, project.created_at, project.updated_at]
        self._sql.execute(connection, _PUT, row)
        self._bump(connection)

    def delete(self, connection: ConnectionT, project_id: str) -> bool:
        if self._sql.number(connection, "SELECT count(*) FROM placements WHERE project_id = ?", [project_id]):
            raise Conflict("Something belongs to the project; move or delete it first.")
        self._sql.execute(connection, "DELETE FROM shares WHERE project_id = ?", [project_id])
        self._bump(connection)
        return self._sql.execute(connection, "DELETE FROM projects WHERE id = ?", [project_id]).rowcount > 0

    def members(self, connection: ConnectionT, project_id: str | None) -> list[ProjectMember]:
        clause, values = ("", []) if project_id is None else (" WHERE project_id = ?", [project_id])
        sql = f"SELECT project_id, user_id, role FROM project_members{clause} ORDER BY project_id, user_id"  # noqa: S608 - ours
        return [ProjectMember(*row) for row in self._sql.execute(connection, sql, values).fetchall()]

    def put_member(self, connection: ConnectionT, member: ProjectMember) -> None:
        for table, what, ident in (("projects", "project", member.project_id), ("users", "user", member.user_id)):
            if not self._sql.number(connection, f"SELECT count(*) FROM {table} WHERE id = ?", [ident]):  # noqa: S608 - ours
                raise NotFound(f"There is no {what} with this id.")
        self._sql.execute(connection, _PUT_MEMBER, [member.project_id, member.user_id, member.role])
        self._bump(connection)

    def delete_member(self, connection: ConnectionT, project_id: str, user_id: str) -> bool:
        sql = "DELETE FROM project_members WHERE project_id = ? AND user_id = ?"
        self._bump(connection)
        return self._sql.execute(connection, sql, [project_id, user_id]).rowcount > 0

    def place(self, connection: ConnectionT, kind: ResourceKind, ids: Iterable[str], project_id: str) -> None:
        for ident in ids:
            if project_id == SHARED and kind != "execution":
                self._sql.execute(connection, "DELETE FROM placements WHERE kind = ? AND id = ?", [kind, ident])
            else:
                self._sql.repeat(connection, _PLACE, [kind, ident, project_id])
            self._unshare(connection, kind, ident, project_id)
        self._bump(connection)

    def unplace(self, connection: ConnectionT, kind: ResourceKind, resource_id: str) -> None:
        for table in ("placements", "shares"):
            self._sql.execute(connection, f"DELETE FROM {table} WHERE kind = ? AND id = ?", [kind, resource_id])  # noqa: S608 - ours
        self._bump(connection)

    def placements(self, connection: ConnectionT, kind: ResourceKind, ids: Sequence[str]) -> dict[str, str]:
        sql = f"SELECT id, project_id FROM placements WHERE kind = ? AND {self._sql.among('id')}"  # noqa: S608 - ours
        return dict(self._sql.execute(connection, sql, [kind, self._sql.listed(list(ids))]).fetchall())

    def placed(self, connection: ConnectionT, project_id: str, kind: ResourceKind) -> list[str]:
        sql = "SELECT id FROM placements WHERE project_id = ? AND kind = ? ORDER BY id"
        return [ident for (ident,) in self._sql.execute(connection, sql, [project_id, kind]).fetchall()]

    def share(self, connection: ConnectionT, kind: ResourceKind, resource_id: str, project_id: str) -> None:
        if self.placements(connection, kind, [resource_id]).get(resource_id, SHARED) == project_id:
            return
        sql = "INSERT INTO shares (kind, id, project_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        self._sql.execute(connection, sql, [kind, resource_id, project_id])
        self._bump(connection)

    def unshare(self, connection: ConnectionT, kind: ResourceKind, resource_id: str, project_id: str) -> bool:
        self._bump(connection)
        return self._unshare(connection, kind, resource_id, project_id)

    def shares(self, connection: ConnectionT, kind: ResourceKind, ids: Sequence[str]) -> dict[str, list[str]]:
        sql = f"SELECT id, project_id FROM shares WHERE kind = ? AND {self._sql.among('id')} ORDER BY id, project_id"  # noqa: S608 - ours
        found: dict[str, list[str]] = {}
        for ident, project in self._sql.execute(connection, sql, [kind, self._sql.listed(list(ids))]).fetchall():
            found.setdefault(ident, []).append(project)
        return found

    def trim(self, connection: ConnectionT, limit: int) -> int:
        gone = 0
        for kind, sql in (("execution", _GONE_RUNS), ("workflow", _GONE_WORKFLOWS), ("draft", _GONE_DRAFTS)):
            gone += self._sql.execute(connection, sql, [kind, kind, limit]).rowcount
        return gone

    def _unshare(self, connection: ConnectionT, kind: ResourceKind, resource_id: str, project_id: str) -> bool:
        sql = "DELETE FROM shares WHERE kind = ? AND id = ? AND project_id = ?"
        return self._sql.execute(connection, sql, [kind, resource_id, project_id]).rowcount > 0

    def _bump(self, connection: ConnectionT) -> None:
        self._sql.execute(connection, _BUMP)


class SqlProjects(ABC, Generic[ConnectionT]):
    """Part of the store port."""

    _projects: ProjectWork[ConnectionT]

    @property
    @abstractmethod
    def database(self) -> SqlDatabase[ConnectionT]: ...

    async def project_revision(self) -> int:
        return await self.database.read(self._projects.revision)

    async def projects(self) -> Sequence[Project]:
        return await self.database.read(self._projects.all)

    async def put_project(self, project: Project) -> None:
        await self.database.write_alone(lambda connection: self._projects.put(connection, project))

    async def delete_project(self, project_id: str) -> bool:
        return await self.database.write_alone(lambda connection: self._projects.delete(connection, project_id))

    async def project_members(self, project_id: str | None = None) -> Sequence[ProjectMember]:
        return await self.database.read(lambda connection: self._projects.members(connection, project_id))

    async def put_project_member(self, member: ProjectMember) -> None:
        await self.database.write_alone(lambda connection: self._projects.put_member(connection, member))

    async def delete_project_member(self, project_id: str, user_id: str) -> bool:
        return await self.database.write_alone(
            lambda connection: self._projects.delete_member(connection, project_id, user_id)
        )

    async def place_resources(self, kind: ResourceKind, ids: Sequence[str], project_id: str) -> None:
        await self.database.write_alone(lambda connection: self._projects.place(connection, kind, ids, project_id))

    async def forget_resource(self, kind: ResourceKind, resource_id: str) -> None:
        await self.database.write_alone(lambda connection: self._projects.unplace(connection, kind, resource_id))

    async def placements(self, kind: ResourceKind, ids: Sequence[str]) -> Mapping[str, str]:
        return await self.database.read(lambda connection: self._projects.placements(connection, kind, ids))

    async def placed(self, project_id: str, kind: ResourceKind) -> Sequence[str]:
        return await self.database.read(lambda connection: self._projects.placed(connection, project_id, kind))

    async def share_resource(self, kind: ResourceKind, resource_id: str, project_id: str) -> None:
        await self.database.write_alone(
            lambda connection: self._projects.share(connection, kind, resource_id, project_id)
        )

    async def unshare_resource(self, kind: ResourceKind, resource_id: str, project_id: str) -> bool:
        return await self.database.write_alone(
            lambda connection: self._projects.unshare(connection, kind, resource_id, project_id)
        )

    async def shares(self, kind: ResourceKind, ids: Sequence[str]) -> Mapping[str, Sequence[str]]:
        return await self.database.read(lambda connection: self._projects.shares(connection, kind, ids))

    async def trim_placements(self, limit: int) -> int:
        return await self.database.write_alone(lambda connection: self._projects.trim(connection, limit))
