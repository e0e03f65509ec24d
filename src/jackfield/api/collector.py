"""The process's cyclic collector, kept away from data that is in no cycle.

A list of 100,000 items is some 500,000 containers, all of which go by their reference counts. Two of its looks at them
take a fifth of the processor time of a run, and hold every thread for as long as each takes. So what is parsed in
slices is moved out of its sight (`gc.freeze`, a moment whatever the number). What was in a cycle by then, and dead,
would stay: the young are looked at before, and everything once the process is idle.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence


class Collector:
    """Of one process. Nothing happens before `begin`: commands, tests and children have the collector to themselves."""

    def __init__(self) -> None:
        self._begun = False
        self._spared = False

    def begin(self, thresholds: Sequence[int]) -> None:
        """What lives now lives as long as the process. thresholds: of `gc.set_threshold`."""
        gc.freeze()
        gc.enable()
        gc.set_threshold(*thresholds)
        self._begun = True

    def look_at_young(self) -> None:
        """Before many objects are made: find the cycles among those since the last look. Some milliseconds at most."""
        if self._begun:
            gc.collect(0)

    def spare(self) -> None:
        """Look at nothing again that is there now. It still goes by its reference counts."""
        if self._begun:
            gc.freeze()
            self._spared = True

    def look_at_all(self) -> bool:
        """Find the cycles in what was spared since the last time; whether something was. For an idle process: it takes
        about 40 ms, in which no thread runs."""
        if not self._spared:
            return False
        self._spared = False
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        return True


PROCESS_COLLECTOR = Collector()
"""There is one collector in a process."""
