"""The parts of `jackfield.testing.store`, a store in memory."""
