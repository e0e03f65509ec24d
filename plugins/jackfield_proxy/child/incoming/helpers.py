"""Processes beside the proxy's own, for what would hold up other requests. They live while there is work for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from typing import TYPE_CHECKING, TypeVar, cast

from jackfield.api.dialects.model import DialectError
from jackfield.api.object_references import load
from jackfield_proxy.child.process.log import say

if TYPE_CHECKING:
    from jackfield_proxy.child.incoming.helper_pool import HelperPool

IDLE = 60.0
"""Seconds without a large request after which they end."""
_POOL = "jackfield_proxy.child.incoming.helper_pool:HelperPool"
"""By object reference: most proxies never see a large request, and `multiprocessing` takes time and memory."""
ResultT = TypeVar("ResultT")


class HelperProcesses:
    """Processes that work on large bodies."""

    def __init__(self) -> None:
        self._pool: HelperPool | None = None
        self._ending: asyncio.TimerHandle | None = None
        self._busy = 0

    async def run(self, work: Callable[..., ResultT], *given: object) -> ResultT:
        """Raises what the work raises, and `DialectError` 500 when its process dies. Where none can be had it is done
        here."""
        self._busy += 1
        pool = self._pool
        try:
            pool = self._processes()
            return await asyncio.get_running_loop().run_in_executor(pool, work, *given)
        except BrokenExecutor:
            say("a process for large requests has died")
            if self._pool is pool:  # others may have another one by now
                self.close()
            raise DialectError(500, "The process that reads large requests has died; try again.") from None
        except OSError as exc:
            say(f"there is no process for large requests: {exc.strerror}")
            self.close()
            return work(*given)
        finally:
            self._busy -= 1
            self._end_later()

    def close(self) -> None:
        """They give up their work."""
        if self._ending is not None:
            self._ending.cancel()
        if self._pool is None:
            return
        pool, self._pool = self._pool, None
        pool.end()

    def _processes(self) -> HelperPool:
        if self._pool is None:
            self._pool = cast("Callable[[], HelperPool]", load(_POOL))()
        return self._pool

    def _end_later(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
        self._ending = asyncio.get_running_loop().call_later(IDLE, self._end)

    def _end(self) -> None:
        if not self._busy:
            self.close()
