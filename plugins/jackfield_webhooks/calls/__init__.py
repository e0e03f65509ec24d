"""One call: what is known of it, its execution, its answer and its place in the history."""
