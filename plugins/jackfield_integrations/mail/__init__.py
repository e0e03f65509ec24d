"""Send Email."""
