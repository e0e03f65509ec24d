"""The contract of engines, over ours; a stranger's test module reads like this."""

from jackfield.testing.contracts.engine import EngineContract


class TestEmbedded(EngineContract):
    """The engine that comes with Jackfield."""
