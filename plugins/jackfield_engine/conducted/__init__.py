"""The engine as somebody else conducts it: what it decides by itself elsewhere, it gets from the conductor here."""
