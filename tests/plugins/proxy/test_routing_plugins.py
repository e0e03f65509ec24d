"""Strategies and conditions of plugins: found by entry point in the daemon, loaded alone in the proxy's process."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, cast

import aiohttp
import pytest
from proxy_lab import ASKED, Profiles, Provider_, daemon_of, plan, profile, proxy_of, rule, until, upstream

from jackfield.api.errors import InvalidInput
from jackfield.api.extensions import ExtensionPoint, Given
from jackfield.api.proxy import PROXY_CONDITIONS, PROXY_STRATEGIES, STRATEGY_NAMES
from jackfield.api.records import replace
from jackfield.core.building import build
from jackfield.testing.context import FakeContext
from jackfield_profiles.editing import proxy_config
from jackfield_proxy.child.serving.plugins import kinds_of
from jackfield_proxy.daemon.manager import ProxyManager
from jackfield_proxy.plan import PluginSource
from jackfield_proxy.routing.strategies import STRATEGIES

STRANGER = '''
"""A plugin of somebody else's."""

from jackfield.api.plugin import Plugin, hookimpl


class Last:
    name = "Last"
    conditions = True
    prices = False

    def order(self, fitting, health):
        return list(reversed(fitting))


class Raises:
    name = "Raises"
    conditions = True
    prices = False

    def order(self, fitting, health):
        raise ZeroDivisionError("oh")


class Shouts:
    type = "shouts"

    def problem(self, condition):
        return None if "word" in condition else "give a word"

    def holds(self, condition, attributes):
        return attributes.headers.get("x-say") == condition["word"].upper()


class StrangerPlugin(Plugin):
    @hookimpl
    def jackfield_proxy_strategies(self):
        return [Last(), Raises()]

    @hookimpl(specname="jackfield_proxy_conditions")
    def my_conditions(self):
        return [Shouts()]
