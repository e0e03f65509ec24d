"""SSH and FTP."""
