"""Which host runs the agent of a workflow, and what it tells of the run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from jackfield.api.auth import Principal
from jackfield.api.errors import JackfieldError, NotFound
from jackfield.api.hosts import Host, HostReply, HostUnavailable, OnlyHost, Slots
from jackfield.api.jsontext import Json
from jackfield.api.profiles import HeadlessRequest, HeadlessResult
from jackfield.api.proxy import ProxyFailure
from jackfield.api.usage import Cost, RunUsage, Tokens
from jackfield.testing.context import FakeContext
from jackfield_profiles import views
from jackfield_profiles.launching.placement import AgentPlacement, NoHost
from jackfield_profiles.launching.replies import result_of

HERE = HeadlessResult(0, "here", "", False, 1)
ASKED = HeadlessRequest(prompt="hi", kind="workflow", key="k" * 500)


def host(name: str, used: int = 0, *labels: str, draining: bool = False) -> Host:
    slots = {"agents": Slots(used, 4)}
    return Host(name, f"http://{name}", ["agents"], labels, slots, draining=draining)


class Fleet(OnlyHost):
    """Hosts and the calls to them. The others have the profile, unless `silent`."""

    def __init__(self, here: Host, *others: Host) -> None:
        super().__init__(here)
        self._others = others
        self.silent = False
        self.asked: list[tuple[str, str, Json]] = []
        self.reply: Callable[[str], HostReply] = lambda name: HostReply(
            200, {"success": True, "data": views.run(HeadlessResult(0, name, "", False, 1))}
        )

    @property
    def others(self) -> Sequence[Host]:
        return self._others

    async def find(self, kind: str, name: str) -> Sequence[Host]:
        if self.silent:
            raise HostUnavailable
        return self._others

    async def call(self, host: Host, method: str, path: str, caller: Principal, *, body: Json = None) -> HostReply:
        self.asked.append((host.name, path, body))
        await asyncio.sleep(0)
        return self.reply(host.name)


class Profiles:
    def __init__(self, here: bool) -> None:
        self._here = here

    async def find(self, alias: str) -> None:
        if not self._here:
            raise NotFound

    async def run(self, alias: str, request: HeadlessRequest) -> HeadlessResult:
        return HERE


def placement(directory: Path, fleet: Fleet, *, here: bool = True) -> AgentPlacement:
    ports = {"Hosts": fleet, "HostCalls": fleet, "Profiles": Profiles(here)}
    return AgentPlacement(FakeContext(directory, ports=ports))


@pytest.mark.parametrize(
    ("fleet", "labels", "chosen"),
    [
        (Fleet(host("a")), [], "here"),
        (Fleet(host("a"), host("b")), [], "here"),
        (Fleet(host("a", 2), host("b", 3), host("c", 1)), [], "c"),
        (Fleet(host("a"), host("b", 3, "gpu", "eu")), ["eu", "gpu"], "b"),
        (Fleet(host("a", draining=True), host("b", 4)), [], "b"),
        (Fleet(host("a", 4), host("b", 0, draining=True)), [], "here"),
    ],
)
async def test_it_is_the_one_with_the_most_free_slots(
    tmp_path: Path, fleet: Fleet, labels: list[str], chosen: str
) -> None:
    assert (await placement(tmp_path, fleet).run("p", ASKED, labels)).output == chosen


async def test_a_run_with_a_key_is_asked_for_again_where_it_was(tmp_path: Path) -> None:
    """While it goes on its slot is taken there; another host would run it a second time."""
    found: list[list[str]] = []
    for fleet in (Fleet(host("a"), host("b"), host("c")), Fleet(host("b", 3), host("c"), host("a", 4))):
        made, names = placement(tmp_path, fleet), []
        for number in range(20):
            async with made.place("p", [], f"key {number}") as chosen:
                names.append(chosen.name)
        found.append(names)
    assert found[0] == found[1]
    assert set(found[0]) == {"a", "b", "c"}


async def test_runs_that_are_on_their_way_count(tmp_path: Path) -> None:
    fleet = Fleet(host("a"), host("b"), host("c"))
    made = placement(tmp_path, fleet, here=False)
    await asyncio.gather(*(made.run("p", ASKED, []) for _ in range(4)))
    assert sorted(name for name, _, _ in fleet.asked) == ["b", "b", "c", "c"]
    assert fleet.asked[0][1] == "/api/profiles/p/run"
    body = fleet.asked[0][2]
    assert isinstance(body, dict)
    assert (body["prompt"], len(str(body["key"]))) == ("hi", 64)


async def test_where_there_is_no_host_the_error_says_so(tmp_path: Path) -> None:
    fleet = Fleet(host("a"), host("b"))
    with pytest.raises(NoHost, match="labels gpu"):
        await placement(tmp_path, fleet).run("p", ASKED, ["gpu"])
    fleet.silent = True
    assert await placement(tmp_path, fleet).run("p", ASKED, []) is HERE
    with pytest.raises(HostUnavailable):
        await placement(tmp_path, fleet, here=False).run("p", ASKED, [])


async def test_the_error_of_the_host_is_the_nodes(tmp_path: Path) -> None:
    fleet = Fleet(host("a"), host("b"))
    fleet.reply = lambda _: HostReply(409, {"success": False, "error": "It goes on.", "code": "RUN_GOING_ON"})
    with pytest.raises(JackfieldError, match=r"It goes on\.") as caught:
        await placement(tmp_path, fleet, here=False).run("p", ASKED, [])
    assert caught.value.code == "RUN_GOING_ON"
    fleet.reply = lambda _: HostReply(200, {"success": True, "data": {"exit_code": 0}})
    with pytest.raises(HostUnavailable):
        await placement(tmp_path, fleet, here=False).run("p", ASKED, [])


def test_a_result_is_told_whole() -> None:
    used = RunUsage(Tokens(1, 2, 3, 4), Cost(0.5, 0.25, 0.125, 1.0, 2.0), ["m"], ["n"], "2026-01-02")
    failure = ProxyFailure(1_767_312_000_000, 502, "no", "zai", "glm", 3)
    whole = HeadlessResult(1, "out", "err", True, 12, "answer", "s-1", [{"a": 1}], used, failure)
    assert result_of(views.run(whole)) == whole
    assert result_of(views.run(HERE)) == HERE
