"""Workflows, versions, routes: what holds for every store."""

from __future__ import annotations

import asyncio

import pytest

from jackfield.api.errors import Conflict, NotFound, RouteConflict
from jackfield.api.storage import NewCall, Store, StoredWorkflow, Tag, VersionRow, Webhook, WorkflowFilter, WorkflowRow
from jackfield.api.triggers import Registration
from jackfield.api.workflows import Document

DOCUMENT: Document = {"nodes": [{"id": "n1", "name": "Hook"}], "connections": {}, "unknown": [1, None, {"a": "ü\x00"}]}


def hook(path: str, node: str = "n1", method: str = "POST", kind: str = "webhook", name: str = "Hook") -> Registration:
    return Registration(node, name, kind, method, f"/{path}", path)


def saved(id: str, name: str = "Flow", *, active: bool = False, at: int = 1000) -> StoredWorkflow:
    return StoredWorkflow(id, name, active, 1, DOCUMENT, at, at)


async def live(store: Store, id: str, *registrations: Registration, name: str = "Flow") -> None:
    await store.add_workflow(saved(id, name), registrations, None)
    await store.set_active(id, True, registrations, now=1500)


async def hooks(store: Store, workflow_id: str | None = None, active: bool | None = None) -> list[Webhook]:
    page = await store.webhooks(offset=0, limit=100, active=active, workflow_id=workflow_id)
    assert page.total == len(page.rows)
    return list(page.rows)


async def change(store: Store, id: str, *registrations: Registration, now: int = 2000) -> StoredWorkflow | None:
    return await store.change_workflow(id, DOCUMENT, "Flow", registrations, now=now, author=None)


async def tags_of(store: Store, workflow_id: str) -> list[str]:
    found = await store.workflow(workflow_id)
    assert found is not None
    return [tag.name for tag in found.tags]


