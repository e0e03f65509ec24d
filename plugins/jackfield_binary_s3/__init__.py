"""Files of items in a bucket that S3's protocol reaches, for several daemons."""

from __future__ import annotations

from jackfield.api.offers import Offer
from jackfield.api.plugin import Plugin, SettingsTable, deferred, hookimpl, later


class S3BinaryPlugin(Plugin):
    """Files of items in a bucket that S3's protocol reaches, for several daemons."""

    name = "binary_s3"
    first_process_only = True
    settings = (SettingsTable("binary.s3", "jackfield_binary_s3.settings:S3Settings"),)
    jackfield_findings = later("jackfield_binary_s3.diagnosis:findings")
    start = deferred("jackfield_binary_s3.sweeping:start")

    _made = deferred("jackfield_binary_s3.making:s3_store")

    @hookimpl
    def jackfield_binary_store(self) -> Offer:
        """The driver is imported for those who have chosen it."""
        return Offer("s3", self._made)
