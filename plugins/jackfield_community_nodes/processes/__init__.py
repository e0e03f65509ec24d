"""Processes of Node.js that run the code of packages."""
