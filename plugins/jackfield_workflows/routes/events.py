"""`/events`: what happens to workflows, executions and webhooks, as server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from quart import Response

from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, RateLimited
from jackfield.api.http import operation, principal, read_query
from jackfield.api.projects import ProjectAccess
from jackfield_workflows.routes.event_stream import event_stream
from jackfield_workflows.routes.groups import Route, schema
from jackfield_workflows.settings import WorkflowsSettings

if TYPE_CHECKING:
    from jackfield_workflows.routes.schemas import EventsQuery

SCOPES = {"workflows": ("workflows:read", "executions:read"), "webhooks": ("webhooks:read",)}
"""Topic -> the scopes that it needs: the topic workflows also tells of executions."""
RETRY_AFTER = 5.0


class EventRoutes:
    """The stream; open streams are counted."""

    name = "events"

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(WorkflowsSettings)
        self._open = 0

    def routes(self) -> Sequence[Route]:
        return (("GET", "/events", self.stream_events),)

    @operation(
        "Stream events of workflows and webhooks",
        scope=None,
        tags=("events",),
        query=schema("EventsQuery"),
        media=("text/event-stream",),
    )
    async def stream_events(self) -> Response:
        query: EventsQuery = read_query(schema("EventsQuery"))
        topics = allowed_topics(principal(), query.topics)
        if self._open >= self._settings.event_streams:
            raise RateLimited(RETRY_AFTER, "Too many event streams are open; see workflows.event_streams.")
        response = Response(self._frames(topics), content_type="text/event-stream")
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Accel-Buffering"] = "no"
        response.timeout = None
        return response

    async def _frames(self, topics: frozenset[str]) -> AsyncIterator[bytes]:
        self._open += 1
        settings = self._settings
        try:
            async for frame in event_stream(
                self._context.events,
                topics,
                heartbeat=settings.event_heartbeat,
                lifetime=settings.event_stream_lifetime,
                projects=self._context.find_port(ProjectAccess),
            ):
                yield frame
        finally:
            self._open -= 1


def allowed_topics(caller: Principal, asked: str | None) -> frozenset[str]:
    """The topics that were asked for (comma separated; all by default). Raises `InvalidInput` for an unknown one,
    `AccessDenied` for one that the caller may not see; by default those are left out."""
    if not asked:
        found = frozenset(topic for topic, scopes in SCOPES.items() if all(caller.may(scope) for scope in scopes))
        return found or allowed_topics(caller, "workflows")
    topics = frozenset(topic.strip() for topic in asked.split(",")[:20])
    for topic in topics:
        if topic not in SCOPES:
            raise InvalidInput("There is no such topic.", details={"topics": f"give some of: {', '.join(SCOPES)}"})
        for scope in SCOPES[topic]:
            caller.require(scope)
    return topics
