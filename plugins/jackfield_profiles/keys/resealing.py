"""Keys of profiles and providers under a new master key; those in the keyring are none of ours."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield.api.resealing import Resealed, SealedValues
from jackfield_profiles.keys.files import KINDS, KeyFiles


def sealed_values(context: PluginContext) -> Sequence[SealedValues]:
    return [SealedKeys(KeyFiles(context.service.config_dir, context.secrets))]


class SealedKeys:
    """`jackfield.api.resealing.SealedValues`."""

    name = "keys of profiles and providers"

    def __init__(self, files: KeyFiles) -> None:
        self._files = files

    async def reseal(self) -> Resealed:
        return await asyncio.to_thread(self._reseal)

    def _reseal(self) -> Resealed:
        done, lost = 0, list[str]()
        for owner in (f"{kind}/{name}" for kind in KINDS for name in self._files.names(kind)):
            try:
                done += self._files.reseal(owner)
            except JackfieldError as exc:
                lost.append(exc.message)
        return Resealed(done, tuple(lost))
