"""The service of the plugin, as its own modules ask for it. It is made when it is used first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeAlias

from jackfield.api.records import record
from jackfield.api.registry import RegistryStatus


@record
class FetchProgress:
    """all_bytes: where the index says the size of every file; None: unknown."""

    files: int
    all_files: int
    bytes: int
    all_bytes: int | None


@record
class RegistryOffer:
    """before: the commit that is here, None: none. commit: that would be; added, changed, removed: places of files."""

    before: str | None
    commit: str
    sequence: int | None
    added: Sequence[str]
    changed: Sequence[str]
    removed: Sequence[str]


TellProgress: TypeAlias = Callable[[FetchProgress], None]
"""Called on the event loop; must not block."""


class LocalRegistry(Protocol):
    """`jackfield.api.registry.Registry`, and what routes and commands want beyond it."""

    @property
    def counts(self) -> Mapping[str, int]:
        """Syncs since the start by result: `updated`, `unchanged`, `failed`."""

    async def status(self) -> RegistryStatus:
        """The commit that was synced, and when."""

    async def damage(self) -> Sequence[str]:
        """Sentences about what cannot be read."""

    async def verify(self) -> Sequence[str]:
        """Sentences about what on the disk is not as index and signature say."""

    async def sync(
        self, *, force: bool = False, unattended: bool = False, tell: TellProgress | None = None
    ) -> RegistryStatus:
        """One at a time: a caller that comes meanwhile waits for the same, except that a forced one is not content with
        an unforced. `unattended`: nobody is there to decide, so that a pin which cannot be read is not ignored. Raises
        `UpstreamFailed`, `Conflict`, `ConfigurationError`.
        """

    async def offer(self, *, force: bool) -> RegistryOffer:
        """The changes that a sync would bring now; nothing is taken. Raises as `sync`."""

    async def pin(self, commit: str | None) -> RegistryStatus:
        """Stay at this commit from now on; None: go with the channel again.

        The commit is taken at once if it is here, else with the next sync. Raises `Conflict`.
        """
