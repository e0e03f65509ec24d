"""A plugin of `bench/scale.py`: the node `effect` works and waits as long as it is told, and notes that it did."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, later


class EffectsPlugin(Plugin):
    """Gives the node `effect`."""

    name = "scale_effects"

    jackfield_nodes = later("scale_effects.node:nodes")
