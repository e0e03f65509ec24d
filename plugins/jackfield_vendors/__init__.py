"""Nodes and credentials of third-party services, made from descriptions."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, later


class VendorsPlugin(Plugin):
    """Nodes and credentials of third-party services, made from descriptions."""

    name = "vendors"
    parts = ("jackfield_vendors.catalogue:Catalogue",)

    jackfield_credential_kinds = later("jackfield_vendors.catalogue:credential_kinds")
    jackfield_nodes = later("jackfield_vendors.catalogue:nodes")
