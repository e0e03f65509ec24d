"""`python -m jackfield`."""

from jackfield.cli.main import main

main()
