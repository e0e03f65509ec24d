"""The protocols that Jackfield brings."""
