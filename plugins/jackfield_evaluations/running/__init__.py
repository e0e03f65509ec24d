"""How runs of evaluations go on."""
