"""The one place that names the version."""

__version__ = "0.2.0"
API_VERSION = (1, 0)
"""Of the plugin API: the first number changes when plugins must, the second when something is added."""
