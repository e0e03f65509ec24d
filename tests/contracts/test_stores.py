"""The contract of stores, over ours and the one of the tests; a stranger's test module reads like this."""

from jackfield.testing.contracts.store_audit import StoreAuditContract
from jackfield.testing.contracts.store_calls import StoreCallsContract
from jackfield.testing.contracts.store_changes import StoreChangesContract
from jackfield.testing.contracts.store_counts import StoreCountsContract
from jackfield.testing.contracts.store_drafts import StoreDraftsContract
from jackfield.testing.contracts.store_entries import StoreEntriesContract
from jackfield.testing.contracts.store_facts import StoreFactsContract
from jackfield.testing.contracts.store_files import StoreFilesContract
from jackfield.testing.contracts.store_folders import StoreFoldersContract
from jackfield.testing.contracts.store_hosts import StoreHostsContract
from jackfield.testing.contracts.store_insights import StoreInsightsContract
from jackfield.testing.contracts.store_leases import StoreLeasesContract
from jackfield.testing.contracts.store_ledgers import StoreLedgersContract
from jackfield.testing.contracts.store_lists import StoreListsContract
from jackfield.testing.contracts.store_memos import StoreMemosContract
from jackfield.testing.contracts.store_ownership import StoreOwnershipContract
from jackfield.testing.contracts.store_projects import StoreProjectsContract
from jackfield.testing.contracts.store_runs import StoreRunsContract
from jackfield.testing.contracts.store_tables import StoreTablesContract
from jackfield.testing.contracts.store_users import StoreUsersContract
from jackfield.testing.contracts.store_workflows import StoreWorkflowsContract


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
