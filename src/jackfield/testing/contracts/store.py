"""All that holds for a store that one daemon has for itself, in one suite.

    class TestMine(StoreContracts):
        @pytest.fixture
        async def store(self) -> AsyncIterator[Store]: ...

The fixture gives an open and empty store. One that several daemons share has five suites more: `StoreChangesContract`,
`StoreCountsContract`, `StoreHostsContract`, `StoreLeasesContract` and `StoreMemosContract`.
"""

from __future__ import annotations

from .stores.calls import StoreCallsContract
from .stores.drafts import StoreDraftsContract
from .stores.entries import StoreEntriesContract
from .stores.facts import StoreFactsContract
from .stores.files import StoreFilesContract
from .stores.folders import StoreFoldersContract
from .stores.ledgers import StoreLedgersContract
from .stores.lists import StoreListsContract
from .stores.ownership import StoreOwnershipContract
from .stores.projects import StoreProjectsContract
from .stores.runs import StoreRunsContract
from .stores.tables import StoreTablesContract
from .stores.users import StoreUsersContract
from .stores.workflows import StoreWorkflowsContract


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
