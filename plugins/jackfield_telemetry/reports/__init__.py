"""Sums of the ledger, by period, kind and block."""
