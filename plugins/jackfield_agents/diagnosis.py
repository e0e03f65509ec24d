"""The lines of `jackfield doctor` about agents."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.agents import Agents
from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding
from jackfield_agents.catalog import AgentCatalog

SLOW_MS = 2000
"""A program that took longer for its version is named."""


async def findings(context: PluginContext) -> Sequence[Finding]:
    """Broken manifests, programs that do not answer, and what is installed."""
    catalog = context.port(Agents)
    detected = await catalog.detect_all()
    installed = [f"{name} {found.version or ''}".rstrip() for name, found in detected.items() if found.installed]
    summary = f"{len(installed)} of {len(detected)} installed" + (f": {', '.join(installed)}" if installed else "")
    found = [Finding("agents", True, summary)]
    found += [Finding("agent manifests", False, warning) for warning in catalog.warnings()]
    if isinstance(catalog, AgentCatalog):
        found += _about_detection(catalog)
    return found


def _about_detection(catalog: AgentCatalog) -> list[Finding]:
    detector = catalog.detector
    found = [] if detector.cache.damage is None else [Finding("agent detections", True, detector.cache.damage)]
    for name, problems in detector.problems.items():
        message = "; ".join(problems)
        found.append(Finding(f"agent {name}", False, f"{message}. Run the command by hand to see why"))
    for command, answer in detector.cache.all().items():
        if answer.failure is None and answer.took_ms > SLOW_MS:
            found.append(Finding("agent detections", True, f"`{command}` took {answer.took_ms / 1000:.1f} s"))
    return found
