"""The process itself: its pipe to the daemon, its log, its open files, and the library that it stands on."""
