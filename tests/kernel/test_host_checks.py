"""A host that holds: strangers' distributions with mistakes, found by real entry points. What is wrong is left out and
named with plugin, distribution and remedy; the rest runs."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.errors import ConfigurationError, JackfieldError, MissingPort
from jackfield.api.http_client import HttpClient
from jackfield.api.registry import REGISTRY_SOURCES, Registry
from jackfield.cli.runtime import Runtime
from jackfield.core.building import build
from jackfield.core.kernel import Kernel
from jackfield.core.plugins import PluginHost, PluginRecord
from jackfield.http.app import create_app

Install = Callable[..., None]
HEAD = """
from __future__ import annotations
from jackfield.api.plugin import Plugin, SettingsTable, hookimpl, later
from jackfield.api.nodes import NodeDescription, NodeParameters
"""
NODE = """
class Node:
    versions = (1.0,)
    description = NodeDescription("Mine", "Does nothing.", "flow")
    effect = False
    def __init__(self, kind): self.kind = kind
    def parameters(self, version): return NodeParameters
    def outputs(self, node): return 1
    async def execute(self, run): return [[]]
"""


@pytest.fixture
def install(tmp_path: Path) -> Iterator[Install]:
    """`install("dist", {"name": "module:Class"}, module="source")` writes a distribution that this process finds."""
    place = tmp_path / "site"
    place.mkdir()
    sys.path.insert(0, str(place))
    before = set(sys.modules)

    def make(distribution: str, points: Mapping[str, str], **modules: str) -> None:
        information = place / f"{distribution.replace('-', '_')}-1.0.dist-info"
        information.mkdir()
        lines = [f"{name} = {value}" for name, value in points.items()]
        (information / "entry_points.txt").write_text("[jackfield]\n" + "\n".join(lines) + "\n")
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
        for name, source in modules.items():
            (place / f"{name}.py").write_text(HEAD + source)

    yield make
    sys.path.remove(str(place))
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) and str(place) in str(sys.modules[name].__file__):
            del sys.modules[name]


@pytest.fixture
def kernel(tmp_path: Path) -> Callable[[str], Kernel]:
    def make(config: str = "") -> Kernel:
        directory = tmp_path / "config"
        directory.mkdir(exist_ok=True)
        (directory / "config.toml").write_text(config)
        return build(directory, {}, {})

    return make


def failed(kernel: Kernel) -> dict[str, str]:
    return {plugin.name: plugin.error for plugin in kernel.plugins.failures()}


def test_a_name_of_ours_stays_ours(install: Install, kernel: Callable[[], Kernel]) -> None:
    install("acme-login", {"auth": "acme_login:AuthPlugin"}, acme_login="class AuthPlugin(Plugin): pass\n")
    made = kernel()
    assert made.plugins.plugins["auth"].status == "loaded"
    assert (
        failed(made) == {"auth (acme-login)": "the name auth comes with Jackfield; name the entry point otherwise"}
        or "name the entry point otherwise" in failed(made)["auth (acme-login)"]
    )


def test_of_two_strangers_with_one_name_the_second_is_told(install: Install, kernel: Callable[[], Kernel]) -> None:
    for number in ("one", "two"):
        module = f"stranger_{number}"
        install(f"dist-{number}", {"same": f"{module}:P"}, **{module: "class P(Plugin): pass\n"})
    made = kernel()
    assert made.plugins.plugins["same"].distribution == "dist-one"
    ((name, error),) = failed(made).items()
    assert name == "same (dist-two)"
    assert "dist-one" in error


SETTER = NODE + "class P(Plugin):\n    @hookimpl\n    def jackfield_nodes(self): return [Node('set')]\n"


def test_a_node_of_ours_is_replaced_by_the_operator_alone(
    install: Install, kernel: Callable[..., Kernel], caplog: pytest.LogCaptureFixture
) -> None:
    install("acme-set", {"acme": "acme_set:P"}, acme_set=SETTER)
    made = kernel()
    found = made.nodes.find("set")
    assert type(found).__module__ == "jackfield_nodes.fields.set_node"
    assert '"node:set" = "acme"' in failed(made)["acme"]
    (line,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert "Plugin acme of acme-set 1.0" in line.message
    assert "\n" not in line.message
    assert line.exc_info is None
    again = kernel('[plugins.overrides]\n"node:set" = "acme"\n')
    assert type(again.nodes.find("set")).__module__ == "acme_set"
    assert failed(again) == {}


METHOD = (
    "class Method:\n    name = 'basic'\n    async def authenticate(self, request): return None\n"
    "class P(Plugin):\n    @hookimpl\n    def jackfield_auth_methods(self): return [Method()]\n"
)


def test_a_method_of_ours_that_the_operator_replaced_takes_no_credential_any_more(
    install: Install, kernel: Callable[..., Kernel]
) -> None:
    def basic(made: Kernel) -> list[str]:
        return [type(one).__module__ for one in made.authenticator.methods if one.name == "basic"]

    install("acme-basic", {"acme": "acme_basic:P"}, acme_basic=METHOD)
    made = kernel()
    assert basic(made) == ["jackfield_auth.logins.basic"]
    assert '"auth method:basic" = "acme"' in failed(made)["acme"]
    again = kernel('[plugins.overrides]\n"auth method:basic" = "acme"\n')
    assert basic(again) == ["acme_basic"]
    assert failed(again) == {}


def test_a_node_that_is_none_breaks_no_list(install: Install, kernel: Callable[[], Kernel]) -> None:
    source = (
        "class Bare:\n    kind = 'bare'\n"
        "class P(Plugin):\n    @hookimpl\n    def jackfield_nodes(self): return [Bare()]\n"
    )
    install("acme-bare", {"acme": "acme_bare:P"}, acme_bare=source)
    made = kernel()
    assert made.nodes.find("bare") is None
    assert {"set", "webhook", "if"} <= {node.kind for node in made.nodes.all()}
    assert "execute" in failed(made)["acme"]
    assert "parameters" in failed(made)["acme"]


@pytest.mark.parametrize(
    ("value", "source", "says"),
    [
        ("acme_odd", "", "name a subclass of jackfield.api.plugin.Plugin"),
        ("acme_odd:P", "P = object\n", "subclass of jackfield.api.plugin.Plugin"),
        ("acme_odd:P", "class P(Plugin): requires = '2'\n", "upgrade Jackfield"),
        ("acme_odd:P", "class P(Plugin): requires = 'new'\n", "API version"),
        ("acme_odd:P", "class P(Plugin): name = 'other'\n", "as the entry point says"),
        ("acme_odd:P", "raise RuntimeError('no licence')\n", "no licence"),
        ("acme_odd:P", "class P(Plugin):\n    def __init__(self, context): raise OSError('no disk')\n", "no disk"),
        ("acme_odd:P", "class P(Plugin):\n    settings = (SettingsTable('webhooks', 'gone:Gone'),)\n", "webhooks"),
        ("acme_odd:P", "class P(Plugin):\n    settings = (SettingsTable('acme', 'gone:Gone'),)\n", "gone"),
        (
            "acme_odd:P",
            "class P(Plugin):\n    @hookimpl\n    def jackfield_nodez(self): return []\n",
            "jackfield_nodes",
        ),
    ],
)
def test_a_plugin_that_does_not_fit_is_named_with_the_remedy(
    install: Install, kernel: Callable[[], Kernel], value: str, source: str, says: str
) -> None:
    install("acme-odd", {"acme": value}, acme_odd=source)
    made = kernel()
    ((name, error),) = failed(made).items()
    assert name == "acme"
    assert says in error
    assert made.plugins.plugins["webhooks"].status == "loaded"


def test_strict_plugins_stop_the_start(install: Install, kernel: Callable[..., Kernel]) -> None:
    install("acme-odd", {"acme": "acme_strict:P"}, acme_strict="raise RuntimeError('no licence')\n")
    with pytest.raises(ConfigurationError, match=r"acme of acme-odd 1\.0.*no licence"):
        kernel("[plugins]\nstrict = true\n")


def test_every_mistake_of_a_plugin_is_told(install: Install, kernel: Callable[[], Kernel]) -> None:
    source = (
        SETTER + "    settings = (SettingsTable('server', 'x:Y'),)\n"
        "    @hookimpl\n    def jackfield_triggers(self): raise RuntimeError('no triggers')\n"
    )
    install("acme-three", {"acme": "acme_three:P"}, acme_three=source)
    record: PluginRecord = kernel().plugins.plugins["acme"]
    assert len(record.errors) == 3
    assert [word in record.error for word in ("server", "node:set", "no triggers")] == [True] * 3


def test_an_old_api_is_told_once_and_used(install: Install) -> None:
    install("acme-old", {"acme": "acme_old:P"}, acme_old="class P(Plugin): requires = '0'\n")
    host = PluginHost()
    with pytest.warns(DeprecationWarning, match="written for plugin API 0"):
        host.discover()
    assert "acme" in host.classes


PORT = """
from typing import Protocol
class Greeter(Protocol):
    def greet(self, name: str) -> str: ...
