"""HTTP: listening, the gate, dispatch to applications, errors, and the OpenAPI description."""
