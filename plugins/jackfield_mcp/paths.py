"""Addresses of the daemon's own MCP server and of its authorization server."""

from __future__ import annotations

ENDPOINT = "/mcp"
SEGMENT = "mcp/"
AUTHORIZE, TOKEN, REGISTER, REVOKE = "/oauth/authorize", "/oauth/token", "/oauth/register", "/oauth/revoke"
CONSENT = "/oauth/consent"
RESOURCE_METADATA = "/.well-known/oauth-protected-resource"
SERVER_METADATA = "/.well-known/oauth-authorization-server"
OPENID_METADATA = "/.well-known/openid-configuration"
"""Clients that do not know RFC 8414 look here."""
