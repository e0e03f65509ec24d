"""`jackfield plugins check DIR`: everything that a host would refuse in a project's plugins, told at once.

The check loads the project's plugins beside those that are installed, in a fresh configuration directory. It asks them
for all that a daemon would ask for sooner or later. Nothing listens, and the settings are the defaults.
"""

from __future__ import annotations

import asyncio
import pkgutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import cast

from quart import Quart

import jackfield.api
from jackfield.api.auth import OWNER, AuthRequest
from jackfield.api.errors import ConfigurationError, MissingPort
from jackfield.api.extensions import ExtensionPoint
from jackfield.api.hooks import PROJECT
from jackfield.api.nodes import NodeType
from jackfield.api.object_references import load as find_object
from jackfield.api.records import record
from jackfield.core.building import settings_tables
from jackfield.core.commands import commands_of
from jackfield.core.kernel import Kernel
from jackfield.core.plugins import PluginHost
from jackfield.core.redaction import Redactor
from jackfield.core.settings import load
from jackfield.http.dispatch import Counters
from jackfield.http.management.assembling import make_management

ANSWERS = ("/metrics", "/api/v1/node-types", "/openapi.json", "/docs")
"""Made of what all plugins give."""
NOBODYS = "192.0.2.1"
"""An address that no machine has."""
ANSWER_TIME = 10.0
"""Seconds for an authentication method to look at a request."""


@record
class PluginProject:
    """A distribution's sources: what pyproject.toml says of it."""

    name: str
    version: str
    points: Sequence[EntryPoint]


def read_project(directory: Path) -> PluginProject:
    """Raises `ConfigurationError` for a directory that holds no project with plugins."""
    path = directory / "pyproject.toml"
    try:
        project = tomllib.loads(path.read_text(encoding="utf-8")).get("project", {})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as exc:
        raise ConfigurationError(f"{path} cannot be read: {exc}. Name the directory of a project.") from None
    given = project.get("entry-points", {}).get(PROJECT, {})
    if not given:
        raise ConfigurationError(
            f"{path} names no plugin. Write [project.entry-points.{PROJECT}] with lines such as "
            'hello = "my_package:HelloPlugin".'
        )
    points = [EntryPoint(name, value, PROJECT) for name, value in given.items()]
    return PluginProject(str(project.get("name", directory.name)), str(project.get("version", "0")), points)


def check_project(directory: Path) -> dict[str, list[str]]:
    """Plugin of the project -> its mistakes, each one line. Raises `ConfigurationError` for no project, and when
    Jackfield itself cannot be put together."""
    with _put_together(directory) as (kernel, names):
        asyncio.run(_try_out(kernel, names))
        return {name: kernel.plugins.plugins[name].errors for name in names}


def refusals(directory: Path) -> list[str]:
    """The mistakes that show without a start, such as a name that is taken. See `check_project`."""
    with _put_together(directory) as (kernel, names):
        _ask_points(kernel)
        return [line for name in names for line in kernel.plugins.plugins[name].errors]


@contextmanager
def _put_together(directory: Path) -> Iterator[tuple[Kernel, list[str]]]:
    """A kernel with the project's plugins, and their names."""
    project = read_project(directory)
    sys.path[:0] = [str(path) for path in (directory / "src", directory) if path.is_dir()]
    host = PluginHost()
    host.discover(without=project.name)
    names = [host.offer(point, project.name, project.version) for point in project.points]
    with tempfile.TemporaryDirectory(prefix="jackfield-check-") as place:
        kernel = Kernel(Path(place), host, load(settings_tables(host), {}, {}, {}), Redactor())
        kernel.assemble()
        yield kernel, names


async def _try_out(kernel: Kernel, names: Sequence[str]) -> None:
    """Start, ask for everything, stop."""
    await kernel.start()
    try:
        app = await asyncio.to_thread(_ask_for_all, kernel, names)
        await kernel.health.findings()
        await _ask_who_calls(kernel, names)
        await _ask_for_answers(kernel, names, app)
    finally:
        await kernel.stop()


def _ask_for_all(kernel: Kernel, names: Sequence[str]) -> Quart:
    _ask_points(kernel)
    commands_of(kernel.plugins)
    app = make_management(kernel, Counters())
    for name in names:
        _ask_for_ports(kernel, name)
    for node in kernel.nodes.all():
        owner = kernel.precedence.owner(f"node:{node.kind}")
        if owner is not None and owner in names:
            _ask_for_forms(kernel, owner, node)
    return app


def _ask_points(kernel: Kernel) -> None:
    for point in _points(kernel.plugins):
        kernel.context("plugins").given(point)


async def _ask_who_calls(kernel: Kernel, names: Sequence[str]) -> None:
    """Show every authentication method a request that carries nothing: each must leave it to the others."""
    request = AuthRequest({}, NOBODYS, "/api/v1/workflows", peer=NOBODYS)
    for method in kernel.authenticator.methods:
        owner = kernel.precedence.owner(f"auth method:{method.name}")
        if owner is None or owner not in names:
            continue
        told = f"the authentication method {method.name}, asked with a request that carries no credential,"
        try:
            caller = await asyncio.wait_for(method.authenticate(request), ANSWER_TIME)
        except (Exception, SystemExit) as exc:
            kernel.plugins.report(owner, f"{told} raises {type(exc).__name__}: {exc}; answer None")
        else:
            if caller is not None:
                kernel.plugins.report(owner, f"{told} answers a {type(caller).__name__}; answer None")


async def _ask_for_answers(kernel: Kernel, names: Sequence[str], app: Quart) -> None:
    """The API's answers about everything that plugins gave.

    Those who make an answer report whose part they left out.
    """
    client = app.test_client()
    for path in ANSWERS:
        answer = await client.get(path, scope_base={"jackfield.principal": OWNER})
        for name in names if answer.status_code >= 500 else ():
            kernel.plugins.report(name, f"GET {path} answers {answer.status_code} with the plugins of this project")


def _points(host: PluginHost) -> Iterator[ExtensionPoint[object]]:
    """Jackfield's own extension points and those of the loaded plugins."""
    for module in pkgutil.iter_modules(jackfield.api.__path__, "jackfield.api."):
        members = vars(import_module(module.name)).values()
        yield from (member for member in members if isinstance(member, ExtensionPoint))
    for offered in host.classes.values():
        yield from offered.extension_points


def _ask_for_ports(kernel: Kernel, name: str) -> None:
    offered = kernel.plugins.classes.get(name)
    for protocol in offered.provides if offered is not None and name in kernel.plugins.instances else ():
        try:
            kernel.ports.find(cast("type", find_object(protocol) if isinstance(protocol, str) else protocol))
        except MissingPort:
            pass  # the host has noted why
        except Exception as exc:
            kernel.plugins.failed(name, exc, f"cannot provide {protocol}")


def _ask_for_forms(kernel: Kernel, plugin: str, node: NodeType) -> None:
    """The schema of every version's parameters, as the editor asks for it."""
    for version in (None, *node.versions):
        try:
            node.parameters(version).model_json_schema()
        except (Exception, SystemExit) as exc:
            kernel.plugins.failed(plugin, exc, f"cannot give the parameters of the node type {node.kind}")
