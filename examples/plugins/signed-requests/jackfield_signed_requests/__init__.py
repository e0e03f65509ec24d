"""Lets in requests that are signed with HMAC."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, later


class SignedRequestsPlugin(Plugin):
    """One authentication method, `signature`."""

    name = "signed_requests"
    requires = "1"
    settings = (SettingsTable("signed_requests", "jackfield_signed_requests.settings:SignedRequestsSettings"),)

    jackfield_auth_methods = later("jackfield_signed_requests.method:methods")