class Polite:
    def __init__(self, context): pass
    def greet(self, name): return f"Hello, {name}!"
class P(Plugin):
    provides = {Greeter: "acme_port:Polite"}
"""


def test_a_stranger_defines_a_port_that_others_use(install: Install, kernel: Callable[[], Kernel]) -> None:
    install("acme-port", {"acme": "acme_port:P"}, acme_port=PORT)
    made = kernel()
    from acme_port import Greeter  # type: ignore[import-not-found]

    context = made.context("another")
    assert context.port(Greeter).greet("Ada") == "Hello, Ada!"
    assert context.port(Greeter) is context.built_port(Greeter)


def test_a_port_of_ours_is_replaced_by_the_operator_alone(install: Install, kernel: Callable[..., Kernel]) -> None:
    source = (
        "from jackfield.api.registry import Registry\n"
        "class Mine:\n    def __init__(self, context): pass\n"
        "    async def status(self): ...\n    async def sync(self, *, force=False): ...\n"
        "class P(Plugin):\n    provides = {Registry: 'acme_registry:Mine'}\n"
    )
    install("acme-registry", {"acme": "acme_registry:P"}, acme_registry=source)
    made = kernel()
    assert type(made.ports.get(Registry)).__module__.startswith("jackfield_registry")
    assert '"port:Registry" = "acme"' in failed(made)["acme"]
    again = kernel('[plugins.overrides]\n"port:Registry" = "acme"\n')
    assert type(again.ports.get(Registry)).__module__ == "acme_registry"


def test_a_replacement_that_does_not_fit_leaves_ours(install: Install, kernel: Callable[..., Kernel]) -> None:
    source = (
        "from jackfield.api.registry import Registry\n"
        "class Mine:\n    def __init__(self, context): pass\n"
        "class P(Plugin):\n    provides = {Registry: 'acme_registry:Mine'}\n"
    )
    install("acme-registry", {"acme": "acme_registry:P"}, acme_registry=source)
    install("beta-registry", {"beta": "beta_registry:P"}, beta_registry=source.replace("acme", "beta"))
    made = kernel('[plugins.overrides]\n"port:Registry" = "acme"\n')
    assert type(made.ports.get(Registry)).__module__.startswith("jackfield_registry"), "and no other stranger's"
    assert "cannot provide Registry" in failed(made)["acme"]


def test_each_scheme_of_a_registry_source_is_a_name(install: Install, kernel: Callable[..., Kernel]) -> None:
    source = (
        "class Source:\n    schemes = ('oci', 'https')\n    def open(self, base): ...\n"
        "class P(Plugin):\n    @hookimpl\n    def jackfield_registry_sources(self): return [Source()]\n"
    )
    install("acme-registry", {"acme": "acme_registry:P"}, acme_registry=source)
    made = kernel()
    given = made.context("registry").given(REGISTRY_SOURCES)
    assert {scheme: one.distribution for scheme, one in given.items()} == {
        "file": "", "": "", "https": "", "http": "", "oci": "acme-registry"
    }  # fmt: skip
    assert '"registry source:https" = "acme"' in failed(made)["acme"]
    again = kernel('[plugins.overrides]\n"registry source:https" = "acme"\n')
    assert again.context("registry").given(REGISTRY_SOURCES)["https"].plugin == "acme"


def test_a_missing_port_names_the_plugins_that_are_not_there(kernel: Callable[..., Kernel]) -> None:
    made = kernel('[plugins]\ndisabled = ["nodes"]\n')
    with pytest.raises(MissingPort, match=r"HttpClient.*nodes is disabled"):
        made.ports.get(HttpClient)


POINT = """
from jackfield.api.extensions import ExtensionPoint
from typing import Protocol
class Style(Protocol):
    name: str
    def say(self, text: str) -> str: ...
