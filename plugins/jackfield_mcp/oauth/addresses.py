"""The addresses that a client gets: at the name by which it has called."""

from __future__ import annotations

from jackfield.api.asgi import Scope
from jackfield.api.auth import AGENTS_READ, AGENTS_WRITE, MACHINE_WRITE, SCOPES
from jackfield.api.context import Service
from jackfield.api.json_values import Json
from jackfield.api.own_address import base_of
from jackfield_mcp.paths import AUTHORIZE, ENDPOINT, REGISTER, RESOURCE_METADATA, REVOKE, TOKEN

USUAL_SCOPES = tuple(sorted(SCOPES - {AGENTS_READ, AGENTS_WRITE, MACHINE_WRITE}))
"""All but those that reach what the daemon's user may do."""


def resource_of(base: str) -> str:
    """The name of the protected resource (RFC 8707)."""
    return base + ENDPOINT


def challenge(scope: Scope, service: Service) -> str:
    """WWW-Authenticate (RFC 9728 section 5.1); its scope is what clients ask for that name none themselves."""
    where = f"{base_of(scope, service)}{RESOURCE_METADATA}{ENDPOINT}"
    return f'Bearer realm="jackfield", resource_metadata="{where}", scope="{" ".join(USUAL_SCOPES)}"'


def resource_metadata(base: str) -> dict[str, Json]:
    """RFC 9728 section 2."""
    return {
        "resource": resource_of(base),
        "authorization_servers": [base],
        "scopes_supported": list[Json](sorted(SCOPES)),
        "bearer_methods_supported": ["header"],
        "resource_name": "Jackfield",
    }


def server_metadata(base: str) -> dict[str, Json]:
    """RFC 8414 section 2."""
    return {
        "issuer": base,
        "authorization_endpoint": base + AUTHORIZE,
        "token_endpoint": base + TOKEN,
        "registration_endpoint": base + REGISTER,
        "revocation_endpoint": base + REVOKE,
        "scopes_supported": list[Json](sorted(SCOPES)),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
    }
