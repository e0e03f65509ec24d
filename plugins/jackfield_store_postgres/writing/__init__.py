"""The one thread that writes, and its batches."""
