"""The daemon's description of its API, OpenAPI 3.1: its operations, and the errors that each may answer."""
