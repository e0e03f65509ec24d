"""What a plugin keeps sealed, and seals anew when `jackfield keys rotate` replaces the master key; and what else it
needs earlier keys for, which `jackfield keys forget` asks before they go."""

from __future__ import annotations

from typing import Protocol

from .extensions import ExtensionPoint
from .records import record


@record
class Resealed:
    """done: values that are sealed with the present key now. lost: one sentence for each that no key opens, and that
    was left as it is."""

    done: int
    lost: tuple[str, ...] = ()


class SealedValues(Protocol):
    """One kind of values, such as credentials."""

    name: str
    """In the plural, as the command shows it."""

    async def reseal(self) -> Resealed:
        """Open each value that is not `is_current` and seal it again (`PluginContext.secrets`). A daemon may run beside
        this and write values: replace only what is still as you have read it. Whatever ends this is followed by another
        call, which may meet values that are done. Raises `JackfieldError`."""


SEALED_VALUES: ExtensionPoint[SealedValues] = ExtensionPoint("jackfield_sealed_values", SealedValues)


class KeyUse(Protocol):
    """One use of a key by name (`Secrets.key`), such as signed addresses."""

    name: str
    """In the plural, such as `tokens`."""

    async def needs_earlier(self, replaced_at: int) -> str:
        """A sentence that says why keys are still needed that were replaced then, Unix ms, and until when if that is
        known; empty: they are not. Called with the store open and no daemon. Raises `JackfieldError`."""


KEY_USES: ExtensionPoint[KeyUse] = ExtensionPoint("jackfield_key_uses", KeyUse)
