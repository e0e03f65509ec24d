"""RSS Feed Trigger: asks a feed again and again, and starts the workflow with the entries that are new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, needed
from jackfield.api.nodes.running import PassingNode
from jackfield.api.nodes.ui import UiFields
from jackfield.api.triggers.newness import Newness, of_source
from jackfield.api.triggers.poll_form import PollingParameters
from jackfield.api.triggers.polling import Polled, PollRun
from jackfield.api.workflows import Item, Node, Problem
from jackfield_integrations.form import RSS_TRIGGER
from jackfield_integrations.parameters import Text
from jackfield_integrations.rss_feed_read import feed_rows


class RssFeedReadTrigger(PollingParameters):
    ui_fields: ClassVar[UiFields] = RSS_TRIGGER

    feed_url: Text = Field("https://blog.n8n.io/rss/", description="The feed's URL.", json_schema_extra=needed())


class RssFeedTriggerNode(PassingNode):
    """`PollingNode`. An entry is known by its id, else its link, and its date: one that is dated anew is new."""

    def __init__(self, context: PluginContext) -> None:
        described = NodeDescription(
            "RSS Feed Trigger", "Starts the workflow with new entries of a feed.", "trigger", inputs=0, trigger=True
        )
        super().__init__("rssFeedReadTrigger", (1,), described, RssFeedReadTrigger)
        self._context = context

    async def poll(self, run: PollRun) -> Polled:
        wanted = RssFeedReadTrigger.model_validate(dict(run.node.parameters))
        if not wanted.feed_url.strip():
            raise NodeError("The parameter feedUrl is empty.")
        rows: Sequence[Json] = list(await feed_rows(self._context, wanted.feed_url))
        if run.test:
            return Polled(_items(rows[:1]))
        of_source(run.state, wanted.feed_url)
        new, more = Newness("id", _entry).new(rows, run.state, run.limit)
        return Polled(_items(new), more)

    def poll_problems(self, node: Node) -> Sequence[Problem]:
        wanted = RssFeedReadTrigger.model_validate(dict(node.parameters))
        missing = not wanted.feed_url.strip()
        return [Problem("parameters.feedUrl", "The parameter feedUrl is empty; fill it in.")] if missing else []


def _entry(row: Json) -> Json:
    """Nothing for an entry that says neither: then it is known by all that it holds."""
    if not isinstance(row, dict):
        return None
    name = row.get("guid") or row.get("link")
    return [name, row.get("isoDate")] if name else None


def _items(rows: Sequence[Json]) -> list[Item]:
    return [{"json": row} for row in rows if isinstance(row, dict)]


def node(context: PluginContext) -> RssFeedTriggerNode:
    return RssFeedTriggerNode(context)
