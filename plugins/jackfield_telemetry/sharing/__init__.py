"""Usage of hosts that share a store: what each tells of its ledger, and what stands for one that does not answer."""
