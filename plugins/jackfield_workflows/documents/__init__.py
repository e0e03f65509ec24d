"""Documents: parsing, validation, and the reader of saved ones."""
