"""The values that a plugin keeps sealed, and seals anew when `jackfield keys rotate` replaces the master key.

Also its other needs for earlier keys, which `jackfield keys forget` asks before they go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from .context import Secrets
from .extensions import ExtensionPoint
from .records import record


@record
class Resealed:
    """`done`: values that are sealed with the current key now.

    `lost`: one sentence for each that no key opens, and that was left as it is.
    """

    done: int
    lost: tuple[str, ...] = ()


class SealedValues(Protocol):
    """One kind of values, such as credentials."""

    name: str
    """In the plural, as the command shows it."""

    async def reseal(self) -> Resealed:
        """Open each value that is not `is_current` and seal it again (`PluginContext.secrets`).

        A daemon may run beside this and write values: replace only what is still as you have read it. Another call
        follows any end of this one, and may meet values that are done. Raises `JackfieldError`.
        """


async def reseal_stored(
    secrets: Secrets,
    found: bytes | None,
    read: Callable[[], Awaitable[bytes | None]],
    write: Callable[[bytes, bytes], Awaitable[bool]],
) -> bool:
    """Seal one value anew, until it is done or deleted: a running daemon may write it meanwhile.

    `found`: as it is stored, None where it is not. `read`: it, once more. `write`: what was read, and that in its
    place, unless another has come there. False: no key opens it.
    """
    while found is not None and not secrets.is_current(found):
        sealed = await asyncio.to_thread(_sealed_anew, secrets, found)
        if sealed is None:
            return False
        if await write(found, sealed):
            break
        found = await read()
    return True


def _sealed_anew(secrets: Secrets, sealed: bytes) -> bytes | None:
    try:
        return secrets.seal(secrets.open(sealed))
    except ValueError:
        return None


SEALED_VALUES: ExtensionPoint[SealedValues] = ExtensionPoint("jackfield_sealed_values", SealedValues)


class KeyUse(Protocol):
    """One use of a key by name (`Secrets.key`), such as signed addresses."""

    name: str
    """In the plural, such as `tokens`."""

    async def needs_earlier(self, replaced_at: int) -> str:
        """A sentence that says why the plugin still needs keys that were replaced then, Unix ms, and until when if that
        is known. Empty: it does not. Called with the store open and no daemon. Raises `JackfieldError`.
        """


KEY_USES: ExtensionPoint[KeyUse] = ExtensionPoint("jackfield_key_uses", KeyUse)
