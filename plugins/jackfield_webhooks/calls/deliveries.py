"""Repeated deliveries: the same key on the same webhook is one execution, and every repeat gets the first answer."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence

from jackfield.api.errors import DeliveryMismatch
from jackfield.api.storage import Delivery
from jackfield_webhooks.answers.making import Answer

HEADERS = ("idempotency-key", "webhook-id", "x-github-delivery")
_OWN = "idempotency-key:"
_LONGEST = 200
_BOUNDARY = re.compile(r'^multipart/[^;]*;(?:.*;)?\s*boundary=(?:"([^"]+)"|([^";\s]+))', re.IGNORECASE)


def header_names(configured: Sequence[str]) -> tuple[str, ...]:
    """Every header that names a delivery, lower-case; the configured ones first."""
    return tuple(dict.fromkeys([*(name.strip().lower() for name in configured if name.strip()), *HEADERS]))


def delivery_key(headers: Mapping[str, str], names: Sequence[str], signed: str | None = None) -> str | None:
    """The key of a call: the first of these headers that it carries.

    `signed`: the id that the call's proof covers, after a name and a colon. It counts alone, because whoever repeats a
    call may add the headers.
    """
    if signed is not None:
        sender, _, ident = signed.partition(":")
        return _key(sender, ident)
    return next((_key(name, value) for name in names if (value := headers.get(name))), None)


def is_idempotency_key(key: str, signed: str | None) -> bool:
    """Whether the caller has made this key up, who may have made a mistake; a sender's id of an event is an event's."""
    return signed is None and key.startswith(_OWN)


def fingerprint(method: str, path: bytes, content_type: str, body: bytes) -> str:
    """The request that an idempotency key stands for: method, path and body.

    A client that sends a form again cuts it at another boundary, which is left out.
    """
    boundary = _BOUNDARY.search(content_type)
    if boundary is not None:
        body = body.replace((boundary[1] or boundary[2]).encode("latin-1"), b"")
    digest = hashlib.sha256(b"%s %s\n" % (method.encode(), path))
    digest.update(body)
    return digest.hexdigest()


def _key(name: str, value: str) -> str:
    if len(value) > _LONGEST:
        value = hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()
    return f"{name}:{value}"


def check_fingerprint(delivery: Delivery, known: str) -> None:
    """known: of the key's first request; empty when it had none. Raises `DeliveryMismatch`."""
    if known and delivery.fingerprint and known != delivery.fingerprint:
        raise DeliveryMismatch


class InFlight:
    """Keys whose first call is being answered in this process; one entry per such call."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, str], tuple[str, asyncio.Future[Answer]]] = {}

    async def once(self, delivery: Delivery, run: Callable[[], Awaitable[Answer]]) -> Answer:
        """Run, unless a call with the key is running already: then wait for its answer, or for its error. Raises
        `DeliveryMismatch` when that call is another one."""
        ident = (delivery.webhook_id, delivery.key)
        while (running := self._answers.get(ident)) is not None:
            known, first = running
            check_fingerprint(delivery, known)
            try:
                return await asyncio.shield(first)
            except asyncio.CancelledError:
                # Whether the first call was cancelled, or the wait for it.
                if not first.cancelled():
                    raise
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._answers[ident] = delivery.fingerprint, answer
        try:
            result = await run()
        except Exception as exc:
            answer.set_exception(exc)
            answer.exception()
            raise
        except BaseException:
            answer.cancel()
            raise
        else:
            answer.set_result(result)
            return result
        finally:
            del self._answers[ident]