'''
ODD = """
from jackfield.api.plugin import Plugin, hookimpl


class OddPlugin(Plugin):
    @hookimpl
    def jackfield_proxy_strategies(self):
        return [object()]
"""
SPY = (
    STRANGER
    + """

class Spy(Last):
    name = "Spy"

    def order(self, fitting, health):
        import sys

        ours = "jackfield_proxy"
        heavy = [
            name
            for name in sys.modules
            if name.startswith(("jackfield.core", "quart", "pydantic", "jackfield_")) and not name.startswith(ours)
        ]
        return [rule for rule in fitting if rule.name == ("heavy" if heavy else "light")]


class SpyPlugin(Plugin):
    def __init__(self, context):
        super().__init__(context)
        self.given = [Spy()]

    @hookimpl
    def jackfield_proxy_strategies(self):
        return self.given
"""
)
NOSY = """
from jackfield.api.plugin import Plugin, hookimpl


class NosyPlugin(Plugin):
    @hookimpl
    def jackfield_proxy_strategies(self):
        return [self.context.service]
"""
BROKEN = "raise RuntimeError('no licence')\n"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A directory with two plugins, which this process can import."""
    found = tmp_path / "site"
    found.mkdir()
    (found / "stranger_of_tests.py").write_text(STRANGER)
    (found / "broken_of_tests.py").write_text(BROKEN)
    sys.path.insert(0, str(found))
    yield found
    sys.path.remove(str(found))
    sys.modules.pop("stranger_of_tests", None)


@pytest.fixture
async def north() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        yield made


def sources(place: Path) -> list[PluginSource]:
    entries = ("broken_of_tests:BrokenPlugin", "stranger_of_tests:StrangerPlugin")
    return [PluginSource(entry.partition("_")[0], entry, str(place)) for entry in entries]


# ------------------------------------------------------------------------------------------------------- in the daemon


def test_the_kernel_finds_them_by_entry_point_and_names_the_plugins_that_are_broken(
    place: Path, tmp_path: Path
) -> None:
    information = place / "stranger-1.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1\n")
    lines = [f"{name} = {name}_of_tests:{name.title()}Plugin" for name in ("stranger", "broken", "odd")]
    (information / "entry_points.txt").write_text("[jackfield]\n" + "\n".join(lines) + "\n")
    (place / "odd_of_tests.py").write_text(ODD)
    kernel = build(tmp_path / "config", {}, {})
    context = kernel.context("proxy")
    ours, theirs = context.given(PROXY_STRATEGIES)["fallback"], context.given(PROXY_STRATEGIES)["last"]
    assert (ours.plugin, ours.entry) == ("proxy", "jackfield_proxy:ProxyPlugin")
    assert (theirs.plugin, theirs.entry, theirs.value.name) == ("stranger", "stranger_of_tests:StrangerPlugin", "Last")
    assert {"token_count", "header", "shouts"} <= set(context.given(PROXY_CONDITIONS))
    failed = {plugin.name: plugin.error for plugin in kernel.plugins.failures()}
    assert "no licence" in failed["broken"]
    assert "jackfield_proxy_strategies" in failed["odd"]


def kinds(place: Path) -> proxy_config.AddedKinds:
    module = importlib.import_module("stranger_of_tests")
    given = [Given("stranger", "stranger_of_tests:StrangerPlugin", module.Shouts())]
    return proxy_config.AddedKinds({"last": "Last"}, {one.value.type: one for one in given})


def routed(condition: Any, strategy: str = "Conditional") -> Any:
    return {"routing": {"strategy": strategy, "rules": [{"name": "a", "condition": condition, "target": "north/m"}]}}


def test_a_configuration_may_name_them(place: Path) -> None:
    condition = {"type": "not", "condition": {"type": "shouts", "word": "hey"}}
    stored: Any = proxy_config.checked(routed(condition, "LAST"), kinds(place))
    assert stored["routing"]["strategy"] == "Last"
    assert stored["routing"]["rules"][0]["condition"] == condition
    assert proxy_config.checked(stored, kinds(place)) == stored


@pytest.mark.parametrize(
    ("config", "says"),
    [
        (routed({"type": "shouts"}), "give a word"),
        (routed({"type": "whispers"}), "there is no condition whispers; use one of: all, always"),
        (routed({"type": "always"}, "First"), "Fallback, Last"),
    ],
)
def test_what_is_wrong_with_them_is_said(place: Path, config: Any, says: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        proxy_config.checked(config, kinds(place))
    assert any(says in reason for reason in cast("dict[str, str]", caught.value.details).values())


# ------------------------------------------------------------------------------------------------------ in the process


def test_broken_plugin_is_named_and_the_others_work(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    found = kinds_of(sources(place))
    assert found.strategy("last").name == "Last"
    assert "shouts" in found.conditions
    assert "the plugin broken cannot be used for routing: RuntimeError: no licence" in capfd.readouterr().err


def test_plugin_that_uses_its_context_there_is_told_that_there_is_no_daemon(
    place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (place / "nosy_of_tests.py").write_text(NOSY)
    found = kinds_of([PluginSource("nosy", "nosy_of_tests:NosyPlugin", str(place)), *sources(place)])
    assert found.strategy("last").name == "Last"
    told = capfd.readouterr().err
    assert "the plugin nosy cannot be used for routing: MissingPort" in told
    assert "asks for context.service in a worker process, where there is no daemon" in told


async def test_they_choose_and_their_failures_cost_nothing(
    place: Path, north: Provider_, capfd: pytest.CaptureFixture[str]
) -> None:
    rules = (
        rule("loud", "north/loud", 9, type="shouts", word="hey"),
        rule("odd", "north/odd", 8, type="shouts"),
        rule("low", "north/low", 1),
    )
    made = plan({"north": upstream(north)}, *rules, strategy="last", plugins=sources(place))
    async with proxy_of(made) as proxy:
        await proxy.post(ASKED, **{"x-say": "HEY"})
        proxy.server.plan = replace(made, strategy="Conditional")
        await proxy.post(ASKED, **{"x-say": "HEY"})
        proxy.server.plan = replace(made, strategy="Raises")
        await proxy.post(ASKED)
        await proxy.post(ASKED)
    assert [one.rule for one in proxy.pipe.served] == ["low", "loud", "low", "low"]
    told = capfd.readouterr().err
    assert told.count("the strategy Raises failed (ZeroDivisionError: oh)") == 1
    assert "the condition shouts failed (KeyError" in told


async def test_a_real_process_loads_the_plugin_and_neither_kernel_nor_other_plugins(
    place: Path, tmp_path: Path, north: Provider_, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "stranger_of_tests.py").write_text(SPY)
    module = importlib.import_module("stranger_of_tests")
    rules = [
        {"name": name, "condition": {"type": "always"}, "target": f"north/{name}", "priority": 0}
        for name in ("heavy", "light")
    ]
    context = daemon_of(tmp_path, profile(routing={"strategy": "Spy", "rules": rules}), north=north.url)
    context.ports["jackfield_proxy_strategies"] = [module.Spy()]
    monkeypatch.setattr(context, "given", given_by("stranger", "stranger_of_tests:SpyPlugin", context))
    manager = ProxyManager(context)
    try:
        await ask(manager, context)
        assert json.loads(north.asked[0].body)["model"] == "light"
    finally:
        await manager.close()


def given_by(plugin: str, entry: str, context: FakeContext) -> Any:
    """`FakeContext.given`, with everything from this plugin."""
    given = context.given

    def found(point: ExtensionPoint[Any]) -> dict[str, Given[Any]]:
        return {name: Given(plugin, entry, one.value) for name, one in given(point).items()}

    return found


async def ask(manager: ProxyManager, context: FakeContext) -> None:
    assert cast("Profiles", context.ports["Profiles"]).stored
    found = await manager.address("p")
    url = f"{found.base_url}/v1/messages"
    async with (
        asyncio.timeout(10),
        aiohttp.ClientSession(headers={"x-api-key": found.token}) as client,
        client.post(url, json=ASKED) as answer,
    ):
        assert answer.status == 200
        await answer.read()
    await until(lambda: manager.account("p").records.count == 1)


def test_profiles_are_checked_by_the_names_of_our_strategies() -> None:
    assert tuple(strategy.name for strategy in STRATEGIES) == STRATEGY_NAMES
