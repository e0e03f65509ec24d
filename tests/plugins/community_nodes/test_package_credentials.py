"""Kinds of credentials of packages that use OAuth 2, and secrets that are taken out of errors."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.credentials import OAuth2
from jackfield_community_nodes.kinds import is_signed, kind_of
from jackfield_community_nodes.nodes.masking import Mask
from jackfield_community_nodes.packages import CredentialText


def oauth2(**defaults: str) -> CredentialText:
    hidden = [{"name": name, "type": "hidden", "default": text} for name, text in defaults.items()]
    credential = {"name": "acmeOAuth2Api", "displayName": "Acme", "extends": ["oAuth2Api"], "properties": hidden}
    return CredentialText.model_validate({"file": "a.js", "credential": credential})


def test_a_kind_that_extends_oauth2_is_connected_by_the_daemon() -> None:
    text = oauth2(
        grantType="pkce", authUrl="https://acme.example/{a}", accessTokenUrl="https://acme.example/token",
        scope="read write", authentication="body", authQueryParameters="access_type=offline",
    )  # fmt: skip
    kind = kind_of(text)
    assert kind is not None
    assert isinstance(kind.scheme, OAuth2)
    assert is_signed(text)
    assert (kind.scheme.grant, kind.scheme.client, kind.scheme.scope) == ("pkce", "body", "{scope}")
    assert kind.scheme.authorize_url == "https://acme.example/{{a}}"
    assert kind.complete({})["scope"] == "read write"
    assert {field.name: field.secret for field in kind.fields}["clientSecret"] is True
    assert kind.secret("oauthTokenData")


def test_one_whose_addresses_are_expressions_is_the_packages_own() -> None:
    assert not is_signed(oauth2(authUrl="={{$self.url}}/a", accessTokenUrl="https://acme.example/token"))
    assert not is_signed(oauth2(authUrl="https://acme.example/a"))


def test_tokens_within_json_are_masked() -> None:
    mask = Mask(['{"access_token": "xoxb-secret", "more": [{"refresh_token": "refresh-1"}]}', "plain-key", "short"])
    told = mask.masked("xoxb-secret failed; refresh-1, plain-key, a short word")
    assert told == "*** failed; ***, ***, a short word"


@given(st.text())
def test_any_value_is_masked(value: str) -> None:
    masked = Mask([value, "{" + value]).masked(f"<{value}>")
    assert len(value) < 6 or value == "***" or masked != f"<{value}>"
