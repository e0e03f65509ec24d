"""One watcher of the operating system."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from pathlib import Path
from threading import Event, Thread

from watchfiles import Change, watch

STEP_MS = 250
"""How often a thread looks whether it has to end; changes are announced in such steps."""


class Feed(Thread):
    """One watcher of the operating system. tell: called on this thread with paths that were written; fail: with why it
    ended."""

    def __init__(
        self,
        places: Collection[Path],
        tell: Callable[[set[str]], None],
        fail: Callable[[str], None],
        *,
        recursive: bool,
    ) -> None:
        super().__init__(name="jackfield-usage-watch", daemon=True)
        self._places = sorted(places)
        self._tell, self._fail = tell, fail
        self._recursive = recursive
        self._over = Event()

    def run(self) -> None:
        try:
            # It tells every change otherwise.
            logging.getLogger("watchfiles").setLevel(logging.WARNING)
            for changes in watch(
                *self._places,
                watch_filter=None,
                debounce=STEP_MS * 2,
                step=STEP_MS,
                stop_event=self._over,
                rust_timeout=60_000,
                raise_interrupt=False,
                recursive=self._recursive,
                ignore_permission_denied=True,
            ):
                self._tell({path for change, path in changes if change is not Change.deleted})
        except Exception as exc:  # whatever the system or the library has against it
            self._fail(f"{type(exc).__name__}: {exc}")

    def end(self) -> None:
        self._over.set()
