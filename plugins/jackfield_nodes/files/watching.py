"""A watcher of the operating system on its own thread."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from threading import Event, Thread

from watchfiles import watch

_STEP_MS = 50
_LOOK_MS = 500
"""How often the thread looks whether it has to end."""
_POLL_MS = 1_000
"""Between two looks at the files where the operating system does not tell of changes."""


class FileWatcher:
    """Gathers the paths that have changed. A slow reader gets them together, so that nothing is queued."""

    def __init__(self, path: str, *, recursive: bool, polling: bool) -> None:
        self._path = path
        self._recursive = recursive
        self._polling = polling
        self._over = Event()
        self._changed: set[str] = set()
        self._news = asyncio.Event()
        self._failure: BaseException | None = None
        self._loop = asyncio.get_running_loop()
        self._thread = Thread(target=self._watch, name="jackfield-files", daemon=True)

    async def changes(self) -> AsyncIterator[set[str]]:
        """Paths. Raises OSError and what the operating system's watcher raises."""
        while True:
            await self._news.wait()
            self._news.clear()
            if self._failure is not None:
                raise self._failure
            changed, self._changed = self._changed, set()
            yield changed

    @contextlib.asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        self._thread.start()
        try:
            yield
        finally:
            self._over.set()
            await asyncio.to_thread(self._thread.join)

    def _watch(self) -> None:
        logging.getLogger("watchfiles").setLevel(logging.WARNING)  # it tells every change otherwise
        try:
            for changes in watch(
                self._path,
                watch_filter=None,
                debounce=_STEP_MS * 4,
                step=_STEP_MS,
                stop_event=self._over,
                rust_timeout=_LOOK_MS,
                raise_interrupt=False,
                recursive=self._recursive,
                force_polling=self._polling,
                poll_delay_ms=_POLL_MS,
                ignore_permission_denied=True,
            ):
                self._tell({path for _, path in changes}, None)
        except Exception as exc:
            self._tell(set(), exc)

    def _tell(self, changed: set[str], failure: BaseException | None) -> None:
        def told() -> None:
            self._changed |= changed
            self._failure = failure
            self._news.set()

        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(told)