STYLES = ExtensionPoint("acme_styles", Style)
class P(Plugin):
    extension_points = (STYLES,)
"""
FILLER = """
class Loud:
    name = "loud"
    def say(self, text): return text.upper()
class P(Plugin):
    @hookimpl
    def acme_styles(self): return [Loud(), object()]
"""


def test_a_stranger_adds_a_concern_that_others_fill(install: Install, kernel: Callable[[], Kernel]) -> None:
    install("acme-point", {"point": "acme_point:P"}, acme_point=POINT)
    install("acme-filler", {"filler": "acme_filler:P"}, acme_filler=FILLER)
    made = kernel()
    from acme_point import STYLES  # type: ignore[import-not-found]

    found: Any = made.context("another").extensions(STYLES)
    assert found["loud"].say("hi") == "HI"
    assert list(found) == ["loud"]
    assert "Style" in failed(made)["filler"]


def test_a_command_of_ours_stays_ours(install: Install, caplog: pytest.LogCaptureFixture) -> None:
    source = (
        "import click\n@click.command()\ndef workflow(): pass\n@click.command()\ndef fresh(): pass\n"
        "class P(Plugin):\n    commands = ('acme_commands:workflow', 'acme_commands:fresh', 'acme_commands:gone')\n"
    )
    install("acme-commands", {"acme": "acme_commands:P"}, acme_commands=source)
    found = Runtime().plugin_commands()
    assert "fresh" in found
    assert "import" in getattr(found["workflow"], "commands", {})
    assert "command:workflow" in caplog.text
    assert "has no gone" in caplog.text


ROUTES = """
from quart import Blueprint
from jackfield.api.http import operation
def blueprints(context):
    good, bad = Blueprint("good", __name__), Blueprint("bad", __name__)
    @good.get("/api/v1/acme")
    @operation("Say yes.", scope=None)
    async def yes(): return "yes"
    @bad.get("/api/v1/bare")
    async def bare(): return ""
    @bad.get("/api/v1/workflows")
    @operation("Take it.", scope=None)
    async def taken(): return ""
    return [good, bad]
