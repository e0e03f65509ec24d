"""Kinds of credentials from descriptions."""

from __future__ import annotations

from jackfield.api.credentials import (
    CredentialField,
    CredentialKind,
    OAuth2,
    Placement,
    Probe,
    Scheme,
    Signing,
    fields_in,
)
from jackfield_vendors.described.credentials import DescribedCredential, OAuth2Text

_CLIENT = (
    CredentialField("clientId", "Client ID", required=True),
    CredentialField("clientSecret", "Client secret", secret=True, required=True),
)


def kind_of(described: DescribedCredential) -> CredentialKind:
    """Raises ValueError for a template that names no field."""
    fields = [
        CredentialField(
            row.name,
            row.title or row.name,
            row.secret,
            row.required,
            row.default,
            row.type,
            tuple(row.options),
            row.description,
        )
        for row in described.fields
    ]
    if described.oauth2:
        present = {field.name for field in fields}
        scope = CredentialField("scope", "Scope", default=described.oauth2.scope, description="Separated by spaces.")
        more = _CLIENT if fields_in(described.oauth2.scope) else (*_CLIENT, scope)
        fields += [field for field in more if field.name not in present]
    _check(described, {field.name for field in fields})
    test = described.test
    probe = Probe(test.url, test.method, dict(test.headers), test.ok, test.error) if test else None
    return CredentialKind(described.kind, described.title, tuple(fields), _scheme(described), probe)


def _scheme(described: DescribedCredential) -> Scheme:
    """A kind that goes nowhere by itself is one whose fields the node puts into addresses."""
    if described.oauth2:
        return _oauth2(described.oauth2)
    if described.signing is not None:
        return Signing(f"jackfield_vendors.signing:{described.signing}")
    return Placement(dict(described.headers), dict(described.query), described.basic)


def _oauth2(given: OAuth2Text) -> OAuth2:
    return OAuth2(
        grant=given.grant,
        authorize_url=given.authorize_url,
        token_url=given.token_url,
        scope=given.scope if fields_in(given.scope) else "{scope}",
        client=given.client,
        authorize_query=given.authorize_query,
        header=given.header,
    )


def _check(described: DescribedCredential, known: set[str]) -> None:
    texts = {f"headers.{name}": value for name, value in described.headers.items()}
    texts |= {f"query.{name}": value for name, value in described.query.items()}
    texts |= {f"basic[{index}]": value for index, value in enumerate(described.basic or ())}
    if described.test:
        texts["test.url"] = described.test.url
    if described.oauth2:
        texts |= {
            "oauth2.authorize_url": described.oauth2.authorize_url,
            "oauth2.token_url": described.oauth2.token_url,
            "oauth2.scope": described.oauth2.scope,
        }
    for place, template in texts.items():
        for name in fields_in(template):
            if name not in known:
                raise ValueError(f"{place}: the credential has no field {name}")
