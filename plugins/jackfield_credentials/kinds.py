"""The generic kinds, under n8n's names and with its fields. Source: n8n's documentation, credentials."""

from __future__ import annotations

from jackfield.api.credentials import CredentialField, CredentialKind, Digest, OAuth2, Placement, Signing
from jackfield.api.records import replace
from jackfield_credentials.custom import custom_auth, multiple_headers
from jackfield_credentials.google import GOOGLE

OAUTH1_METHODS = ("HMAC-SHA1", "HMAC-SHA256", "HMAC-SHA512")
OAUTH1_FIELDS = (
    CredentialField("consumerKey", "Consumer key", required=True),
    CredentialField("consumerSecret", "Consumer secret", secret=True, required=True),
    CredentialField("accessToken", "Access token", secret=True),
    CredentialField("accessTokenSecret", "Access token secret", secret=True),
)
_JWT_ALGORITHMS = (
    *("HS256", "HS384", "HS512", "RS256", "RS384", "RS512"),
    *("ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "EdDSA"),
)
_USER = CredentialField("user", "User", required=True)
_PASSWORD = CredentialField("password", "Password", secret=True, required=True)

_OAUTH_2 = (
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
)
_OAUTH_2_SCHEME = OAuth2(
    grant="{grantType}",
    authorize_url="{authUrl}",
    token_url="{accessTokenUrl}",  # noqa: S106 - a template
    scope="{scope}",
    client="{authentication}",
    authorize_query="{authQueryParameters}",
    token_body="{additionalBodyProperties}",  # noqa: S106 - a template
    any_certificate="{ignoreSSLIssues}",
)

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
            *_OAUTH_2,
        ),
        _OAUTH_2_SCHEME,
    ),
    CredentialKind(
        "mcpOAuth2Api",
        "MCP OAuth 2",
        (
            CredentialField(
                "useDynamicClientRegistration",
                "Register by itself",
                type="boolean",
                default="true",
                description="Find the authorization server and register there when the credential is connected.",
            ),
            CredentialField(
                "serverUrl", "Server URL", type="url", description="Of the MCP server, which alone gets the tokens."
            ),
            CredentialField(
                "resourceUrl",
                "Resource URL",
                type="url",
                description="The server's own name for itself. Empty: the one that it tells.",
            ),
            CredentialField(
                "grantType",
                "Grant",
                default="pkce",
                choices=("authorizationCode", "clientCredentials", "pkce"),
            ),
            CredentialField("authUrl", "Authorization URL", type="url", description="Found when it registers."),
            CredentialField("accessTokenUrl", "Access token URL", type="url", description="Found when it registers."),
            CredentialField(
                "clientId",
                "Client ID",
                description="Given when it registers. Empty it to register anew when you connect it again.",
            ),
            CredentialField(
                "issuer",
                "Issuer",
                type="url",
                description="The authorization server's name for itself. Found when it registers.",
            ),
            CredentialField(
                "issuerRequired",
                "Answers name the issuer",
                type="boolean",
                default="false",
                description="Refuse an answer of the authorization server without its name. Found when it registers.",
            ),
            *_OAUTH_2,
        ),
        replace(
            _OAUTH_2_SCHEME,
            resource="{resourceUrl}",
            registers="{useDynamicClientRegistration}",
            server="{serverUrl}",
            issuer="{issuer}",
            issuer_required="{issuerRequired}",
        ),
    ),
    CredentialKind(
        "httpMultipleHeadersAuth",
        "Several headers",
        (
            CredentialField(
                "headers",
                "Headers",
                secret=True,
                required=True,
                type="json",
                description='Such as {"values": [{"name": "X-Key", "value": "..."}]}.',
            ),
        ),
        Signing(multiple_headers),
    ),
    CredentialKind(
        "oAuth1Api",
        "OAuth 1",
        (
            *OAUTH1_FIELDS,
            CredentialField("signatureMethod", "Signature", default="HMAC-SHA1", choices=OAUTH1_METHODS),
        ),
        Signing("jackfield_credentials.oauth1:oauth1"),
    ),
    CredentialKind("twitterOAuth1Api", "X, OAuth 1", OAUTH1_FIELDS, Signing("jackfield_credentials.oauth1:oauth1")),
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
