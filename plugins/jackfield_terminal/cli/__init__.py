"""`jackfield terminal`."""
