"""The ledger of usage: every answer once."""
