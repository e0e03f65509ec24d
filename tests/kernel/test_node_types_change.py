"""Node types that an administrator installs and removes while the daemon runs."""

from __future__ import annotations

import pytest

from jackfield.api.credentials import CREDENTIAL_KINDS
from jackfield.api.nodes import NodeOffer
from jackfield.core.catalog import Catalog
from jackfield.core.checks.precedence import NameTaken, Precedence
from jackfield.core.kernel_parts.node_types import NodeTypes


class Host:
    """Two plugins of Jackfield's own and a stranger's."""

    def __init__(self) -> None:
        self.given: dict[str, list[NodeOffer]] = {}
        self.told: list[str] = []

    def sequence(self, hook: str) -> list[tuple[str, NodeOffer]]:
        return [(name, offer) for name, offers in self.given.items() for offer in offers]

    def is_own(self, plugin: str) -> bool:
        return plugin != "stranger"

    def failed(self, plugin: str, exc: BaseException, what: str) -> None:
        assert isinstance(exc, NameTaken)
        self.told.append(plugin)


class Kinds:
    def __init__(self) -> None:
        self.forgotten: list[object] = []

    def forget(self, point: object) -> None:
        self.forgotten.append(point)


def offer(kind: str, reference: str, *, chosen: bool = False) -> NodeOffer:
    return NodeOffer(kind, reference, (), chosen)


def references(catalog: Catalog) -> dict[str, str]:
    return {kind: catalog._known[kind].reference for kind in catalog.kinds()}  # type: ignore[union-attr]


@pytest.fixture
def host() -> Host:
    return Host()


def made(host: Host, overrides: dict[str, str] | None = None) -> tuple[NodeTypes, Catalog, Kinds]:
    catalog, kinds = Catalog(lambda kind, exc: None), Kinds()
    types = NodeTypes(host, Precedence(overrides or {}, host.is_own), catalog, kinds)  # type: ignore[arg-type]
    return types, catalog, kinds


def test_what_was_installed_by_name_counts_and_goes_again(host: Host) -> None:
    host.given = {"packages": [], "vendors": [offer("shop", "v:shop"), offer("mail", "v:mail")]}
    types, catalog, kinds = made(host)
    types.assemble()
    host.given["packages"] = [offer("shop", "p:shop", chosen=True), offer("new", "p:new", chosen=True)]
    types.renew("packages")
    assert references(catalog) == {"shop": "p:shop", "mail": "v:mail", "new": "p:new"}
    host.given["packages"] = []
    types.renew("packages")
    assert references(catalog) == {"shop": "v:shop", "mail": "v:mail"}
    assert (types.renewals, kinds.forgotten, host.told) == (2, [CREDENTIAL_KINDS] * 2, [])


def test_at_the_start_the_order_of_plugins_does_not_matter(host: Host) -> None:
    host.given = {"packages": [offer("shop", "p:shop", chosen=True)], "vendors": [offer("shop", "v:shop")]}
    types, catalog, _ = made(host)
    types.assemble()
    assert (references(catalog), host.told) == ({"shop": "p:shop"}, [])


def test_the_configuration_has_the_last_word(host: Host) -> None:
    host.given = {"packages": [offer("shop", "p:shop", chosen=True)], "vendors": [offer("shop", "v:shop")]}
    types, catalog, _ = made(host, {"node:shop": "vendors"})
    types.assemble()
    assert references(catalog) == {"shop": "v:shop"}


def test_a_stranger_chooses_nothing(host: Host) -> None:
    host.given = {"vendors": [offer("shop", "v:shop")], "stranger": [offer("shop", "s:shop", chosen=True)]}
    types, catalog, _ = made(host)
    types.assemble()
    assert (references(catalog), host.told) == ({"shop": "v:shop"}, ["stranger"])
