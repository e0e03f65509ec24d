"""The HTTP servers that can carry the application: Hypercorn, and uvicorn and granian, which come with extras."""
