"""Webhooks of Jira Cloud for apps (OAuth 2): what they are asked for with; functions of shapes (`$call`)."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_vendors.templates import as_text, at

_EVENTS = (
    "comment_created",
    "comment_updated",
    "comment_deleted",
    "issue_property_set",
    "issue_property_deleted",
    "jira:issue_created",
    "jira:issue_updated",
    "jira:issue_deleted",
    "jira:version_created",
    "jira:version_deleted",
    "jira:version_merged",
    "jira:version_released",
    "jira:version_unreleased",
    "jira:version_updated",
    "jira:version_moved",
    "sprint_created",
    "sprint_deleted",
    "sprint_updated",
    "sprint_started",
    "sprint_closed",
)
"""That apps may have, in n8n's order. The others are an administrator's."""


def jira_site(given: Mapping[str, Json]) -> Json:
    """sites: that the credential reaches; domain: the address of one. Its id. Raises `NodeError`."""
    wanted = _host(as_text(given.get("domain") or ""))
    sites = given.get("sites")
    for site in sites if isinstance(sites, list) else ():
        if wanted and _host(as_text(at(site, ["url"]) or "")) == wanted:
            return at(site, ["id"])
    raise NodeError("The credential reaches no site of this address; check its Site URL, and connect it anew.")


def jira_app_events(given: Mapping[str, Json]) -> Json:
    """events: chosen ones. Those of them that apps may have. Raises `NodeError` when there are none."""
    chosen = given.get("events")
    names = chosen if isinstance(chosen, list) else []
    found: list[Json] = [*_EVENTS] if "*" in names else [one for one in names if one in _EVENTS]
    if not found:
        raise NodeError("Jira Cloud with OAuth 2 has none of these events; choose some of issues, comments or sprints.")
    return found


def jira_projects(given: Mapping[str, Json]) -> Json:
    """projects: of the site. The filter that limits events to them, as Jira wants it. Raises `NodeError`."""
    projects = given.get("projects")
    keys = [as_text(at(one, ["key"])) for one in projects] if isinstance(projects, list) else []
    if not keys:
        raise NodeError("The credential reaches no project; give it access to one, or fill in the filter.")
    return f"project in ({', '.join(keys)})"


def jira_registered(given: Mapping[str, Json]) -> Json:
    """answer: of Jira. The new webhook's id. Raises `NodeError` with Jira's own words."""
    result = at(given.get("answer"), ["webhookRegistrationResult", "0"])
    found = at(result, ["createdWebhookId"])
    if found is None:
        errors = at(result, ["errors"])
        told = "; ".join(map(as_text, errors)) if isinstance(errors, list) else "it says no reason"
        raise NodeError(f"Jira did not register the webhook: {told}.")
    return found


def _host(address: str) -> str:
    """Of a site's address, with or without its scheme."""
    text = address.strip()
    try:
        return (urlsplit(text if "://" in text else f"https://{text}").hostname or "").lower()
    except ValueError:
        return ""
