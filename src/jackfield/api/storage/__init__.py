"""The store port: domain verbs, never SQL. One contract suite (`tests/contracts/`) holds for every store.

Times are Unix milliseconds, UTC. Verbs that return a future join the queue in the order of the calls, at once. The
future resolves when the transaction that holds them is durable. The others are coroutines. Every verb raises
`StoreUnavailable` when the store does not answer within its limit (disk full, lock held, queue full). Then nothing was
changed, unless its message says that the outcome of a commit that had begun is not known. An execution that is over
stays as it is: later changes of it do nothing. The rules of `jackfield.api.storage.ownership` say who may change an
open one, and the effect of a repeated write.
"""

from __future__ import annotations

from ..paging import Page as Page
from .entries import Entry as Entry
from .entries import EntryStore as EntryStore
from .executions import EXECUTION_STATUSES as EXECUTION_STATUSES
from .executions import OPEN_STATUSES as OPEN_STATUSES
from .executions import ExecutionFilter as ExecutionFilter
from .executions import ExecutionRow as ExecutionRow
from .executions import ExecutionStatus as ExecutionStatus
from .executions import ExecutionStore as ExecutionStore
from .executions import FinishedExecution as FinishedExecution
from .executions import NewExecution as NewExecution
from .executions import StaticChange as StaticChange
from .executions import StoredExecution as StoredExecution
from .executions import static_changed as static_changed
from .facts import FactStore as FactStore
from .files import FileStore as FileStore
from .folders import Folder as Folder
from .folders import FolderStore as FolderStore
from .imports import ImportedId as ImportedId
from .imports import ImportStore as ImportStore
from .ledgers import LedgerStore as LedgerStore
from .ownership import Claimed as Claimed
from .ownership import Incarnation as Incarnation
from .ownership import OpenStatus as OpenStatus
from .ownership import OwnershipStore as OwnershipStore
from .ownership import Renewals as Renewals
from .ownership import Renewed as Renewed
from .ownership import Standing as Standing
from .port import KEEP_ALL as KEEP_ALL
from .port import ClaimedStore as ClaimedStore
from .port import Retention as Retention
from .port import ShareableStore as ShareableStore
from .port import Store as Store
from .projects import PROJECT_ROLES as PROJECT_ROLES
from .projects import RESOURCE_KINDS as RESOURCE_KINDS
from .projects import SHARED as SHARED
from .projects import Project as Project
from .projects import ProjectMember as ProjectMember
from .projects import ProjectRole as ProjectRole
from .projects import ProjectStore as ProjectStore
from .projects import ResourceKind as ResourceKind
from .projects import Within as Within
from .users import ApiKey as ApiKey
from .users import Credential as Credential
from .users import User as User
from .users import UserStore as UserStore
from .users import Variable as Variable
from .webhooks import CallStatus as CallStatus
from .webhooks import CallUpdate as CallUpdate
from .webhooks import Delivery as Delivery
from .webhooks import NewCall as NewCall
from .webhooks import StoredAnswer as StoredAnswer
from .webhooks import StoredCall as StoredCall
from .webhooks import StoredDelivery as StoredDelivery
from .webhooks import Webhook as Webhook
from .webhooks import WebhookStats as WebhookStats
from .webhooks import WebhookStore as WebhookStore
from .workflows import WORKFLOW_ORDERS as WORKFLOW_ORDERS
from .workflows import StoredWorkflow as StoredWorkflow
from .workflows import Tag as Tag
from .workflows import TagStore as TagStore
from .workflows import VersionRow as VersionRow
from .workflows import WorkflowFilter as WorkflowFilter
from .workflows import WorkflowOrder as WorkflowOrder
from .workflows import WorkflowRow as WorkflowRow
from .workflows import WorkflowStore as WorkflowStore