class StoreWorkflowsContract:
    """Workflows: subclass it and give the fixture `store`, an open and empty `Store`."""

    async def test_a_document_comes_back_untouched(self, store: Store) -> None:
        await store.add_workflow(saved("w"), [], "ada")
        assert await store.workflow("w") == saved("w")
        assert await store.workflow("x") is None

    async def test_a_taken_id_is_a_conflict(self, store: Store) -> None:
        await store.add_workflow(saved("w"), [], None)
        with pytest.raises(Conflict):
            await store.add_workflow(saved("w", "Other"), [hook("a")], None)
        assert await hooks(store) == []

    async def test_a_change_is_a_new_version(self, store: Store) -> None:
        await store.add_workflow(saved("w"), [], "ada")
        new = await store.change_workflow("w", {"nodes": []}, "New", [], now=2000, author="bob")
        assert new == StoredWorkflow("w", "New", False, 2, {"nodes": []}, 1000, 2000)
        assert await store.workflow("w") == new
        assert await store.workflow_version("w", 1) == saved("w")
        assert await store.workflow_version("w", 2) == new
        assert await store.workflow_version("w", 3) is None
        row = await store.workflow_row("w")
        assert row is not None
        assert (row.name, row.version, row.active) == (new.name, new.version, new.active)
        assert await store.workflow_row("other") is None
        page = await store.versions("w", 0, 10)
        rows = [(row.version, row.name, row.created_at, row.author) for row in page.rows]
        assert (rows, page.total) == ([(2, "New", 2000, "bob"), (1, "Flow", 1000, "ada")], 2)

    async def test_unknown_workflows_are_not_changed(self, store: Store) -> None:
        assert await change(store, "w") is None
        assert await store.set_active("w", True, [], now=1) is None
        assert await store.delete_workflow("w") is False
        assert (await store.versions("w", 0, 10)).total == 0

    async def test_an_expected_version_that_is_gone_is_a_conflict(self, store: Store) -> None:
        await store.add_workflow(saved("w"), [], None)
        kwargs = {"now": 2, "author": None, "expected_version": 1}
        assert await store.change_workflow("w", DOCUMENT, "A", [], **kwargs)  # type: ignore[arg-type]
        with pytest.raises(Conflict):
            await store.change_workflow("w", DOCUMENT, "B", [hook("a")], **kwargs)  # type: ignore[arg-type]
        found = await store.workflow("w")
        assert found is not None
        assert (found.name, found.version) == ("A", 2)
        assert await hooks(store) == []

    async def test_a_switch_of_a_version_that_is_gone_is_a_conflict(self, store: Store) -> None:
        """Else the routes of an old version would stand beside the new document."""
        await store.add_workflow(saved("w"), [], None)
        await change(store, "w", hook("new"))
        with pytest.raises(Conflict):
            await store.set_active("w", True, [hook("old")], now=3, expected_version=1)
        found = await store.workflow("w")
        assert found is not None
        assert (found.active, [each.path for each in await hooks(store)]) == (False, ["/new"])
        assert await store.set_active("w", True, [hook("new")], now=3, expected_version=2)

    async def test_of_writers_with_the_same_version_one_wins(self, store: Store) -> None:
        await store.add_workflow(saved("w"), [], None)
        results = await asyncio.gather(
            *(
                store.change_workflow("w", DOCUMENT, f"{n}", [], now=2, author=None, expected_version=1)
                for n in range(6)
            ),
            return_exceptions=True,
        )
        assert sum(isinstance(result, StoredWorkflow) for result in results) == 1
        assert sum(isinstance(result, Conflict) for result in results) == 5

    async def test_old_versions_are_forgotten(self, store: Store) -> None:
        await store.add_workflow(saved("w"), [], None)
        for n in range(104):
            await change(store, "w", now=2000 + n)
        page = await store.versions("w", 98, 10)
        assert (page.total, [row.version for row in page.rows]) == (100, [7, 6])
        assert await store.workflow_version("w", 5) is None
        assert await store.workflow_version("w", 6) is not None

    async def test_a_named_version_is_kept_beside_the_newest(self, store: Store) -> None:
        await store.add_workflow(saved("w"), [], None)
        assert await store.label_version("w", 1, "Before the move")
        for n in range(104):
            await change(store, "w", now=2000 + n)
        assert (await store.versions("w", 100, 10)).rows == [VersionRow(1, "Flow", 1000, None, "Before the move")]
        assert await store.label_version("w", 1, "")
        await change(store, "w")
        assert await store.workflow_version("w", 1) is None
        assert not await store.label_version("w", 1, "Gone")
        assert not await store.label_version("x", 1, "Unknown")

    async def test_as_many_versions_may_be_named_as_are_kept(self, store: Store) -> None:
        await store.add_workflow(saved("w"), [], None)
        for n in range(100):
            await store.label_version("w", n + 1, "Kept")
            await change(store, "w")
        assert await store.label_version("w", 1, "Renamed")
        with pytest.raises(Conflict):
            await store.label_version("w", 101, "One too many")

    async def test_workflows_are_listed_with_the_newest_change_first(self, store: Store) -> None:
        for n in range(4):
            await store.add_workflow(saved(f"w{n}", at=1000 + n), [], None)
        await store.set_active("w1", True, [], now=5000)
        page = await store.workflows(WorkflowFilter(), offset=0, limit=3)
        assert ([row.id for row in page.rows], page.total) == (["w1", "w3", "w2"], 4)
        assert page.rows[0] == WorkflowRow("w1", "Flow", True, 1, 1001, 5000, 1)
        assert [row.id for row in (await store.workflows(WorkflowFilter(), offset=3, limit=3)).rows] == ["w0"]
        assert [row.id for row in (await store.workflows(WorkflowFilter(active=True), offset=0, limit=9)).rows] == [
            "w1"
        ]
        assert (await store.workflows(WorkflowFilter(active=False), offset=0, limit=9)).total == 3

    @pytest.mark.parametrize(
        ("search", "found"),
        [
            ("100%", ["100% wool"]),
            ("%", ["100% wool"]),
            ("_", ["a_b"]),
            ("\\", ["back\\slash"]),
            ("ÄRGER", ["ärger"]),
            ("STRASSE", ["Straße"]),
            ("WOOL", ["100% wool"]),
            ("nul\x00", ["Nul\x00l"]),
            ("l", ["100% wool", "back\\slash", "Nul\x00l"]),
            ("\ud800", []),
            ("'", []),
        ],
    )
    async def test_search_is_literal_and_ignores_case(self, store: Store, search: str, found: list[str]) -> None:
        for n, name in enumerate(["100% wool", "a_b", "aXb", "back\\slash", "ärger", "Straße", "Nul\x00l"]):
            await store.add_workflow(saved(f"w{n}", name), [], None)
        page = await store.workflows(WorkflowFilter(search=search), offset=0, limit=99)
        assert (sorted(row.name for row in page.rows), page.total) == (sorted(found), len(found))

    async def test_tags_are_kept_by_name(self, store: Store) -> None:
        for tag_id, name in (("t1", "b"), ("t2", "a")):
            await store.put_tag(Tag(tag_id, name, 1, 1))
        with pytest.raises(Conflict):
            await store.put_tag(Tag("t3", "a", 2, 2))
        with pytest.raises(Conflict):
            await store.put_tag(Tag("t1", "a", 2, 2))
        await store.put_tag(Tag("t1", "c", 5, 5))
        page = await store.tags(offset=0, limit=1)
        assert (list(page.rows), page.total) == ([Tag("t2", "a", 1, 1)], 2)
        assert await store.tag("t1") == Tag("t1", "c", 1, 5)
        assert await store.delete_tag("t1") is True
        assert await store.delete_tag("t1") is False
        assert await store.tag("t1") is None

    async def test_workflows_are_tagged_by_names_and_found_by_all_of_them(self, store: Store) -> None:
        await store.put_tag(Tag("t1", "b", 1, 1))
        await store.add_workflow(saved("w1"), [], None, tags=["b", "a"])
        await store.add_workflow(saved("w2"), [], None, tags=["a"])
        await store.add_workflow(saved("w3"), [], None)
        found = await store.workflow("w1")
        assert found is not None
        assert [(tag.name, tag.created_at) for tag in found.tags] == [("a", 1000), ("b", 1)]
        row = await store.workflow_row("w1")
        assert row is not None
        assert row.tags == found.tags
        for tags, ids in ((["a"], {"w1", "w2"}), (["a", "b"], {"w1"}), (["c"], set()), (["a", "c"], set())):
            page = await store.workflows(WorkflowFilter(tags=tags), offset=0, limit=9)
            assert ({one.id for one in page.rows}, page.total) == (ids, len(ids))
        changed = await change(store, "w1")
        assert changed is not None
        assert changed.tags == found.tags
        new = await store.change_workflow("w1", DOCUMENT, "W", [], now=3000, author=None, tags=["c"])
        assert new is not None
        assert [tag.name for tag in new.tags] == ["c"]
        assert (await store.workflow("w1")) == new

    async def test_workflows_are_tagged_by_ids(self, store: Store) -> None:
        for tag_id in ("t1", "t2"):
            await store.put_tag(Tag(tag_id, tag_id, 1, 1))
        await store.add_workflow(saved("w"), [], None, tags=["t1"])
        assert await store.tag_workflow("x", ["t1"]) is False
        with pytest.raises(NotFound):
            await store.tag_workflow("w", ["t2", "t9"])
        assert await tags_of(store, "w") == ["t1"]
        assert await store.tag_workflow("w", ["t2", "t1", "t2"]) is True
        assert await tags_of(store, "w") == ["t1", "t2"]
        await store.delete_tag("t1")
        assert await tags_of(store, "w") == ["t2"]
        await store.delete_workflow("w")
        assert (await store.tags(offset=0, limit=9)).total == 1

    async def test_static_data(self, store: Store) -> None:
        await store.add_workflow(saved("w"), [], None)
        assert await store.static_data("w") is None
        assert await store.set_static_data("w", b"{}", None)
        assert await store.set_static_data("w", b'{"a":1}', b"{}")
        assert not await store.set_static_data("w", b'{"a":2}', None)
        assert not await store.set_static_data("w", b'{"a":2}', b"{}")
        assert await store.set_static_data("unknown", b"{}", None)
        assert await store.set_static_data("unknown", b"{}", b"{}")
        assert await store.static_data("w") == b'{"a":1}'
        assert await store.static_data("unknown") is None
        await store.delete_workflow("w")
        assert await store.static_data("w") is None

    async def test_a_webhook_shows_its_workflow(self, store: Store) -> None:
        await store.add_workflow(saved("w", "Orders", at=1000), [hook("a/:id", name="In")], None)
        (found,) = await hooks(store)
        wanted = Webhook(found.id, "w", "Orders", "n1", "In", "POST", "/a/:id", "a/:id", "none", False, 1000)
        assert found == wanted
        assert await store.webhook(found.id) == wanted
        assert await store.webhooks_by_path("/a/:id") == [wanted]
        assert await store.webhooks_by_path("/a/:ID") == []
        assert await store.webhook("other") is None

    async def test_only_webhooks_are_listed(self, store: Store) -> None:
        await store.add_workflow(saved("w"), [hook("a", kind="schedule"), hook("b", node="n2")], None)
        assert [each.path for each in await hooks(store)] == ["/b"]
        assert await store.webhooks_by_path("/a") == []

    async def test_webhooks_are_filtered_and_paged(self, store: Store) -> None:
        for n in range(3):
            await store.add_workflow(saved(f"w{n}", at=1000 + n), [hook(f"p{n}")], None)
        await store.set_active("w1", True, [hook("p1")], now=5000)
        page = await store.webhooks(offset=1, limit=1, active=None, workflow_id=None)
        assert ([each.path for each in page.rows], page.total) == (["/p1"], 3)
        assert [each.path for each in await hooks(store, active=True)] == ["/p1"]
        assert [each.path for each in await hooks(store, active=False)] == ["/p2", "/p0"]
        assert [each.path for each in await hooks(store, "w0")] == ["/p0"]

    async def test_a_live_route_belongs_to_one_workflow(self, store: Store) -> None:
        await live(store, "w1", hook("a"), name="First")
        await store.add_workflow(saved("w2", "Second"), [hook("a"), hook("b", node="n2")], None)
        with pytest.raises(RouteConflict) as conflict:
            await store.set_active("w2", True, [hook("a"), hook("b", node="n2")], now=2000)
        assert conflict.value.details == {"workflowId": "w1", "workflowName": "First", "method": "POST", "path": "/a"}
        assert "First" in conflict.value.message
        assert "w1" in conflict.value.message
        found = await store.workflow("w2")
        assert found == saved("w2", "Second")
        assert [each.active for each in await hooks(store, "w2")] == [False, False]

    async def test_methods_patterns_and_inactive_workflows_do_not_collide(self, store: Store) -> None:
        await live(store, "w1", hook("a"))
        await live(store, "w2", hook("a", method="GET"))
        await live(store, "w3", hook("a/:id"))
        await live(store, "w4", hook("a", kind="schedule"))
        await store.add_workflow(saved("w5"), [hook("a")], None)
        assert len(await hooks(store, active=True)) == 3

    async def test_a_pattern_of_any_kind_is_live_once_and_an_empty_one_is_nobodys(self, store: Store) -> None:
        await live(store, "w1", hook("a", kind="strange"), hook("", kind="strange", node="n2"))
        await live(store, "w2", hook("", kind="strange"))
        await store.add_workflow(saved("w3"), [hook("a", kind="strange")], None)
        with pytest.raises(RouteConflict):
            await store.set_active("w3", True, [hook("a", kind="strange")], now=2000)

    async def test_a_route_is_free_after_deactivation_and_deletion(self, store: Store) -> None:
        await live(store, "w1", hook("a"))
        await store.add_workflow(saved("w2"), [hook("a")], None)
        await store.set_active("w1", False, [hook("a")], now=2000)
        assert await store.set_active("w2", True, [hook("a")], now=2000)
        await store.delete_workflow("w2")
        assert await store.set_active("w1", True, [hook("a")], now=3000)
        assert [each.workflow_id for each in await hooks(store, active=True)] == ["w1"]

    async def test_one_workflow_cannot_serve_a_route_twice(self, store: Store) -> None:
        twice = [hook("a"), hook("a", node="n2")]
        await store.add_workflow(saved("w"), twice, None)
        with pytest.raises(RouteConflict) as conflict:
            await store.set_active("w", True, twice, now=2000)
        assert (conflict.value.details or {})["workflowId"] == "w"
        assert [each.active for each in await hooks(store)] == [False, False]

    async def test_of_two_activations_at_once_one_wins(self, store: Store) -> None:
        for n in range(5):
            await store.add_workflow(saved(f"w{n}"), [hook("a")], None)
        results = await asyncio.gather(
            *(store.set_active(f"w{n}", True, [hook("a")], now=2000) for n in range(5)), return_exceptions=True
        )
        assert sum(isinstance(result, RouteConflict) for result in results) == 4
        assert len(await hooks(store, active=True)) == 1

    async def test_a_live_workflow_stays_live_and_its_routes_follow(self, store: Store) -> None:
        await live(store, "w", hook("a"), hook("b", node="n2"))
        before = {each.node_id: each.id for each in await hooks(store)}
        changed = await change(store, "w", hook("c"), hook("a", node="n2"), hook("d", node="n3"))
        assert changed is not None
        assert changed.active
        after = {each.node_id: each for each in await hooks(store, active=True)}
        assert {node: each.path for node, each in after.items()} == {"n1": "/c", "n2": "/a", "n3": "/d"}
        assert after["n1"].id == before["n1"]
        assert after["n2"].id == before["n2"]
        assert after["n3"].id not in before.values()

    async def test_two_nodes_may_swap_their_paths(self, store: Store) -> None:
        await live(store, "w", hook("a"), hook("b", node="n2"))
        await change(store, "w", hook("b"), hook("a", node="n2"))
        assert {each.node_id: each.path for each in await hooks(store, active=True)} == {"n1": "/b", "n2": "/a"}

    async def test_a_change_that_collides_changes_nothing(self, store: Store) -> None:
        await live(store, "w1", hook("a"))
        await live(store, "w2", hook("b"))
        with pytest.raises(RouteConflict):
            await change(store, "w2", hook("a"))
        found = await store.workflow("w2")
        assert found is not None
        assert (found.version, found.active) == (1, True)
        assert [each.path for each in await hooks(store, "w2", active=True)] == ["/b"]
        assert (await store.versions("w2", 0, 9)).total == 1

    async def test_an_inactive_workflow_may_take_any_path(self, store: Store) -> None:
        await live(store, "w1", hook("a"))
        await store.add_workflow(saved("w2"), [hook("b")], None)
        assert await change(store, "w2", hook("a"))
        assert len(await store.webhooks_by_path("/a")) == 2

    async def test_webhook_ids_outlive_deactivation(self, store: Store) -> None:
        await live(store, "w", hook("a"))
        (before,) = await hooks(store)
        await store.set_active("w", False, [hook("a")], now=2000)
        await change(store, "w", hook("z"))
        await store.set_active("w", True, [hook("z")], now=3000)
        (after,) = await hooks(store)
        assert (after.id, after.created_at, after.path) == (before.id, before.created_at, "/z")

    async def test_another_method_is_another_webhook(self, store: Store) -> None:
        await live(store, "w", hook("a"))
        (before,) = await hooks(store)
        await change(store, "w", hook("a", method="PUT"))
        (after,) = await hooks(store)
        assert after.id != before.id
        assert await store.webhook(before.id) is None

    async def test_a_webhook_that_goes_takes_its_history_along(self, store: Store) -> None:
        await live(store, "w", hook("a"), hook("b", node="n2"))
        ids = {each.node_id: each.id for each in await hooks(store)}
        for node, webhook_id in ids.items():
            await store.add_call(NewCall(f"c-{node}", webhook_id, 1, "POST", b"{}", "body"))
        await change(store, "w", hook("b", node="n2"))
        assert (await store.calls(ids["n1"], status=None, offset=0, limit=9)).total == 0
        assert (await store.webhook_stats(ids["n1"])).total_calls == 0
        assert (await store.calls(ids["n2"], status=None, offset=0, limit=9)).total == 1
        await store.delete_workflow("w")
        assert await hooks(store) == []
        assert (await store.calls(ids["n2"], status=None, offset=0, limit=9)).total == 0
        assert (await store.webhook_stats(ids["n2"])).total_calls == 0

    async def test_a_workflow_may_be_added_live(self, store: Store) -> None:
        await store.add_workflow(saved("w1", active=True), [hook("a")], None)
        assert [each.active for each in await hooks(store)] == [True]
        with pytest.raises(RouteConflict):
            await store.add_workflow(saved("w2", active=True), [hook("a")], None)
        assert await store.workflow("w2") is None

    async def test_a_change_may_take_a_workflow_live_and_off(self, store: Store) -> None:
        await store.add_workflow(saved("w1"), [hook("a")], None)
        await live(store, "w2", hook("b"))
        changed = await store.change_workflow("w1", DOCUMENT, "Flow", [hook("a")], now=2, author=None, active=True)
        assert changed
        assert changed.active
        assert [each.active for each in await store.webhooks_by_path("/a")] == [True]
        with pytest.raises(RouteConflict):
            await store.change_workflow("w1", DOCUMENT, "Flow", [hook("b")], now=3, author=None)
        changed = await store.change_workflow("w1", DOCUMENT, "Flow", [hook("b")], now=3, author=None, active=False)
        assert changed
        assert not changed.active
        with pytest.raises(RouteConflict):
            await store.change_workflow("w1", DOCUMENT, "Flow", [hook("b")], now=4, author=None, active=True)
        found = await store.workflow("w1")
        assert found
        assert (found.active, found.version) == (False, 3)

    async def test_two_webhooks_without_a_pattern_may_have_the_same_path(self, store: Store) -> None:
        guest = Registration("n1", "Hook", "webhook", "GET", "/a/:id", "")
        await live(store, "w1", guest, hook("b"))
        await live(store, "w2", guest)
        assert len(await store.webhooks_by_path("/a/:id")) == 2

    async def test_registrations_of_other_kinds_are_listed_by_their_kind(self, store: Store) -> None:
        timed = Registration("n1", "Tick", "schedule", "TICK", "", "")
        await store.add_workflow(StoredWorkflow("w", "W", True, 1, {}, 5, 5), [timed], None)
        page = await store.webhooks(kind="schedule", offset=0, limit=9, active=True, workflow_id=None)
        assert [(row.workflow_id, row.node_name, row.created_at) for row in page.rows] == [("w", "Tick", 5)]
        assert (await store.webhooks(offset=0, limit=9, active=None, workflow_id=None)).rows == []

    async def test_the_address_of_a_form_is_live_once(self, store: Store) -> None:
        page = Registration("n1", "Form", "form", "FORM", "/feedback", "feedback")
        await store.add_workflow(StoredWorkflow("w1", "One", True, 1, {}, 5, 5), [page], None)
        await store.add_workflow(StoredWorkflow("w2", "Two", False, 1, {}, 5, 5), [page], None)
        with pytest.raises(RouteConflict, match="One"):
            await store.set_active("w2", True, [page], now=6)
        hook = Registration("n1", "Hook", "webhook", "FORM", "/feedback", "feedback")
        await store.add_workflow(StoredWorkflow("w3", "Three", True, 1, {}, 5, 5), [hook], None)
        assert sorted(row.workflow_id for row in await store.webhooks_by_path("/feedback", kind="form")) == ["w1", "w2"]
        assert [row.workflow_id for row in await store.webhooks_by_path("/feedback")] == ["w3"]
