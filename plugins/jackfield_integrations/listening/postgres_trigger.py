"""Postgres Trigger: starts the workflow with notices of a channel, of a trigger that it makes or of somebody else.

PostgreSQL keeps no notice for whoever is not connected. Function and trigger are made with the connection and dropped
when the workflow goes."""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, Parameters, needed
from jackfield.api.nodes.ui import UiFields
from jackfield.api.records import record
from jackfield.api.triggers.listening import Heard, ListenRun, event_items
from jackfield.api.workflows import Node, Problem
from jackfield_integrations.kinds import POSTGRES
from jackfield_integrations.libraries import load
from jackfield_integrations.listening.form import POSTGRES_TRIGGER, POSTGRES_TRIGGER_FIELDS, POSTGRES_TRIGGER_OPTIONS
from jackfield_integrations.listening.node import ConnectionTrigger, json_or_text
from jackfield_integrations.parameters import Locator, Text

if TYPE_CHECKING:
    from jackfield_integrations.sql.postgres_session import PostgresNotice, PostgresSession

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")


class PostgresTriggerFields(Parameters, title="Additional fields"):
    ui_fields: ClassVar[UiFields] = POSTGRES_TRIGGER_FIELDS

    channel_name: Text = ""
    function_name: Text = ""
    replace_if_exists: bool = Field(False, description="Whether a function and trigger of these names are replaced.")
    trigger_name: Text = ""


class PostgresTriggerOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = POSTGRES_TRIGGER_OPTIONS

    connection_timeout: float = Field(30, description="integrations.connect_timeout counts.")
    delay_closing_idle_connection: float = Field(0, description="The connection is never idle.")


class PostgresTrigger(Parameters):
    ui_fields: ClassVar[UiFields] = POSTGRES_TRIGGER

    trigger_mode: Literal["createTrigger", "listenTrigger"] = "createTrigger"
    schema_: Locator = Field("public", alias="schema")
    table_name: Locator = Field("", json_schema_extra=needed({"triggerMode": ["createTrigger"]}))
    channel_name: Text = Field("", json_schema_extra=needed({"triggerMode": ["listenTrigger"]}))
    fires_on: Literal["INSERT", "UPDATE", "DELETE"] = "INSERT"
    additional_fields: PostgresTriggerFields = Field(default_factory=PostgresTriggerFields)
    options: PostgresTriggerOptions = Field(default_factory=PostgresTriggerOptions)

    @property
    def makes(self) -> bool:
        return self.trigger_mode == "createTrigger"


@record
class Names:
    """function, trigger: empty where somebody else makes them."""

    channel: str
    function: str = ""
    trigger: str = ""
    schema: str = ""
    table: str = ""

    def told(self) -> dict[str, Json]:
        """The remembered part."""
        return {"function": self.function, "trigger": self.trigger, "schema": self.schema, "table": self.table}


