"""Contexts: what each plugin sees, and what is behind them."""

from __future__ import annotations

import logging
from asyncio import Task
from collections.abc import Callable, Coroutine, Mapping
from typing import TypeVar, cast

from pydantic import BaseModel

from jackfield.api.clock import Clock
from jackfield.api.context import Secrets, Service
from jackfield.api.events import EventBus
from jackfield.api.extensions import ExtensionPoint, Given
from jackfield.api.records import record
from jackfield.api.storage import Store

from .ports import Extensions, PortDirectory
from .projects.scoped_store import ScopedStore
from .settings import Settings
from .tasks import Tasks

SettingsT = TypeVar("SettingsT", bound=BaseModel)
PortT = TypeVar("PortT")


@record
class SharedServices:
    """The services that all contexts have in common."""

    service: Service
    clock: Clock
    events: EventBus
    secrets: Secrets
    settings: Settings
    tasks: Tasks
    ports: PortDirectory
    extensions: Extensions


class Context:
    """`jackfield.api.context.PluginContext`."""

    def __init__(self, name: str, shared: SharedServices) -> None:
        self.name = name
        self.log = logging.getLogger(f"jackfield.{name}")
        self.service = shared.service
        self.clock = shared.clock
        self.events = shared.events
        self.secrets = shared.secrets
        self._settings = shared.settings
        self._tasks = shared.tasks
        self._ports = shared.ports
        self._extensions = shared.extensions

    def settings(self, model: type[SettingsT]) -> SettingsT:
        return self._settings.get(model)

    def spawn(self, name: str, coroutine: Coroutine[object, object, None]) -> Task[None]:
        return self._tasks.spawn(f"{self.name}.{name}", coroutine)

    @property
    def store(self) -> Store:
        return cast("Store", self._ports.get(ScopedStore))

    def port(self, protocol: Callable[..., PortT]) -> PortT:
        return self._ports.get(protocol)

    def find_port(self, protocol: Callable[..., PortT]) -> PortT | None:
        return self._ports.find(protocol)

    def built_port(self, protocol: Callable[..., PortT]) -> PortT | None:
        return self._ports.built(protocol)

    def is_built(self, reference: str) -> bool:
        return self._ports.is_built(reference)

    def extensions(self, point: ExtensionPoint[PortT]) -> Mapping[str, PortT]:
        return self._extensions.values(point)

    def given(self, point: ExtensionPoint[PortT]) -> Mapping[str, Given[PortT]]:
        return self._extensions.given(point)
