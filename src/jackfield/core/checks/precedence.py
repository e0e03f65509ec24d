"""Who counts, when two plugins claim one name: Jackfield's own, or else the first, unless the operator says otherwise.

The claims of a daemon are things such as the node kind `set`, the port `Registry` or the command `workflow`. In
config.toml `[plugins.overrides]` has one line per replaced thing: `"node:set" = "my_plugin"`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

OWN_DISTRIBUTION = "jackfield"


class Taken(ValueError):
    """The thing is another plugin's. The message names the thing, its owner and the line that would change it."""


class Precedence:
    """Remembers who claimed what."""

    def __init__(self, overrides: Mapping[str, str], is_own: Callable[[str], bool]) -> None:
        """overrides: thing -> plugin. is_own: whether a plugin comes with Jackfield."""
        self._overrides = overrides
        self._is_own = is_own
        self._owners: dict[str, str] = {}

    def claim(self, plugin: str, thing: str) -> bool:
        """True when the plugin's counts, and then what counted before does not. False when the operator chose another.

        Raises:
            Taken: Another plugin owns the thing.
        """
        chosen = self._overrides.get(thing)
        if chosen is not None and chosen != plugin:
            return False
        owner = self._owners.setdefault(thing, plugin)
        if owner == plugin:
            return True
        if chosen == plugin or (self._is_own(plugin) and not self._is_own(owner)):
            self._owners[thing] = plugin
            return True
        whose = "comes with Jackfield" if self._is_own(owner) else f"is given by the plugin {owner} already"
        raise Taken(
            f'{thing} {whose} ({owner}); to replace it, write "{thing}" = "{plugin}" '
            "under [plugins.overrides] in config.toml"
        )

    def owner(self, thing: str) -> str | None:
        """The plugin whose claim counts."""
        return self._owners.get(thing)
