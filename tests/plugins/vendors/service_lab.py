"""Shipped nodes of further services, whose addresses and credentials are the loopback server's."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from vendor_lab import Lab

from jackfield.api.credentials import CredentialField, CredentialKind, OAuth2, Placement
from jackfield.api.jsontext import Json
from jackfield.api.workflows import Item, Items
from jackfield_vendors.catalogue import SHIPPED
from jackfield_vendors.library import kinds_in
from jackfield_vendors.node import VendorNode

TOKEN = CredentialKind(
    "",
    "",
    (CredentialField("accessToken", "Token", secret=True),),
    Placement({"Authorization": "Bearer {accessToken}"}),
)
"""Instead of kinds with OAuth 2, which want a consent that no test can give."""
KINDS = kinds_in(SHIPPED)


class Services:
    def __init__(self, lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lab = lab
        self._monkeypatch = monkeypatch

    def node(self, kind: str) -> VendorNode:
        here = self.lab.server.url("")
        text = (SHIPPED / f"{kind}.toml").read_text()
        text = text.replace("https://{hostUrl}", here).replace("'https://graph.microsoft.com", f"'{here}")
        text = re.sub(r'^((?:url|base_url) = ")https://[^/"]+', rf"\g<1>{here}", text, flags=re.MULTILINE)
        path = self.lab.directory / f"{kind}.toml"
        path.write_text(text)
        made = self.lab.node(path)
        for known in KINDS:
            scheme, fields = (TOKEN.scheme, TOKEN.fields) if isinstance(known.scheme, OAuth2) else (None, ())
            self.lab.kinds[known.name] = CredentialKind(
                known.name, known.title, (*known.fields, *fields), scheme or known.scheme
            )
        return made

    async def run(
        self,
        kind: str,
        version: float | None,
        parameters: Mapping[str, Json],
        *given: Item,
        credential: tuple[str, Mapping[str, str]] | None = None,
    ) -> Items:
        name, values = credential or ("", {})
        self._monkeypatch.setattr("vendor_lab.CREDENTIALS", {name: values})
        more = {"credentials": {name: {"id": "c1"}}} if name else {}
        return await self.lab.run(kind, version, parameters, list(given) or None, node=self.node(kind), **more)
