"""The facts about triggers that the API and the command line tell."""
