"""The screen that a session shows: a terminal emulator, and names of keys."""