class PostgresTriggerNode(ConnectionTrigger):
    """`ListeningNode`. Remembers which function and trigger it has made, so that it may replace its own."""

    def __init__(self, context: PluginContext) -> None:
        words = ("Postgres Trigger", "Starts the workflow with changes of a table, or with notices of a channel.")
        super().__init__(context, "postgresTrigger", (1,), words, POSTGRES, ("psycopg", "postgres"), PostgresTrigger)

    def listen(self, run: ListenRun) -> AbstractAsyncContextManager[AsyncIterator[Heard]]:
        return self._opened(run, PostgresTrigger.model_validate(dict(run.node.parameters)))

    @contextlib.asynccontextmanager
    async def _opened(self, run: ListenRun, wanted: PostgresTrigger) -> AsyncIterator[AsyncIterator[Heard]]:
        names = names_of(wanted, run)
        async with self._session(run) as session:
            await session.query(f"LISTEN {_quoted(names.channel)}")
            if wanted.makes:
                own = run.state.get("made") == names.told()
                fields = wanted.additional_fields
                named = bool(fields.trigger_name or fields.function_name)
                await _made(session, names, wanted.fires_on, replace=own or fields.replace_if_exists or not named)
            yield _heard(session, names, wanted.makes and not run.test)

    @contextlib.asynccontextmanager
    async def _session(self, run: ListenRun) -> AsyncIterator[PostgresSession]:
        sessions = await load("sql.postgres_session", "postgres")
        async with sessions.opened(self.targets(), await self.values(run), self.settings) as session:
            yield session

    async def leave(self, run: ListenRun) -> None:
        wanted = PostgresTrigger.model_validate(dict(run.node.parameters))
        if not wanted.makes:
            return
        names = names_of(wanted, run)
        async with self._session(run) as session:
            await session.query(f"DROP FUNCTION IF EXISTS {_quoted(names.function)} CASCADE")

    def listen_problems(self, node: Node) -> Sequence[Problem]:
        wanted = PostgresTrigger.model_validate(dict(node.parameters))
        needed_name = ("tableName", wanted.table_name) if wanted.makes else ("channelName", wanted.channel_name)
        if not needed_name[1]:
            return [Problem(f"parameters.{needed_name[0]}", f"The parameter {needed_name[0]} is empty; fill it in.")]
        given = wanted.additional_fields
        named = (
            {"additionalFields.channelName": given.channel_name, "additionalFields.triggerName": given.trigger_name}
            | {"additionalFields.functionName": given.function_name.removesuffix("()")}
            if wanted.makes
            else {"channelName": wanted.channel_name}
        )
        return [
            Problem(f"parameters.{path}", f"{name} is no name of letters, digits and _ that begins with no digit.")
            for path, name in named.items()
            if name and not _NAME.fullmatch(name)
        ]


def names_of(wanted: PostgresTrigger, run: ListenRun) -> Names:
    """As n8n makes them, so that what one program leaves the other finds. Raises `NodeError`."""
    if not wanted.makes:
        return _checked(Names(wanted.channel_name.lower()))
    ending = re.sub(r"[^A-Za-z0-9_]", "_", run.node.id or run.ident) + ("_manual" if run.test else "")
    given = wanted.additional_fields
    return _checked(
        Names(
            given.channel_name or f"n8n_channel_{ending}",
            given.function_name.removesuffix("()") or f"n8n_trigger_function_{ending}",
            given.trigger_name or f"n8n_trigger_{ending}",
            wanted.schema_,
            wanted.table_name,
        )
    )


def _checked(names: Names) -> Names:
    for name in (names.channel, names.function, names.trigger):
        if name and not _NAME.fullmatch(name):
            raise NodeError(f"{name} is no name of letters, digits and _ that begins with no digit.")
    return names


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


async def _made(session: PostgresSession, names: Names, event: str, *, replace: bool) -> None:
    """Raises `NodeError`."""
    row = "OLD" if event == "DELETE" else "NEW"
    table = f"{_quoted(names.schema)}.{_quoted(names.table)}"
    body = f"begin perform pg_notify('{names.channel}', row_to_json({row})::text); return null; end;"
    verb = "CREATE OR REPLACE" if replace else "CREATE"
    await session.query(
        f"{verb} FUNCTION {_quoted(names.function)}() RETURNS trigger LANGUAGE plpgsql AS $BODY${body}$BODY$"
    )
    if replace:
        await session.query(f"DROP TRIGGER IF EXISTS {_quoted(names.trigger)} ON {table}")
    await session.query(
        f"CREATE TRIGGER {_quoted(names.trigger)} AFTER {event} ON {table} FOR EACH ROW "
        f"EXECUTE FUNCTION {_quoted(names.function)}()"
    )


async def _heard(session: PostgresSession, names: Names, remembers: bool) -> AsyncIterator[Heard]:
    if remembers:
        yield Heard((), {"made": names.told()})
    async for notice in session.notices(names.channel):
        yield Heard(event_items(await _row(notice)))


async def _row(notice: PostgresNotice) -> dict[str, Json]:
    """As n8n's driver tells it. length: bytes of the protocol's message."""
    size = 4 + 4 + len(notice.channel.encode()) + 1 + len(notice.payload.encode()) + 1
    return {
        "length": size,
        "processId": notice.pid,
        "channel": notice.channel,
        "payload": await json_or_text(notice.payload) if notice.payload else "",
        "name": "notification",
    }


def node(context: PluginContext) -> PostgresTriggerNode:
    return PostgresTriggerNode(context)
