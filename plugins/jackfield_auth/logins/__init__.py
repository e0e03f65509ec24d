"""Names and passwords: logins, Basic, and the throttle against guessing."""
