"""The winner, when two plugins claim one name: Jackfield's own, or else the first, unless the operator says otherwise.

The claims of a daemon are things such as the node kind `set`, the port `Registry` or the proxy strategy `Fallback`. In
config.toml `[plugins.overrides]` has one line per replaced thing: `"node:set" = "my_plugin"`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

OWN_DISTRIBUTION = "jackfield"


class NameTaken(ValueError):
    """The thing is another plugin's. The message names the thing, its owner and the remedy."""


class Precedence:
    """Remembers who claimed what."""

    def __init__(self, overrides: Mapping[str, str], is_own: Callable[[str], bool]) -> None:
        """overrides: thing -> plugin. is_own: whether a plugin comes with Jackfield."""
        self._overrides = overrides
        self._is_own = is_own
        self._owners: dict[str, str] = {}
        self._displaced: dict[str, str] = {}
        """The things that gave way to one that the operator has installed, with their plugins."""

    def claim(self, plugin: str, thing: str) -> bool:
        """True when the plugin's counts, and then what counted before does not. False when the operator chose another.
        Until the chosen plugin claims the thing, the first that does has it: the choice may have failed.

        Raises:
            NameTaken: Another plugin owns the thing.
        """
        owner = self._owners.setdefault(thing, plugin)
        if owner == plugin:
            return True
        chosen = self._overrides.get(thing)
        if chosen == plugin or (owner != chosen and self._is_own(plugin) and not self._is_own(owner)):
            self._owners[thing] = plugin
            return True
        if chosen is not None:
            return False
        raise NameTaken(
            f"{thing} {self._whose(owner)} ({owner}); to replace it, "
            f'write "{thing}" = "{plugin}" under [plugins.overrides] in config.toml'
        )

    def choose(self, plugin: str, thing: str) -> bool:
        """As `claim`, for a thing that the operator has installed by its name: another plugin's gives way, unless the
        configuration chose that."""
        if self._overrides.get(thing, plugin) != plugin:
            return False
        owner = self._owners.get(thing)
        if owner not in (None, plugin):
            self._displaced[thing] = str(owner)
        self._owners[thing] = plugin
        return True

    def release(self, plugin: str, thing: str) -> None:
        """The plugin gives the thing no longer."""
        if self._owners.get(thing) == plugin:
            del self._owners[thing]
            if (before := self._displaced.pop(thing, None)) is not None:
                self._owners[thing] = before

    def _whose(self, owner: str) -> str:
        return "comes with Jackfield" if self._is_own(owner) else "is another plugin's already"

    def chosen(self, thing: str) -> str | None:
        """The plugin that the operator chose."""
        return self._overrides.get(thing)

    def owner(self, thing: str) -> str | None:
        """The plugin whose claim counts."""
        return self._owners.get(thing)
