"""Everything a plugin may import. Imports nothing else of Jackfield."""
