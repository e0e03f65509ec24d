"""What the plugin is made of, once for each daemon or command."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from jackfield.api.context import PluginContext
from jackfield_profiles.keys import KeyStore
from jackfield_profiles.store import ProfileStore

if TYPE_CHECKING:
    from jackfield_profiles.changing import Changing
    from jackfield_profiles.creating import Creating
    from jackfield_profiles.deleting import Deleting
    from jackfield_profiles.launching import Launcher
    from jackfield_profiles.shims import Shims


class Parts:
    """Each is made when it is first used: a start needs none."""

    def __init__(self, context: PluginContext) -> None:
        self.context = context

    @cached_property
    def profiles(self) -> ProfileStore:
        return ProfileStore(self.context)

    @cached_property
    def keys(self) -> KeyStore:
        return KeyStore(self.context)

    @cached_property
    def launcher(self) -> Launcher:
        from jackfield_profiles.launching import Launcher

        return Launcher(self.context, self.profiles, self.keys)

    @cached_property
    def shims(self) -> Shims:
        from jackfield_profiles.shims import Shims

        return Shims(self.context)

    @cached_property
    def creating(self) -> Creating:
        from jackfield_profiles.creating import Creating

        return Creating(self.context, self.profiles, self.keys, self.launcher, self.shims)

    @cached_property
    def changing(self) -> Changing:
        from jackfield_profiles.changing import Changing

        return Changing(self.context, self.profiles, self.keys)

    @cached_property
    def deleting(self) -> Deleting:
        from jackfield_profiles.deleting import Deleting

        return Deleting(self.context, self.profiles, self.keys, self.launcher, self.shims)
