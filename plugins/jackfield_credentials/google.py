"""Google's service accounts. Source: n8n's documentation, Google: Service Account; Google's list of scopes."""

from __future__ import annotations

from jackfield.api.credentials import CredentialField, CredentialKind, ServiceAccount

_AT = "https://www.googleapis.com/auth/"
_DRIVE = f"{_AT}drive"
SCOPES = (
    ("gmail.googleapis.com", "", "https://mail.google.com/"),
    ("sheets.googleapis.com", "", f"{_AT}spreadsheets {_DRIVE}"),
    ("docs.googleapis.com", "", f"{_AT}documents {_DRIVE}"),
    ("slides.googleapis.com", "", f"{_AT}presentations {_DRIVE}"),
    ("www.googleapis.com", "/drive/", _DRIVE),
    ("www.googleapis.com", "/upload/drive/", _DRIVE),
    ("www.googleapis.com", "/calendar/", f"{_AT}calendar"),
    ("people.googleapis.com", "", f"{_AT}contacts"),
    ("tasks.googleapis.com", "", f"{_AT}tasks"),
    ("analyticsdata.googleapis.com", "", f"{_AT}analytics.readonly"),
    (".googleapis.com", "", f"{_AT}cloud-platform"),
)
"""Host, beginning of the path, scopes; the first that fits counts."""

GOOGLE = CredentialKind(
    "googleApi",
    "Google service account",
    (
        CredentialField("email", "Service account e-mail", required=True, description="client_email of its JSON file."),
        CredentialField(
            "privateKey",
            "Private key",
            secret=True,
            required=True,
            description="private_key of its JSON file (PKCS #8).",
        ),
        CredentialField("region", "Region", default="us-central1", description="Of models of Vertex AI."),
        CredentialField("inpersonate", "Act for a user", default="false", type="boolean"),
        CredentialField("delegatedEmail", "User's e-mail", description="With domain-wide delegation."),
        CredentialField(
            "scopes",
            "Scopes",
            description="Separated by spaces; empty: those that the called API of Google wants.",
        ),
    ),
    ServiceAccount("{email}", "{privateKey}", "{delegatedEmail}", "{inpersonate}", "{scopes}", SCOPES),
)
