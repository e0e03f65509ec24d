"""Files of items on disk, by content, in the configuration directory."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, deferred, later


class BinaryPlugin(Plugin):
    """Files of items on disk, by content, in the configuration directory."""

    name = "binary"
    first_process_only = True
    jackfield_binary_store = later("jackfield_binary.store:disk_store")
    start = deferred("jackfield_binary.sweeping:start")
