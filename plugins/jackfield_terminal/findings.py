"""What `jackfield doctor` says of terminals."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding
from jackfield_terminal.sandbox import Sandbox

SUBJECT = "sandbox"


async def findings(context: PluginContext) -> Sequence[Finding]:
    reason = await Sandbox(context).unavailable()
    if reason is None:
        return [Finding(SUBJECT, True, "bubblewrap works")]
    wanting = [profile.alias for profile in await context.profiles.all() if profile.sandbox != "off"]
    if not wanting:
        return [Finding(SUBJECT, True, f"no profile wants one; it would not work here: {reason}")]
    names = ", ".join(wanting[:5]) + (", ..." if len(wanting) > 5 else "")
    return [Finding(SUBJECT, False, f"{names} cannot be started: {reason} Install bubblewrap or set sandbox to off")]
