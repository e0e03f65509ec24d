"""A trigger that its service sends events to, as the table `trigger.subscribe` says."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from jackfield.api.caller_secrets import MASK
from jackfield.api.errors import WebhookUnauthorized
from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import NodeError
from jackfield.api.triggers.failures import ServiceRefusal
from jackfield.api.triggers.newness import seconds
from jackfield.api.triggers.proofs import EventSignature, same_secret, verified_by_preset
from jackfield.api.triggers.subscribing import EventAnswer, EventCall, Received, Subscribed, SubscriptionRun
from jackfield.api.webhooks import WebhookCall
from jackfield.api.workflows import Item, Node, Problem
from jackfield_vendors.described.triggers import DescribedProof, DescribedTrigger
from jackfield_vendors.operations import Check
from jackfield_vendors.requests.sending import ServiceSteps, with_special
from jackfield_vendors.results import shaped
from jackfield_vendors.shapes import elements, matches
from jackfield_vendors.templates import Missing, TemplateScope, as_text, at, value_of
from jackfield_vendors.triggering.compiled import (
    CompiledAnswer,
    CompiledCheck,
    CompiledCreate,
    CompiledProof,
    CompiledSubscribe,
    are_same,
    chosen,
    compile_subscribe,
    is_true,
    key_in,
    of_row,
    text_in,
)
from jackfield_vendors.triggering.row_files import with_files
from jackfield_vendors.triggering.trigger_node import VendorTriggerNode, no_variant

_SHORT_DIGEST = 1 << 20
"""Bodies up to this size are hashed without a thread: under a millisecond."""


class VendorSubscribeNode(VendorTriggerNode):
    """`SubscribingNode`."""

    def take(self, trigger: DescribedTrigger, check: Check) -> None:
        self._subscriptions = []
        for index, one in enumerate(trigger.subscribe):
            try:
                self._subscriptions.append((one, compile_subscribe(one, check)))
            except ValueError as exc:
                place = f"[{index}]" if len(trigger.subscribe) > 1 else ""
                raise ValueError(f"trigger.subscribe{place}.{exc}") from None

    def subscription_problems(self, node: Node) -> Sequence[Problem]:
        return self.parameter_problems(node)

    async def subscribe(self, run: SubscriptionRun) -> Subscribed:
        found = self._chosen(run.node)
        return await self._created(found, found.create, run)

    async def renew(self, run: SubscriptionRun) -> Subscribed:
        found = self._chosen(run.node)
        return await self._created(found, found.renew or found.create, run)

    async def check(self, run: SubscriptionRun) -> bool:
        found = self._chosen(run.node)
        if found.check is None:
            return not self._lacks_state(found, run)
        steps, scope = await self._asking(found, run)
        if found.check.needs is not None and not is_true(found.check.needs, scope):
            return not self._lacks_state(found, run)
        try:
            answer = await steps.ask(found.check.request, scope)
        except ServiceRefusal as exc:
            if exc.gone:
                return False
            raise
        except NodeError:
            if self._lacks_state(found, run):  # its address names what nobody knows
                return False
            raise
        return _is_there(found.check, with_special(scope, "$response", answer), answer, run)

    async def unsubscribe(self, run: SubscriptionRun) -> None:
        found = self._chosen(run.node)
        if found.delete is None or (self._lacks_state(found, run) and not await self.check(run)):
            return
        steps, scope = await self.asking(run.node, run.credentials, self._seen(run), [run.secret])
        scope = await steps.stepped(found.steps, scope)
        for step in found.delete.before:
            with _gone_is_done():
                scope = await steps.stepped([step], scope)
        if found.delete.request is not None:
            with _gone_is_done():
                await steps.ask(found.delete.request, scope)

    async def unproven(self, run: SubscriptionRun) -> str:
        """See `ProvingNode`."""
        found = self._chosen(run.node)
        if found.described.unsigned:
            service = self.text.title.removesuffix(" Trigger")
            return f"{service} signs nothing, so that whoever knows the address can make events up."
        _, scope = await self.asking(run.node, run.credentials, self._seen(run), [run.secret])
        for proof in found.proofs:
            if proof.described.optional and not key_in(proof.secret, scope):
                fields = " and ".join(_fields(proof))
                return (
                    "Its events are not verified, so that whoever knows the address can make them up. "
                    f"Fill in {fields} of the credential."
                )
        return ""

    async def receive(self, run: SubscriptionRun, event: EventCall) -> Received:
        found = self._chosen(run.node)
        steps, scope = await self.asking(run.node, run.credentials, self._seen(run, event), [run.secret])
        handshake = next((one for one in found.handshakes if one.when.holds(scope)), None)
        if handshake is None or handshake.described.check:
            await self._verify(found.proofs, scope, event.call, self.version_of(run.node))
        if handshake is not None:
            return Received(None, _answer(handshake.answer, scope))
        for name, sent in (("$headers", event.call.headers), ("$query", event.query)):
            # Items are stored, and whoever knows the secret can make events up.
            scope = with_special(scope, name, {key: text.replace(run.secret, MASK) for key, text in sent.items()})
        answer = _answer(found.event.answer, scope) if found.event.answer is not None else EventAnswer()
        scope = await steps.stepped(found.event.steps, scope)
        if any(one.holds(scope) for one in found.event.ignore):
            return Received(None, answer)
        output = 0
        if found.event.output is not None:
            names, named = self.output_names(run.node), text_in(found.event.output, scope)
            if named not in names:
                return Received(None, answer)
            output = names.index(named)
        items = [await self._item(found, steps, scope, row, event) for row in _rows(found, event.body, scope)]
        return Received(items or None, answer, text_in(found.event.delivery, scope), output)

    # -- parts

    def _chosen(self, node: Node) -> CompiledSubscribe:
        index = chosen(self._subscriptions, self.given(node), self.version_of(node))
        if index is None:
            raise no_variant(node)
        return self._subscriptions[index][1]

    @staticmethod
    def _lacks_state(found: CompiledSubscribe, run: SubscriptionRun) -> bool:
        """The service has said something at its beginning that is not known here."""
        return found.create is not None and found.create.state is not None and not run.state

    def _seen(self, run: SubscriptionRun, event: EventCall | None = None) -> dict[str, Json]:
        special: dict[str, Json] = {
            **self.times(run.now, run.timezone),
            "$url": run.url,
            "$secret": run.secret,
            "$tag": hashlib.sha256(run.secret.encode()).hexdigest()[:16],
            "$state": dict(run.state),
            "$test": run.test,
        }
        if event is not None:
            special |= {
                "$body": event.body,
                "$headers": dict(event.call.headers),
                "$query": dict(event.query),
                "$method": event.call.method,
            }
        return special

    async def _asking(self, found: CompiledSubscribe, run: SubscriptionRun) -> tuple[ServiceSteps, TemplateScope]:
        steps, scope = await self.asking(run.node, run.credentials, self._seen(run) | {"$wanted": True}, [run.secret])
        return steps, await steps.stepped(found.steps, scope)

    async def _created(
        self, found: CompiledSubscribe, create: CompiledCreate | None, run: SubscriptionRun
    ) -> Subscribed:
        if create is None:
            return Subscribed()
        steps, scope = await self._asking(found, run)
        self._check_keys(found.proofs, scope)
        answer = None if create.request is None else await steps.ask(create.request, scope)
        scope = await steps.stepped(create.then, with_special(scope, "$response", answer))
        if create.state is not None:
            made = create.state(scope)
            run.state.update(made if isinstance(made, dict) else {})
        if create.lifetime is not None:
            return Subscribed(run.now + round(create.lifetime * 1000))
        end = seconds(text_in(create.expires, scope)) if create.expires is not None else None
        return Subscribed(None if end is None else round(end * 1000))

    def _check_keys(self, proofs: Sequence[CompiledProof], scope: TemplateScope) -> None:
        """Raises `NodeError` where the credential lacks the key that events are signed with: each would be refused."""
        for proof in proofs:
            fields = _fields(proof)
            if fields and not proof.described.optional and not key_in(proof.secret, scope):
                raise NodeError(
                    f"{self.text.title} cannot tell its service's events from forged ones; fill in the credential's "
                    f"{' or '.join(fields)}."
                )

    async def _verify(
        self, proofs: Sequence[CompiledProof], scope: TemplateScope, call: WebhookCall, version: float
    ) -> None:
        """Raises `WebhookUnauthorized`."""
        asked = [proof for proof in proofs if proof.when is None or proof.when.holds(scope)]
        if proofs and not asked:
            raise WebhookUnauthorized("The proof of this call is missing.")
        for proof in asked:
            described = proof.described
            if described.min_version is not None and version < described.min_version:
                continue
            secret = key_in(proof.secret, scope)
            if described.optional and not secret:
                continue
            if described.preset or described.header:
                if len(call.body) > _SHORT_DIGEST:
                    await asyncio.to_thread(self._check_signature, described, secret, call)
                else:
                    self._check_signature(described, secret, call)
            if proof.digest is not None:
                made = await asyncio.to_thread(hashlib.sha256, call.body)
                same_secret(text_in(proof.digest, scope), made.hexdigest())
            for given, wanted in proof.same:
                same_secret(text_in(given, scope), text_in(wanted, scope))

    def _check_signature(self, described: DescribedProof, secret: str, call: WebhookCall) -> None:
        """Raises `WebhookUnauthorized`."""
        if described.preset:
            verified_by_preset(self.context, described.preset, secret, call)
        else:
            _signature(described).verify(call, secret)

    async def _item(
        self, found: CompiledSubscribe, steps: ServiceSteps, scope: TemplateScope, row: Json, event: EventCall
    ) -> Item:
        scope = of_row(scope, row) if found.event.described.several else scope
        value = found.event.item(scope) if found.event.item is not None else row
        json = value if isinstance(value, dict) else shaped(None, None if isinstance(value, Missing) else value, scope)
        item: Item = {"json": json}
        return await with_files(item, found.event.file, steps, scope, event)


@contextmanager
def _gone_is_done() -> Iterator[None]:
    """A subscription that the service does not have any more needs no end."""
    try:
        yield
    except ServiceRefusal as exc:
        if not exc.gone:
            raise


def _rows(found: CompiledSubscribe, body: Json, scope: TemplateScope) -> list[Json]:
    event = found.event
    if not event.described.several:
        return [body]
    listed = value_of(event.found, scope) if event.found is not None else at(body, event.described.rows.split("."))
    where = dict(event.described.where)
    rows = listed if isinstance(listed, list) else []
    return [row for row in rows if not where or (isinstance(row, dict) and matches(where, row))]  # type: ignore[arg-type]  # scalars are JSON


def _is_there(check: CompiledCheck, scope: TemplateScope, answer: Json, run: SubscriptionRun) -> bool:
    """Whether the answer names it; what it says is remembered."""
    if check.rows is None:
        scopes = [scope]
    else:
        scopes = list(elements(at(answer, check.rows.split(".")) if check.rows else answer, scope))
    for one in scopes:
        if all(are_same(pair, one) for pair in check.same):
            made = check.state(one) if check.state is not None else {}
            run.state.update(made if isinstance(made, dict) else {})
            return True
    return False


def _fields(proof: CompiledProof) -> list[str]:
    """Of the credential, that make the key."""
    return [path[1] for path in proof.secret.paths() if path[0] == "$credential"]


def _signature(described: DescribedProof) -> EventSignature:
    return EventSignature(
        described.header.lower(),
        described.algorithm,
        described.encoding,
        described.prefix,
        described.over,
        described.time_header.lower(),
        described.part,
        described.time_part,
        described.keying,
    )


def _answer(answer: CompiledAnswer, scope: TemplateScope) -> EventAnswer:
    described = answer.described
    headers: Mapping[str, str] = {name: text_in(template, scope) for name, template in answer.headers.items()}
    body = Missing() if answer.body is None else answer.body(scope)
    if isinstance(body, Missing):
        return EventAnswer(described.status, tuple(headers.items()), b"", described.content_type or "text/plain")
    if isinstance(body, dict | list):
        kind = described.content_type or "application/json"
        return EventAnswer(described.status, tuple(headers.items()), dumps(body), kind)
    kind = described.content_type or "text/plain"
    return EventAnswer(described.status, tuple(headers.items()), as_text(body).encode(), kind)