async def raw(scope, receive, send): ...
def mounts(context):
    from jackfield.api.asgi import AsgiMount
    return [AsgiMount("webhook", raw), AsgiMount("a/b/c", raw), AsgiMount("acme", raw)]
class P(Plugin):
    jackfield_blueprints = later("acme_routes:blueprints")
    jackfield_asgi = later("acme_routes:mounts")
"""


async def test_mistakes_in_a_stranger_s_routes_are_told_before_anybody_asks(
    install: Install, kernel: Callable[[], Kernel]
) -> None:
    install("acme-routes", {"acme": "acme_routes:P"}, acme_routes=ROUTES)
    made = kernel()
    told: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    report = made.plugins.report

    def heard(name: str, mistake: str, remedy: str = "") -> None:
        report(name, mistake, remedy)
        told.get_loop().call_soon_threadsafe(told.set_result, name)

    made.plugins.report = heard  # type: ignore[method-assign]
    management = create_app(made).management
    management.open()
    assert await asyncio.wait_for(told, 60) == "acme"
    assert "/api/v1/bare has no @operation" in failed(made)["acme"]
    await management.close()


async def test_our_own_routes_are_put_together_when_they_are_asked_for(kernel: Callable[[], Kernel]) -> None:
    management = create_app(kernel()).management
    with pytest.raises(JackfieldError, match="has not started"):
        await management.quart()
    management.open()
    assert "management" not in {task.get_name() for task in asyncio.all_tasks()}
    assert await asyncio.wait_for(management.quart(), 60)
    await management.close()


async def test_routes_of_a_stranger_stop_nobody(install: Install, kernel: Callable[[], Kernel]) -> None:
    install("acme-routes", {"acme": "acme_routes:P"}, acme_routes=ROUTES)
    made = kernel()
    assert [mount.segment for mount in made.mounts if mount.segment in ("acme", "a/b/c")] == ["acme"]
    management = create_app(made).management
    management.begin()
    app = await asyncio.wait_for(management.quart(), 30)
    rules = {rule.rule for rule in app.url_map.iter_rules()}
    assert "/api/v1/acme" in rules
    assert "/api/v1/bare" not in rules
    assert made.failure is None
    told = failed(made)["acme"]
    for words in ("/api/v1/bare has no @operation", "GET /api/v1/workflows is given by", "path:/webhook", "/a/b/c"):
        assert words in told
    await made.tasks.close()


async def test_a_stranger_that_fails_is_beside_readiness(install: Install, kernel: Callable[[], Kernel]) -> None:
    install("acme-odd", {"acme": "acme_ready:P"}, acme_ready="raise RuntimeError('no licence')\n")
    made = kernel()
    await made.start()
    try:
        assert set((await made.health.checks()).values()) == {"ok"}
        assert made.health.plugin_state() == "failed: acme"
    finally:
        await made.stop()


@pytest.mark.parametrize(
    "attribute",
    [
        "settings = (SettingsTable('acme', 'x:Y'))",
        "settings = ('acme',)",
        "commands = ('acme_shape:command')",
        "parts = None",
        "provides = ['a']",
        "extension_points = (1,)",
    ],
)
def test_a_class_attribute_of_the_wrong_shape_is_the_plugins_mistake(
    install: Install, kernel: Callable[[], Kernel], attribute: str
) -> None:
    install("acme-shape", {"acme": "acme_shape:P"}, acme_shape=f"class P(Plugin):\n    {attribute}\n")
    made = kernel()
    assert attribute.partition(" ")[0] in failed(made)["acme"]
    assert made.plugins.plugins["webhooks"].status == "loaded"
    assert "serve" not in Runtime().plugin_commands()


@pytest.mark.parametrize("path", ["server.port", "security.jwt.secret", "webhooks.path.deep"])
def test_a_table_below_a_key_of_ours_is_refused(install: Install, kernel: Callable[..., Kernel], path: str) -> None:
    source = (
        "from pydantic import BaseModel\nclass M(BaseModel): pass\n"
        f"class P(Plugin):\n    settings = (SettingsTable('{path}', M),)\n"
    )
    install("acme-table", {"acme": "acme_table:P"}, acme_table=source)
    made = kernel("[server]\nport = 9123\n")
    assert made.service.port == 9123
    assert set(failed(made)) == ({"acme"} if path != "webhooks.path.deep" else set())


PIECE = """
async def raw(scope, receive, send): ...
class P(Plugin):
    @hookimpl
    def jackfield_asgi(self):
        from jackfield.api.asgi import AsgiMount
        return [AsgiMount("webhook/orders", raw, "public"), AsgiMount("acme/one", raw)]
