"""The audit log as the store keeps it: a chain of records, of which each names the hash of the one before.

The appender makes the hashes (`jackfield.api.audit`). The store keeps the order. An append counts only where the chain
still ends with the record that it follows, so that daemons of one store write one chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..records import record

GENESIS = bytes(32)
"""The hash before the first record."""


@record
class AuditHead:
    """The end of a chain. number: 0 when nothing was ever recorded."""

    number: int = 0
    hash: bytes = GENESIS


@record
class AuditRow:
    """`number`: from 1, without gaps.

    `at`: Unix ms. `data`: canonical JSON of the whole record, of which the other texts are copies to filter by. `hash`:
    of data and the hash before. `mac`: of number and hash, with a key of the daemon's.
    """

    number: int
    at: int
    act: str
    actor: str
    kind: str
    subject: str
    project: str
    outcome: str
    data: bytes
    hash: bytes
    mac: bytes

    @property
    def head(self) -> AuditHead:
        return AuditHead(self.number, self.hash)


@record
class AuditFilter:
    """Empty: any.

    `act`: this one, or with a dot at its end all that begin with it. `projects`: None: any; times: Unix ms, `since`
    included, `until` not.
    """

    act: str = ""
    actor: str = ""
    kind: str = ""
    subject: str = ""
    outcome: str = ""
    projects: Sequence[str] | None = None
    since: int | None = None
    until: int | None = None


@record
class AuditCheckpoint:
    """The rest of records that retention has dropped.

    `number`, `hash`: of the last one. `dropped`: how many were ever dropped. `at`: Unix ms, when. `mac`: of all this.
    """

    number: int
    hash: bytes
    dropped: int
    at: int
    mac: bytes


class AuditStore(Protocol):
    """Part of the store port. All verbs raise `StoreUnavailable`. There is none that changes a record."""

    async def audit_head(self) -> AuditHead: ...

    async def append_audit(self, after: AuditHead, rows: Sequence[AuditRow]) -> AuditHead:
        """Append rows, which follow `after`, all or none.

        Gives the end of the chain then: the last of them. When the chain did not end with `after`, it gives another
        record, and appended nothing. Of many at once, from several daemons too, one is appended.
        """

    async def audit_rows(
        self, where: AuditFilter, *, after: int | None, limit: int, newest_first: bool
    ) -> Sequence[AuditRow]:
        """By number, downwards or upwards. after: only what follows this number in that order."""

    async def audit_checkpoint(self) -> AuditCheckpoint | None:
        """The latest."""

    async def drop_audit(self, checkpoint: AuditCheckpoint) -> int:
        """Leave the checkpoint, and drop the records up to its own; how many there were. Does nothing unless that
        record is there with this hash, and is not the last one."""
