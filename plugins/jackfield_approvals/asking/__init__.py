"""How agents ask that are started without a protocol of their own: by a tool, or by a hook."""