"""


def test_a_stranger_takes_no_piece_of_a_path_of_ours(install: Install, kernel: Callable[..., Kernel]) -> None:
    install("acme-piece", {"acme": "acme_piece:P"}, acme_piece=PIECE)
    made = kernel()
    assert {mount.segment for mount in made.mounts} & {"webhook/orders", "acme/one"} == {"acme/one"}
    assert '"path:/webhook/orders" = "acme"' in failed(made)["acme"]
    again = kernel('[plugins.overrides]\n"path:/webhook/orders" = "acme"\n')
    assert "webhook/orders" in {mount.segment for mount in again.mounts}


def test_an_override_that_cannot_be_kept_leaves_ours(install: Install, kernel: Callable[..., Kernel]) -> None:
    source = (
        "from jackfield.api.nodes import NodeOffer\n"
        "class P(Plugin):\n    @hookimpl\n    def jackfield_nodes(self): return [NodeOffer('set', 'gone:Gone')]\n"
    )
    install("acme-gone", {"acme": "acme_gone:P"}, acme_gone=source)
    made = kernel('[plugins.overrides]\n"node:set" = "acme"\n')
    assert type(made.nodes.find("set")).__module__ == "jackfield_nodes.fields.set_node"
    assert "gone" in failed(made)["acme"]


def test_an_override_for_nobody_is_told_and_takes_nothing_away(kernel: Callable[..., Kernel], tmp_path: Path) -> None:
    made = kernel('[plugins.overrides]\n"node:set" = "nobody"\n')
    assert made.nodes.find("set") is not None
    told = "plugins.overrides gives node:set to nobody, but no such plugin is loaded."
    assert made.idle_overrides() == [told]
    (tmp_path / "once").mkdir(mode=0o700)
    (tmp_path / "once/config.toml").write_text('[plugins.overrides]\n"node:set" = "nobody"\n')
    command = [sys.executable, "-m", "jackfield", "doctor", "--config-dir", str(tmp_path / "once")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.stdout + done.stderr).count("no such plugin is loaded") == 1
    assert done.returncode == 1


WAITING = """
import threading
from jackfield.api.extensions import ExtensionPoint
from typing import Protocol
class Thing(Protocol):
    name: str
