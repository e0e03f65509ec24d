"""The generic kinds, under n8n's names and with its fields. Source: n8n's documentation, credentials."""

from __future__ import annotations

from jackfield.api.credentials import CredentialField, CredentialKind, Digest, OAuth2, Placement, Signing
from jackfield_credentials.custom import custom_auth
from jackfield_credentials.google import GOOGLE

OAUTH1_METHODS = ("HMAC-SHA1", "HMAC-SHA256", "HMAC-SHA512")
_JWT_ALGORITHMS = (
    *("HS256", "HS384", "HS512", "RS256", "RS384", "RS512"),
    *("ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "EdDSA"),
)
_USER = CredentialField("user", "User", required=True)
_PASSWORD = CredentialField("password", "Password", secret=True, required=True)

KINDS = (
    CredentialKind(
        "httpHeaderAuth",
        "Header",
        (
            CredentialField("name", "Name", required=True, default="Authorization", description="The header's name."),
            CredentialField("value", "Value", secret=True, required=True),
        ),
        Placement(headers={"{name}": "{value}"}),
    ),
    CredentialKind("httpBasicAuth", "Basic", (_USER, _PASSWORD), Placement(basic=("{user}", "{password}"))),
    CredentialKind(
        "httpBearerAuth",
        "Bearer token",
        (CredentialField("token", "Token", secret=True, required=True),),
        Placement(headers={"Authorization": "Bearer {token}"}),
    ),
    CredentialKind(
        "httpQueryAuth",
        "Query parameter",
        (
            CredentialField("name", "Name", required=True, default="key", description="The parameter's name."),
            CredentialField("value", "Value", secret=True, required=True),
        ),
        Placement(query={"{name}": "{value}"}),
    ),
    CredentialKind("httpDigestAuth", "Digest", (_USER, _PASSWORD), Digest()),
    CredentialKind(
        "httpCustomAuth",
        "Custom",
        (
            CredentialField(
                "json",
                "JSON",
                secret=True,
                required=True,
                type="json",
                description='Any of {"headers": {...}, "qs": {...}, "body": {...}}.',
            ),
        ),
        Signing(custom_auth),
    ),
    CredentialKind(
        "oAuth2Api",
        "OAuth 2",
        (
            CredentialField(
                "grantType",
                "Grant",
                default="authorizationCode",
                choices=("authorizationCode", "clientCredentials", "pkce"),
            ),
            CredentialField("authUrl", "Authorization URL", type="url", description="Not for clientCredentials."),
            CredentialField("accessTokenUrl", "Access token URL", required=True, type="url"),
            CredentialField("clientId", "Client ID", required=True),
            CredentialField("clientSecret", "Client secret", secret=True),
            CredentialField("scope", "Scope", description="Separated by spaces."),
            CredentialField(
                "authQueryParameters",
                "Authorization parameters",
                description="Such as access_type=offline&prompt=consent.",
            ),
            CredentialField(
                "authentication",
                "Client authentication",
                default="header",
                choices=("header", "body"),
                description="Where the client's id and secret go in requests for tokens.",
            ),
            CredentialField(
                "additionalBodyProperties",
                "Token parameters",
                type="json",
                secret=True,
                description='clientCredentials: further parameters, such as {"audience": "https://api.example.com"}.',
            ),
            CredentialField("ignoreSSLIssues", "Accept any certificate", type="boolean", default="false"),
        ),
        OAuth2(
            grant="{grantType}",
            authorize_url="{authUrl}",
            token_url="{accessTokenUrl}",  # noqa: S106 - a template
            scope="{scope}",
            client="{authentication}",
            authorize_query="{authQueryParameters}",
            token_body="{additionalBodyProperties}",  # noqa: S106 - a template
            any_certificate="{ignoreSSLIssues}",
        ),
    ),
    CredentialKind(
        "oAuth1Api",
        "OAuth 1",
        (
            CredentialField("consumerKey", "Consumer key", required=True),
            CredentialField("consumerSecret", "Consumer secret", secret=True, required=True),
            CredentialField("accessToken", "Access token", secret=True),
            CredentialField("accessTokenSecret", "Access token secret", secret=True),
            CredentialField("signatureMethod", "Signature", default="HMAC-SHA1", choices=OAUTH1_METHODS),
        ),
        Signing("jackfield_credentials.oauth1:oauth1"),
    ),
    GOOGLE,
    CredentialKind(
        "jwtAuth",
        "JWT",
        (
            CredentialField("keyType", "Key", default="passphrase", choices=("passphrase", "pemKey")),
            CredentialField("secret", "Secret", secret=True),
            CredentialField("privateKey", "Private key", secret=True),
            CredentialField("publicKey", "Public key"),
            CredentialField("algorithm", "Algorithm", default="HS256", choices=_JWT_ALGORITHMS),
        ),
    ),
    CredentialKind("hmacAuth", "HMAC", (CredentialField("secret", "Secret", secret=True, required=True),)),
)
"""`jwtAuth` and `hmacAuth` verify calls of webhooks; requests of nodes do not carry them."""
