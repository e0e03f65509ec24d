"""For stores that keep everything in a database with SQL: the parts that do not depend on its dialect."""
