"""A store in memory for tests: the same contract as every other one, nothing durable."""

from __future__ import annotations

from .memory.audit import MemoryAudit
from .memory.counts import MemoryCounts
from .memory.data_tables import MemoryDataTables
from .memory.drafts import MemoryDrafts
from .memory.entries import MemoryEntries
from .memory.facts import MemoryFacts
from .memory.files import MemoryFileReferences
from .memory.hosts import MemoryHosts
from .memory.imported import MemoryImported
from .memory.ledgers import MemoryLedgers
from .memory.memos import MemoryMemos
from .memory.projects import MemoryProjects
from .memory.runs import MemoryExecutions, MemoryPruning
from .memory.users import MemoryConfiguration, MemoryUsers
from .memory.workflows import MemoryWorkflows


class MemoryStore(
    MemoryUsers,
    MemoryConfiguration,
    MemoryImported,
    MemoryFacts,
    MemoryFileReferences,
    MemoryLedgers,
    MemoryEntries,
    MemoryAudit,
    MemoryDrafts,
    MemoryProjects,
    MemoryDataTables,
    MemoryWorkflows,
    MemoryExecutions,
    MemoryHosts,
    MemoryPruning,
    MemoryMemos,
    MemoryCounts,
):
    """`jackfield.api.storage.Store` in dictionaries. Every verb fails with `fail_with` while that is set."""

    name = "memory"

    async def open(self) -> None:
        """Nothing to connect."""

    async def close(self) -> None:
        """Nothing to write."""

    async def check(self) -> None:
        self._answer()
