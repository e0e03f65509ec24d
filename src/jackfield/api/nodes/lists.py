"""Lists that a node's fields are chosen from: channels, sheets, models. See `forms.LoadedList`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Protocol, cast, runtime_checkable

from ..http_client import Authorization
from ..jsontext import Json
from ..records import record
from .types import NodeError, NodeType


class ValuesMissing(NodeError):
    """A list depends on parameters that are empty, or known to a run only. names: theirs."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(f"The list depends on {', '.join(names)}; choose that first.")
        self.names = names


class ListCredentialMissing(NodeError):
    """A list is asked of its service with a credential, and none that fits was chosen. kinds: that fit."""

    def __init__(self, kinds: Sequence[str]) -> None:
        super().__init__(f"The list wants a credential of the kind {' or '.join(kinds)}; choose one.")
        self.kinds = kinds


class CredentialAccess(Protocol):
    """The credential that a node has, without which it is; `NodeRun` is one. Values stay out of lists and messages."""

    async def credential(self, kind: str) -> Mapping[str, str]:
        """Its decrypted values. Raises `NodeError` when there is none of this kind."""

    async def authorization(self, kind: str) -> Authorization:
        """The same, ready to be put on requests. Raises `NodeError`."""


@record
class ListQuestion:
    """`name`: of the list.

    `values`: the node's parameters as they stand in the document, expressions not evaluated. `credential`: the kind of
    the one that was chosen; empty: none. `search`: what names have to contain; empty: all. `cursor`: of the page
    before; empty: the first. `limit`: the most rows, a count. `most_bytes`: the longest answer of the service, in
    bytes.
    """

    name: str
    version: float | None
    values: Mapping[str, Json] = field(default_factory=dict)
    credential: str = ""
    search: str = ""
    cursor: str = ""
    limit: int = 100
    most_bytes: int = 8 * 2**20


@record
class ListRow:
    """One thing to choose.

    `label`: its name. `url`: where people look at it, empty when nowhere. `type`: of a column, as n8n's mapper names
    it: string, number, boolean, dateTime, time, array, object, options; empty: no column.
    """

    value: str | int | float | bool
    label: str
    url: str = ""
    type: str = ""


@record
class LoadedPage:
    """cursor: gives the next page; empty: there is none."""

    rows: Sequence[ListRow]
    cursor: str = ""


@runtime_checkable
class ListingNode(Protocol):
    """The methods of a node type beside `NodeType` when its forms have fields with a `LoadedList`."""

    async def listed(self, question: ListQuestion, access: CredentialAccess) -> LoadedPage | None:
        """One page of the list; None: there is no such list. Raises `NodeError` with what the service or the values
        lack."""


def listing_node(node_type: NodeType | None) -> ListingNode | None:
    """The same as a `ListingNode`, when it is one."""
    return cast("ListingNode", node_type) if hasattr(node_type, "listed") else None
