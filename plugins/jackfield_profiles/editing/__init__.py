"""Making, changing and deleting profiles, and the checks of what they may say."""
