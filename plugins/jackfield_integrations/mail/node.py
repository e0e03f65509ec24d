"""Send Email: one mail per item, over SMTP, through one connection per run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import (
    NodeCredential,
    NodeDescription,
    NodeError,
    NodeParameters,
    NodeResult,
    NodeRun,
    NodeUnavailable,
)
from jackfield.api.nodes.files import content_of, file_of
from jackfield.api.nodes.items import accepted, all_failed, error_item, new_items
from jackfield.api.nodes.running import FAILURES
from jackfield.api.nodes.unresolved import first_resolved, is_resolved, unresolved_items
from jackfield.api.questions import Wording, asked, suspended
from jackfield.api.resume import ResumeLinks
from jackfield.api.workflows import Items
from jackfield_integrations.kinds import SMTP
from jackfield_integrations.libraries import load
from jackfield_integrations.mail.composing import Attachment, envelope, message
from jackfield_integrations.mail.parameters import SendEmail, SendEmail1, SendEmail2
from jackfield_integrations.node import IntegrationNode
from jackfield_integrations.secret_values import credential

if TYPE_CHECKING:
    from jackfield_integrations.mail.post import Post

AnySendEmail: TypeAlias = "SendEmail | SendEmail1"


class SendEmailNode(IntegrationNode):
    """A mail that some recipients refuse counts as sent; the output lists them."""

    kind = "emailSend"
    versions: Sequence[float] = (1, 2, 2.1)
    description = NodeDescription(
        "Send Email", "Sends mails over SMTP.", "network", credentials=(NodeCredential(SMTP.name),)
    )

    def parameters(self, version: float | None) -> type[NodeParameters]:
        if version == 1:
            return SendEmail1
        return SendEmail2 if version == 2 else SendEmail

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[AnySendEmail] = await run.resolve()
        first = first_resolved(resolved)
        if first is None:
            return [unresolved_items(resolved)]
        if isinstance(first, SendEmail) and first.operation == "sendAndWait":
            return await self._asked(run, first)
        if any(parameters.operation != "send" for parameters in resolved if is_resolved(parameters)):
            raise NodeUnavailable("The operation must be send, or sendAndWait for all items.")
        try:
            return [await self._all(run, resolved, not first.options.allow_unauthorized_certs)]
        except NodeError as exc:
            return [all_failed(run, exc)]

    async def _asked(self, run: NodeRun, parameters: SendEmail) -> NodeResult:
        """One mail for all items, and the wait for its answer."""
        given: dict[str, Json] = parameters.model_dump(mode="json", by_alias=True)
        question = asked(run, ResumeLinks(self._context), given, Wording())
        wait = suspended(run, question, given, self._context.clock.now_ms())
        mail = parameters.asking(question)
        try:
            to = envelope(mail)
            made = await asyncio.to_thread(message, mail, [])
            values = await credential(run, SMTP)
            posts = await load("mail.post", "mail")
            async with self.slot(), posts.connected(self.targets, values, self.settings, verify=True) as post:
                await post.send(made, to)
        except FAILURES as exc:
            return [[error_item(accepted(run, exc, 0), 0)]]
        return wait

    async def _all(self, run: NodeRun, resolved: Sequence[AnySendEmail], verify: bool) -> Items:
        values = await credential(run, SMTP)
        posts = await load("mail.post", "mail")

        async def one(post: Post, index: int, parameters: AnySendEmail) -> Items:
            return await self._one(run, post, index, parameters)

        return await self.through(run, resolved, posts.connected(self.targets, values, self.settings, verify), one)

    async def _one(self, run: NodeRun, post: Post, index: int, parameters: AnySendEmail) -> Items:
        mail = parameters.mail()
        to = envelope(mail)
        # The files as they are go once they are in the mail; a mail is whole in memory, as the library takes it.
        made = await asyncio.to_thread(message, mail, await self._attachments(run, index, mail.files))
        return new_items([await post.send(made, to)], index)

    async def _attachments(self, run: NodeRun, index: int, fields: Sequence[str]) -> list[Attachment]:
        item, left = run.items[index], self.settings.max_bytes
        found: list[Attachment] = []
        for name in fields:
            file = file_of(item, name, index)
            content = await content_of(run, item, name, index, limit=left)
            left -= len(content)
            found.append((content, file.get("mimeType") or "", file.get("fileName") or name))
        return found


def node(context: PluginContext) -> SendEmailNode:
    return SendEmailNode(context)