class One:
    name = "one"
THINGS = ExtensionPoint("acme_things", Thing)
first, second = threading.Event(), threading.Event()
class Asking:
    def __init__(self, context):
        first.set(); second.wait(0.3)
        self.things = context.extensions(THINGS)
class Asked:
    def __init__(self, context): pass
class P(Plugin):
    parts = ("acme_waiting:Asking", "acme_waiting:Asked")
    extension_points = (THINGS,)
    @hookimpl
    def acme_things(self):
        second.set(); first.wait(0.3)
        self.context.port(Asked)
        return [One()]
"""


def test_two_threads_that_need_each_others_things_do_not_wait_for_ever(
    install: Install, kernel: Callable[[], Kernel]
) -> None:
    install("acme-waiting", {"acme": "acme_waiting:P"}, acme_waiting=WAITING)
    context = kernel().context("another")
    import acme_waiting  # type: ignore[import-not-found]

    threads = [
        threading.Thread(target=context.port, args=(acme_waiting.Asking,), daemon=True),
        threading.Thread(target=context.extensions, args=(acme_waiting.THINGS,), daemon=True),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert not any(thread.is_alive() for thread in threads)
    assert list(context.extensions(acme_waiting.THINGS)) == ["one"]


@pytest.mark.parametrize("how", ["raise SystemExit(3)", "raise ConfigurationError('mine')", "raise RuntimeError('no')"])
async def test_a_stop_that_fails_keeps_no_other_from_stopping(
    install: Install, kernel: Callable[[], Kernel], how: str
) -> None:
    source = (
        "from jackfield.api.errors import ConfigurationError\n"
        f"class P(Plugin):\n    def stop(self): {how}\n    def start(self): self.context.log.info('began')\n"
    )
    install("acme-stop", {"acme": "acme_stop:P"}, acme_stop=source)
    made = kernel()
    await made.start()
    await made.stop()
    assert not made.ready
    again = kernel()
    await again.start()  # the store and the lock are free
    await again.stop()


async def test_an_operators_mistake_that_a_stranger_finds_names_the_stranger(
    install: Install, kernel: Callable[[], Kernel]
) -> None:
    source = (
        "from jackfield.api.errors import ConfigurationError\n"
        "class P(Plugin):\n    def start(self): raise ConfigurationError('The licence has ended.')\n"
    )
    install("acme-licence", {"acme": "acme_licence:P"}, acme_licence=source)
    made = kernel()
    with pytest.raises(ConfigurationError, match=r"plugin acme of acme-licence 1\.0: The licence has ended\."):
        await made.start()
    await made.stop()


def test_a_port_that_is_asked_for_too_early_says_when(install: Install, kernel: Callable[[], Kernel]) -> None:
    source = (
        "from jackfield.api.registry import Registry\n"
        "class P(Plugin):\n    def __init__(self, context):\n        super().__init__(context)\n"
        "        self.registry = context.port(Registry)\n"
    )
    install("acme-early", {"acme": "acme_early:P"}, acme_early=source)
    made = kernel()
    assert "ports are there from `start` on" in failed(made)["acme"]


def test_what_fills_the_point_of_a_disabled_plugin_is_loaded_all_the_same(
    install: Install, kernel: Callable[[str], Kernel]
) -> None:
    point = (
        "from typing import Protocol\nfrom jackfield.api.extensions import ExtensionPoint\n"
        "class Thing(Protocol):\n    name: str\nTHINGS = ExtensionPoint('hello_things', Thing)\n"
        "class P(Plugin):\n    extension_points = (THINGS,)\n"
    )
    filling = "class P(Plugin):\n    @hookimpl\n    def hello_things(self): return []\n"
    install("acme-hello", {"hello": "acme_hello:P"}, acme_hello=point)
    install("acme-filling", {"filling": "acme_filling:P"}, acme_filling=filling)
    made = kernel('[plugins]\ndisabled = ["hello"]\n')
    assert failed(made) == {}
    assert made.plugins.plugins["filling"].status == "loaded"
