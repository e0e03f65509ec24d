"""Credentials of Google's, Microsoft's and others' services, whose real kinds want a consent that no test can give."""

from __future__ import annotations

import re

from vendor_lab import Lab

from jackfield.api.credentials import CredentialField, CredentialKind, Placement
from jackfield_vendors.catalogue import SHIPPED
from jackfield_vendors.node import VendorNode

KINDS = [
    "boxOAuth2Api",
    "dropboxApi",
    "gmailOAuth2",
    "googleAnalyticsOAuth2",
    "googleCalendarOAuth2Api",
    "googleContactsOAuth2Api",
    "googleDocsOAuth2Api",
    "googleDriveOAuth2Api",
    "googleSheetsOAuth2Api",
    "googleSlidesOAuth2Api",
    "googleTasksOAuth2Api",
    "microsoftExcelOAuth2Api",
    "microsoftOneDriveOAuth2Api",
    "microsoftOutlookOAuth2Api",
    "microsoftTeamsOAuth2Api",
    "youTubeOAuth2Api",
]
VALUES = {kind: {"accessToken": "canary"} for kind in KINDS}


def connect(lab: Lab) -> None:
    """Every kind, with a token that is there already."""
    fields = (CredentialField("accessToken", "Token", secret=True, required=True),)
    for kind in KINDS:
        lab.kinds[kind] = CredentialKind(kind, kind, fields, Placement({"Authorization": "Bearer {accessToken}"}))


def moved(lab: Lab, kind: str) -> VendorNode:
    """The shipped node with every address of its requests at the loopback server."""
    here = lab.server.url("")
    text = re.sub(
        r'^((?:url|base_url) = ")https://[^/"]+',
        rf"\g<1>{here}",
        (SHIPPED / f"{kind}.toml").read_text(),
        flags=re.MULTILINE,
    )
    path = lab.directory / f"{kind}.toml"
    path.write_text(text)
    node = lab.node(path)
    connect(lab)
    return node
