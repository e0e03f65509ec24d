"""Email Trigger (IMAP): starts the workflow with mails that arrive.

The trigger remembers its last mail with the UID, as in n8n. So a mail that comes while nobody is connected starts the
workflow later. A mail is marked as read after its execution is stored. The UIDs that are to be marked are stored with
it, so that a crash in between neither leaves one unread nor starts it twice.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal
from zoneinfo import ZoneInfo

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, Parameters
from jackfield.api.nodes.files import kept_file
from jackfield.api.nodes.ui import UiFields
from jackfield.api.records import record
from jackfield.api.triggers.listening import EventFiles, Heard, ListenRun, Settle
from jackfield.api.workflows import BinaryData, Item, Node, Problem
from jackfield_integrations.kinds import IMAP
from jackfield_integrations.libraries import load
from jackfield_integrations.listening.form import IMAP_OPTIONS, IMAP_TRIGGER
from jackfield_integrations.listening.node import ConnectionTrigger
from jackfield_integrations.mail.imap_criteria import Criteria, criteria_of
from jackfield_integrations.mail.imap_items import item_of
from jackfield_integrations.mail.mail_reading import MailFile

if TYPE_CHECKING:
    from jackfield_integrations.mail.imap_session import FetchedMail, ImapMailbox

_BATCH = 20
"""Mails that one execution begins with from version 2.1 on, as in n8n."""
_MOST = 1000
"""The same before, where n8n has no limit."""
_IDLE_S = 300.0
"""After so long a mailbox is looked at although the server has said nothing."""
_TRACKING = 2.1


class ImapOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = IMAP_OPTIONS

    custom_email_config: str = Field('["UNSEEN"]', description="Rules by which mails are searched, as JSON.")
    allow_unauthorized_certs: bool = Field(False, description="Version 1: whether any certificate is accepted.")
    force_reconnect: float | None = Field(None, description="Minutes after which the connection is opened anew.")
    track_last_message_id: bool = Field(True, description="From version 2.1: whether a mail is reported once only.")


class EmailReadImap(Parameters):
    ui_fields: ClassVar[UiFields] = IMAP_TRIGGER

    mailbox: str = "INBOX"
    post_process_action: Literal["read", "nothing"] = "read"
    download_attachments: bool = False
    format: Literal["raw", "resolved", "simple"] = "simple"
    data_property_attachments_prefix_name: str = "attachment_"
    options: ImapOptions = Field(default_factory=ImapOptions)


@record
class _Asked:
    """The wishes of one node. `remembers`: the last mail's UID. `since`: whether a node that begins takes mails of
    today."""

    parameters: EmailReadImap
    version: float
    criteria: Criteria

    @property
    def remembers(self) -> bool:
        return self.version < 2 or (self.version >= _TRACKING and self.parameters.options.track_last_message_id)

    @property
    def since(self) -> bool:
        return self.remembers and self.version >= _TRACKING

    @property
    def reads(self) -> bool:
        return self.parameters.post_process_action == "read"


class EmailReadImapNode(ConnectionTrigger):
    """`ListeningNode`."""

    def __init__(self, context: PluginContext) -> None:
        words = ("Email Trigger (IMAP)", "Starts the workflow with mails that arrive.")
        super().__init__(context, "emailReadImap", (1, 2, 2.1, 2.2), words, IMAP, ("imapclient", "imap"), EmailReadImap)

    def listen(self, run: ListenRun) -> AbstractAsyncContextManager[AsyncIterator[Heard]]:
        parameters = EmailReadImap.model_validate(dict(run.node.parameters))
        criteria = criteria_of(parameters.options.custom_email_config)
        return self._opened(run, _Asked(parameters, run.node.version or 1, criteria))

    @contextlib.asynccontextmanager
    async def _opened(self, run: ListenRun, asked: _Asked) -> AsyncIterator[AsyncIterator[Heard]]:
        async with AsyncExitStack() as stack:
            box = await stack.enter_async_context(await self._box(run, asked))
            yield self._heard(run, asked, box, stack)

    async def _box(self, run: ListenRun, asked: _Asked) -> AbstractAsyncContextManager[ImapMailbox]:
        values = await self.values(run)
        sessions = await load("mail.imap_session", "imap")
        any_certificate = values.flag("allowUnauthorizedCerts") if asked.version >= 2 else False
        verify = not (any_certificate or asked.parameters.options.allow_unauthorized_certs)
        box: AbstractAsyncContextManager[ImapMailbox] = sessions.opened(
            self.targets(), values, self.settings, asked.parameters.mailbox, verify=verify
        )
        return box

    async def _heard(
        self, run: ListenRun, asked: _Asked, box: ImapMailbox, stack: AsyncExitStack
    ) -> AsyncIterator[Heard]:
        own = dict(run.state)
        minutes = asked.parameters.options.force_reconnect
        while True:
            look = _Look(self.settings.max_bytes, run, asked, box, own)
            async for heard in look.begun():
                yield heard
            until = None if not minutes else self._context.clock.monotonic() + minutes * 60
            wanted = True
            while until is None or self._context.clock.monotonic() < until:
                if wanted:
                    async for heard in look.mails():
                        yield heard
                left = _IDLE_S if until is None else min(_IDLE_S, until - self._context.clock.monotonic())
                wanted = await box.arrival(max(left, 0.1)) or asked.remembers or asked.reads
            own = look.own
            await stack.aclose()
            box = await stack.enter_async_context(await self._box(run, asked))

    def listen_problems(self, node: Node) -> Sequence[Problem]:
        wanted = EmailReadImap.model_validate(dict(node.parameters))
        found = [] if wanted.mailbox else [Problem("parameters.mailbox", "The parameter mailbox is empty; name one.")]
        try:
            criteria_of(wanted.options.custom_email_config)
        except NodeError as exc:
            found.append(Problem("parameters.options.customEmailConfig", exc.message))
        return found


class _Look:
    """At one open mailbox. `own`: what the node remembers. It is `lastMessageUid` as in n8n, `uidValidity`, the day
    `since` which it counts, and `marking`, the mails that are to be marked as read."""

    def __init__(self, most: int, run: ListenRun, asked: _Asked, box: ImapMailbox, own: Mapping[str, Json]) -> None:
        """most: bytes of the mails of one execution, with more than one mail."""
        self._most = most
        self._run = run
        self._asked = asked
        self._box = box
        self.own = dict(own)

    async def begun(self) -> AsyncIterator[Heard]:
        """The mails that an earlier connection has left."""
        if self._run.test:
            return
        today = datetime.fromtimestamp(self._run.now / 1000, ZoneInfo(self._run.timezone)).date().isoformat()
        if self.own.get("uidValidity") not in (None, self._box.validity):  # the UIDs mean other mails now
            self.own.pop("lastMessageUid", None)
            self.own.pop("marking", None)
        marking = self.own.get("marking")
        if isinstance(marking, list):
            await self._box.mark_read([uid for uid in marking if isinstance(uid, int)])
        if (self._asked.remembers or self._asked.reads) and self.own.get("uidValidity") != self._box.validity:
            self.own["uidValidity"] = self._box.validity
            if self._asked.since:
                self.own.setdefault("since", today)
            yield Heard((), dict(self.own))

    async def mails(self) -> AsyncIterator[Heard]:
        """All that there are now, in the order in which they came."""
        last = self._last()
        uids = [uid for uid in await self._box.search(self._criteria()) if last is None or uid > last]
        limit = 1 if self._run.test else _BATCH if self._asked.version >= _TRACKING else _MOST
        if self._run.test:
            uids = uids[-1:]
        while uids:
            heard, taken = await self._batch(uids[:limit])
            uids = uids[taken:]
            if heard is not None:
                yield heard

    def _last(self) -> int | None:
        found = self.own.get("lastMessageUid")
        return found if self._asked.remembers and isinstance(found, int) and not self._run.test else None

    def _criteria(self) -> Criteria:
        made: Criteria = list(self._asked.criteria)
        last, since = self._last(), self.own.get("since")
        if last is not None:
            made += ["UID", f"{last}:*"]
        elif self._asked.since and isinstance(since, str) and not self._run.test:
            made += ["SINCE", date.fromisoformat(since)]
        return made

    async def _batch(self, uids: Sequence[int]) -> tuple[Heard | None, int]:
        """One execution's mails, and how many of these UIDs they are."""
        files = self._run.files()
        items: list[Item] = []
        size = taken = 0
        for uid in uids:
            mail = await self._box.fetch(uid)
            length = len(mail.content or b"") if mail is not None else 0
            refused = mail is not None and mail.content is None
            if items and (refused or size + length > self._most):  # mails before it start the workflow first
                break
            size, taken = size + length, taken + 1
            if mail is not None:
                items.append(await self._item(mail, files))
        done = list(uids[:taken])
        if not items:
            return None, taken
        if self._run.test:
            return Heard(items, files=files), taken
        return Heard(items, self._remembered(done), files=files, settle=self._settling(done)), taken

    def _remembered(self, uids: list[int]) -> dict[str, Json] | None:
        if self._asked.remembers:
            self.own["lastMessageUid"] = uids[-1]
        if self._asked.reads:
            self.own["marking"] = list(uids)
        return dict(self.own) if self._asked.remembers or self._asked.reads else None

    def _settling(self, uids: Sequence[int]) -> Settle | None:
        async def settle(became: str) -> None:
            if became != "left":
                await self._box.mark_read(uids)

        return settle if self._asked.reads else None

    async def _item(self, mail: FetchedMail, files: EventFiles) -> Item:
        if mail.content is None:
            raise NodeError(
                f"The mail with the UID {mail.uid} is larger than integrations.max_bytes allows; move it elsewhere."
            )
        wanted = self._asked.parameters
        downloads = wanted.download_attachments and wanted.format == "simple"
        read = partial(item_of, mail.content, mail.uid, wanted.format, self._asked.version, self._run.now)
        json, attached = await asyncio.to_thread(read)  # a large one takes seconds
        item: Item = {"json": json}
        if attached and (downloads or wanted.format == "resolved"):
            prefix = wanted.data_property_attachments_prefix_name
            item["binary"] = {f"{prefix}{index}": await _kept(files, file) for index, file in enumerate(attached)}
        return item


async def _kept(files: EventFiles, file: MailFile) -> BinaryData:
    return await kept_file(files, file.content, mime_type=file.media_type, file_name=file.file_name or None)


def node(context: PluginContext) -> EmailReadImapNode:
    return EmailReadImapNode(context)
