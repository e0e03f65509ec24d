"""LangChain Code: a program that uses models, tools and memories."""
