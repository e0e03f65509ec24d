"""`jackfield plugins check DIR`: everything that a host would refuse in a project's plugins, told at once.

The project's plugins are loaded beside those that are installed, in a fresh configuration directory, and asked for all
that a daemon would ask for sooner or later. Nothing listens, and the settings are the defaults.
"""

from __future__ import annotations

import asyncio
import pkgutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import cast

import jackfield.api
from jackfield.api.errors import ConfigurationError, MissingPort
from jackfield.api.extensions import ExtensionPoint
from jackfield.api.hooks import PROJECT
from jackfield.api.nodes import NodeType
from jackfield.api.places import load as find_place
from jackfield.api.records import record
from jackfield.core.commands import commands_of
from jackfield.core.kernel import Kernel, settings_tables
from jackfield.core.plugins import PluginHost
from jackfield.core.redaction import Redactor
from jackfield.core.settings import load
from jackfield.http.assembling import make_management
from jackfield.http.dispatch import Counters


@record
class Project:
    """A distribution's sources: what pyproject.toml says of it."""

    name: str
    version: str
    points: Sequence[EntryPoint]


def read_project(directory: Path) -> Project:
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
    return Project(str(project.get("name", directory.name)), str(project.get("version", "0")), points)


def check_project(directory: Path) -> dict[str, list[str]]:
    """Plugin of the project -> its mistakes, each one line. Raises `ConfigurationError` for no project, and when
    Jackfield itself cannot be put together."""
    project = read_project(directory)
    sys.path[:0] = [str(path) for path in (directory / "src", directory) if path.is_dir()]
    host = PluginHost()
    host.discover(without=project.name)
    names = [host.offer(point, project.name, project.version) for point in project.points]
    with tempfile.TemporaryDirectory(prefix="jackfield-check-") as place:
        kernel = Kernel(Path(place), host, load(settings_tables(host), {}, {}, {}), Redactor())
        kernel.assemble()
        asyncio.run(_try_out(kernel, names))
    return {name: host.plugins[name].errors for name in names}


async def _try_out(kernel: Kernel, names: Sequence[str]) -> None:
    """Start, ask for everything, stop."""
    await kernel.start()
    try:
        await asyncio.to_thread(_ask_for_all, kernel, names)
        await kernel.findings()
        kernel.metrics()
    finally:
        await kernel.stop()


def _ask_for_all(kernel: Kernel, names: Sequence[str]) -> None:
    for point in _points(kernel.plugins):
        kernel.context("plugins").given(point)
    commands_of(kernel.plugins)
    make_management(kernel, Counters())
    for name in names:
        _ask_for_ports(kernel, name)
    for node in kernel.nodes.all():
        owner = kernel.precedence.owner(f"node:{node.kind}")
        if owner is not None and owner in names:
            _ask_for_forms(kernel, owner, node)


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
            kernel.ports.find(cast("type", find_place(protocol) if isinstance(protocol, str) else protocol))
        except MissingPort:
            pass  # the host has noted why
        except Exception as exc:
            kernel.plugins.failed(name, exc, f"cannot provide {protocol}")


def _ask_for_forms(kernel: Kernel, plugin: str, node: NodeType) -> None:
    """The schema of every version's parameters, as the editor asks for it."""
    for version in (None, *node.versions):
        try:
            node.parameters(version).model_json_schema()
        except Exception as exc:
            kernel.plugins.failed(plugin, exc, f"cannot give the parameters of the node type {node.kind}")
