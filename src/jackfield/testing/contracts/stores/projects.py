"""Projects, and lists that are limited to some of them: what holds for every store."""

from __future__ import annotations

import pytest

from jackfield.api.errors import Conflict, NotFound
from jackfield.api.storage import (
    SHARED,
    ApiKey,
    Credential,
    ExecutionFilter,
    FinishedExecution,
    Folder,
    NewExecution,
    Project,
    ProjectMember,
    Store,
    StoredWorkflow,
    User,
    Variable,
    Within,
    WorkflowFilter,
)
from jackfield.api.storage.tables import DataTable, DataTableFilter
from jackfield.api.triggers import Registration
from jackfield.testing.contracts.stores.drafts import draft

A, B, EVERYONE = Within(["a"]), Within(["b"]), Within([SHARED])


def user(id: str) -> User:
    return User(id, id, "member", "", 1, 1)


async def add_workflow(store: Store, id: str, project: str = SHARED) -> None:
    registered = [Registration("hook", "Hook", "webhook", "GET", id, id)]
    await store.add_workflow(StoredWorkflow(id, id, False, 1, {}, 1, 1), registered, None)
    await store.place_resources("workflow", [id], project)


async def run(store: Store, id: str, workflow_id: str | None, *, is_open: bool = False) -> None:
    finished = None if is_open else FinishedExecution(id, "success", 2, 1)
    await store.add_execution(NewExecution(id, workflow_id, 1, "manual", "queued", 1, b"{}"), finished)


async def workflows(store: Store, within: Within | None) -> list[str]:
    page = await store.workflows(WorkflowFilter(within=within, order="name"), offset=0, limit=10)
    assert page.total == len(page.rows)
    return [row.id for row in page.rows]


