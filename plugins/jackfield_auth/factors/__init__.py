"""Second factors: what a login asks for behind the password, and how users set it up."""
