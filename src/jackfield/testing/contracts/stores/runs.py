"""Executions and their pruning: what holds for every store."""

from __future__ import annotations

import asyncio

import pytest

from jackfield.api.errors import Conflict
from jackfield.api.records import replace
from jackfield.api.storage import (
    CallUpdate,
    Delivery,
    ExecutionFilter,
    ExecutionRow,
    FinishedExecution,
    NewExecution,
    StaticChange,
    Store,
    StoredCall,
    StoredWorkflow,
    WebhookStats,
)

from .rows import ALL, FOREVER, call, calls, ended, new, rows


class StoreRunsContract:
    """Executions: subclass it and give the fixture `store`, an open and empty `Store`."""

    async def test_what_is_to_be_forgotten_goes_once_its_parent_is_over(self, store: Store) -> None:
        parent, child = "01a20dd0-30d6-7a82-80ae-b382aef3464f", "01a20dd0-30d6-8a82-a0ae-b382aef3464f"
        for ident in (parent, child):
            await store.add_execution(NewExecution(ident, None, 1, "sub", "running", 1000, b"{}", 1000))
        await store.finish_execution(FinishedExecution(child, "success", 2000, 1000, forget_at=2500))
        assert await store.prune(replace(FOREVER, now=2499)) == 0
        assert await store.prune(replace(FOREVER, now=9000)) == 0
        assert await store.execution(child)
        await store.finish_execution(FinishedExecution(parent, "success", 3000, 1000))
        assert await store.prune(replace(FOREVER, now=9000)) == 1
        assert await store.execution(child) is None
        assert await store.execution(parent)

    async def test_an_execution_through_its_life(self, store: Store) -> None:
        await store.add_execution(new("e", status="queued", started_at=None))
        await store.set_running("e", 1100)
        await store.append_steps("e", b"[1]", 0)
        await store.set_waiting("e", 9000, b"[2]", 1)
        waiting = await store.execution("e")
        assert waiting is not None
        assert waiting.row == ExecutionRow("e", "w", 3, "webhook", "waiting", 1000, 1100, None, None, None, 9000)
        await store.set_running("e", 1100)
        await store.finish_execution(
            ended("e", "failed", started_at=1100, steps=b"[3]", number=2, error=b'{"message":"no"}')
        )
        found = await store.execution("e")
        assert found is not None
        assert found.row == ExecutionRow("e", "w", 3, "webhook", "failed", 1000, 1100, 2000, b'{"message":"no"}', None)
        assert (found.input, found.document, found.call) == (b"input", None, None)
        assert list(found.steps) == [b"[1]", b"[2]", b"[3]"]

    async def test_everything_queued_at_once_ends_the_same(self, store: Store) -> None:
        futures = [
            store.add_execution(new("e", status="queued", started_at=None, call=call("c"))),
            store.set_running("e", 1100),
            store.append_steps("e", b"[1]", 0),
            store.set_waiting("e", 9000, b"[2]", 1),
            store.set_running("e", 1100),
            store.update_call(CallUpdate("c", "h", None, 200, "answer", False, 7)),
            store.finish_execution(
                ended("e", started_at=1100, steps=b"[3]", number=2, call=CallUpdate("c", "h", "success"))
            ),
        ]
        await asyncio.gather(*futures)
        found = await store.execution("e")
        assert found is not None
        assert found.row == ExecutionRow("e", "w", 3, "webhook", "success", 1000, 1100, 2000, None, None)
        assert list(found.steps) == [b"[1]", b"[2]", b"[3]"]
        assert (found.call, found.call_status) == (("c", "h"), "success")
        assert await calls(store) == [
            StoredCall("c", "h", "e", 1000, "POST", {"x-a": "1"}, "body", False, "success", 200, "answer", False, 7)
        ]
        assert await store.webhook_stats("h") == WebhookStats(1, 1, 0, 0, 1000)

    async def test_accepted_and_finished_in_one(self, store: Store) -> None:
        end = ended("e", steps=b"[1]", call=CallUpdate("c", "h", "success", 200, "ok", False, 3))
        await store.add_execution(new("e", status="success", call=call("c"), document={"name": "unsaved"}), end)
        found = await store.execution("e")
        assert found is not None
        assert (found.row.status, found.row.finished_at) == ("success", 2000)
        assert (found.document, list(found.steps), found.call_status) == ({"name": "unsaved"}, [b"[1]"], "success")

    async def test_unknown_executions(self, store: Store) -> None:
        assert await store.execution("e") is None
        await store.append_steps("e", b"[1]", 0)
        await store.set_running("e", 1)
        await store.set_waiting("e", 1, b"[2]", 1)
        await store.finish_execution(ended("e", steps=b"[3]"))
        assert await store.execution("e") is None
        assert await store.delete_execution("e") is False

    async def test_what_is_queued_before_an_execution_does_not_reach_it(self, store: Store) -> None:
        await asyncio.gather(
            store.append_steps("e", b"[0]", 0),
            store.set_waiting("e", 9000, b"", 0),
            store.update_call(CallUpdate("c", "h", "failed")),
            store.add_execution(new("e", call=call("c"))),
            store.append_steps("e", b"[1]", 0),
        )
        found = await store.execution("e")
        assert found is not None
        assert (found.row.status, list(found.steps), found.call_status) == ("running", [b"[1]"], "pending")

    @pytest.mark.parametrize("wait", [True, False], ids=["apart", "together"])
    async def test_an_execution_that_is_over_stays_as_it_is(self, store: Store, wait: bool) -> None:
        futures = [store.add_execution(new("e"), ended("e", steps=b"[1]"))]
        if wait:
            await futures[0]
        futures += [
            store.append_steps("e", b"[2]", 1),
            store.set_running("e", 5),
            store.set_waiting("e", 5, b"[3]", 2),
            store.finish_execution(ended("e", "failed", 9000, steps=b"[4]", number=3, error=b"{}")),
        ]
        await asyncio.gather(*futures)
        found = await store.execution("e")
        assert found is not None
        assert (found.row.status, found.row.finished_at, found.row.error) == ("success", 2000, None)
        assert list(found.steps) == [b"[1]"]

    async def test_the_first_end_counts_when_two_are_queued(self, store: Store) -> None:
        await store.add_execution(new("e"))
        await asyncio.gather(
            store.finish_execution(ended("e", "cancelled", 1500, steps=b"[1]")),
            store.append_steps("e", b"[2]", 1),
            store.finish_execution(ended("e", "success", 1600, steps=b"[3]", number=2)),
        )
        found = await store.execution("e")
        assert found is not None
        assert (found.row.status, found.row.finished_at, list(found.steps)) == ("cancelled", 1500, [b"[1]"])

    async def test_a_taken_id_fails_alone(self, store: Store) -> None:
        await store.add_execution(new("e"))
        results = await asyncio.gather(
            store.add_execution(new("a")),
            store.add_execution(new("e", call=call("c-e"))),
            store.append_steps("a", b"[1]", 0),
            store.add_execution(new("b", call=call("c-b"))),
            store.add_execution(new("b", call=call("c-x"))),
            store.finish_execution(ended("a")),
            return_exceptions=True,
        )
        assert [type(result) for result in results] == [
            type(None),
            Conflict,
            type(None),
            type(None),
            Conflict,
            type(None),
        ]
        assert [row.id for row in await rows(store)] == ["e", "b", "a"]
        assert [each.id for each in await calls(store)] == ["c-b"]
        assert (await store.webhook_stats("h")).total_calls == 1

    async def test_large_inputs_and_many_chunks(self, store: Store) -> None:
        big = bytes(range(256)) * 8192
        await store.add_execution(new("e", input=big))
        await store.add_execution(new("f", input=b""))
        await asyncio.gather(*(store.append_steps("e", b"%d" % n, n) for n in range(50)))
        await store.append_steps("f", b"f", 0)
        await asyncio.gather(*(store.append_steps("e", b"%d" % n, n) for n in range(50, 60)))
        found, other = await store.execution("e"), await store.execution("f")
        assert found is not None
        assert other is not None
        assert found.input == big
        assert list(found.steps) == [b"%d" % n for n in range(60)]
        assert (other.input, list(other.steps)) == (b"", [b"f"])

    async def test_executions_are_listed_newest_first(self, store: Store) -> None:
        for n in range(5):
            await store.add_execution(new(f"e{n}", 1000 + n))
        page = await store.executions(ALL, offset=1, limit=2)
        assert ([row.id for row in page.rows], page.total) == (["e3", "e2"], 5)

    async def test_execution_filters(self, store: Store) -> None:
        await store.add_execution(new("a", 1000))
        await store.add_execution(new("b", 2000, workflow_id="other", mode="manual"), ended("b"))
        await store.add_execution(new("c", 3000), ended("c", "failed"))
        await store.add_execution(new("d", 4000, workflow_id=None, retry_of="c"), ended("d", "cancelled"))
        await store.add_execution(new("e", 5000), ended("e"))
        found = {
            "workflow": ExecutionFilter(workflow_id="w"),
            "running": ExecutionFilter(status="running"),
            "success": ExecutionFilter(status="success"),
            "failed": ExecutionFilter(status="failed"),
            "waiting": ExecutionFilter(status="waiting"),
            "odd": ExecutionFilter(status="\ud800"),
            "mode": ExecutionFilter(mode="manual"),
            "since": ExecutionFilter(since=3000),
            "until": ExecutionFilter(until=3000),
            "all": ExecutionFilter("w", "success", "webhook", 1, 9000),
        }
        assert {name: "".join(row.id for row in await rows(store, where)) for name, where in found.items()} == {
            "workflow": "eca",
            "running": "a",
            "success": "eb",
            "failed": "c",
            "waiting": "",
            "odd": "",
            "mode": "b",
            "since": "edc",
            "until": "cba",
            "all": "e",
        }
        assert await store.execution_stats(ALL) == {"running": 1, "success": 2, "failed": 1, "cancelled": 1}
        assert await store.execution_stats(ExecutionFilter(workflow_id="other")) == {"success": 1}
        assert (await rows(store, ExecutionFilter(until=4000)))[0].retry_of == "c"

    async def test_an_open_execution_is_not_deleted(self, store: Store) -> None:
        await store.add_execution(new("e", call=call("c"), document={"a": 1}))
        await store.append_steps("e", b"[1]", 0)
        with pytest.raises(Conflict):
            await store.delete_execution("e")
        await store.finish_execution(ended("e"))
        assert await store.delete_execution("e") is True
        assert await store.execution("e") is None
        assert [each.execution_id for each in await calls(store)] == ["e"]

    async def test_nothing_of_a_deleted_execution_comes_back(self, store: Store) -> None:
        await store.add_execution(new("e", document={"a": 1}), ended("e", steps=b"[1]"))
        await store.delete_execution("e")
        await store.add_execution(new("f", input=b"other"))
        found = await store.execution("f")
        assert found is not None
        assert (found.input, list(found.steps), found.document) == (b"other", [], None)

    async def test_several_executions_are_read_together_as_each_alone(self, store: Store) -> None:
        await store.add_execution(new("a", call=call("c"), document={"a": 1}))
        await store.append_steps("a", b"[1]", 0)
        await store.append_steps("a", b"[22]", 3)
        await store.add_execution(new("b", input=b""), ended("b", "failed", error=b'{"message":"no"}'))
        await store.add_execution(new("c"))
        await store.set_waiting("c", 9000, b"[3]", 0)
        found = await store.whole_executions(["c", "unknown", "a", "b"], 10_000)
        assert found == {each: await store.execution(each) for each in ("a", "b", "c")}
        assert await store.whole_executions([], 10_000) == {}

    async def test_what_is_read_together_has_no_more_bytes_than_asked_for(self, store: Store) -> None:
        for name in ("a", "b", "c"):
            await store.add_execution(new(name, input=b"x" * 40))
            await store.append_steps(name, b"y" * 10, 0)
        read = [len(await store.whole_executions(["a", "b", "c"], most)) for most in (49, 50, 149, 150)]
        assert read == [0, 1, 2, 3]

    async def test_the_number_of_the_next_chunk_tells_one_wait_from_another(self, store: Store) -> None:
        for name in ("none", "one", "gap"):
            await store.add_execution(new(name))
        await store.append_steps("one", b"[1]", 0)
        await store.append_steps("gap", b"[1]", 0)
        await store.set_waiting("gap", None, b"[2]", 4)
        asked = ["none", "one", "gap", "unknown"]
        assert await store.next_chunks(asked) == {"none": 0, "one": 1, "gap": 5}
        for name in ("none", "one", "gap"):
            kept = await store.execution(name)
            assert kept is not None
            assert (await store.next_chunks([name]))[name] == kept.next_chunk
        assert await store.next_chunks([]) == {}

    async def test_open_executions(self, store: Store) -> None:
        for n, status in enumerate(["queued", "running", "waiting", "waiting", "queued"]):
            await store.add_execution(new(f"e{n}", status="queued"))
            if status == "waiting":
                await store.set_waiting(f"e{n}", 1000 * n, b"", 0)
            elif status == "running":
                await store.set_running(f"e{n}", 1)
        await store.finish_execution(ended("e4"))
        every = ["queued", "running", "waiting"]
        assert await store.open_executions(statuses=every, after=None, limit=9) == ["e0", "e1", "e2", "e3"]
        assert await store.open_executions(statuses=every, after="e0", limit=2) == ["e1", "e2"]
        assert await store.open_executions(statuses=["waiting"], after=None, limit=9, due=2000) == ["e2"]
        assert await store.open_executions(statuses=every, after=None, limit=9, due=0) == ["e0", "e1"]
        assert await store.open_executions(statuses=[], after=None, limit=9) == []

    async def test_the_call_that_waits_for_an_execution(self, store: Store) -> None:
        await store.add_execution(new("e", call=call("c")))
        await store.add_execution(new("f", call=call("d")))
        await store.add_execution(new("none"))
        assert await store.pending_call("e") == ("c", "h")
        assert await store.pending_call("none") is None
        assert await store.pending_call("never") is None
        await store.finish_execution(ended("e", call=CallUpdate("c", "h", "failed")))
        assert await store.pending_call("e") is None
        assert await store.pending_call("f") == ("d", "h")

    async def test_executions_outlive_their_workflow(self, store: Store) -> None:
        await store.add_execution(new("e"), ended("e"))
        await store.delete_workflow("w")
        assert [row.workflow_id for row in await rows(store)] == ["w"]

    async def test_old_finished_executions_are_pruned(self, store: Store) -> None:
        for n in range(6):
            await store.add_execution(new(f"e{n}", 1000 + n))
        for n in range(5):
            await store.finish_execution(ended(f"e{n}", at=2000 + n))
        assert await store.prune(replace(FOREVER, executions_before=2003)) == 3
        assert [row.id for row in await rows(store)] == ["e5", "e4", "e3"]
        assert await store.prune(replace(FOREVER, executions_before=2003)) == 0

    async def test_an_execution_that_took_long_is_not_pruned_early(self, store: Store) -> None:
        await store.add_execution(new("e", 1000), ended("e", at=9000))
        assert await store.prune(replace(FOREVER, executions_before=5000)) == 0
        assert await store.prune(replace(FOREVER, executions_before=9001)) == 1

    async def test_executions_beyond_the_count_are_pruned_in_steps(self, store: Store) -> None:
        for n in range(8):
            await store.add_execution(new(f"e{n}", 1000 + n), None if n in (0, 7) else ended(f"e{n}"))
        retention = replace(FOREVER, executions_keep=2, limit=3)
        assert [await store.prune(retention) for _ in range(3)] == [3, 1, 0]
        assert [row.id for row in await rows(store)] == ["e7", "e6", "e5", "e0"]

    async def test_calls_are_pruned_per_webhook(self, store: Store) -> None:
        for n in range(6):
            await store.add_call(call(f"a{n}", 1000 + n, "one"))
        for n in range(3):
            await store.add_call(call(f"b{n}", 1000 + n, "two"))
        assert await store.prune(replace(FOREVER, calls_keep=4)) == 2
        assert [each.id for each in await calls(store, "one")] == ["a5", "a4", "a3", "a2"]
        assert await store.prune(replace(FOREVER, calls_before=1002)) == 2
        assert [each.id for each in await calls(store, "two")] == ["b2"]
        assert (await store.webhook_stats("one")).total_calls == 6

    async def test_counters_of_webhooks_that_are_gone_are_pruned(self, store: Store) -> None:
        await store.count_calls("gone", 3, 1000)
        await store.prune(replace(FOREVER, calls_before=1000))
        assert (await store.webhook_stats("gone")).total_calls == 3
        await store.prune(replace(FOREVER, calls_before=1001))
        assert await store.webhook_stats("gone") == WebhookStats()

    async def test_expired_deliveries_and_revocations_are_pruned(self, store: Store) -> None:
        for n in range(3):
            await store.add_execution(new(f"e{n}", delivery=Delivery("h", f"k{n}", 5000 + n)))
            await store.revoke_token(f"t{n}", 5000 + n)
        assert await store.prune(replace(FOREVER, now=5001, limit=3)) == 3
        assert await store.prune(replace(FOREVER, now=5001)) == 1
        assert await store.revoked_tokens(0) == {"t2": 5002}
        assert [await store.delivery("h", f"k{n}", 0) is None for n in range(3)] == [True, True, False]

    async def test_static_data_comes_with_an_execution(self, store: Store) -> None:
        """Both or none; a workflow that is not there remembers nothing, and keeps nobody from starting."""
        await store.add_workflow(StoredWorkflow("w", "W", True, 1, {}, 1000, 1000), [], None)
        await store.add_execution(new("e1", static=StaticChange("w", b'{"a":1}', None)))
        assert await store.static_data("w") == b'{"a":1}'
        for known in (None, b"{}"):
            with pytest.raises(Conflict) as refused:
                await store.add_execution(new("e2", static=StaticChange("w", b'{"a":2}', known)))
            assert "staticData" in (refused.value.details or {})
        assert await store.static_data("w") == b'{"a":1}'
        assert await store.known_executions(["e1", "e2"]) == {"e1"}
        both = [
            store.add_execution(new(f"s{number}", static=StaticChange("w", b'{"a":3}', b'{"a":1}')))
            for number in range(2)
        ]
        done = await asyncio.gather(*both, return_exceptions=True)
        assert [type(each) for each in done] == [type(None), Conflict]
        await store.add_execution(new("gone", static=StaticChange("unknown", b"{}", b"old")))
        assert await store.known_executions(["s0", "s1", "gone"]) == {"s0", "gone"}
        assert await store.static_data("unknown") is None

    async def test_an_acceptance_with_static_data_may_be_repeated(self, store: Store) -> None:
        await store.add_workflow(StoredWorkflow("w", "W", True, 1, {}, 1000, 1000), [], None)
        again = new("e", static=StaticChange("w", b"{}", None))
        await store.add_execution(again)
        await store.add_execution(again)
        assert await store.static_data("w") == b"{}"

    async def test_check_succeeds(self, store: Store) -> None:
        await store.check()
        assert store.name

    async def test_known_executions(self, store: Store) -> None:
        """Open and finished ones alike; ids that were never there are left out, whatever they look like."""
        await store.add_execution(new("open", status="queued", started_at=None))
        await store.add_execution(new("over"), ended("over"))
        await store.add_execution(new("deleted"), ended("deleted"))
        await store.delete_execution("deleted")
        asked = ["open", "over", "deleted", "", "'); --", *(f"none-{number}" for number in range(2000))]
        assert await store.known_executions(asked) == {"open", "over"}
        assert await store.known_executions([]) == set()
        listed = {row.id: row for row in await rows(store)}
        assert await store.execution_rows(asked) == [listed["over"], listed["open"]]
        assert await store.execution_rows([]) == []

    async def test_a_wait_ends_once(self, store: Store) -> None:
        await store.add_execution(new("e"))
        assert await store.end_wait("e", b"[0]", 0) is False
        await store.set_waiting("e", None, b"[1]", 0)
        assert await store.open_executions(statuses=("waiting",), after=None, limit=9, due=10**15) == []
        assert await store.end_wait("e", b"[2]", 1) is True
        assert await store.end_wait("e", b"[3]", 2) is False
        found = await store.execution("e")
        assert found is not None
        assert (found.row.status, found.row.resume_at, list(found.steps)) == ("running", None, [b"[1]", b"[2]"])
        await store.set_waiting("e", 5000, b"[4]", 3)
        assert await store.open_executions(statuses=("waiting",), after=None, limit=9, due=5000) == ["e"]
        assert await store.end_wait("e", b"[5]", 4) is True
        assert await store.end_wait("unknown", b"[6]", 0) is False
        await store.finish_execution(ended("e"))
        assert await store.end_wait("e", b"[7]", 5) is False

    async def test_a_wait_that_is_queued_to_be_stored_can_be_ended(self, store: Store) -> None:
        await store.add_execution(new("e"))
        waiting = store.set_waiting("e", None, b"[1]", 0)
        assert await store.end_wait("e", b"[2]", 1) is True
        await waiting

    async def test_query_and_event_of_a_call_are_kept(self, store: Store) -> None:
        await store.add_call(replace(call("c"), query="page=2&token=***", event="push"))
        (found,) = await calls(store)
        assert (found.query, found.event) == ("page=2&token=***", "push")

    async def test_counters_of_several_webhooks_at_once(self, store: Store) -> None:
        await asyncio.gather(
            store.count_calls("h", 3, 900), store.count_calls("i", 2, 800), store.count_calls("j", 1, 7)
        )
        assert await store.webhooks_stats(["h", "i", "never"]) == {
            "h": WebhookStats(3, 0, 0, 0, 900),
            "i": WebhookStats(2, 0, 0, 0, 800),
        }
        assert await store.webhooks_stats([]) == {}
