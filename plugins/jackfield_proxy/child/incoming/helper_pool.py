"""The pool of helper processes."""

from __future__ import annotations

import multiprocessing
import os
import threading
from concurrent.futures import ProcessPoolExecutor
from typing import Any

PROCESSES = 2
"""At the same time; each is started when it is needed."""
NICE = 5


class HelperPool(ProcessPoolExecutor):
    """Processes of a fresh interpreter each. Its maker calls `end`."""

    def __init__(self) -> None:
        super().__init__(PROCESSES, multiprocessing.get_context("spawn"), _begin)

    def end(self) -> None:
        """They give up their work."""
        self.shutdown(wait=False, cancel_futures=True)
        for one in multiprocessing.active_children():
            one.kill()


def _begin() -> None:
    """They give way to the proxy itself, and one that is killed must not leave them behind."""
    os.nice(NICE)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:  # Any: multiprocessing's own class of a parent, which has no public name
    parent.join()
    os._exit(0)
