"""The way between the daemon and the worker processes of scripts, for engines whose workers are processes."""
