"""The browser interface: its built files under `/` and `/ui`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.hooks import hookimpl

if TYPE_CHECKING:
    from jackfield.api.asgi import AsgiMount


@hookimpl
def jackfield_asgi() -> Sequence[AsgiMount]:
    from jackfield_ui.app import mounts

    return mounts()
