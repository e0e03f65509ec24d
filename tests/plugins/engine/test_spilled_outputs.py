"""Large outputs of node runs are files of their execution, and read back wherever somebody looks at them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import orjson
import pytest
from engine_lab import Lab, doc, ended, request

from jackfield.api.binary import BinaryUnavailable
from jackfield.api.caller_secrets import hidden_in
from jackfield.api.errors import JackfieldError
from jackfield.api.history import NodeRecord, node_records
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.nodes.items import LONG
from jackfield.api.records import replace
from jackfield.api.spilled_outputs import with_outputs
from jackfield.api.storage import Store, StoredExecution
from jackfield.api.workflows import Outputs
from jackfield.testing.binary import MemoryBinary
from jackfield.testing.context import FakeContext
from jackfield_engine.run.spilling import encoded_long
from jackfield_engine.settings import ExecutionsSettings
from jackfield_engine.shared.services import Services, build_services
from jackfield_workflows.history.retries import retry_request
from jackfield_workflows.history.views import execution_body, items_body

COUNT = LONG + 7
LIMIT = 50_000


async def many(run: NodeRun) -> Outputs:
    return [[{"json": {"n": number}} for number in range(COUNT)], []]


@pytest.fixture
def binary() -> MemoryBinary:
    return MemoryBinary()


class SpillingLab(Lab):
    """Outputs above 50 kB are files."""

    files: MemoryBinary

    def context(self, store: Store | None = None) -> FakeContext:
        context = super().context(store)
        context.ports["BinaryStore"] = self.files
        return context


@pytest.fixture
def spilling(tmp_path: Path, binary: MemoryBinary) -> SpillingLab:
    lab = SpillingLab(tmp_path, settings=ExecutionsSettings(spill_bytes=LIMIT))
    lab.files = binary
    lab.kind("many", many)
    return lab


async def ran(lab: Lab, *nodes: tuple[str, str]) -> StoredExecution:
    workflow = await lab.save(doc(("Start", "webhook"), *nodes))
    execution = lab.engine().submit(request(workflow))
    await asyncio.wait_for(asyncio.shield(execution.stored), 60)
    assert (await ended(execution)).status == "success"
    stored = await lab.store.execution(execution.id)
    assert stored is not None
    return stored


async def test_large_outputs_are_files_and_read_back(spilling: Lab, binary: MemoryBinary) -> None:
    stored = await ran(spilling, ("M", "many"), ("A", "pass"))
    raw = node_records(stored.steps)
    assert [("spilled" in record, "outputs" in record) for record in raw] == [(False, False), *[(True, False)] * 2]
    assert sum(map(len, stored.steps)) < 2000
    assert len(binary.shared.kept) == 2
    whole = await with_outputs(spilling.context(), stored)
    records = node_records(whole.steps)
    assert [one["json"] for one in records[2]["outputs"][0]] == [{"n": number} for number in range(COUNT)]
    assert records[1]["outputs"][1] == []
    view = orjson.loads(await execution_body(whole, 5))
    assert view["nodes"]["A"][0]["counts"] == [COUNT]
    page = orjson.loads(await items_body(whole, 2, 0, COUNT - 1, 10) or b"")
    assert (page["total"], page["data"][0]["json"]) == (COUNT, {"n": COUNT - 1})


async def test_a_retry_has_its_own_copy(spilling: Lab) -> None:
    fails = [True]

    async def once(run: NodeRun) -> Outputs:
        if fails.pop() if fails else False:
            raise NodeError("no")
        return [run.items[:3]]

    spilling.kind("once", once)
    workflow = await spilling.save(doc(("Start", "webhook"), ("M", "many"), ("O", "once")))
    engine = spilling.engine()
    first = engine.submit(request(workflow))
    await asyncio.wait_for(asyncio.shield(first.stored), 60)
    stored = await spilling.store.execution(first.id)
    assert stored is not None
    whole = await with_outputs(spilling.context(), stored)
    again = engine.submit(await retry_request(spilling.context(), whole, "failed"))
    await asyncio.wait_for(asyncio.shield(again.stored), 60)
    outcome = await ended(again)
    assert [item["json"]["n"] for item in outcome.items] == [0, 1, 2]
    assert spilling.ran == ["M", "O", "O"]
    kept = await spilling.store.execution(again.id)
    assert kept is not None
    assert "spilled" in node_records(kept.steps)[1]


async def test_an_interrupted_execution_goes_on_with_what_was_spilled(spilling: Lab) -> None:
    reached = asyncio.Event()

    async def hanging(run: NodeRun) -> Outputs:
        reached.set()
        if spilling.ran.count("H") == 1:
            await asyncio.Event().wait()
        return [[{"json": {"count": len(run.items)}}]]

    spilling.kind("acting", many, effect=True)
    spilling.kind("hangs", hanging, effect=True)
    workflow = await spilling.save(doc(("Start", "webhook"), ("M", "acting"), ("H", "hangs")))
    first = spilling.engine()
    execution = first.submit(request(workflow))
    await asyncio.wait_for(reached.wait(), 60)
    await first.drain(0)
    second = spilling.engine()
    assert await second.recover() == 1
    outcome = await asyncio.wait_for(second.result(execution.id, 60), 60)
    assert (outcome.status, outcome.items[0]["json"]) == ("success", {"count": COUNT})
    assert spilling.ran == ["M", "H", "H"]


class FilesAway:
    """The place of files does not answer until `back` is called; `asked` counts."""

    def __init__(self, binary: MemoryBinary, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked = 0
        self.back = monkeypatch.undo

        async def read(file: object, *, limit: int | None = None) -> bytes:
            self.asked += 1
            raise BinaryUnavailable("The bucket is away.")

        monkeypatch.setattr(binary.shared, "read", read)


async def test_what_was_in_flight_waits_for_its_files(
    spilling: Lab, binary: MemoryBinary, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others go on meanwhile."""
    reached = asyncio.Event()

    async def hanging(run: NodeRun) -> Outputs:
        reached.set()
        if spilling.ran.count("H") == 1:
            await asyncio.Event().wait()
        return [[{"json": {"count": len(run.items)}}]]

    spilling.kind("acting", many, effect=True)
    spilling.kind("hangs", hanging, effect=True)
    first = spilling.engine()
    execution = first.submit(request(await spilling.save(doc(("Start", "webhook"), ("M", "acting"), ("H", "hangs")))))
    await asyncio.wait_for(reached.wait(), 60)
    await first.drain(0)
    away = FilesAway(binary, monkeypatch)
    second = spilling.engine()
    assert await second.recover() == 1
    async with asyncio.timeout(60):  # a thread asks
        while away.asked < 1:
            await asyncio.sleep(0.005)
    other = second.submit(request(await spilling.save(doc(("Start", "webhook"), ("P", "pass")))))
    assert (await ended(other)).status == "success"
    assert await spilling.status(execution.id) == "queued"
    away.back()
    await spilling.clock.advance(spilling.settings.poll_interval + 1)
    outcome = await asyncio.wait_for(second.result(execution.id, 60), 60)
    assert (outcome.status, outcome.items[0]["json"]) == ("success", {"count": COUNT})


