"""The counts of this process."""

from __future__ import annotations

from collections.abc import Iterator

from jackfield.api.diagnosis import Metric
from jackfield.api.engine import Engine
from jackfield.api.hosts import Host
from jackfield.core.kernel import Kernel
from jackfield.core.workers.counting import ProcessCounts

from .dispatch import Counters


def counted(kernel: Kernel, counters: Counters) -> ProcessCounts:
    """Of this process. A worker would measure a plugin's momentary values once more."""
    engine = kernel.ports.built(Engine)
    own = counters.admission.counts().metrics("daemon") if counters.admission is not None else ()
    given = [metric for metric in kernel.health.metrics() if kernel.link is None or metric.kind != "gauge"]
    metrics = [*given, *slots(kernel.hosts.here), *own, *kernel.loop_lag.metrics()]
    return ProcessCounts(dict(counters.answers), counters.seconds, engine.state() if engine else {}, metrics)


def slots(host: Host) -> Iterator[Metric]:
    """By role, what this daemon takes at a time: a fleet grows by it."""
    for role, found in host.slots.items():
        labels = {"role": role}
        yield Metric("host_slots", "Work that this daemon takes at a time.", "gauge", found.total, labels)
        yield Metric("host_slots_used", "Work that this daemon has now.", "gauge", found.used, labels)
