"""Reading agents' logs into the ledger."""
