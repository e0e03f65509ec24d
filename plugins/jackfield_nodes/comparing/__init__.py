"""Compare Datasets: what two inputs have in common, and what differs."""
