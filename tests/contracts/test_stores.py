"""The contract of stores, over ours and the one of the tests; a stranger's test module reads like this."""

from jackfield.testing.contracts.stores.audit import StoreAuditContract
from jackfield.testing.contracts.stores.calls import StoreCallsContract
from jackfield.testing.contracts.stores.changes import StoreChangesContract
from jackfield.testing.contracts.stores.counts import StoreCountsContract
from jackfield.testing.contracts.stores.drafts import StoreDraftsContract
from jackfield.testing.contracts.stores.entries import StoreEntriesContract
from jackfield.testing.contracts.stores.facts import StoreFactsContract
from jackfield.testing.contracts.stores.files import StoreFilesContract
from jackfield.testing.contracts.stores.folders import StoreFoldersContract
from jackfield.testing.contracts.stores.hosts import StoreHostsContract
from jackfield.testing.contracts.stores.insights import StoreInsightsContract
from jackfield.testing.contracts.stores.leases import StoreLeasesContract
from jackfield.testing.contracts.stores.ledgers import StoreLedgersContract
from jackfield.testing.contracts.stores.lists import StoreListsContract
from jackfield.testing.contracts.stores.memos import StoreMemosContract
from jackfield.testing.contracts.stores.ownership import StoreOwnershipContract
from jackfield.testing.contracts.stores.projects import StoreProjectsContract
from jackfield.testing.contracts.stores.runs import StoreRunsContract
from jackfield.testing.contracts.stores.tables import StoreTablesContract
from jackfield.testing.contracts.stores.users import StoreUsersContract
from jackfield.testing.contracts.stores.workflows import StoreWorkflowsContract


class TestRuns(StoreRunsContract):
    """Executions."""


class TestLists(StoreListsContract):
    """Long lists and their counts."""


class TestOwnership(StoreOwnershipContract):
    """Owners, claims and repeated writes."""


class TestLeases(StoreLeasesContract):
    """Daemons side by side."""


class TestHosts(StoreHostsContract):
    """Hosts that share a store."""


class TestChanges(StoreChangesContract):
    """What daemons hear of each other's workflows."""


class TestCalls(StoreCallsContract):
    """Calls and deliveries."""


class TestUsers(StoreUsersContract):
    """Users, keys, credentials."""


class TestWorkflows(StoreWorkflowsContract):
    """Workflows and routes."""


class TestFolders(StoreFoldersContract):
    """Folders, searching and sorting."""


class TestFacts(StoreFactsContract):
    """Facts of the store."""


class TestFiles(StoreFilesContract):
    """References to files."""


class TestLedgers(StoreLedgersContract):
    """What hosts tell of their usage."""


class TestDrafts(StoreDraftsContract):
    """Proposed workflows."""


class TestMemos(StoreMemosContract):
    """What ends by itself."""


class TestCounts(StoreCountsContract):
    """What daemons count together."""


class TestTables(StoreTablesContract):
    """Data tables."""


class TestEntries(StoreEntriesContract):
    """What plugins keep."""


class TestProjects(StoreProjectsContract):
    """Projects, members, and what belongs where."""


class TestAudit(StoreAuditContract):
    """The chain of the audit log."""


class TestInsights(StoreInsightsContract):
    """Counts of what has ended."""
