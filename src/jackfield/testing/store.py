"""A store in memory for tests: the same contract as every other one, nothing durable."""

from __future__ import annotations

from .memory_counts import MemoryCounts
from .memory_data_tables import MemoryDataTables
from .memory_facts import MemoryFacts
from .memory_files import MemoryFileReferences
from .memory_hosts import MemoryHosts
from .memory_imported import MemoryImported
from .memory_memos import MemoryMemos
from .memory_runs import MemoryExecutions, MemoryPruning
from .memory_users import MemoryConfiguration, MemoryUsers
from .memory_workflows import MemoryWorkflows


class MemoryStore(
    MemoryUsers,
    MemoryConfiguration,
    MemoryImported,
    MemoryFacts,
    MemoryFileReferences,
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
