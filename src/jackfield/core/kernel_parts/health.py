"""A kernel's reports of itself: `/ready`, `/metrics`, and `jackfield doctor`."""

from __future__ import annotations

import inspect
import time
from collections.abc import Mapping
from typing import Protocol

from jackfield.api.containment import passes, told
from jackfield.api.diagnosis import Finding, Metric
from jackfield.api.engine import Engine
from jackfield.api.errors import JackfieldError
from jackfield.api.storage import Store
from jackfield.api.store_copies import DamageRecords

from ..checks.metric_values import SampleCheck
from ..checks.protocols import require
from ..plugins import PluginHost, things_of
from ..ports import PortDirectory
from ..process.alarm import alarm, bounded
from ..settings import Settings
from ..tables import PluginsSettings
from ..workers.workers import WorkerProcesses

CHECK_INTERVAL = 1.0
"""How long `/ready` may repeat its last look at the store, in seconds."""


class HealthOf(Protocol):
    """As the kernel has it. draining: it stops."""

    plugins: PluginHost
    settings: Settings
    ports: PortDirectory
    workers: WorkerProcesses | None
    draining: bool


class Health:
    """Of one kernel."""

    def __init__(self, kernel: HealthOf) -> None:
        self._kernel = kernel
        self._checked: tuple[float, dict[str, str]] | None = None

    async def findings(self) -> list[Finding]:
        """The plugins' findings for `jackfield doctor`. One that fails is a finding."""
        found: list[Finding] = []
        limit = self._kernel.settings.get(PluginsSettings).startup_timeout
        for name, given in self._kernel.plugins.call("jackfield_findings"):
            try:
                given = await bounded(limit, given) if inspect.isawaitable(given) else given
                with alarm(limit):
                    findings = things_of(given)
                    for finding in findings:
                        require(finding, Finding)
                found.extend(findings)
            except BaseException as exc:
                if passes(exc):
                    raise
                found.append(Finding(f"plugin {name}", False, f"its diagnosis failed: {told(exc)}"))
        return found

    def metrics(self) -> list[Metric]:
        """The plugins' samples for `/metrics`; one that Prometheus could not read is left out and reported."""
        return [metric for _, metric in self._kernel.plugins.each("jackfield_metrics", Metric, SampleCheck())]

    def standing(self) -> Mapping[str, str]:
        """The part of `/ready` for plugins and workers: name -> `ok` or the trouble."""
        given = (one for _, one in self._kernel.plugins.each("jackfield_standing", Finding))
        found = {one.subject: "ok" if one.good else one.message for one in given}
        return found if self._kernel.workers is None else {**found, "workers": self._kernel.workers.standing()}

    async def checks(self) -> Mapping[str, str]:
        """The checks of `/ready`: name -> `ok` or the trouble."""
        now = time.monotonic()
        if self._checked is not None and now - self._checked[0] < CHECK_INTERVAL:
            return self._checked[1]
        found = {"store": await self._check_store(), "engine": self._check_engine()}
        if self._kernel.workers is not None and not self._kernel.workers.serve:
            found["workers"] = self._kernel.workers.standing()
        self._checked = (now, found)
        return found

    async def _check_store(self) -> str:
        try:
            await self._kernel.ports.get(Store).check()
        except JackfieldError as exc:
            return exc.message
        return "ok"

    def plugin_state(self) -> str:
        """The part of `/ready` beside its checks: the service is ready without a plugin that failed."""
        failed = self._kernel.plugins.failures()
        return "ok" if not failed else "failed: " + ", ".join(plugin.name for plugin in failed)

    def data_state(self) -> str:
        """The part of `/ready` for damage; the service goes on with the rest."""
        store = self._kernel.ports.built(Store)
        count = len(store.known_damage()) if isinstance(store, DamageRecords) else 0
        return f"{count} findings of damage; `jackfield doctor` names them" if count else "ok"

    def _check_engine(self) -> str:
        engine = self._kernel.ports.built(Engine)
        if self._kernel.draining or engine is None:
            return "stopping" if self._kernel.draining else "missing"
        unsaved = engine.state().get("unsaved", 0)
        return f"{unsaved} ended executions wait for the store" if unsaved else "ok"
