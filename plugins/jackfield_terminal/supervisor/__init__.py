"""The PTY supervisor: a small program that keeps a persistent terminal while daemons come and go. And how the daemon
speaks to it."""
