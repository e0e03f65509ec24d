"""The verbs that cross: those of the store's port, and of what a store that daemons share may have beside it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from jackfield.api.memos import Memos
from jackfield.api.shared_counts import SharedCounts
from jackfield.api.shared_tokens import SharedTokens
from jackfield.api.shared_workflows import SharedWorkflows
from jackfield.api.storage import Store

HERE = frozenset({"open", "close", "renewals", "prune", "hold_caps"})
"""Of the store's port, what each process does by itself, or the first process alone."""


def _verbs(port: type) -> Iterator[tuple[str, bool]]:
    """Name, and whether it is a coroutine."""
    for kind in port.__mro__:
        for name, found in vars(kind).items():
            if inspect.isfunction(found) and not name.startswith("_") and name not in HERE:
                yield name, inspect.iscoroutinefunction(found)


OF_STORE = dict(_verbs(Store))
OF_MEMOS = dict(_verbs(Memos))
OF_SHARING = dict(_verbs(SharedWorkflows)) | dict(_verbs(SharedCounts)) | dict(_verbs(SharedTokens))
ASKED = OF_STORE | OF_MEMOS | OF_SHARING
"""Name -> whether it is a coroutine, or else gives a future at once."""
