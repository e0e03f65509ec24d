"""The commands: declarations for click, and the work that they load when they run."""
