"""n8n's public API: where its operations stand.

A request to `SERVICE_PREFIX` with the header `N8N_HEADER` reaches them there, too.
"""

from __future__ import annotations

N8N_PREFIX = "/n8n/api/v1"
N8N_HEADER = "x-n8n-api-key"
SERVICE_PREFIX = "/api/v1"
ABSENT_RULE = "/<path:absent>"
"""The route below `N8N_PREFIX` of everything that no other one serves."""
