"""Parts of the kernel, each with one concern: putting plugins in, starting and stopping them, saying how it is."""
