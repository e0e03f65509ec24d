"""What a plugin keeps sealed with the encryption key, and seals anew when `jackfield rotate-key` replaces that key."""

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
        """Open each value and seal it again (`PluginContext.secrets`). The daemon does not run. Whatever ends this is
        followed by another call, which may meet values that are done. Raises `JackfieldError`."""


SEALED_VALUES: ExtensionPoint[SealedValues] = ExtensionPoint("jackfield_sealed_values", SealedValues)
