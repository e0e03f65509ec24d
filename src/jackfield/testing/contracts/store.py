"""All that holds for a store that one daemon has for itself, in one suite.

    class TestMine(StoreContracts):
        @pytest.fixture
        async def store(self) -> AsyncIterator[Store]: ...

The fixture gives an open and empty store. One that several daemons share has five suites more: `StoreChangesContract`,
`StoreCountsContract`, `StoreHostsContract`, `StoreLeasesContract` and `StoreMemosContract`.
"""

from __future__ import annotations

from .store_calls import StoreCallsContract
from .store_drafts import StoreDraftsContract
from .store_entries import StoreEntriesContract
from .store_facts import StoreFactsContract
from .store_files import StoreFilesContract
from .store_folders import StoreFoldersContract
from .store_ledgers import StoreLedgersContract
from .store_lists import StoreListsContract
from .store_ownership import StoreOwnershipContract
from .store_projects import StoreProjectsContract
from .store_runs import StoreRunsContract
from .store_tables import StoreTablesContract
from .store_users import StoreUsersContract
from .store_workflows import StoreWorkflowsContract


class StoreContracts(
    StoreCallsContract,
    StoreDraftsContract,
    StoreEntriesContract,
    StoreFactsContract,
    StoreFilesContract,
    StoreFoldersContract,
    StoreLedgersContract,
    StoreListsContract,
    StoreOwnershipContract,
    StoreProjectsContract,
    StoreRunsContract,
    StoreTablesContract,
    StoreUsersContract,
    StoreWorkflowsContract,
):
    """Every suite that needs one store; a test of the name in two of them would hide one, and none is."""