class StoreProjectsContract:
    """Subclass it and give the fixture `store`, an open and empty `Store`."""

    async def test_a_project_has_members(self, store: Store) -> None:
        assert (await store.project_revision(), await store.projects()) == (0, [])
        await store.add_user(user("u"))
        await store.put_project(Project("b", "B", 1, 1))
        await store.put_project(Project("a", "A", 2, 2))
        await store.put_project(Project("b", "Beta", 3, 3, is_open=True))
        assert await store.projects() == [Project("a", "A", 2, 2), Project("b", "Beta", 1, 3, is_open=True)]
        await store.put_project_member(ProjectMember("a", "u", "project:viewer"))
        await store.put_project_member(ProjectMember("a", "u", "project:admin"))
        await store.put_project_member(ProjectMember("b", "u", "project:editor"))
        member = ProjectMember("a", "u", "project:admin")
        assert await store.project_members() == [member, ProjectMember("b", "u", "project:editor")]
        assert await store.project_members("a") == [member]
        assert await store.delete_project_member("a", "u")
        assert not await store.delete_project_member("a", "u")
        assert await store.project_revision() > 0
        await store.delete_user("u")
        assert await store.project_members() == []

    async def test_members_need_a_project_and_a_user(self, store: Store) -> None:
        await store.add_user(user("u"))
        await store.put_project(Project("a", "A", 1, 1))
        for project_id, user_id in (("gone", "u"), ("a", "gone")):
            with pytest.raises(NotFound):
                await store.put_project_member(ProjectMember(project_id, user_id, "project:viewer"))

    async def test_a_project_that_has_something_stays(self, store: Store) -> None:
        await store.put_project(Project("a", "A", 1, 1))
        await store.place_resources("credential", ["c"], "a")
        with pytest.raises(Conflict):
            await store.delete_project("a")
        await store.place_resources("credential", ["c"], SHARED)
        await store.share_resource("credential", "c", "a")
        assert await store.delete_project("a")
        assert not await store.delete_project("a")
        assert await store.shares("credential", ["c"]) == {}

    async def test_something_belongs_to_one_project(self, store: Store) -> None:
        await store.place_resources("workflow", ["w", "v"], "a")
        await store.place_resources("workflow", ["v"], "b")
        await store.place_resources("credential", ["w"], "b")
        assert await store.placements("workflow", ["w", "v", "x"]) == {"w": "a", "v": "b"}
        assert await store.placed("b", "workflow") == ["v"]
        await store.share_resource("workflow", "w", "b")
        await store.share_resource("workflow", "w", "a")
        await store.share_resource("workflow", "w", "c")
        assert await store.shares("workflow", ["w", "v"]) == {"w": ["b", "c"]}
        await store.place_resources("workflow", ["w"], "b")
        assert await store.shares("workflow", ["w"]) == {"w": ["c"]}
        assert await store.unshare_resource("workflow", "w", "c")
        assert not await store.unshare_resource("workflow", "w", "c")
        await store.share_resource("workflow", "w", "c")
        await store.forget_resource("workflow", "w")
        assert (await store.placements("workflow", ["w"]), await store.shares("workflow", ["w"])) == ({}, {})

    async def test_lists_are_limited(self, store: Store) -> None:
        for project in ("a", "b", SHARED):
            await add_workflow(store, f"w{project}", project)
            await store.add_credential(Credential(f"c{project}", "C", "k", b"", 1, 1))
            await store.put_variable(Variable(f"v{project}", f"V{project}", "", 1, 1))
            await store.add_data_table(DataTable(f"t{project}", f"T{project}", [], 1, 1))
            await store.put_folder(Folder(f"f{project}", f"F{project}", None, 1, 1))
            for kind, letter in (("credential", "c"), ("variable", "v"), ("data-table", "t"), ("folder", "f")):
                await store.place_resources(kind, [f"{letter}{project}"], project)  # type: ignore[arg-type]  # of this list
        for within, project in ((A, "a"), (B, "b"), (EVERYONE, SHARED)):
            assert await workflows(store, within) == [f"w{project}"]
            credentials = await store.credentials(0, 10, within)
            assert ([row.id for row in credentials.rows], credentials.total) == ([f"c{project}"], 1)
            assert [row.id for row in await store.variables(within)] == [f"v{project}"]
            assert [row.id for row in await store.folders(within)] == [f"f{project}"]
            tables = await store.data_tables(
                DataTableFilter(within=within), order="name", descending=False, offset=0, limit=9
            )
            assert ([row.id for row in tables.rows], tables.total) == ([f"t{project}"], 1)
            hooks = await store.webhooks(offset=0, limit=9, active=None, workflow_id=None, within=within)
            assert ([row.workflow_id for row in hooks.rows], hooks.total) == ([f"w{project}"], 1)
        assert await workflows(store, Within(["a", SHARED])) == ["wa", f"w{SHARED}"]
        assert await workflows(store, Within([])) == []
        assert await workflows(store, None) == ["wa", "wb", f"w{SHARED}"]
        await store.share_resource("workflow", "wb", "a")
        await store.share_resource("workflow", "wa", SHARED)
        assert await workflows(store, A) == ["wa", "wb"]
        assert await workflows(store, EVERYONE) == ["wa", f"w{SHARED}"]

    async def test_executions_are_where_their_workflow_is(self, store: Store) -> None:
        await add_workflow(store, "wa", "a")
        await add_workflow(store, "ws")
        await run(store, "1", "wa")
        await run(store, "2", "wa", is_open=True)
        await run(store, "3", "ws")
        await run(store, "4", None)
        assert await self._runs(store, A) == {"1", "2"}
        assert await self._runs(store, EVERYONE) == {"3"}
        assert await self._runs(store, B) == set()
        assert await store.execution_stats(ExecutionFilter(within=A)) == {"success": 1, "queued": 1}
        assert await store.execution_stats(ExecutionFilter(within=A, status="success", since=1, until=1)) == {
            "success": 1
        }
        await store.place_resources("workflow", ["wa"], "b")
        assert (await self._runs(store, A), await self._runs(store, B)) == (set(), {"1", "2"})
        await store.delete_workflow("wa")
        assert await self._runs(store, B) == {"1", "2"}

    async def test_drafts_are_where_their_workflow_is_or_where_they_are_themselves(self, store: Store) -> None:
        for project in ("a", "b", SHARED):
            await add_workflow(store, f"w{project}", project)
            await store.add_draft(draft(f"of-{project}", f"w{project}"), 10)
            await store.add_draft(draft(f"new-{project}"), 10)
            await store.place_resources("draft", [f"new-{project}"], project)
        for within, project in ((A, "a"), (B, "b"), (EVERYONE, SHARED)):
            page = await store.drafts(None, None, offset=0, limit=10, within=within)
            assert [row.id for row in page.rows] == [f"new-{project}", f"of-{project}"]
            assert page.total == 2
            assert (await store.drafts(f"w{project}", None, offset=0, limit=10, within=within)).total == 1
            assert (await store.drafts("", None, offset=0, limit=10, within=within)).total == 1
        assert (await store.drafts("wb", None, offset=0, limit=10, within=A)).total == 0
        await store.delete_draft("new-a")
        await store.delete_workflow("wa")
        assert await store.trim_placements(10) == 1
        assert (await store.placed("a", "workflow"), await store.placed("a", "draft")) == (["wa"], [])

    async def test_what_is_gone_is_forgotten(self, store: Store) -> None:
        await add_workflow(store, "kept", "a")
        await add_workflow(store, "ran", "a")
        await run(store, "1", "ran")
        await store.delete_workflow("ran")
        await store.place_resources("workflow", ["gone"], "a")
        await store.place_resources("execution", ["1", "2"], "a")
        assert await store.trim_placements(10) == 2
        assert (await store.placed("a", "workflow"), await store.placed("a", "execution")) == (["kept", "ran"], ["1"])

    async def test_an_execution_is_placed_in_the_shared_project_too(self, store: Store) -> None:
        await store.place_resources("execution", ["1"], SHARED)
        await store.place_resources("workflow", ["1"], SHARED)
        assert await store.placements("execution", ["1", "2"]) == {"1": SHARED}
        assert await store.placements("workflow", ["1"]) == {}

    async def test_a_key_may_be_limited(self, store: Store) -> None:
        await store.add_user(user("u"))
        key = ApiKey("k", "u", "K", "jf", "d", (), 1, projects=("a", "b"))
        await store.add_api_key(key)
        assert await store.api_key("d") == key
        assert (await store.api_keys("u", 0, 1)).rows == [key]

    async def _runs(self, store: Store, within: Within) -> set[str]:
        page = await store.executions(ExecutionFilter(within=within), offset=0, limit=10)
        assert page.total == len(page.rows)
        return {row.id for row in page.rows}