async def test_a_wait_that_is_over_waits_for_its_files(
    spilling: Lab, binary: MemoryBinary, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = {"parameters": {"until": spilling.clock.now_ms() + 600_000}}
    engine = spilling.engine()
    await engine.recover()
    execution = engine.submit(
        request(await spilling.save(doc(("Start", "webhook"), ("M", "many"), ("W", "wait", later))))
    )
    async with asyncio.timeout(60):
        while not binary.shared.kept or engine.live.runs:
            await asyncio.sleep(0.001)
    away = FilesAway(binary, monkeypatch)
    async with asyncio.timeout(60):
        while not away.asked:  # the store takes its own time to say what is due
            await spilling.clock.advance(30)
            await asyncio.sleep(0.001)
    assert await spilling.status(execution.id) == "waiting"
    away.back()
    await spilling.clock.advance(60)
    assert (await asyncio.wait_for(engine.result(execution.id, 60), 60)).status == "success"


async def test_a_file_that_is_gone_is_told(spilling: Lab, binary: MemoryBinary) -> None:
    stored = await ran(spilling, ("M", "many"))
    binary.shared.kept.clear()
    with pytest.raises(JackfieldError, match="outputs of the node 'M' cannot be read"):
        await with_outputs(spilling.context(), stored)


def services(lab: Lab, **changes: Any) -> Services:
    return replace(build_services(lab.context()), settings=ExecutionsSettings(**{"spill_bytes": LIMIT, **changes}))


def long_record(*more: Any) -> NodeRecord:
    outputs: Any = [[*({"json": {"n": number}} for number in range(COUNT)), *more]]
    return {"node": "A", "index": 1, "startedAt": 1, "duration": 1, "status": "success", "outputs": outputs}


async def test_what_is_too_much_is_refused_while_it_is_written(spilling: Lab, binary: MemoryBinary) -> None:
    with pytest.raises(NodeError, match=r"executions\.max_data"):
        await encoded_long(services(spilling, max_data=LIMIT + 1000), "e", long_record())
    assert not binary.shared.kept


async def test_values_that_only_the_careful_way_writes_stay_in_the_store(spilling: Lab) -> None:
    record = long_record({"json": {"big": 2**70}})
    made = await encoded_long(services(spilling), "e", record)
    assert made.size == len(made.data)
    assert orjson.loads(made.data)["outputs"][0][3] == {"json": {"n": 3}}


async def test_items_that_have_the_word_are_no_files(lab: Lab) -> None:
    async def tricky(run: NodeRun) -> Outputs:
        return [[{"json": {"spilled": {"id": "x"}}}]]

    lab.kind("tricky", tricky)
    stored = await ran(lab, ("T", "tricky"))
    whole = await with_outputs(lab.context(), stored)
    assert node_records(whole.steps) == node_records(stored.steps)


async def test_a_callers_credential_is_in_no_file(spilling: Lab, binary: MemoryBinary) -> None:
    token = "a-callers-token-1c7a"
    hidden = hidden_in([{"json": {"headers": {"authorization": token}}}])
    made = await encoded_long(services(spilling), "e", long_record({"json": {"copy": f"is {token}"}}), hidden)
    kept = str([made.data, *binary.shared.kept.values()])
    assert (token in kept, '"copy":"is ***"' in kept) == (False, True)


async def test_few_large_items_hide_them_too(spilling: Lab, binary: MemoryBinary) -> None:
    secret = "Bearer canary-of-the-caller-7161"

    async def growing(run: NodeRun) -> Outputs:
        return [[{"json": {**run.items[0]["json"], "rows": list(range(30_000))}}]]

    spilling.kind("growing", growing)
    workflow = await spilling.save(doc(("Start", "webhook"), ("G", "growing")))
    call: Any = [{"json": {"headers": {"authorization": secret, "x-short-token": "a1"}, "query": {}}}]
    execution = spilling.engine().submit(request(workflow, items=call))
    await asyncio.wait_for(asyncio.shield(execution.stored), 60)
    (file,) = binary.shared.kept.values()
    assert b"canary-of-the-caller" not in file
    assert b'"x-short-token":"***"' in file


async def test_outputs_below_the_limit_stay_in_their_record(spilling: Lab) -> None:
    record = {**long_record(), "context": {"a": [1]}, "duration": 5}
    found = await encoded_long(services(spilling, spill_bytes=10_000_000), "e", record)  # type: ignore[arg-type]
    expected = orjson.dumps(record)
    assert (found.data, found.size) == (expected, len(expected))
