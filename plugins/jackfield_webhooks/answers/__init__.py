"""What a caller gets."""
