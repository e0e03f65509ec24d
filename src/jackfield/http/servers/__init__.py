"""The HTTP servers that can carry the application: Hypercorn, and uvicorn, which comes with an extra."""
