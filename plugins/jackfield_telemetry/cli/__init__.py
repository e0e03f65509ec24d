"""`jackfield usage`."""
