"""`jackfield workflow`: workflows from the command line, through a running daemon or without one."""
