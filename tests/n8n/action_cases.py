"""Cases in which a node of a service is compared with n8n's own: what both ask of the service, and their items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What the service answers at a path, to any request of this method; empty: of each method. Of several for one
    path each counts once, in turn, and the last for ever. body: JSON, or a text. file: whether n8n gets it as bytes
    where its request does not say so."""

    path: str
    body: Any = None
    method: str = ""
    status: int = 200
    file: bool = False


@dataclass(frozen=True)
class ActionCase:
    """kind: of the node, whose version and parameters are those of both sides. credentials: kind -> values, in which
    `{service}` is the address of the service. items: input; one empty item without. hidden: keys of requests that
    differ on purpose; headers: that are compared too, in lower case; unlike: why requests are not compared; empty: they
    are. fails: part of what both say of the failure, in lower case; only that is compared. paths: beginning of n8n's
    paths -> of ours."""

    kind: str
    parameters: Mapping[str, Any]
    answers: Sequence[Answer] = ()
    version: float = 1
    credentials: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    items: Sequence[Mapping[str, Any]] = ()
    hidden: frozenset[str] = frozenset()
    headers: Sequence[str] = ()
    unlike: str = ""
    fails: str = ""
    paths: Mapping[str, str] = field(default_factory=dict)
    name: str = ""

    @property
    def label(self) -> str:
        told = (self.kind, f"{self.version:g}", self.parameters.get("resource"), self.parameters.get("operation"))
        return " ".join(str(one) for one in (*told, self.name) if one)
