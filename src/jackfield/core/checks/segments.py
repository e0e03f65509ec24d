"""Can a raw application be mounted there?"""

from __future__ import annotations

from .precedence import NameTaken
from .protocols import ProtocolMismatch

KERNEL_SEGMENTS = frozenset({"api", "docs", "health", "metrics", "openapi.json", "ready"})
"""First segments that are the kernel's, and no stranger's: what stands there is not one application's alone."""


def check_segment(segment: str, *, is_own: bool) -> None:
    """segment: as in `AsgiMount`; the empty one is the path `/` alone. Raises `ProtocolMismatch` or `NameTaken`."""
    first, separator, second = segment.removesuffix("/").partition("/")
    if "/" in second or (separator and not (first and second)) or (segment.endswith("/") and not first):
        raise ProtocolMismatch(
            f"the path /{segment} must be one or two segments; mount the application at the first of them"
        )
    if first in KERNEL_SEGMENTS and not is_own:
        raise NameTaken(f"path:/{segment} is the kernel's; mount the application elsewhere")
