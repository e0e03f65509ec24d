"""Files of items on disk, by content, in the configuration directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jackfield.api.hooks import hookimpl

if TYPE_CHECKING:
    from jackfield.api.binary import BinaryStore
    from jackfield.api.context import PluginContext


@hookimpl
def jackfield_binary_store(context: PluginContext) -> BinaryStore:
    from jackfield.api.binary import BinarySettings
    from jackfield_binary.store import DiskStore

    return DiskStore(context.service.config_dir / "binary", context.settings(BinarySettings))


@hookimpl
def jackfield_startup(context: PluginContext) -> None:
    from jackfield_binary.store import DiskStore
    from jackfield_binary.sweeping import sweep_forever

    if isinstance(context.binary, DiskStore):
        context.spawn("sweep", sweep_forever(context, context.binary))
