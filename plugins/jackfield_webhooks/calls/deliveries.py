"""Repeated deliveries: the same key on the same webhook is one execution, and every repeat gets the first answer."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence

from jackfield_webhooks.answers.making import Answer

HEADERS = ("idempotency-key", "webhook-id", "x-github-delivery")
_LONGEST = 200


def header_names(configured: Sequence[str]) -> tuple[str, ...]:
    """Every header that names a delivery, lower-case; the configured ones first."""
    return tuple(dict.fromkeys([*(name.strip().lower() for name in configured if name.strip()), *HEADERS]))


def delivery_key(headers: Mapping[str, str], names: Sequence[str], signed: str | None = None) -> str | None:
    """The key of a call: the first of these headers that it carries. signed: the id that the call's proof covers, after
    a name and a colon; it counts alone, because whoever repeats a call may add the headers."""
    if signed is not None:
        sender, _, ident = signed.partition(":")
        return _key(sender, ident)
    return next((_key(name, value) for name in names if (value := headers.get(name))), None)


def _key(name: str, value: str) -> str:
    if len(value) > _LONGEST:
        value = hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()
    return f"{name}:{value}"


class InFlight:
    """Keys whose first call is being answered in this process; one entry per such call."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, str], asyncio.Future[Answer]] = {}

    async def once(self, webhook_id: str, key: str, run: Callable[[], Awaitable[Answer]]) -> Answer:
        """Run, unless a call with the key is running already: then wait for its answer, or for its error."""
        ident = (webhook_id, key)
        while (first := self._answers.get(ident)) is not None:
            try:
                return await asyncio.shield(first)
            except asyncio.CancelledError:
                # Whether the first call was cancelled, or the wait for it.
                if not first.cancelled():
                    raise
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._answers[ident] = answer
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
