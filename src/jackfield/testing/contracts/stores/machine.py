"""Random sequences of verbs: a store and the dictionaries of `MemoryStore` agree after every one.

It needs the package hypothesis.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from typing import cast, get_args

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from ....api.errors import JackfieldError
from ....api.records import replace
from ....api.storage import (
    CallStatus,
    CallUpdate,
    Delivery,
    ExecutionFilter,
    FinishedExecution,
    NewCall,
    NewExecution,
    Retention,
    Store,
    StoredWorkflow,
    Webhook,
    WorkflowFilter,
)
from ....api.triggers import Registration
from ...store import MemoryStore

WORKFLOWS = st.sampled_from(["w1", "w2", "w3"])
EXECUTIONS = st.sampled_from([f"e{n}" for n in range(6)])
CALLS = st.sampled_from([f"c{n}" for n in range(4)])
HOOKS = st.sampled_from(["h1", "h2"])
TIMES = st.integers(1000, 1020)
NUMBERS = st.integers(0, 5)
LATER = st.integers(1020, 1040)
STATUSES = st.one_of(st.none(), st.sampled_from(get_args(CallStatus)))
ENDS = st.sampled_from(["success", "failed", "cancelled"])
REGISTRATIONS = st.lists(
    st.builds(
        lambda node, method, path, kind: Registration(node, node.upper(), kind, method, f"/{path}", path),
        st.sampled_from(["n1", "n2"]),
        st.sampled_from(["GET", "POST"]),
        st.sampled_from(["a", "b", "c/:id"]),
        st.sampled_from(["webhook", "webhook", "schedule"]),
    ),
    max_size=3,
)
NEW_CALLS = st.builds(
    lambda call_id, time, body: NewCall(call_id, "h1" if call_id < "c2" else "h2", time, "POST", b"{}", body),
    CALLS,
    TIMES,
    st.text(max_size=5),
)
UPDATES = st.builds(CallUpdate, CALLS, HOOKS, STATUSES, st.one_of(st.none(), TIMES), st.one_of(st.none(), st.text()))
NEW_EXECUTIONS = st.builds(
    NewExecution,
    EXECUTIONS,
    WORKFLOWS,
    st.just(1),
    st.sampled_from(["manual", "webhook"]),
    st.sampled_from(["queued", "running"]),
    TIMES,
    st.binary(max_size=5),
    call=st.one_of(st.none(), NEW_CALLS),
    delivery=st.one_of(st.none(), st.builds(Delivery, HOOKS, st.sampled_from(["k1", "k2"]), TIMES)),
)
FINISHED = st.builds(
    FinishedExecution,
    EXECUTIONS,
    ENDS,
    LATER,
    TIMES,
    st.one_of(st.none(), st.just(b"[9]")),
    call=st.none() | UPDATES,
    number=NUMBERS,
)
CHANGES: st.SearchStrategy[Callable[[Store], asyncio.Future[None]]] = st.one_of(
    NEW_EXECUTIONS.map(lambda new: lambda store: store.add_execution(new)),
    st.tuples(NEW_EXECUTIONS, FINISHED).map(
        lambda pair: lambda store: store.add_execution(pair[0], replace(pair[1], id=pair[0].id))
    ),
    FINISHED.map(lambda end: lambda store: store.finish_execution(end)),
    st.tuples(EXECUTIONS, NUMBERS).map(lambda pair: lambda store: store.append_steps(pair[0], b"[1]", pair[1])),
    st.tuples(EXECUTIONS, TIMES).map(lambda pair: lambda store: store.set_running(*pair)),
    st.tuples(EXECUTIONS, TIMES, NUMBERS).map(
        lambda given: lambda store: store.set_waiting(given[0], given[1], b"[2]", given[2])
    ),
    NEW_CALLS.map(lambda call: lambda store: store.add_call(call)),
    UPDATES.map(lambda update: lambda store: store.update_call(update)),
    st.tuples(HOOKS, TIMES).map(lambda pair: lambda store: store.count_calls(pair[0], 2, pair[1])),
)


def told(result: object) -> object:
    """The part of a result that both stores must agree on."""
    return (type(result), getattr(result, "details", None)) if isinstance(result, JackfieldError) else result


async def history(store: Store, webhook_id: str) -> object:
    calls = await store.calls(webhook_id, status=None, offset=0, limit=9)
    return await store.webhook_stats(webhook_id), calls


async def execution(store: Store, execution_id: str) -> object:
    return await store.execution(execution_id)


class StoresAgree(RuleBasedStateMachine):
    """Subclass it and give `made`. Webhook ids are random, so webhooks are compared by where they stand; `known` keeps
    which belong together."""

    def made(self) -> Store:
        """An empty store, not yet open; `teardown` closes it."""
        raise NotImplementedError

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.memory = cast("Store", MemoryStore())
        self.store = self.made()
        self.loop.run_until_complete(self.store.open())
        self.known: dict[str, str] = {}

    def teardown(self) -> None:
        self.loop.run_until_complete(self.store.close())
        self.loop.close()

    def both(self, verb: Callable[[Store], Awaitable[object]]) -> object:
        async def call() -> list[object]:
            stores: list[Store] = [self.memory, self.store]
            return [(await asyncio.gather(verb(store), return_exceptions=True))[0] for store in stores]

        expected, found = self.loop.run_until_complete(call())
        assert told(found) == told(expected)
        return found

    @rule(id=WORKFLOWS, registrations=REGISTRATIONS, active=st.booleans(), now=TIMES)
    def add(self, id: str, registrations: list[Registration], active: bool, now: int) -> None:
        workflow = StoredWorkflow(id, f"Name {id}", active, 1, {"nodes": []}, now, now)
        self.both(lambda store: store.add_workflow(workflow, registrations, None))

    @rule(id=WORKFLOWS, registrations=REGISTRATIONS, now=TIMES, expected=st.sampled_from([None, None, 1, 2]))
    def change(self, id: str, registrations: list[Registration], now: int, expected: int | None) -> None:
        self.both(
            lambda store: store.change_workflow(
                id, {"nodes": [{}]}, "New", registrations, now=now, author="a", expected_version=expected
            )
        )

    @rule(id=WORKFLOWS, registrations=REGISTRATIONS, now=TIMES, active=st.booleans())
    def switch(self, id: str, registrations: list[Registration], now: int, active: bool) -> None:
        self.both(lambda store: store.set_active(id, active, registrations, now=now))

    @rule(id=WORKFLOWS)
    def delete(self, id: str) -> None:
        self.both(lambda store: store.delete_workflow(id))

    @rule(changes=st.lists(CHANGES, min_size=1, max_size=8))
    def run(self, changes: list[Callable[[Store], asyncio.Future[None]]]) -> None:
        async def together(store: Store) -> list[object]:
            results = await asyncio.gather(*(change(store) for change in changes), return_exceptions=True)
            return [type(result) for result in results]  # which of two conflicts is told is open

        self.both(together)

    @rule(id=EXECUTIONS)
    def remove(self, id: str) -> None:
        self.both(lambda store: store.delete_execution(id))

    @rule(before=TIMES | LATER, keep=st.integers(0, 5), limit=st.integers(1, 5))
    def prune(self, before: int, keep: int, limit: int) -> None:
        async def to_the_end(store: Store) -> int:
            gone = 0
            while step := await store.prune(Retention(before, keep, before, keep, before, limit)):
                gone += step
            return gone

        self.both(to_the_end)

    @invariant()
    def lists_agree(self) -> None:
        self.both(lambda store: store.workflows(WorkflowFilter(search="n"), offset=0, limit=9))
        self.both(lambda store: store.executions(ExecutionFilter(), offset=0, limit=9))
        self.both(lambda store: store.execution_stats(ExecutionFilter()))
        for webhook_id in ("h1", "h2"):
            self.both(functools.partial(history, webhook_id=webhook_id))
        for number in range(6):
            self.both(functools.partial(execution, execution_id=f"e{number}"))

    @invariant()
    def webhooks_agree(self) -> None:
        async def listed(store: Store) -> list[Webhook]:
            page = await store.webhooks(offset=0, limit=99, active=None, workflow_id=None)
            return sorted(page.rows, key=lambda hook: (hook.workflow_id, hook.node_id, hook.method, hook.path))

        expected = self.loop.run_until_complete(listed(self.memory))
        found = self.loop.run_until_complete(listed(self.store))
        assert [replace(hook, id="") for hook in found] == [replace(hook, id="") for hook in expected]
        live = [(hook.method, hook.pattern) for hook in found if hook.active]
        assert len(live) == len(set(live))
        ids = {(hook.workflow_id, hook.node_id, hook.method) for hook in found}
        if len(ids) == len(found):  # else which of two takes over an id is not settled
            pairs = {mine.id: other.id for mine, other in zip(expected, found, strict=True)}
            for mine, other in pairs.items():
                assert self.known.get(mine, other) == other
            self.known = pairs
